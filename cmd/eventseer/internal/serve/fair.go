package serve

import (
	"net"
	"net/netip"
	"sync"
)

// MaxOfAddress connections are open at a time from one address, or from one IPv6 network
// of 64 bits: a sixteenth of all, so that one client that holds on to them leaves room for
// others, and a campus behind one address can read. A slow one takes 70 kB.
const MaxOfAddress = 512

// A fairListener hangs up on whoever has too many connections open. Loopback and private
// addresses are not counted, nor those of proxies: many visitors come from there.
type fairListener struct {
	net.Listener
	proxies []netip.Prefix

	Mu   sync.Mutex
	Open map[netip.Prefix]int
}

// NewFairListener reads proxies as user-proxies has them; what is none is checked elsewhere.
func NewFairListener(l net.Listener, proxies []string) *fairListener {
	fair := &fairListener{Listener: l, Open: map[netip.Prefix]int{}}
	for _, text := range proxies {
		if a, err := netip.ParseAddr(text); err == nil {
			fair.proxies = append(fair.proxies, netip.PrefixFrom(a.Unmap(), a.Unmap().BitLen()))
		} else if p, err := netip.ParsePrefix(text); err == nil {
			fair.proxies = append(fair.proxies, p.Masked())
		}
	}
	return fair
}

// Accept implements net.Listener.
func (l *fairListener) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		from, counted := l.counted(c.RemoteAddr())
		if !counted {
			return c, nil
		}
		if l.enter(from) {
			return &fairConn{Conn: c, leave: sync.OnceFunc(func() { l.leave(from) })}, nil
		}
		_ = c.Close() // it has too many
	}
}

// counted returns what an address is counted as, and whether it is.
func (l *fairListener) counted(address net.Addr) (netip.Prefix, bool) {
	tcp, ok := address.(*net.TCPAddr)
	if !ok {
		return netip.Prefix{}, false
	}
	a := tcp.AddrPort().Addr().Unmap().WithZone("")
	if !a.IsValid() || a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() {
		return netip.Prefix{}, false
	}
	for _, p := range l.proxies {
		if p.Contains(a) {
			return netip.Prefix{}, false
		}
	}
	bits := 32
	if a.Is6() {
		bits = 64
	}
	from, err := a.Prefix(bits)
	return from, err == nil
}

func (l *fairListener) enter(from netip.Prefix) bool {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.Open[from] >= MaxOfAddress {
		return false
	}
	l.Open[from]++
	return true
}

func (l *fairListener) leave(from netip.Prefix) {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.Open[from]--; l.Open[from] == 0 {
		delete(l.Open, from)
	}
}

// A fairConn is counted until it is closed.
type fairConn struct {
	net.Conn
	leave func()
}

// Close implements net.Conn.
func (c *fairConn) Close() error {
	c.leave()
	return c.Conn.Close()
}
