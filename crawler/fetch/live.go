package fetch

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// maxAddrs is the most addresses of one host that are tried.
const maxAddrs = 4

// newLive returns the transport to the network. It uses no proxy and decodes
// nothing.
func newLive(o Options) *pool {
	g := &guard{dial: o.Dial, allowPrivate: o.AllowPrivate, timeout: o.DialTimeout}
	if o.Resolve == nil && g.dial == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Resolve != nil {
		g.names = newNames(o.Resolve, o.DNSTimeout, o.Now)
	}
	if g.dial == nil {
		g.dial = (&net.Dialer{}).DialContext
	}
	return newPool(&http.Transport{
		DialContext:            g.DialContext,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, ClientSessionCache: tls.NewLRUClientSessionCache(maxIdle)},
		TLSHandshakeTimeout:    o.TLSTimeout,
		ResponseHeaderTimeout:  o.HeaderTimeout,
		MaxResponseHeaderBytes: int64(o.MaxHeader),
	}, o.BodyTimeout)
}

// A guard dials public addresses only. It resolves names itself and dials the
// address it judged, so a name server cannot answer twice differently; an answer
// that is remembered is judged again before it is used.
type guard struct {
	names        *names // nil if names are left to dial
	dial         func(ctx context.Context, network, addr string) (net.Conn, error)
	allowPrivate bool
	timeout      time.Duration // of connecting
}

// dialledKey is of a *conn in a context, whose net is set when it is dialled.
type dialledKey struct{}

// DialContext connects to addr, a "host:port".
func (g *guard) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := g.connect(ctx, network, addr)
	if owner, ok := ctx.Value(dialledKey{}).(*conn); ok && err == nil {
		owner.net = c
	}
	return c, err
}

func (g *guard) connect(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	addrs, err := g.addrs(ctx, host)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	if addrs == nil {
		return g.dial(ctx, network, addr)
	}
	return dialFirst(ctx, addrs, func(ctx context.Context, a netip.Addr) (net.Conn, error) {
		c, err := g.dial(ctx, network, net.JoinHostPort(a.String(), port))
		if err != nil {
			return nil, err
		}
		return judged{c, netip.AddrPortFrom(a, portOf(port))}, nil
	})
}

// A judged connection names the address that passed the guard as its peer's,
// also where Dial leads elsewhere.
type judged struct {
	net.Conn
	peer netip.AddrPort
}

// RemoteAddr returns the address that was judged.
func (j judged) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(j.peer) }

func portOf(s string) uint16 {
	n, _ := strconv.ParseUint(s, 10, 16) // the port of a URL: it is a number
	return uint16(n)
}

// addrs returns the addresses of host that may be dialled, in the order to try
// them, nil if names are left to dial.
func (g *guard) addrs(ctx context.Context, host string) ([]netip.Addr, error) {
	var all []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		all = []netip.Addr{a}
	} else if g.names == nil {
		return nil, nil
	} else if all, err = g.names.addrs(ctx, host); err != nil {
		return nil, err
	}
	var allowed []netip.Addr
	for _, a := range all {
		if g.allowPrivate || isPublic(a) {
			allowed = append(allowed, a.Unmap())
		}
	}
	if len(allowed) == 0 {
		if host == all[0].String() {
			return nil, fmt.Errorf("%s: %w", host, ErrPrivateAddress)
		}
		return nil, fmt.Errorf("%s is %s: %w", host, all[0], ErrPrivateAddress)
	}
	allowed = alternate(allowed)
	return allowed[:min(len(allowed), maxAddrs)], nil
}
