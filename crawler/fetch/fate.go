package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"eventseer/crawler"
)

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = 24 * time.Hour

func refused(err error) error {
	return &crawler.FetchError{Fate: crawler.Refused, Err: err}
}

func gone(format string, args ...any) error {
	return &crawler.FetchError{Fate: crawler.Gone, Err: fmt.Errorf(format, args...)}
}

// fateOf returns what becomes of a URL whose request failed. What another try
// may mend is for later, a closed port too, for servers are started again; unknown
// names, TLS that fails and answers that are no HTTP are gone.
func fateOf(err error) crawler.Fate {
	var fe *crawler.FetchError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &fe):
		return fe.Fate
	case isOurs(err):
		return crawler.TryLater
	case errors.Is(err, ErrPrivateAddress):
		return crawler.Refused
	case errors.As(err, &dns) && dns.IsNotFound:
		return crawler.Gone
	case errors.As(err, &dns), errors.As(err, &timeout) && timeout.Timeout():
		return crawler.TryLater
	}
	for _, passing := range []error{
		context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ENETUNREACH, syscall.EHOSTUNREACH,
	} {
		if errors.Is(err, passing) {
			return crawler.TryLater
		}
	}
	return crawler.Gone
}

// isOurs reports whether a request failed by the state of our own machine: no file,
// port or memory was left, or no network.
func isOurs(err error) bool {
	for _, ours := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM, syscall.ENETDOWN,
	} {
		if errors.Is(err, ours) {
			return true
		}
	}
	return false
}

// isHostFault reports whether the host and not the page is why a request failed:
// it has no address, no connection to it came about, or none that is safe.
func isHostFault(err error) bool {
	var fe *crawler.FetchError
	if errors.As(err, &fe) {
		return fe.HostFailed
	}
	var dns *net.DNSError
	var c *connectError
	return !isOurs(err) && (errors.As(err, &dns) || errors.As(err, &c) && !errors.Is(err, ErrPrivateAddress))
}

// errSlow ends a body of which no byte came for some time.
var errSlow = fmt.Errorf("the server sends no more: %w", context.DeadlineExceeded)

// A connectError is why no connection came about.
type connectError struct{ error }

func (e *connectError) Unwrap() error { return e.error }

// retryAfter returns the time a Retry-After header names, at most a day from
// now, or the zero time if it names none or one that is past.
func retryAfter(h http.Header, now time.Time) time.Time {
	value := strings.TrimSpace(h.Get("Retry-After"))
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(value, 10, 32); err == nil {
		wait = time.Duration(seconds) * time.Second
	} else if errors.Is(err, strconv.ErrRange) {
		wait = maxRetryAfter
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	if wait <= 0 {
		return time.Time{}
	}
	return now.Add(min(wait, maxRetryAfter))
}
