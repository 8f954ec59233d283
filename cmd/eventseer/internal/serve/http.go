package serve

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/net/netutil"
)

// Limits of the web server.
const (
	ReadTimeout  = 10 * time.Second
	WriteTimeout = 30 * time.Second
	IdleTimeout  = time.Minute
	shutdownTime = 5 * time.Second // for requests in progress
	// maxConnections is the maximum number of open connections; others wait. The files of store and
	// index need handles too, and an idle connection takes 10 kB.
	maxConnections = 8192
)

// ServeHTTPUntilDone serves handler, prints the URL of path, and logs that of operatorPath if there is one. It
// returns when ctx ends and the requests in progress are finished. A socket passed by systemd is
// served instead of address: requests during a restart of the service wait there.
func ServeHTTPUntilDone(ctx context.Context, a *app.App, handler http.Handler, address, path, operatorPath string) error {
	l, err := listen(ctx, address)
	if err != nil {
		return fmt.Errorf("%w; give another --listen", err)
	}
	server := NewServer(handler)
	base := "http://" + strings.Replace(l.Addr().String(), "[::]", "localhost", 1)
	fmt.Fprintf(a.Stdout, "%s%s\n", base, path)
	if operatorPath != "" {
		a.Logf("the operator's pages, shown only once: %s%s", base, operatorPath)
		a.Logf("the token is in the file %s of the data directory; /admin asks for it", app.TokenFile)
	}
	a.Logf("serving; Ctrl-C stops")
	notifySystemd(a, daemon.SdNotifyReady)
	stopped := make(chan error, 1)
	fair := NewFairListener(l, SplitSetting(a.Config.UserProxies))
	go func() { stopped <- server.Serve(netutil.LimitListener(fair, maxConnections)) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	notifySystemd(a, daemon.SdNotifyStopping)
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err = server.Shutdown(stopCtx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-stopped
	return err
}

// NewServer returns a server with time limits for clients.
func NewServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, MaxHeaderBytes: admin.MaxHeaderBytes, ReadHeaderTimeout: admin.ReadHeaderTimeout,
		ReadTimeout: ReadTimeout, WriteTimeout: WriteTimeout, IdleTimeout: IdleTimeout,
	}
}

// listen uses the socket passed by systemd, or opens one.
func listen(ctx context.Context, address string) (net.Listener, error) {
	handed, err := activation.Listeners()
	if err != nil {
		return nil, err
	}
	for _, l := range handed {
		if l != nil {
			return l, nil
		}
	}
	return new(net.ListenConfig).Listen(ctx, "tcp", address)
}

// notifySystemd reports the state of the service if systemd runs it.
func notifySystemd(a *app.App, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		a.Logger().Warn("systemd is not notified", "state", state, "err", err)
	}
}

// notifyWatchdog notifies systemd's watchdog as long as healthy returns nil, until ctx ends.
func notifyWatchdog(ctx context.Context, a *app.App, healthy func() error) error {
	pause, err := daemon.SdWatchdogEnabled(false)
	if err != nil || pause == 0 {
		return err
	}
	for ctx.Err() == nil {
		if err := healthy(); err == nil {
			notifySystemd(a, daemon.SdNotifyWatchdog)
		}
		engine.Wait(ctx, pause/2)
	}
	return nil
}

// SplitSetting splits the list of a setting.
func SplitSetting(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// MaxOfAddress is the largest number of open connections from one address, or from one IPv6 network of 64
// bits. It is a sixteenth of all, so that one client cannot occupy all, but a campus with one address can
// read. A slow connection takes 70 kB.
const MaxOfAddress = 512

// A fairListener closes connections from an address with too many open ones. Loopback and private
// addresses and those of proxies are not counted, because many visitors share them.
type fairListener struct {
	net.Listener
	proxies []netip.Prefix

	Mu   sync.Mutex
	Open map[netip.Prefix]int
}

// NewFairListener parses proxies like user-proxies; invalid ones are checked elsewhere.
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
		from, counted := l.countedPrefix(c.RemoteAddr())
		if !counted {
			return c, nil
		}
		if l.admitConnection(from) {
			return &fairConn{Conn: c, leave: sync.OnceFunc(func() { l.releaseConnection(from) })}, nil
		}
		_ = c.Close() // it has too many
	}
}

// countedPrefix returns the prefix under which an address is counted, and whether it is counted.
func (l *fairListener) countedPrefix(address net.Addr) (netip.Prefix, bool) {
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

func (l *fairListener) admitConnection(from netip.Prefix) bool {
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if l.Open[from] >= MaxOfAddress {
		return false
	}
	l.Open[from]++
	return true
}

func (l *fairListener) releaseConnection(from netip.Prefix) {
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
