package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// maxAddrs is the maximum number of addresses tried for one host.
const maxAddrs = 4

// newLive returns the transport to the network. It uses no proxy and decodes
// nothing.
func newLive(o Options) *pool {
	g := &publicDialer{dial: o.Dial, allowPrivate: o.AllowPrivate, timeout: o.DialTimeout}
	if o.Resolve == nil && g.dial == nil {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	if o.Resolve != nil {
		g.names = newAddressCache(o.Resolve, o.DNSTimeout, o.Now)
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

// A publicDialer connects only to public addresses. It resolves names itself and connects to the address
// it checked, so a name server cannot return a different one later. Cached addresses are checked
// again before use.
type publicDialer struct {
	names        *addressCache // nil if Dial resolves names
	dial         func(ctx context.Context, network, addr string) (net.Conn, error)
	allowPrivate bool
	timeout      time.Duration // of connecting
}

// dialledKey is the context key of a *conn, whose net is set when it is connected.
type dialledKey struct{}

// DialContext connects to addr, a "host:port".
func (g *publicDialer) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	c, err := g.dialPublic(ctx, network, addr)
	if owner, ok := ctx.Value(dialledKey{}).(*conn); ok && err == nil {
		owner.net = c
	}
	return c, err
}

func (g *publicDialer) dialPublic(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	addrs, err := g.permittedAddresses(ctx, host)
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
		return checkedConn{c, netip.AddrPortFrom(a, portOf(port))}, nil
	})
}

// A checkedConn reports the checked address as its peer, even if Dial connects elsewhere.
type checkedConn struct {
	net.Conn
	peer netip.AddrPort
}

// RemoteAddr returns the checked address of the peer.
func (j checkedConn) RemoteAddr() net.Addr { return net.TCPAddrFromAddrPort(j.peer) }

func portOf(s string) uint16 {
	n, _ := strconv.ParseUint(s, 10, 16) // the port of a URL, which is always a number
	return uint16(n)
}

// permittedAddresses returns the permitted addresses of host, in the order to try them, nil if Dial resolves
// names.
func (g *publicDialer) permittedAddresses(ctx context.Context, host string) ([]netip.Addr, error) {
	var all []netip.Addr
	if a, err := netip.ParseAddr(host); err == nil {
		all = []netip.Addr{a}
	} else if g.names == nil {
		return nil, nil
	} else if all, err = g.names.addresses(ctx, host); err != nil {
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
	allowed = alternateFamilies(allowed)
	return allowed[:min(len(allowed), maxAddrs)], nil
}

// notPublic are address blocks without servers of the public Internet, or with another address
// embedded. They are from IANA's special-purpose registries (RFC 6890 and later).
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("10.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),  // carrier-grade NAT
	netip.MustParsePrefix("127.0.0.0/8"),    // loopback
	netip.MustParsePrefix("169.254.0.0/16"), // link-local, cloud metadata
	netip.MustParsePrefix("172.16.0.0/12"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),   // documentation
	netip.MustParsePrefix("192.88.99.0/24"), // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("224.0.0.0/3"),     // multicast, reserved, broadcast
	netip.MustParsePrefix("2001::/23"),       // protocol assignments, Teredo
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4
	netip.MustParsePrefix("3fff::/20"),       // documentation
}

// globalUnicast is the part of IPv6 that is allocated; the rest is loopback, local, multicast,
// mapped or reserved.
var globalUnicast = netip.MustParsePrefix("2000::/3")

// isPublic reports whether an address is of the public Internet.
func isPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || a.Is6() && !globalUnicast.Contains(a) {
		return false
	}
	for _, p := range notPublic {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// nextAddr is the time after which the next address is tried in parallel (RFC 8305 §5).
const nextAddr = 250 * time.Millisecond

// A dialFunc connects to an address.
type dialFunc func(ctx context.Context, addr netip.Addr) (net.Conn, error)

// dialFirst returns the first connection made to one of some addresses. Each is tried nextAddr
// after the one before, or as soon as that failed ("Happy Eyeballs", RFC 8305).
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

// alternateFamilies orders addresses so that IPv4 and IPv6 alternate, beginning with the family of the
// first.
func alternateFamilies(addrs []netip.Addr) []netip.Addr {
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
