package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"time"
)

// Limits of the connections kept and of the addresses tried.
const (
	maxIdle     = 100
	idleTimeout = 30 * time.Second
	maxAddrs    = 4 // of one host
)

// newLive returns the transport to the network. It uses no proxy and decodes
// nothing.
func newLive(o Options) http.RoundTripper {
	g := &guard{resolve: o.Resolve, dial: o.Dial, allowPrivate: o.AllowPrivate, timeout: o.DialTimeout}
	if g.resolve == nil && g.dial == nil {
		g.resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if g.dial == nil {
		g.dial = (&net.Dialer{}).DialContext
	}
	return &http.Transport{
		DialContext:            g.DialContext,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConns:           maxIdle,
		MaxIdleConnsPerHost:    1,
		IdleConnTimeout:        idleTimeout,
		TLSHandshakeTimeout:    o.TLSTimeout,
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxResponseHeaderBytes: int64(o.MaxHeader),
	}
}

// A guard dials public addresses only. It resolves names itself and dials the
// address it judged, so a name server cannot answer twice differently.
type guard struct {
	resolve      func(ctx context.Context, host string) ([]netip.Addr, error)
	dial         func(ctx context.Context, network, addr string) (net.Conn, error)
	allowPrivate bool
	timeout      time.Duration
}

// DialContext connects to addr, a "host:port".
func (g *guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	addrs, err := g.addrs(ctx, host)
	if err != nil {
		return nil, err
	}
	if addrs == nil {
		return g.dial(ctx, network, addr)
	}
	return g.dialFirst(ctx, network, addrs, port)
}

// addrs returns the addresses of host that may be dialled, nil if names are
// left to dial.
func (g *guard) addrs(ctx context.Context, host string) ([]netip.Addr, error) {
	all := []netip.Addr{}
	if a, err := netip.ParseAddr(host); err == nil {
		all = append(all, a)
	} else if g.resolve == nil {
		return nil, nil
	} else if all, err = g.resolve(ctx, host); err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &net.DNSError{Err: "no addresses", Name: host, IsNotFound: true}
	}
	allowed := []netip.Addr{}
	for _, a := range all {
		if (g.allowPrivate || isPublic(a)) && len(allowed) < maxAddrs {
			allowed = append(allowed, a.Unmap())
		}
	}
	if len(allowed) == 0 {
		if host == all[0].String() {
			return nil, fmt.Errorf("%s: %w", host, ErrPrivateAddress)
		}
		return nil, fmt.Errorf("%s is %s: %w", host, all[0], ErrPrivateAddress)
	}
	return allowed, nil
}

// dialFirst returns the first connection that comes about. Each address gets
// its share of the time that is left.
func (g *guard) dialFirst(ctx context.Context, network string, addrs []netip.Addr, port string) (net.Conn, error) {
	var errs []error
	for i, a := range addrs {
		deadline, _ := ctx.Deadline()
		share, cancel := context.WithTimeout(ctx, time.Until(deadline)/time.Duration(len(addrs)-i))
		conn, err := g.dial(share, network, net.JoinHostPort(a.String(), port))
		cancel()
		if err == nil {
			return conn, nil
		}
		errs = append(errs, err)
	}
	return nil, errors.Join(errs...)
}
