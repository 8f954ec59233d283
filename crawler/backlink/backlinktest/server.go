// Package backlinktest holds what tests of backlink providers share. It has fakes of the services
// that behave like the real ones, and the tests that every provider must pass.
package backlinktest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// Options define what a fake service knows and how it misbehaves. Its rows come in the order of Links.
type Options struct {
	// Links are all it knows. A wiki's have its own pages for sources, a title each.
	Links []webgraph.Link
	// Pages are what a search finds by their words; for SearX only.
	Pages []Page
	// Key is the only key that is good. "" takes any, or none.
	Key string
	// PageSize is the most rows of an answer. Zero means the service's own limit. For Marginalia a
	// page with fewer rows than requested is the last one.
	PageSize int
	// Quota is the number of rows that the account may still get; for Moz only. Zero means no end.
	Quota int

	// Old is a wiki older than MediaWiki 1.41: it searches http links if no scheme is given, and
	// supports formatversion 1 only.
	Old bool
	// Miser has every second answer of a wiki come without rows, with more to come.
	Miser bool
	// JSONDisabled is a SearXNG instance as it is installed.
	JSONDisabled bool

	// Malformed and Foreign are rows that no service should send, before those of
	// every answer: of the wrong shape, and for another URL.
	Malformed, Foreign int
	// Flood is the number of rows that a page with rows returns beyond the limit.
	Flood int
	// Endless has every answer name a next one, each time by another cursor.
	Endless bool
}

// A Page is one that a search finds.
type Page struct{ URL, Title, Snippet string }

// A Server is a fake service on loopback, which ends with its test.
type Server struct {
	// URL is the address to be configured: of api.php, of the search, of the
	// endpoint, of the instance.
	URL string

	o Options
	h *httptest.Server

	mu       sync.Mutex // guards the rest
	faults   []Fault
	always   Fault
	requests []*http.Request
	spent    int // rows of the quota
}

// newServer starts a service whose answers, if no fault comes first, are answer's.
func newServer(t testing.TB, o Options, path string, answer func(*Server, http.ResponseWriter, *http.Request)) *Server {
	s := &Server{o: o}
	s.h = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if f := s.noteRequest(r); f != nil {
			f(w, r)
			return
		}
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		answer(s, w, r)
	}))
	t.Cleanup(s.h.Close)
	s.URL = s.h.URL + path
	return s
}

// Close ends the service before its test does.
func (s *Server) Close() { s.h.Close() }

// noteRequest records a request and returns the fault it meets, nil for none.
func (s *Server) noteRequest(r *http.Request) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r.Clone(r.Context()))
	if len(s.faults) > 0 {
		f := s.faults[0]
		s.faults = s.faults[1:]
		return f
	}
	return s.always
}

// Client returns a client that reaches the server.
func (s *Server) Client() *http.Client { return s.h.Client() }

// Next sets the faults of the next requests, one for each in order; nil means no fault.
func (s *Server) Next(faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, faults...)
}

// Always sets the fault of every request to which none of Next applies; nil means no fault.
func (s *Server) Always(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = f
}

// Requests returns the requests so far, without their bodies.
func (s *Server) Requests() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Calls returns how many requests there were.
func (s *Server) Calls() int { return len(s.Requests()) }

// A Fault answers a request instead of the service.
type Fault func(http.ResponseWriter, *http.Request)

// Status answers with a status, a Retry-After unless it is "", and a body.
func Status(status int, retryAfter, body string) Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a disconnected client is not a fault
	}
}

// HTML answers 200 with a page.
func HTML() Fault { return JSON("<!doctype html>\n<title>Sign in</title><h1>Please sign in</h1>") }

// JSON answers 200 with a body, whatever it is.
func JSON(body string) Fault { return Status(http.StatusOK, "", body) }

// Redirect sends on to a URL.
func Redirect(to string) Fault {
	return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
}

// Slow answers nothing for so long, or until the client has gone.
func Slow(wait time.Duration) Fault {
	return func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // until then the handler does not notice that the client has gone
		select {
		case <-time.After(wait):
		case <-r.Context().Done():
		}
	}
}

// Echo responds with a status and the key of the request, as servers do that show what they received.
func Echo(status int) Fault {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "bad request: %v %s", r.Header, r.URL)
	}
}

// Broken ends the connection in the middle of an answer.
func Broken() Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write([]byte(`{"results":[{"url":`))
	}
}

// size returns the number of rows in an answer to a request for n, at most limit.
func (s *Server) size(n, limit int) int {
	if s.o.PageSize > 0 {
		limit = min(limit, s.o.PageSize)
	}
	return max(0, min(n, limit))
}

// send writes a response: the text before its rows, the rows, the text after them.
func (s *Server) send(w http.ResponseWriter, before string, links []webgraph.Link, row func(webgraph.Link) any, after string) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	b := bufio.NewWriter(w)
	_, _ = b.WriteString(before)
	rows := 0
	write := func(text string) bool {
		if rows++; rows > 1 {
			text = "," + text
		}
		_, err := b.WriteString(text)
		return err == nil // the client may have had enough
	}
	for i := range s.o.Malformed {
		write(encode(malformed[i%len(malformed)]))
	}
	for i := range s.o.Foreign {
		write(encode(row(webgraph.Link{Source: fmt.Sprintf("https://foreign%d.net/", i), Target: "https://elsewhere.net/", Anchor: "another"})))
	}
	for _, l := range links {
		write(encode(row(l)))
	}
	if len(links) > 0 {
		l := links[0]
		l.Source = "https://flood#.net/"
		drop := encode(row(l))
		for i := 0; i < s.o.Flood && write(strings.Replace(drop, "#", strconv.Itoa(i), 1)); i++ {
		}
	}
	_, _ = b.WriteString(after)
	_ = b.Flush()
}

// malformed are rows that no service returns.
var malformed = []any{nil, 7, "row", []int{1}, map[string]any{}, map[string]any{"url": 5}, map[string]any{"url": "::", "title": nil}, map[string]any{"source_site_metrics": "x"}}

// encode returns v as JSON.
func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // v is one of ours
	}
	return string(text)
}
