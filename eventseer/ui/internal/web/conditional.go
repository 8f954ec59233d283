package web

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"time"
)

// WeakTag is a weak entity tag of what parts hold: answers differ in bytes where they
// are compressed.
func WeakTag(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write(p)
	}
	return `W/"` + hex.EncodeToString(h.Sum(nil)[:12]) + `"`
}

// unchanged reports whether the visitor has what tag and modified name (RFC 9110,
// section 13.2.2): If-None-Match goes before If-Modified-Since.
func unchanged(r *http.Request, tag string, modified time.Time) bool {
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

// Send sends a good answer of the content type already set, or says that it is
// unchanged. tag "" is made from the body.
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
	if unchanged(r, tag, modified) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	Write(w, 0, body)
}
