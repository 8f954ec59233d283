package simweb

import (
	"context"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// ServeHTTP answers for the host that the request's Host header names, 421 for
// hosts of other webs. It is safe for concurrent use.
func (w *Web) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if s := w.sites[webgraph.Host(requestedHost(r))]; !refuses(rw, r, s != nil) {
		s.serve(rw, r)
	}
}

// requestedHost is the host that a request's Host header names, in lower case.
func requestedHost(r *http.Request) string {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.ToLower(host)
}

// refuses answers a request to a host that the web does not know, and one that is
// neither GET nor HEAD.
func refuses(rw http.ResponseWriter, r *http.Request, known bool) bool {
	switch {
	case !known:
		http.Error(rw, "no such host in this web", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		rw.Header().Set("Allow", "GET, HEAD")
		http.Error(rw, "method not allowed", http.StatusMethodNotAllowed)
	default:
		return false
	}
	return true
}

func (s *site) serve(rw http.ResponseWriter, r *http.Request) {
	path := r.URL.RequestURI()
	switch {
	case path == "/robots.txt" && s.robots != "":
		send(rw, http.StatusOK, "text/plain; charset=utf-8", []byte(s.robots))
	case s.moved[path] != "":
		rw.Header().Set("Location", s.moved[path])
		rw.WriteHeader(http.StatusMovedPermanently)
	case s.pages[path] != nil:
		pg := s.pages[path]
		send(rw, http.StatusOK, pg.contentType(), pg.body)
	case s.calendar && r.URL.Path == "/calendar":
		send(rw, http.StatusOK, "text/html; charset=utf-8", s.month(r.URL.Query().Get("month")))
	case s.soft404 && path != "/robots.txt":
		send(rw, http.StatusOK, "text/html; charset=utf-8", s.sorry())
	default:
		send(rw, http.StatusNotFound, "text/html; charset=utf-8", s.sorry())
	}
}

func send(rw http.ResponseWriter, status int, contentType string, body []byte) {
	rw.Header().Set("Content-Type", contentType)
	rw.Header().Set("Content-Length", fmt.Sprint(len(body)))
	rw.WriteHeader(status)
	_, _ = rw.Write(body) // a client that went away is no concern of ours
}

// sorry is the page for what a site does not have.
func (s *site) sorry() []byte {
	return fmt.Appendf(nil, "<html><head><title>%s</title></head><body><h1>Sorry</h1><p>We could not find the page you were looking for. "+
		"Try our <a href=\"/\">front page</a>.</p></body></html>\n", html.EscapeString(s.name))
}

// month is one page of the endless calendar: it links the month before, the
// next one, and each of its days.
func (s *site) month(month string) []byte {
	t, err := time.Parse("2006-01", month)
	if err != nil {
		t, err = time.Parse(time.DateOnly, month)
	}
	if err != nil {
		return s.sorry()
	}
	var days strings.Builder
	first := time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
	for day := first; day.Month() == first.Month(); day = day.AddDate(0, 0, 1) {
		fmt.Fprintf(&days, "<td><a href=\"/calendar?month=%s\">%d</a></td>", day.Format(time.DateOnly), day.Day())
	}
	return fmt.Appendf(nil, "<html><head><title>Calendar %s</title></head><body><h1>%s</h1><table><tr>%s</tr></table>"+
		"<p>No events. <a href=\"/calendar?month=%s\">previous</a> <a href=\"/calendar?month=%s\">next</a></p></body></html>\n",
		first.Format("January 2006"), first.Format("January 2006"), days.String(),
		first.AddDate(0, -1, 0).Format("2006-01"), first.AddDate(0, 1, 0).Format("2006-01"))
}

// ServeHTTP answers for the host that the request's Host header names, after Latency times
// LargeOptions.Latency. It answers 421 for hosts that Knows denies, 503 while Down reports so, else
// what Page returns. It is safe for concurrent use.
func (w *Large) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host := requestedHost(r)
	h, n, status, ok := w.parse(host, r.URL.RequestURI())
	if refuses(rw, r, ok && !w.dead(h)) {
		return
	}
	if w.o.Latency > 0 {
		pause := time.NewTimer(time.Duration(w.o.Latency * float64(w.Latency(webgraph.Host(host)))))
		defer pause.Stop()
		select {
		case <-pause.C:
		case <-r.Context().Done():
			return
		}
	}
	w.answer(rw, h, n, status, r.URL.RequestURI() == "/robots.txt")
}

func (w *Large) answer(rw http.ResponseWriter, h largeHost, n, status int, robots bool) {
	const text = "text/plain; charset=utf-8"
	switch {
	case robots:
		send(rw, http.StatusOK, text, []byte(h.robots()))
	case w.Down(webgraph.Host(w.name(h.n)), w.o.Clock()):
		rw.Header().Set("Retry-After", "2")
		send(rw, http.StatusServiceUnavailable, text, []byte("too busy, try again\n"))
	case status == http.StatusOK:
		send(rw, status, "text/html; charset=utf-8", w.render(w.placeOfPage(n)))
	case status == http.StatusMovedPermanently:
		rw.Header().Set("Location", w.url(w.placeOfPage(n)))
		rw.WriteHeader(status)
	default:
		send(rw, status, text, []byte("There is no such page here.\n"))
	}
}

// A Server serves a web on a loopback port. Its methods are safe for
// concurrent use.
type Server struct {
	web      *Web
	addr     string
	http     *http.Server
	finished chan error
}

// Start listens on a free port of 127.0.0.1 and serves the web until Close.
func (w *Web) Start() (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("serve the built-in web: %w", err)
	}
	s := &Server{
		web: w, addr: l.Addr().String(), finished: make(chan error, 1),
		http: &http.Server{Handler: w, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute},
	}
	go func() { s.finished <- s.http.Serve(l) }()
	return s, nil
}

// Addr returns the address the server listens on, "127.0.0.1:port".
func (s *Server) Addr() string { return s.addr }

// Close stops the server, cuts its connections and waits for its end. It must
// be called once.
func (s *Server) Close() error {
	err := s.http.Close()
	if served := <-s.finished; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}

// Dial connects to the server for port 80 of every host of the web, whatever name addr has. It
// refuses all other hosts with a *net.DNSError, so a client that dials through it cannot leave the
// web. It fits http.Transport.DialContext.
func (s *Server) Dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	if s.web.sites[webgraph.Host(strings.ToLower(host))] == nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
	}
	if port != "80" {
		return nil, &net.OpError{Op: "dial", Net: network, Err: fmt.Errorf("%s answers on port 80 only, not %s", host, port)}
	}
	var d net.Dialer
	return d.DialContext(ctx, network, s.addr)
}
