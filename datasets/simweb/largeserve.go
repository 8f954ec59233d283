package simweb

import (
	"net"
	"net/http"
	"strings"
	"time"

	"eventseer/webgraph"
)

// ServeHTTP answers for the host that the request's Host header names: 421 for
// hosts that Knows denies, 503 while Down says so, and what Page says else, after
// Latency times LargeOptions.Latency. It is safe for concurrent use.
func (w *Large) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(host)
	h, n, status, ok := w.parse(host, r.URL.RequestURI())
	switch {
	case !ok || w.dead(h):
		http.Error(rw, "no such host in this web", http.StatusMisdirectedRequest)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		rw.Header().Set("Allow", "GET, HEAD")
		http.Error(rw, "method not allowed", http.StatusMethodNotAllowed)
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
		send(rw, status, "text/html; charset=utf-8", w.render(w.place(n)))
	case status == http.StatusMovedPermanently:
		rw.Header().Set("Location", w.url(w.place(n)))
		rw.WriteHeader(status)
	default:
		send(rw, status, text, []byte("There is no such page here.\n"))
	}
}
