package web

import (
	"cmp"
	"net/http"
	"time"

	"eventseer/eventseer"
)

// ZoneCookie holds the reader's time zone, an IANA name. It is the only thing that the
// pages without an account keep.
const ZoneCookie = "tz"

const ZoneFor = 365 * 24 * time.Hour

// ReaderZone is the time zone that the reader chose, or UTC.
func ReaderZone(r *http.Request) *time.Location {
	c, err := r.Cookie(ZoneCookie)
	if err != nil {
		return time.UTC
	}
	return cmp.Or(eventseer.NamedZone(c.Value), time.UTC)
}

// ScriptPolicy allows our own scripts too, for the pages that have one.
const ScriptPolicy = Policy + "; script-src 'self'"

func WithPolicy(policy string, next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		next(w, r)
	}
}
