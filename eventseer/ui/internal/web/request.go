package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// URLWith returns the URL of a request with other parameters, without its host.
func URLWith(r *http.Request, changed url.Values) string {
	values := r.URL.Query()
	for name, v := range changed {
		values[name] = v
	}
	return r.URL.EscapedPath() + "?" + values.Encode()
}

func PageParameter(name string, n int) url.Values { return url.Values{name: {strconv.Itoa(n)}} }

// ReadNumber reads a whole number of the request's form.
func ReadNumber(r *http.Request, name string, def, low, high int) (int, error) {
	text := r.FormValue(name)
	if text == "" {
		return def, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		return 0, BadRequest("%s must be a number from %d to %d", name, low, high)
	}
	return n, nil
}

const MaxPage = 300

// ParseMonth parses "2027-03"; "" is the month of now.
func ParseMonth(text string, now time.Time) (time.Time, error) {
	if text == "" {
		y, m, _ := now.UTC().Date()
		return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), nil
	}
	month, err := time.Parse("2006-01", text)
	if err != nil || month.Year() < views.FirstShown || month.Year() > views.LastShown {
		return time.Time{}, BadRequest("a month must be written such as 2027-03, from %d to %d", views.FirstShown, views.LastShown)
	}
	return month, nil
}

const MaxSliceURL = 2048

// ZoneCookie holds the reader's time zone: a chosen IANA name, or one with the prefix fromBrowser
// that a script set. The script must read it, and does not change a chosen zone.
const ZoneCookie = "tz"

const fromBrowser = "~"

const ZoneFor = 365 * 24 * time.Hour

// ReaderZone returns the time zone of the reader, or UTC.
func ReaderZone(r *http.Request) *time.Location {
	zone, _ := KnownZone(r)
	return cmp.Or(zone, time.UTC)
}

// KnownZone returns the time zone chosen by the reader, otherwise that reported by the browser; nil
// if neither is known. chosen reports which.
func KnownZone(r *http.Request) (zone *time.Location, chosen bool) {
	c, err := r.Cookie(ZoneCookie)
	if err != nil {
		return nil, false
	}
	name, told := strings.CutPrefix(c.Value, fromBrowser)
	zone = eventseer.NamedZone(name)
	return zone, zone != nil && !told
}
