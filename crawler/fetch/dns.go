package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// Limits of the cache of addresses.
const (
	maxNames      = 10_000
	nameTTL       = 5 * time.Minute
	nameRetry     = time.Minute // time until a name without addresses is looked up again
	maxNamesAddrs = 16          // addresses stored for one name
)

// addressCache caches the addresses of hosts. The addresses are checked again at each use.
type addressCache struct {
	known   *boundedCache[cachedAddresses]
	lookup  func(ctx context.Context, host string) ([]netip.Addr, error)
	timeout time.Duration
	now     func() time.Time
}

// A cachedAddresses is the answer of a name server for a host.
type cachedAddresses struct {
	addrs   []netip.Addr
	err     error // why there are none
	expires time.Time
}

func newAddressCache(lookup func(context.Context, string) ([]netip.Addr, error), timeout time.Duration, now func() time.Time) *addressCache {
	return &addressCache{
		known: newBoundedCache(maxNames, maxNames,
			func(a cachedAddresses) bool { return now().Before(a.expires) },
			func(cachedAddresses) int { return 1 }),
		lookup: lookup, timeout: timeout, now: now,
	}
}

// addresses returns the addresses of a host, at least one. Concurrent callers share one lookup. The
// error is ctx's or a *net.DNSError.
func (n *addressCache) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	a, err := n.known.get(ctx, host, func(cachedAddresses) (cachedAddresses, error) {
		asking, cancel := context.WithTimeout(ctx, n.timeout)
		defer cancel()
		addrs, err := n.lookup(asking, host)
		if ctx.Err() != nil {
			return cachedAddresses{}, ctx.Err()
		}
		return n.newCachedAddresses(host, addrs, err), nil
	})
	if err != nil {
		return nil, err
	}
	return a.addrs, a.err
}

func (n *addressCache) newCachedAddresses(host string, addrs []netip.Addr, err error) cachedAddresses {
	var dns *net.DNSError
	switch {
	case err == nil && len(addrs) > 0:
		return cachedAddresses{addrs: addrs[:min(len(addrs), maxNamesAddrs)], expires: n.now().Add(nameTTL)}
	case err == nil:
		err = &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	case !errors.As(err, &dns):
		err = &net.DNSError{UnwrapErr: err, Err: err.Error(), Name: host, IsTimeout: errors.Is(err, context.DeadlineExceeded)}
	}
	return cachedAddresses{err: err, expires: n.now().Add(nameRetry)}
}
