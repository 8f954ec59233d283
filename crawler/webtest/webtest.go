// Package webtest is a small web on loopback for tests: invented hosts, plain
// pages, and servers that do what hostile or broken servers do. Only tests
// import it.
package webtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// PublicAddr is the address that every host has unless SetAddrs says otherwise.
// Dial connects it to the test's own listener.
var PublicAddr = netip.MustParseAddr("9.9.9.9")

// A Web answers for all hosts there are. It is safe for concurrent use.
type Web struct {
	plain, secure *httptest.Server

	start time.Time

	mu       sync.Mutex // guards below
	handlers map[string]http.Handler
	addrs    map[string][]netip.Addr
	requests []Request
	dialled  []string
}

// A Request is one that the Web was sent.
type Request struct {
	URL, Host string
	// At is when it had come, by the monotonic clock, since the Web began.
	At time.Duration
	// Rest is how long its answer asked to be left alone (Retry-After).
	Rest time.Duration
}

// maxLog bounds the requests and the dials remembered, each.
const maxLog = 1 << 20

// Serve starts a Web with the pages given, HTML by URL, such as
// "http://conf.example/cfp.html". It ends with the test. What is not there is
// answered with 404.
func Serve(t testing.TB, pages map[string]string) *Web {
	t.Helper()
	w := &Web{start: time.Now(), handlers: map[string]http.Handler{}, addrs: map[string][]netip.Addr{}}
	for u, html := range pages {
		w.Handle(u, Body("text/html; charset=utf-8", html))
	}
	w.plain = httptest.NewUnstartedServer(w.server("http://"))
	w.secure = httptest.NewUnstartedServer(w.server("https://"))
	// What goes wrong is reported by the client's errors; the log is noise.
	w.plain.Config.ErrorLog = quiet()
	w.secure.Config.ErrorLog = quiet()
	w.plain.Start()
	w.secure.StartTLS() // with an untrusted certificate
	t.Cleanup(func() {
		w.plain.CloseClientConnections()
		w.plain.Close()
		w.secure.CloseClientConnections()
		w.secure.Close()
	})
	return w
}

// Handle sets what a URL answers. A URL that ends in "/*" stands for every path
// below it that has no handler of its own, a host that begins with "*." for every
// name below it.
func (w *Web) Handle(url string, h http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[url] = h
}

// Robots sets the robots.txt of an origin such as "http://conf.example".
func (w *Web) Robots(origin, text string) {
	w.Handle(origin+"/robots.txt", Body("text/plain", text))
}

// SetAddrs sets the addresses of a host. None means that the name is unknown.
func (w *Web) SetAddrs(host string, addrs ...netip.Addr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addrs[host] = addrs
}

// Resolve returns the addresses of a host, PublicAddr unless they were set.
func (w *Web) Resolve(_ context.Context, host string) ([]netip.Addr, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	addrs, ok := w.addrs[host]
	if !ok {
		return []netip.Addr{PublicAddr}, nil
	}
	if len(addrs) == 0 {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return addrs, nil
}

// Dial connects any address to this Web and remembers it. Port 443 speaks TLS.
func (w *Web) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	w.mu.Lock()
	if len(w.dialled) < maxLog {
		w.dialled = append(w.dialled, addr)
	}
	w.mu.Unlock()
	listener := w.plain.Listener
	if strings.HasSuffix(addr, ":443") {
		listener = w.secure.Listener
	}
	return (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String())
}

// Dialled returns the addresses dialled so far, in order.
func (w *Web) Dialled() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dialled...)
}

// Listeners returns the addresses where the Web speaks HTTP and TLS, for
// programs that cannot call Dial.
func (w *Web) Listeners() (plain, secure string) {
	return w.plain.Listener.Addr().String(), w.secure.Listener.Addr().String()
}

// Log returns the requests so far, in the order they came, at most a million.
func (w *Web) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// Requests returns the URLs asked for so far, in order.
func (w *Web) Requests() []string {
	var urls []string
	for _, r := range w.Log() {
		urls = append(urls, r.URL)
	}
	return urls
}

// Count returns how often a URL was asked for.
func (w *Web) Count(url string) int {
	n := 0
	for _, u := range w.Requests() {
		if u == url {
			n++
		}
	}
	return n
}

func (w *Web) server(scheme string) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		u := scheme + r.Host + r.URL.RequestURI()
		h, n := w.begin(Request{URL: u, Host: hostname(r.Host), At: time.Since(w.start)})
		h.ServeHTTP(rw, r)
		w.rest(n, retryAfter(rw.Header().Get("Retry-After")))
	})
}

// begin remembers a request and returns its handler and its place in the log.
func (w *Web) begin(r Request) (http.Handler, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.requests) < maxLog {
		w.requests = append(w.requests, r)
	}
	return w.find(r.URL), len(w.requests) - 1
}

// rest remembers what the answer to request n asked for.
func (w *Web) rest(n int, d time.Duration) {
	if d > 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.requests[n].Rest = d
	}
}

// retryAfter reads the header of that name, as seconds or as a date.
func retryAfter(value string) time.Duration {
	if seconds, err := strconv.Atoi(value); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return time.Until(at)
}

// hostname drops the port of a Host header.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// find returns the handler of u, else that of the nearest "/*" above it.
func (w *Web) find(u string) http.Handler {
	if h, ok := w.handlers[u]; ok {
		return h
	}
	parsed, err := url.Parse(u)
	if err != nil {
		return http.NotFoundHandler()
	}
	prefix := parsed.Scheme + "://" + parsed.Host + parsed.Path
	for i := strings.LastIndexByte(prefix, '/'); i > len(parsed.Scheme+"://"); i = strings.LastIndexByte(prefix[:i], '/') {
		if h, ok := w.handlers[prefix[:i]+"/*"]; ok && parsed.Path != "/robots.txt" {
			return h
		}
	}
	if _, parent, ok := strings.Cut(parsed.Host, "."); ok && parsed.Path != "/robots.txt" {
		if h, ok := w.handlers[parsed.Scheme+"://*."+parent+"/*"]; ok {
			return h
		}
	}
	return http.NotFoundHandler()
}
