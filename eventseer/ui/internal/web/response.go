package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

const AdminPath = "/admin"

const LabelPath = "/label"

// WithoutCaching forbids caching the responses of next. Browsers send the origin of a form only to this
// site.
func WithoutCaching(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

// Write sends a response. Only successful ones may be cached, for a minute unless the handler sets
// another time.
func Write(w http.ResponseWriter, status int, body []byte) {
	if status == 0 {
		status = http.StatusOK
	}
	if status != http.StatusOK {
		w.Header().Set("Cache-Control", "no-store")
	} else if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "public, max-age=60")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a visitor who has left is not an error
}

// A BadQuery is an Index's error in the text of a query.
type BadQuery interface {
	error
	QueryPos() int // in runes
}

var ErrNoPage = errors.New("no such page")

var errBadRequest = errors.New("bad request")

func BadRequest(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errBadRequest, fmt.Errorf(format, args...))
}

// Policy allows style sheets, scripts, images and forms of this site, and requests of scripts to
// it. Inline scripts and other sites are forbidden.
const Policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// WithSecurityHeaders sets the headers every answer has.
func WithSecurityHeaders(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", Policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

func ServeHealth(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	Write(w, 0, []byte("ok\n"))
}

// WeakTag returns a weak entity tag of parts. It is weak because compressed responses differ in
// bytes.
func WeakTag(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return `W/"` + hex.EncodeToString(h.Sum(nil)[:12]) + `"`
}

// isUnchanged reports whether the visitor's copy matches tag and modified (RFC 9110, section 13.2.2):
// If-None-Match takes precedence over If-Modified-Since.
func isUnchanged(r *http.Request, tag string, modified time.Time) bool {
	if match := r.Header.Get("If-None-Match"); match != "" {
		return matchesTag(match, tag)
	}
	if modified.IsZero() {
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && !modified.Truncate(time.Second).After(since)
}

// matchesTag compares weakly.
func matchesTag(match, tag string) bool {
	if strings.TrimSpace(match) == "*" {
		return true
	}
	for t := range strings.SplitSeq(match, ",") {
		if tag != "" && strings.TrimPrefix(strings.TrimSpace(t), "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}

// Send sends a successful response with the content type already set, or status 304. tag "" is
// computed from the body.
func Send(w http.ResponseWriter, r *http.Request, body []byte, tag string, modified time.Time) {
	if tag == "" {
		tag = WeakTag(body)
	}
	h := w.Header()
	h.Set("ETag", tag)
	if !modified.IsZero() {
		h.Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	}
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "public, max-age=60")
	}
	if isUnchanged(r, tag, modified) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	Write(w, 0, body)
}
