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

func refusedError(err error) error {
	return &crawler.FetchError{Fate: crawler.Refused, Err: err}
}

func goneError(format string, args ...any) error {
	return &crawler.FetchError{Fate: crawler.Gone, Err: fmt.Errorf(format, args...)}
}

// fateOf returns the fate of a URL whose request failed. Temporary errors are tried later,
// including closed ports, because servers are restarted. Unknown names, TLS failures and responses
// that are not HTTP are gone.
func fateOf(err error) crawler.Fate {
	var fe *crawler.FetchError
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.As(err, &fe):
		return fe.Fate
	case isLocalFailure(err):
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

// isLocalFailure reports whether a request failed because of this machine: too many open files, no port or
// memory, or no network.
func isLocalFailure(err error) bool {
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
	return !isLocalFailure(err) && (errors.As(err, &dns) || errors.As(err, &c) && !errors.Is(err, ErrPrivateAddress))
}

// errSlow ends a body if no byte arrives for some time.
var errSlow = fmt.Errorf("the server stopped sending: %w", context.DeadlineExceeded)

// A connectError is the reason why no connection was made.
type connectError struct{ error }

func (e *connectError) Unwrap() error { return e.error }
