package fetch

import (
	"container/list"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of idle connections.
const (
	maxIdle     = 500 // the last used ones
	maxIdleEach = 8   // to one server; a crawl without delays requests many of its pages at once
	idleTimeout = 30 * time.Second
	maxDrain    = 16 << 10 // bytes of an unwanted body that are read so that the connection can be reused
	drainTime   = time.Second
)

// A pool is a transport that never sends a request twice. An http.Transport repeats a GET if an
// idle connection breaks, which appears in server logs as a second request. Its single connections
// (http.ClientConn) do not repeat requests, so the pool manages those.
type pool struct {
	dialer      *http.Transport // creates the connections and stores none
	bodyTimeout time.Duration   // between two bytes of a body

	mu   sync.Mutex                 // guards below
	idle map[string][]*list.Element // by server, the last used at the end
	used *list.List                 // of *conn, the last used first
}

func newPool(dialer *http.Transport, bodyTimeout time.Duration) *pool {
	return &pool{dialer: dialer, bodyTimeout: bodyTimeout, idle: map[string][]*list.Element{}, used: list.New()}
}

// A conn is a connection to a server, used by one request or idle.
type conn struct {
	*http.ClientConn
	server string   // scheme, host and port
	net    net.Conn // below TLS
	keep   time.Duration
	expiry *time.Timer // while idle
}

// RoundTrip sends req over an idle connection, otherwise over a new one. If no connection can be
// made the error is a *connectError.
func (p *pool) RoundTrip(req *http.Request) (*http.Response, error) {
	scheme, address := req.URL.Scheme, hostPort(req.URL)
	c := p.takeIdle(scheme + "://" + address)
	reused := c != nil
	if !reused {
		var err error
		if c, err = p.openConnection(req.Context(), scheme, address); err != nil {
			return nil, err
		}
	}
	if trace := httptrace.ContextClientTrace(req.Context()); trace != nil && trace.GotConn != nil {
		trace.GotConn(httptrace.GotConnInfo{Conn: c.net, Reused: reused, WasIdle: reused})
	}
	resp, err := c.RoundTrip(req)
	if err != nil {
		c.Close()
		return nil, err
	}
	c.keep = keepAlive(resp.Header)
	resp.Body = newWatchedBody(resp, c, p)
	return resp, nil
}

// CloseIdleConnections closes the connections that no request uses.
func (p *pool) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.used.Len() > 0 {
		p.removeIdle(p.used.Back()).Close()
	}
}

func (p *pool) openConnection(ctx context.Context, scheme, address string) (*conn, error) {
	c := &conn{server: scheme + "://" + address}
	cc, err := p.dialer.NewClientConn(context.WithValue(ctx, dialledKey{}, c), scheme, address)
	if err != nil {
		return nil, &connectError{err}
	}
	c.ClientConn = cc
	return c, nil
}

// takeIdle removes and returns an idle connection to a server, nil if there is no working one.
func (p *pool) takeIdle(server string) *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.idle[server]) > 0 {
		els := p.idle[server]
		c := p.removeIdle(els[len(els)-1])
		if c.Reserve() == nil {
			return c
		}
		c.Close()
	}
	return nil
}

// returnConnection returns a connection to the pool if it can be reused.
func (p *pool) returnConnection(c *conn) {
	if c.keep <= 0 || c.Available() == 0 {
		c.Close()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if els := p.idle[c.server]; len(els) >= maxIdleEach {
		p.removeIdle(els[0]).Close()
	} else if p.used.Len() >= maxIdle {
		p.removeIdle(p.used.Back()).Close()
	}
	el := p.used.PushFront(c)
	p.idle[c.server] = append(p.idle[c.server], el)
	c.expiry = time.AfterFunc(c.keep, func() { p.closeExpired(el) })
}

func (p *pool) closeExpired(el *list.Element) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if slices.Contains(p.idle[el.Value.(*conn).server], el) {
		p.removeIdle(el).Close()
	}
}

// removeIdle removes a connection from the pool. mu must be held.
func (p *pool) removeIdle(el *list.Element) *conn {
	c := p.used.Remove(el).(*conn)
	els := p.idle[c.server]
	i := slices.Index(els, el)
	if els = slices.Delete(els, i, i+1); len(els) == 0 {
		delete(p.idle, c.server)
	} else {
		p.idle[c.server] = els
	}
	c.expiry.Stop()
	return c
}

// keepAlive returns how long a connection may stay idle. Servers that close it after some seconds
// announce that in Keep-Alive. A request sent while the server closes the connection is lost, so
// the time is a second shorter.
func keepAlive(h http.Header) time.Duration {
	for param := range strings.SplitSeq(h.Get("Keep-Alive"), ",") {
		name, value, _ := strings.Cut(param, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "timeout") {
			continue
		}
		if seconds, err := strconv.ParseUint(strings.TrimSpace(value), 10, 16); err == nil {
			return min(time.Duration(seconds)*time.Second-time.Second, idleTimeout)
		}
	}
	return idleTimeout
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" && u.Scheme == "https" {
		port = "443"
	} else if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// A watchedBody fails if no byte arrives for some time. It returns its connection to the pool when closed.
type watchedBody struct {
	io.ReadCloser
	conn    *conn
	timeout time.Duration
	timer   *time.Timer // closes the connection
	slow    atomic.Bool // time was over
	drains  bool        // the rest is read so that the connection can be reused
	release func()
}

func newWatchedBody(resp *http.Response, c *conn, p *pool) *watchedBody {
	w := &watchedBody{
		ReadCloser: resp.Body, conn: c, timeout: p.bodyTimeout,
		// HTTP/2 resets the stream and keeps its connection.
		drains:  resp.ProtoMajor == 1 && resp.ContentLength <= maxDrain,
		release: sync.OnceFunc(func() { p.returnConnection(c) }),
	}
	w.timer = time.AfterFunc(w.timeout, func() {
		w.slow.Store(true)
		c.Close()
	})
	return w
}

// Read reads from one goroutine at a time.
func (w *watchedBody) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil {
		w.drains = false
	}
	if w.timer.Stop() {
		w.timer.Reset(w.timeout)
	} else if w.slow.Load() {
		err = errSlow
	}
	return n, err
}

// Close releases the connection, in a reusable state if that costs little.
func (w *watchedBody) Close() error {
	w.timer.Stop()
	if w.drains {
		w.drains = false
		_ = w.conn.net.SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, w.ReadCloser, maxDrain)
		_ = w.conn.net.SetReadDeadline(time.Time{})
	}
	err := w.ReadCloser.Close()
	w.release()
	return err
}
