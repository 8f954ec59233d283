package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"time"
)

// nextAddr is how long an address is waited for before the next one is tried
// beside it (RFC 8305 §5).
const nextAddr = 250 * time.Millisecond

// A dialFunc connects to an address.
type dialFunc func(ctx context.Context, addr netip.Addr) (net.Conn, error)

// dialFirst returns the first connection to one of some addresses that comes
// about. Each is tried a moment after the one before, or as soon as that failed
// ("Happy Eyeballs", RFC 8305).
func dialFirst(ctx context.Context, addrs []netip.Addr, dial dialFunc) (net.Conn, error) {
	ctx, cancel := context.WithCancel(ctx)
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result, len(addrs))
	waiting, running := addrs, 0
	defer func() {
		cancel()
		for ; running > 0; running-- {
			if late := <-results; late.conn != nil {
				late.conn.Close()
			}
		}
	}()
	next := time.NewTimer(0)
	defer next.Stop()
	var errs []error
	for len(waiting)+running > 0 {
		select {
		case <-next.C:
			if len(waiting) == 0 {
				continue
			}
			a := waiting[0]
			waiting = waiting[1:]
			running++
			go func() {
				conn, err := dial(ctx, a)
				results <- result{conn, err}
			}()
			next.Reset(nextAddr)
		case r := <-results:
			running--
			if r.err == nil {
				return r.conn, nil
			}
			errs = append(errs, r.err)
			next.Reset(0)
		}
	}
	return nil, errors.Join(errs...)
}

// alternate orders addresses so that their families take turns, the family of the
// first one first.
func alternate(addrs []netip.Addr) []netip.Addr {
	var first, second []netip.Addr
	for _, a := range addrs {
		if a.Is4() == addrs[0].Is4() {
			first = append(first, a)
		} else {
			second = append(second, a)
		}
	}
	all := make([]netip.Addr, 0, len(addrs))
	for len(first)+len(second) > 0 {
		if len(first) > 0 {
			all, first = append(all, first[0]), first[1:]
		}
		first, second = second, first
	}
	return all
}
