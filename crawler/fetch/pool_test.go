package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"

	"golang.org/x/net/http2"
)

// to returns options of a fetcher that connects every host to one listener.
func to(l net.Listener) func(*Options) {
	return func(o *Options) {
		o.Resolve = func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{webtest.PublicAddr}, nil }
		o.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, l.Addr().String())
		}
	}
}

// serve hands every connection of a listener to f and closes it after that.
func serve(t *testing.T, l net.Listener, f func(net.Conn)) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A connection that dies under a request, kept or new, brings no second request.
func TestPoolSendsOnce(t *testing.T) {
	l := listen(t)
	var requests atomic.Int32
	serve(t, l, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			if r.URL.Path == "/robots.txt" {
				io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
				continue
			}
			requests.Add(1)
			return // the request is read, and the connection closed
		}
	})
	f := newFetcher(t, webtest.Serve(t, nil), to(l))
	for i := range 2 { // over the connection of the robots.txt, then over a new one
		fe := fetchError(t, f, "http://a.example/")
		if fe.Fate != crawler.TryLater || fe.HostFailed {
			t.Errorf("got %+v", fe)
		}
		if n := int(requests.Load()); n != i+1 {
			t.Errorf("%d requests, want %d", n, i+1)
		}
	}
}

// secure returns a TLS configuration for servers and the root that signed it.
func secure(t *testing.T, protocols ...string) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewUnstartedServer(nil)
	s.StartTLS()
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates, NextProtos: protocols}, roots
}

// What net/http would send again over HTTP/2 is not sent again either.
func TestPoolSendsOnceOverHTTP2(t *testing.T) {
	for _, tt := range []struct {
		name string
		fail func(fr *http2.Framer, stream uint32) error
	}{
		{"refused", func(fr *http2.Framer, s uint32) error { return fr.WriteRSTStream(s, http2.ErrCodeRefusedStream) }},
		{"protocol error", func(fr *http2.Framer, s uint32) error { return fr.WriteRSTStream(s, http2.ErrCodeProtocol) }},
		{"going away", func(fr *http2.Framer, _ uint32) error { return fr.WriteGoAway(0, http2.ErrCodeNo, nil) }},
		{"closed", func(*http2.Framer, uint32) error { return io.EOF }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			config, roots := secure(t, "h2")
			l := tls.NewListener(listen(t), config)
			var requests atomic.Int32
			serve(t, l, func(c net.Conn) {
				if _, err := io.ReadFull(c, make([]byte, len(http2.ClientPreface))); err != nil {
					return
				}
				fr := http2.NewFramer(c, c)
				fr.WriteSettings()
				for {
					frame, err := fr.ReadFrame()
					if err != nil {
						return
					}
					if h, ok := frame.(*http2.HeadersFrame); ok {
						requests.Add(1)
						if tt.fail(fr, h.StreamID) != nil {
							return
						}
					}
				}
			})
			f := newFetcher(t, webtest.Serve(t, nil), func(o *Options) {
				to(l)(o)
				o.RootCAs = roots
			})
			fe := fetchError(t, f, "https://example.com/robots.txt")
			if requests.Load() != 1 {
				t.Errorf("%d requests: %v", requests.Load(), fe)
			}
		})
	}
}

// HTTP/1.1 and HTTP/2 both, over one connection each.
func TestPoolKeepsConnections(t *testing.T) {
	for _, h2 := range []bool{false, true} {
		t.Run(fmt.Sprint("h2=", h2), func(t *testing.T) {
			var dialled atomic.Int32
			s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/robots.txt":
					http.NotFound(w, r)
				case "/old":
					http.Redirect(w, r, "/page", http.StatusFound)
				default:
					w.Header().Set("Content-Type", "text/html")
					fmt.Fprint(w, r.Proto)
				}
			}))
			s.EnableHTTP2 = h2
			s.StartTLS()
			defer s.Close()
			roots := x509.NewCertPool()
			roots.AddCert(s.Certificate())
			f := newFetcher(t, webtest.Serve(t, nil), func(o *Options) {
				to(s.Listener)(o)
				o.RootCAs = roots
				dial := o.Dial
				o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
					dialled.Add(1)
					return dial(ctx, network, addr)
				}
			})
			want := "HTTP/1.1"
			if h2 {
				want = "HTTP/2.0"
			}
			for range 20 {
				p, err := f.Fetch(t.Context(), crawler.Request{URL: "https://example.com/old"})
				if err != nil || string(p.Body) != want || p.Addr != webtest.PublicAddr.String() {
					t.Fatalf("got %+v, %v", p, err)
				}
			}
			if n := dialled.Load(); n != 1 {
				t.Errorf("%d connections for 41 requests", n)
			}
		})
	}
}

func TestKeepAlive(t *testing.T) {
	for value, want := range map[string]time.Duration{
		"": idleTimeout, "timeout=5": 4 * time.Second, "timeout=5, max=99": 4 * time.Second,
		"max=99, Timeout = 15": 14 * time.Second, "timeout=1": 0, "timeout=0": -time.Second,
		"timeout=3600": idleTimeout, "timeout=-1": idleTimeout, "timeout": idleTimeout, "5": idleTimeout,
	} {
		if got := keepAlive(http.Header{"Keep-Alive": {value}}); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// meet answers when so many ask at once.
func meet(n int) http.Handler {
	var here sync.WaitGroup
	here.Add(n)
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		here.Done()
		here.Wait()
		w.Header().Set("Content-Type", "text/html")
	})
}

// Connections are bounded in number and close when they have been idle.
func TestPoolIsBounded(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://short.example/", webtest.Status(200, "Keep-Alive", "timeout=1"))
	f := newFetcher(t, w, nil)
	p := f.live
	for i := range maxIdle + 20 {
		if _, err := f.Fetch(t.Context(), crawler.Request{URL: fmt.Sprintf("http://h%d.example/", i)}); err != nil {
			t.Fatal(err)
		}
	}
	if len(p.idle) != maxIdle || p.used.Len() != maxIdle {
		t.Errorf("%d connections kept, %d in the list, want %d", len(p.idle), p.used.Len(), maxIdle)
	}
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://short.example/"}); err != nil {
		t.Fatal(err)
	}
	if _, ok := p.idle["http://short.example:80"]; ok {
		t.Error("a connection is kept that its server is about to close")
	}
	var all sync.WaitGroup
	w.Handle("http://busy.example/", meet(2*maxIdleEach))
	for range 2 * maxIdleEach {
		all.Go(func() {
			if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://busy.example/"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := len(p.idle["http://busy.example:80"]); n != maxIdleEach || p.used.Len() > maxIdle {
		t.Errorf("%d connections kept to one server, %d in all; want %d", n, p.used.Len(), maxIdleEach)
	}
	p.CloseIdleConnections()
	if len(p.idle) != 0 || p.used.Len() != 0 {
		t.Error("connections are left")
	}
}

// The environment names no proxy that is asked.
func TestFetchUsesNoProxy(t *testing.T) {
	proxied := atomic.Int32{}
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { proxied.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY", "COLLY_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	w := webtest.Serve(t, map[string]string{"http://a.example/": "x"})
	if _, err := newFetcher(t, w, nil).Fetch(t.Context(), crawler.Request{URL: "http://a.example/"}); err != nil {
		t.Fatal(err)
	}
	if proxied.Load() != 0 || w.Count("http://a.example/") != 1 {
		t.Error("the proxy was asked")
	}
}
