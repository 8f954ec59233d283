package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"syscall"

	"github.com/eventseer/eventseer/crawler"
)

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
	if isOneOf(err,
		context.Canceled, context.DeadlineExceeded, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed,
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.ECONNABORTED, syscall.EPIPE, syscall.ENETUNREACH, syscall.EHOSTUNREACH) {
		return crawler.TryLater
	}
	return crawler.Gone
}

func isOneOf(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

// isOurs reports whether a request failed by the state of our own machine: no file,
// port or memory was left, or no network.
func isOurs(err error) bool {
	return isOneOf(err, syscall.EMFILE, syscall.ENFILE, syscall.EADDRNOTAVAIL, syscall.ENOBUFS, syscall.ENOMEM, syscall.ENETDOWN)
}

// isHostFault reports whether a request failed because of the host and not the page. The host then
// has no address, no connection, or no safe one.
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
