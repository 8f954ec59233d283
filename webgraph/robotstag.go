package webgraph

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Limits on the directives of one page.
const (
	maxRobotsTags     = 20      // number of headers, and of meta elements, that are read
	maxRobotsTagBytes = 2 << 10 // of each
)

// Directives are a page's rules for programs that store copies of it, from its X-Robots-Tag headers and
// its robots meta elements. The zero value has no rules.
type Directives struct {
	NoIndex   bool // do not show the page
	NoFollow  bool // do not follow its links
	NoArchive bool // do not show a copy of it
	// UnavailableAfter is the time from which the page is treated as NoIndex, the earliest one given;
	// zero for never.
	UnavailableAfter time.Time
}

// IsUnavailable reports whether the page must not be shown at a time: NoIndex is set, or UnavailableAfter
// has passed.
func (d Directives) IsUnavailable(now time.Time) bool {
	return d.NoIndex || !d.UnavailableAfter.IsZero() && !now.Before(d.UnavailableAfter)
}

// ParseDirectives parses the values of X-Robots-Tag headers and of the page's robots meta elements for
// one crawler. The argument agent is the name by which robots.txt knows it; a version after it
// ("Bot/1.0") is ignored. Directives for all crawlers and for the agent are combined, so the strictest
// applies: an "all" cancels nothing. Directives for other crawlers and unknown directives are ignored.
// Only the first 20 headers and 20 meta elements are read, 2 KiB of each.
//
// There is no RFC for this; it is the practice that search engines describe
// (developers.google.com/search/docs/crawling-indexing/robots-meta-tag).
func ParseDirectives(agent string, headers, metas []string) Directives {
	agent, _, _ = strings.Cut(agent, "/")
	var d Directives
	for _, h := range headers[:min(len(headers), maxRobotsTags)] {
		d.addValue(h, agent)
	}
	for _, m := range metas[:min(len(metas), maxRobotsTags)] {
		d.addValue(m, "")
	}
	return d
}

// addValue adds the directives of one value. Only for headers agent is not empty: there "name:" before a
// directive names the crawler for this and the following directives.
func (d *Directives) addValue(value, agent string) {
	if len(value) > maxRobotsTagBytes {
		value = value[:maxRobotsTagBytes]
		value = value[:strings.LastIndexByte(value, ',')+1] // no half directive
	}
	mine := true
	for value != "" {
		var part string
		part, value, _ = strings.Cut(value, ",")
		name, rest, valued := strings.Cut(part, ":")
		name = directiveName(name)
		for valued && agent != "" && !isValued(name) {
			mine = name == "*" || name == "robots" || strings.EqualFold(name, agent)
			name, rest, valued = strings.Cut(rest, ":")
			name = directiveName(name)
		}
		if name == "unavailable_after" {
			var at time.Time
			at, value = parseDirectiveDate(rest, value)
			d.setExpiry(at, mine)
		} else if mine {
			d.setDirective(name)
		}
	}
}

func directiveName(s string) string { return strings.ToLower(strings.TrimSpace(s)) }

// isValued reports whether a directive has a value after a colon.
func isValued(name string) bool {
	switch name {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

func (d *Directives) setDirective(name string) {
	switch name {
	case "none":
		d.NoIndex, d.NoFollow = true, true
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	case "noarchive", "nocache":
		d.NoArchive = true
	}
}

func (d *Directives) setExpiry(at time.Time, mine bool) {
	if mine && !at.IsZero() && (d.UnavailableAfter.IsZero() || at.Before(d.UnavailableAfter)) {
		d.UnavailableAfter = at
	}
}

// parseDirectiveDate parses the date of a directive, written, whose value may continue in left after a comma. It
// returns the rest of the value after the date.
func parseDirectiveDate(written, left string) (at time.Time, rest string) {
	if at, ok := parseExpiry(written); ok {
		return at, left
	}
	next, rest, _ := strings.Cut(left, ",")
	if at, ok := parseExpiry(written + "," + next); ok {
		return at, rest
	}
	return time.Time{}, left
}

// expiryLayouts are the date formats of RFC 822, RFC 850, ISO 8601 and C's asctime, without the zone.
var expiryLayouts = []string{
	"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02",
	"Mon, 2 Jan 2006 15:04:05", "Mon, 2 Jan 06 15:04:05", "2 Jan 2006 15:04:05", "2 Jan 06 15:04:05",
	"2 Jan 2006 15:04", "2 Jan 06 15:04", "2 Jan 2006", "2 January 2006",
	"Monday, 2-Jan-06 15:04:05", "Monday, 2-Jan-2006 15:04:05", "2-Jan-06 15:04:05", "2-Jan-2006 15:04:05", "2-Jan-2006",
	"Mon Jan 2 15:04:05 2006", "20060102T150405", "20060102",
}

// zones are the time zone names of RFC 822 §5.1, in seconds east of Greenwich.
var zones = map[string]int{
	"UT": 0, "UTC": 0, "GMT": 0, "Z": 0,
	"EST": -5 * 3600, "EDT": -4 * 3600, "CST": -6 * 3600, "CDT": -5 * 3600,
	"MST": -7 * 3600, "MDT": -6 * 3600, "PST": -8 * 3600, "PDT": -7 * 3600,
}

// maxExpiry is the largest length of a date, in bytes.
const maxExpiry = 64

// parseExpiry parses a date, in UTC if its time zone is missing or unknown.
func parseExpiry(s string) (time.Time, bool) {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxExpiry || !utf8.ValidString(s) {
		return time.Time{}, false
	}
	s, offset := cutZone(s)
	for _, layout := range expiryLayouts {
		if at, err := time.Parse(layout, s); err == nil {
			return at.Add(-time.Duration(offset) * time.Second), true
		}
	}
	return time.Time{}, false
}

// cutZone removes the time zone from the end of a date and returns its offset in seconds east of
// Greenwich.
func cutZone(s string) (date string, offset int) {
	if i := strings.LastIndexByte(s, ' '); i >= 0 {
		if east, ok := zones[strings.ToUpper(s[i+1:])]; ok {
			return s[:i], east
		}
	}
	if date, ok := strings.CutSuffix(s, "Z"); ok {
		return date, 0
	}
	for _, layout := range []string{"-07:00", "-0700"} {
		if i := len(s) - len(layout); i > 10 {
			if zone, err := time.Parse(layout, s[i:]); err == nil {
				_, east := zone.Zone()
				return strings.TrimSpace(s[:i]), east
			}
		}
	}
	return s, 0
}
