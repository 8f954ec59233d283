package fetch

import (
	"fmt"
	"net/http"
	"net/mail"
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/crawler"
)

// requestHeader returns the headers of every request.
func requestHeader(userAgent, contact string) (http.Header, error) {
	h := http.Header{
		"Accept": {"text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9," +
			"application/xml;q=0.8,*/*;q=0.1"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
		"User-Agent":      {userAgent},
	}
	if contact == "" {
		return h, nil
	}
	if address, err := mail.ParseAddress(strings.TrimPrefix(contact, "mailto:")); err == nil {
		contact = address.Address
		h.Set("From", contact)
	} else if u, err := url.Parse(contact); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("contact %q is neither a mail address nor an http(s) URL", contact)
	}
	if !isPrintable(contact) {
		return nil, fmt.Errorf("contact %q contains characters that an HTTP header cannot contain", contact)
	}
	h.Set("User-Agent", userAgent+" (+"+contact+")")
	return h, nil
}

// CheckContact reports why a contact cannot are in the headers of requests.
func CheckContact(contact string) error {
	_, err := requestHeader("", contact)
	return err
}

func isPrintable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// maxValidator bounds an ETag or a Last-Modified, in bytes. Longer ones are neither stored nor
// sent.
const maxValidator = 1024

// conditionalHeaders returns the headers that make a GET conditional. They are the validators of the stored
// copy as they were received (RFC 9110 §13.1.2 and §13.1.3). A server that knows both obeys
// If-None-Match.
func conditionalHeaders(r crawler.Request) http.Header {
	h := http.Header{}
	if isSendable(r.ETag) {
		h.Set("If-None-Match", r.ETag)
	}
	if isSendable(r.LastModified) {
		h.Set("If-Modified-Since", r.LastModified)
	}
	return h
}

// isSendable reports whether a validator may be sent in a header.
func isSendable(v string) bool {
	control := func(c rune) bool { return c < ' ' || c == 0x7f }
	return v != "" && len(v) <= maxValidator && !strings.ContainsFunc(v, control)
}

// trimValidators removes values that are too long from the validators of a header. A 304 updates the
// stored copy and need not repeat its validators (RFC 9110 §15.4.5), so missing ones are copied
// from it.
func trimValidators(h http.Header, status int, r crawler.Request) {
	for _, v := range []struct{ name, kept string }{{"Etag", r.ETag}, {"Last-Modified", r.LastModified}} {
		if !isSendable(h.Get(v.name)) {
			h.Del(v.name)
		}
		if status == http.StatusNotModified && h.Get(v.name) == "" && isSendable(v.kept) {
			h.Set(v.name, v.kept)
		}
	}
}
