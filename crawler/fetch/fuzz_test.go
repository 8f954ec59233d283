package fetch

import (
	"net/http"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch/sitemap"
	"github.com/eventseer/eventseer/webgraph"
)

// A Location leads to a canonical URL, or nowhere with a reason.
func FuzzRedirect(f *testing.F) {
	for _, location := range []string{
		"", "/", "x", "//b.example/x", "http://b.example:80/a b", "https://[::1]/", "javascript:alert(1)", "ftp://b.example/",
		"?q", "#top", "../../..", "http://", "http:///x", "HTTP://B.EXAMPLE", "http://user@b.example/", "caf\u00e9", "\x00", "http://b.example\r\nX: y",
	} {
		f.Add(location)
	}
	const from = "http://a.example/dir/page"
	f.Fuzz(func(t *testing.T, location string) {
		a := &response{status: http.StatusFound, header: http.Header{"Location": {location}}}
		to, err := a.redirectTarget(from)
		if err != nil || to == "" {
			if err == nil && location != "" {
				t.Errorf("%q leads nowhere without a reason", location)
			}
			return
		}
		if again, err := webgraph.Canonical(to); err != nil || again != to {
			t.Errorf("%q leads to %q, canonical %q, %v", location, to, again, err)
		}
	})
}

// With any content type and any beginning of a body, a PDF is either read or refused with a reason.
func FuzzContentType(f *testing.F) {
	for _, s := range [][2]string{
		{"text/html; charset=utf-8", "<p>"}, {"application/pdf", "x%PDF-1"}, {"", "%PDF-1"}, {"text/html, text/plain", ""},
		{"IMAGE/PNG;", "\x89PNG\r\n\x1a\n"}, {";;;", "PK\x03\x04word/"}, {"a/b/c", "\xff\xfe"}, {" \t", "{\\rtf"},
	} {
		f.Add(s[0], []byte(s[1]))
	}
	f.Fuzz(func(t *testing.T, header string, head []byte) {
		declared := sitemap.MediaType(header)
		if again := sitemap.MediaType(declared); again != declared {
			t.Errorf("%q is %q, which is %q", header, declared, again)
		}
		if pdf, unread := checkBodyType(declared, head); pdf && unread != nil {
			t.Errorf("%q, %q: a PDF that is not read: %v", header, head, unread)
		}
	})
}

// A server names a time between now and a day from now, or none.
func FuzzRetryAfter(f *testing.F) {
	for _, value := range []string{"", "0", "120", "-1", "99999999999999999999", "1e3", "Mon, 01 Mar 2027 13:00:00 GMT",
		"Monday, 01-Mar-27 13:00:00 GMT", "Mon Mar  1 13:00:00 2027", "soon", "\x00", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		at := crawler.RetryAfter(http.Header{"Retry-After": {value}}, testClock)
		if !at.IsZero() && (!at.After(testClock) || at.After(testClock.Add(crawler.MaxRetryAfter))) {
			t.Errorf("%q: %v", value, at)
		}
	})
}

// A connection is kept for no longer than we would.
func FuzzKeepAlive(f *testing.F) {
	for _, value := range []string{"", "timeout=5", "timeout=5, max=100", "timeout=99999999999", "timeout", "=", "timeout=-5", ",,,"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if d := keepAlive(http.Header{"Keep-Alive": {value}}); d > idleTimeout || d < -time.Second {
			t.Errorf("%q: %v", value, d)
		}
	})
}
