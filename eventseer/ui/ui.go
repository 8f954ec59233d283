// Package ui serves the events over HTTP: pages for people and a JSON API. All
// works without scripts; whatever a page of the web said is escaped, and only
// its http and https links become links.
package ui

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"
)

//go:embed templates static
var files embed.FS

type server struct {
	Options
	front
	gate
	*Renderer
	news *lately

	sliceStyle template.HTML // the link to the style of what is sliced
	slices     chan struct{} // one place for each slice under way
	diffs      chan struct{} // one place for each comparison of versions under way
	reads      chan struct{} // one place for each submitted page that is read
}

// publicPages are the templates of the pages that everybody may see.
var publicPages = []string{
	"list", "event", "history", "series", "recent", "about", "bot", "privacy", "zone", "slice", "error", "data", "calendar", "calendaradd", "timeline", "map", "api",
}

// New returns the handler of the whole UI, a Warmer. Its errors are those of options that cannot
// be read, and of templates and assets built into the program.
func New(o Options) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.UserAgent == "" {
		o.UserAgent = "EventSeer"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &server{
		Options: o, news: &lately{},
		slices: make(chan struct{}, maxSlices), diffs: make(chan struct{}, maxDiffs), reads: make(chan struct{}, maxReads),
	}
	var err error
	if s.front, err = newFront(o); err != nil {
		return nil, err
	}
	if s.gate, err = newGate(o); err != nil {
		return nil, err
	}
	if s.Renderer, err = NewRenderer(o.Version, o.Log); err != nil {
		return nil, err
	}
	if err = s.Parse(publicPages); err != nil {
		return nil, err
	}
	if err := s.loadOwnPages(); err != nil {
		return nil, err
	}
	s.icon = s.AssetPath("icon.svg")
	s.sliceStyle = template.HTML(`<link rel="stylesheet" href="` + s.AssetPath("slice.css") + `">`) // a path of ours
	mux := s.routes()
	s.SetSite(newSite(o, mux))
	return handler{secure(s.before(mux)), s}, nil
}

// A handler is the whole UI.
type handler struct {
	http.Handler
	of *server
}

// Warm implements Warmer.
func (h handler) Warm(ctx context.Context) error { return h.of.catalog.Warm(ctx) }

func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page(s.home))
	mux.HandleFunc("GET /search", s.page(s.search))
	mux.HandleFunc("GET /e/{id}", s.page(s.event))
	mux.HandleFunc("GET /e/{id}/history", s.page(s.history))
	mux.HandleFunc("GET /slice", s.slice)
	mux.HandleFunc("GET /about", s.page(s.about))
	mux.HandleFunc("GET /bot", s.page(s.bot))
	mux.HandleFunc("GET /privacy", s.page(s.privacy))
	mux.HandleFunc("GET /s/{series}", s.page(s.series))
	mux.HandleFunc("GET /new", s.page(s.newCalls))
	mux.HandleFunc("GET /changes", s.page(s.changes))
	s.zoneRoutes(mux)
	mux.HandleFunc(anyPath, s.page(s.notFound))
	mux.HandleFunc("GET /static/", s.static)
	s.apiRoutes(mux)
	s.viewRoutes(mux)
	s.accountRoutes(mux)
	s.deskRoutes(mux)
	s.adminRoutes(mux)
	mux.HandleFunc("GET /healthz", healthz)
	return mux
}

// anyPath is the pattern of whatever no other serves.
const anyPath = "GET /"

// write sends an answer; only good ones may be kept, for a minute unless their
// handler says otherwise.
func write(w http.ResponseWriter, status int, body []byte) {
	if status == 0 {
		status = http.StatusOK
	}
	if status != http.StatusOK {
		w.Header().Set("Cache-Control", "no-store")
	} else if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "public, max-age=60")
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a visitor who has left is no error of ours
}

// A badQuery is an Index's error about the text of a query.
type badQuery interface {
	error
	QueryPos() int // in runes
}

var (
	errNoPage     = errors.New("no such page")
	errBadRequest = errors.New("bad request")
)

func badRequest(format string, args ...any) error {
	return fmt.Errorf("%w: %w", errBadRequest, fmt.Errorf(format, args...))
}

// policy allows our own style sheet, images and forms, and nothing else.
const policy = "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// secure sets the headers every answer has.
func secure(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

func healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	write(w, 0, []byte("ok\n"))
}
