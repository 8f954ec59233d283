// Package web has the shared parts of all HTTP responses: templates, assets and rendering, the
// cache, limits, headers, errors and the protection of forms.
package web

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"path"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A Renderer serves pages from templates, and their assets.
type Renderer struct {
	version string
	log     *slog.Logger
	Site    views.Site
	pages   map[string]*template.Template
	assets  map[string]asset  // by URL path
	paths   map[string]string // of assets, by name
}

// NewRenderer returns a Renderer without pages; Parse adds them. Errors are about assets built into
// the program.
func NewRenderer(version string, log *slog.Logger) (*Renderer, error) {
	p := &Renderer{version: version, log: log, pages: map[string]*template.Template{}, assets: map[string]asset{}}
	var err error
	p.paths, err = p.loadAssets()
	return p, err
}

// SetSite sets the data shown on all pages.
func (p *Renderer) SetSite(s views.Site) { p.Site = s }

// AssetPath returns the URL path of an asset, "" for an unknown one.
func (p *Renderer) AssetPath(name string) string { return p.paths[name] }

// Parse makes one template of each page in the common layout. The
// files of frame replace blocks of the layout and of the pages.
func (p *Renderer) Parse(names []string, frame ...string) error {
	funcs := template.FuncMap{"asset": func(name string) string { return p.paths[name] }}
	for _, name := range names {
		parts := append([]string{"templates/layout.html", "templates/parts.html", "templates/" + name + ".html"}, frame...)
		page, err := template.New("layout.html").Funcs(funcs).ParseFS(Files, parts...)
		if err != nil {
			return err
		}
		p.pages[name] = page
	}
	return nil
}

// A View is one page: the name of the template, its data, and the HTTP status, where 0 means 200.
type View struct {
	Name   string
	Data   any
	Status int
}

// PageHandler serves the result of f. It renders to a buffer first, so that an error never leaves half a
// page.
func (p *Renderer) PageHandler(f func(*http.Request) (View, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := f(r)
		var b bytes.Buffer
		if err == nil {
			err = p.Render(&b, v)
		}
		if err != nil {
			v = p.errorView(r, err)
			b.Reset()
			if err := p.Render(&b, v); err != nil {
				p.log.Error("render error page", "cause", err)
			}
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		Write(w, v.Status, b.Bytes())
	}
}

func (p *Renderer) Render(b *bytes.Buffer, v View) error {
	return p.pages[v.Name].ExecuteTemplate(b, "layout.html", v.Data)
}

// StatusOf returns the status and message of an error for visitors.
func (p *Renderer) StatusOf(r *http.Request, err error) (status int, text string) {
	var query BadQuery
	switch {
	case errors.Is(err, eventseer.ErrNotFound), errors.Is(err, ErrNoPage):
		return http.StatusNotFound, "There is nothing here."
	case errors.As(err, &query):
		return http.StatusBadRequest, query.Error()
	case errors.Is(err, errBadRequest):
		return http.StatusBadRequest, err.Error()
	case r.Context().Err() != nil:
		return http.StatusServiceUnavailable, "The request was cancelled."
	}
	p.log.Error("request failed", "path", r.URL.Path, "cause", err)
	return http.StatusInternalServerError, "An error occurred on this site. It has been written to the log."
}

// ServeAsset serves an asset.
func (p *Renderer) ServeAsset(w http.ResponseWriter, r *http.Request) {
	a, ok := p.assets[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	Write(w, 0, a.body)
}

// ServeError serves the message of an error.
func (p *Renderer) ServeError(w http.ResponseWriter, r *http.Request, err error) {
	p.PageHandler(func(*http.Request) (View, error) { return View{}, err })(w, r)
}

// NotFound returns the page for unknown paths.
func (p *Renderer) NotFound(*http.Request) (View, error) { return View{}, ErrNoPage }

// NewFrame returns the frame of a page.
func (p *Renderer) NewFrame(title, nav string) views.Frame {
	return views.Frame{Title: title, Version: p.version, Nav: nav, Site: p.Site, Meta: views.Meta{Zone: "UTC"}}
}

// FrameOf returns the frame of a page that shows times in the reader's zone and returns to itself
// when the zone is changed.
func (p *Renderer) FrameOf(r *http.Request, title, nav string) views.Frame {
	f := p.NewFrame(title, nav)
	f.Meta.Zone = views.ZoneName(ReaderZone(r))
	zone, _ := KnownZone(r)
	f.Meta.ZoneKnown = zone != nil
	if r.Method == http.MethodGet {
		f.Meta.Here = views.Clip(r.URL.RequestURI(), 1000)
	}
	return f
}

func (p *Renderer) errorView(r *http.Request, err error) View {
	status, text := p.StatusOf(r, err)
	v := ErrorPage{Frame: p.NewFrame(ErrorTitle(status), ""), Status: status, Text: text}
	if status == http.StatusNotFound {
		v.Text, v.On = missingPage(r.URL.Path, text)
	}
	v.Meta.NoIndex = true
	return View{Name: "error", Status: status, Data: v}
}

// loadAssets returns the URL path of each asset by its name.
func (p *Renderer) loadAssets() (map[string]string, error) {
	paths := map[string]string{}
	entries, err := Files.ReadDir("static")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		contentType, known := contentTypes[path.Ext(name)]
		if !known {
			return nil, fmt.Errorf("static/%s has an unknown file type", name)
		}
		body, err := Files.ReadFile("static/" + name)
		if err != nil {
			return nil, err
		}
		if path.Ext(name) == ".css" {
			body = minifyCSS(body)
		}
		sum := sha256.Sum256(body)
		paths[name] = "/static/" + hex.EncodeToString(sum[:8]) + "/" + name
		p.assets[paths[name]] = asset{contentType, body}
	}
	return paths, nil
}

// An ErrorPage shows an error.
type ErrorPage struct {
	views.Frame
	Status int
	Text   string
	On     views.Link // link to continue
}

// errorTitles describe errors in a few plain words.
var errorTitles = map[int]string{
	http.StatusNotFound: "Page not found", http.StatusBadRequest: "The request could not be understood",
	http.StatusForbidden: "That is not allowed", http.StatusTooManyRequests: "Too many requests",
	http.StatusServiceUnavailable: "Not available now", http.StatusInternalServerError: "Something went wrong",
}

// ErrorTitle returns the description of a status.
func ErrorTitle(status int) string { return cmp.Or(errorTitles[status], http.StatusText(status)) }

// missingPage returns what does not exist at a path, and a link to where it may be found.
func missingPage(path, text string) (string, views.Link) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, _, _ := strings.Cut(rest, "/")
	switch path {
	case "/submit":
		return "Visitors cannot submit pages to this site.", views.Link{}
	case LabelPath:
		return "No pages wait to be labelled: start serve with --label-input to label pages here.", views.Link{Text: "All pages of the operator", Href: AdminPath}
	}
	words := strings.Join(strings.FieldsFunc(views.Clip(name, 100), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	if words == "" {
		return text, views.Link{}
	}
	on := views.Link{Text: "Search for “" + words + "”", Href: views.SearchHref(words, true)}
	switch kind {
	case "e":
		return "There is no call with this id.", on
	case "s":
		return "There is no series with this id.", on
	}
	return text, views.Link{}
}

// An asset is a file whose path contains its checksum.
type asset struct {
	contentType string
	body        []byte
}

var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml",
}

// minifyCSS removes unnecessary white space from a style sheet. The sheets have no strings with such
// space, and comments are on their own lines.
func minifyCSS(css []byte) []byte {
	lines := strings.Split(string(css), "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimSpace(line); strings.HasPrefix(lines[i], "/*") {
			lines[i] = ""
		}
	}
	return []byte(strings.NewReplacer("; }", "}", " { ", "{", " {", "{", " }", "}", "; ", ";", ": ", ":", ", ", ",").Replace(strings.Join(lines, "")))
}

//go:embed templates static
var Files embed.FS
