// Package ui serves the events over HTTP: pages for people and a JSON API. All
// works without scripts; whatever a page of the web said is escaped, and only
// its http and https links become links.
package ui

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"eventseer/eventseer/ui/internal/web"
)

type server struct {
	Options
	front
	gate
	*web.Renderer
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
	if s.Renderer, err = web.NewRenderer(o.Version, o.Log); err != nil {
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
	return handler{web.Secure(s.before(mux)), s}, nil
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
	mux.HandleFunc("GET /{$}", s.Page(s.home))
	mux.HandleFunc("GET /search", s.Page(s.search))
	mux.HandleFunc("GET /e/{id}", s.Page(s.event))
	mux.HandleFunc("GET /e/{id}/history", s.Page(s.history))
	mux.HandleFunc("GET /slice", s.slice)
	mux.HandleFunc("GET /about", s.Page(s.about))
	mux.HandleFunc("GET /bot", s.Page(s.bot))
	mux.HandleFunc("GET /privacy", s.Page(s.privacy))
	mux.HandleFunc("GET /s/{series}", s.Page(s.series))
	mux.HandleFunc("GET /new", s.Page(s.newCalls))
	mux.HandleFunc("GET /changes", s.Page(s.changes))
	s.zoneRoutes(mux)
	mux.HandleFunc(anyPath, s.Page(s.NotFound))
	mux.HandleFunc("GET /static/", s.Static)
	s.apiRoutes(mux)
	s.viewRoutes(mux)
	s.accountRoutes(mux)
	s.deskRoutes(mux)
	s.adminRoutes(mux)
	mux.HandleFunc("GET /healthz", web.Healthz)
	return mux
}

// anyPath is the pattern of whatever no other serves.
const anyPath = "GET /"

var ()
