// Package webtest is a small web on loopback for tests. It has invented hosts, plain pages, and servers that
// behave like hostile or broken ones. Only tests import it.
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

// PublicAddr is the address of every host that SetAddrs has not set. Dial connects it to the test's own
// listener.
var PublicAddr = netip.MustParseAddr("9.9.9.9")

// A Web responds for all hosts. It is safe for concurrent use.
type Web struct {
	plain, secure *httptest.Server

	start time.Time

	mu       sync.Mutex // guards the fields below
	handlers map[string]http.Handler
	addrs    map[string][]netip.Addr
	requests []Request
	dialled  []string
}

// A Request is a request that the Web received.
type Request struct {
	URL, Host string
	// At is the time of the request since the Web was started, by the monotonic clock.
	At time.Duration
	// Rest is the Retry-After of the response.
	Rest time.Duration
}

// maxLog is the maximum number of requests, and of dials, that are recorded.
const maxLog = 1 << 20

// Serve starts a Web with the given pages: HTML by URL, such as "http://conf.example/cfp.html". Other URLs
// get 404. The Web is closed at the end of the test.
func Serve(t testing.TB, pages map[string]string) *Web {
	t.Helper()
	w := &Web{start: time.Now(), handlers: map[string]http.Handler{}, addrs: map[string][]netip.Addr{}}
	for u, html := range pages {
		w.Handle(u, Body("text/html; charset=utf-8", html))
	}
	w.plain = httptest.NewUnstartedServer(w.server("http://"))
	w.secure = httptest.NewUnstartedServer(w.server("https://"))
	// Errors are reported by the client, so the server's log is not needed.
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

// Handle sets the handler of a URL. A URL that ends in "/*" means every path below it without its own
// handler. A host that begins with "*." means every name below it.
func (w *Web) Handle(url string, h http.Handler) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.handlers[url] = h
}

// Robots sets the robots.txt of an origin such as "http://conf.example".
func (w *Web) Robots(origin, text string) {
	w.Handle(origin+"/robots.txt", Body("text/plain", text))
}

// SetAddrs sets the addresses of a host. Without addresses, the name does not resolve.
func (w *Web) SetAddrs(host string, addrs ...netip.Addr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.addrs[host] = addrs
}

// Resolve returns the addresses of a host, by default PublicAddr.
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

// Dial connects any address to this Web and records it. Port 443 uses TLS.
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

// Dialled returns the addresses dialled so far, in order, at most a million.
func (w *Web) Dialled() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.dialled...)
}

// Listeners returns the addresses of the HTTP and TLS listeners, for programs that cannot call Dial.
func (w *Web) Listeners() (plain, secure string) {
	return w.plain.Listener.Addr().String(), w.secure.Listener.Addr().String()
}

// Log returns the requests so far in order of arrival, at most a million.
func (w *Web) Log() []Request {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.requests)
}

// Requests returns the requested URLs, in order.
func (w *Web) Requests() []string {
	var urls []string
	for _, r := range w.Log() {
		urls = append(urls, r.URL)
	}
	return urls
}

// Count returns the number of requests for a URL.
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

// begin records a request and returns its handler and its index in the log.
func (w *Web) begin(r Request) (http.Handler, int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.requests) < maxLog {
		w.requests = append(w.requests, r)
	}
	return w.find(r.URL), len(w.requests) - 1
}

// rest records the Retry-After of the response to request n.
func (w *Web) rest(n int, d time.Duration) {
	if d > 0 {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.requests[n].Rest = d
	}
}

// retryAfter parses a Retry-After header, in seconds or as a date.
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

// hostname returns a Host header without the port.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// find returns the handler of u, or that of the nearest "/*" above it. Otherwise the handler responds with
// 404.
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
