// Package ui serves the events over HTTP: pages for people and a JSON API. All
// works without scripts; whatever a page of the web said is escaped, and only
// its http and https links become links.
package ui

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"time"

	"eventseer/eventseer"
)

// Options are what the UI is built from.
type Options struct {
	// Store and Index are read only; both are needed.
	Store eventseer.Store
	Index eventseer.Index
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Version of the program, shown in the footer.
	Version string
	// Contact is the e-mail address or URL of whoever runs the crawler, shown
	// at /bot. Empty says that this instance crawls nothing.
	Contact string
	// UserAgent is the crawler's, shown at /bot. Empty means "EventSeer".
	UserAgent string
	// Pause is the shortest between two requests to a site, and MaxCrawlDelay the
	// longest that a robots.txt is granted, shown at /bot. Zero is not shown.
	Pause, MaxCrawlDelay time.Duration
	// IgnoreDirectives says that meta robots and X-Robots-Tag are not obeyed, so
	// that /bot does not promise it.
	IgnoreDirectives bool
	// Slicer fetches and searches pages for visitors, at /slice. Nil says there
	// that this instance crawls nothing.
	Slicer Slicer
	// SliceSynonyms offers to look for words of the same meaning too.
	SliceSynonyms bool
	// Versions are the versions of pages that are kept, shown at /e/ID/history. Nil
	// shows the changes of records alone.
	Versions Versions
	// Log hears of internal errors, which visitors are not shown. Nil drops them.
	Log *slog.Logger
}

//go:embed templates static
var files embed.FS

type server struct {
	Options
	pages  map[string]*template.Template
	assets map[string]asset // by URL path

	sliceStyle template.HTML // the link to the style of what is sliced
	slices     chan struct{} // one place for each slice under way
	diffs      chan struct{} // one place for each comparison of versions under way
}

// An asset is a file that is served under a path holding its checksum.
type asset struct {
	contentType string
	body        []byte
}

// New returns the handler of the whole UI. Its errors are those of templates
// and assets built into the program.
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
	s := &server{Options: o, assets: map[string]asset{}, slices: make(chan struct{}, maxSlices), diffs: make(chan struct{}, maxDiffs)}
	paths, err := s.loadAssets()
	if err != nil {
		return nil, err
	}
	if s.pages, err = parseTemplates(paths, []string{"list", "event", "history", "about", "bot", "slice", "error"}); err != nil {
		return nil, err
	}
	s.sliceStyle = template.HTML(`<link rel="stylesheet" href="` + paths["slice.css"] + `">`) // a path of ours
	return secure(s.routes()), nil
}

// loadAssets returns the URL path of each asset by its name.
func (s *server) loadAssets() (map[string]string, error) {
	paths := map[string]string{}
	for name, contentType := range map[string]string{
		"style.css": "text/css; charset=utf-8", "icon.svg": "image/svg+xml",
		"slice.css": "text/css; charset=utf-8", "diff.css": "text/css; charset=utf-8", "wrapper.css": "text/css; charset=utf-8",
		"label.css": "text/css; charset=utf-8", "label.js": "text/javascript; charset=utf-8",
	} {
		body, err := files.ReadFile("static/" + name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(body)
		paths[name] = "/static/" + hex.EncodeToString(sum[:8]) + "/" + name
		s.assets[paths[name]] = asset{contentType, body}
	}
	return paths, nil
}

func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.page(s.home))
	mux.HandleFunc("GET /search", s.page(s.search))
	mux.HandleFunc("GET /e/{id}", s.page(s.event))
	mux.HandleFunc("GET /e/{id}/history", s.page(s.history))
	mux.HandleFunc("GET /slice", s.slice)
	mux.HandleFunc("GET /about", s.page(s.about))
	mux.HandleFunc("GET /bot", s.page(s.bot))
	mux.HandleFunc("GET /", s.page(s.notFound))
	mux.HandleFunc("GET /static/", s.static)
	mux.HandleFunc("GET /api/v1/events.json", s.api(s.eventsJSON))
	mux.HandleFunc("GET /api/v1/events/{file}", s.api(s.eventJSON))
	mux.HandleFunc("GET /api/v1/events/{id}/diff", s.api(s.diffJSON))
	mux.HandleFunc("GET /healthz", healthz)
	return mux
}

// parseTemplates makes one template of each page in the common layout. The
// files of frame replace blocks of the layout and of the pages.
func parseTemplates(assets map[string]string, names []string, frame ...string) (map[string]*template.Template, error) {
	funcs := template.FuncMap{"asset": func(name string) string { return assets[name] }}
	pages := map[string]*template.Template{}
	for _, name := range names {
		parts := append([]string{"templates/layout.html", "templates/parts.html", "templates/" + name + ".html"}, frame...)
		page, err := template.New("layout.html").Funcs(funcs).ParseFS(files, parts...)
		if err != nil {
			return nil, err
		}
		pages[name] = page
	}
	return pages, nil
}

// A view is one page: the template's name, its data, and the status, where 0
// means 200.
type view struct {
	name   string
	data   any
	status int
}

// page serves what f answers. It renders to a buffer first, so that an error
// never leaves half a page.
func (s *server) page(f func(*http.Request) (view, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		var b bytes.Buffer
		if err == nil {
			err = s.render(&b, v)
		}
		if err != nil {
			v = s.errorView(r, err)
			b.Reset()
			if err := s.render(&b, v); err != nil {
				s.Log.Error("render error page", "cause", err)
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		write(w, v.status, b.Bytes())
	}
}

func (s *server) render(b *bytes.Buffer, v view) error {
	return s.pages[v.name].ExecuteTemplate(b, "layout.html", v.data)
}

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

// statusOf is the one place that says what an error means to a visitor.
func (s *server) statusOf(r *http.Request, err error) (status int, text string) {
	var query badQuery
	switch {
	case errors.Is(err, eventseer.ErrNotFound), errors.Is(err, errNoPage):
		return http.StatusNotFound, "There is nothing here."
	case errors.As(err, &query):
		return http.StatusBadRequest, query.Error()
	case errors.Is(err, errBadRequest):
		return http.StatusBadRequest, err.Error()
	case r.Context().Err() != nil:
		return http.StatusServiceUnavailable, "The request was given up."
	}
	s.Log.Error("request failed", "path", r.URL.Path, "cause", err)
	return http.StatusInternalServerError, "Something went wrong here. It has been noted in the log."
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

func (s *server) static(w http.ResponseWriter, r *http.Request) {
	a, ok := s.assets[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	write(w, 0, a.body)
}

func healthz(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	write(w, 0, []byte("ok\n"))
}
