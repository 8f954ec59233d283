// Package ui serves the events over HTTP: pages for people and a JSON API. Everything works without
// scripts. Texts of crawled pages are escaped, and only http and https URLs become links.
package ui

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

type server struct {
	http.Handler // all pages, after the first stage of requests
	Options
	requestFilter
	*web.Renderer
	news *changeCache

	guard      *web.Guard // of forms
	operators  web.Operator
	formLimits account.FormLimits
	audited    auditLog

	slices chan struct{} // a semaphore: one slot for each slice in progress
	diffs  chan struct{} // a semaphore: one slot for each comparison of versions in progress
	reads  chan struct{} // a semaphore: one slot for each submitted page being read
}

// publicPages are the templates of the pages visible to everyone.
var publicPages = []string{
	"list", "event", "history", "series", "recent", "about", "bot", "privacy", "zone", "slice", "error", "data", "calendar", "calendaradd", "timeline", "map", "api",
}

// New returns the handler of the whole UI, which is a Warmer. Errors are about invalid options and
// about templates and assets built into the program.
func New(o Options) (http.Handler, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	o.UserAgent, o.Log = cmp.Or(o.UserAgent, "EventSeer"), cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	s := &server{
		Options: o, operators: web.NewOperator(o.AdminToken), news: &changeCache{}, formLimits: account.NewFormLimits(),
		slices: make(chan struct{}, maxSlices), diffs: make(chan struct{}, maxDiffs), reads: make(chan struct{}, maxReads),
	}
	var err error
	if s.requestFilter, err = newRequestFilter(o); err != nil {
		return nil, err
	}
	if s.guard, err = web.NewGuard(o.Base); err != nil {
		return nil, err
	}
	if s.Renderer, err = web.NewRenderer(o.Version, o.Log); err != nil {
		return nil, err
	}
	err = errors.Join(s.Parse(publicPages), s.Parse(ownPages, "templates/forms.html"), s.Parse(adminPages, "templates/forms.html", "templates/adminframe.html"))
	if err != nil {
		return nil, err
	}
	mux := s.routes()
	s.SetSite(newSite(o, mux))
	s.Handler = web.WithSecurityHeaders(s.limitRate(s.rejectUnknown(s.serveCached(s.withEndings(mux)))))
	return s, nil
}

// Warm implements Warmer.
func (s *server) Warm(ctx context.Context) error { return s.catalog.Warm(ctx) }

func (s *server) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", s.PageHandler(s.home))
	mux.HandleFunc("GET /search", s.PageHandler(s.search))
	mux.HandleFunc("GET /e/{id}", s.PageHandler(s.event))
	mux.HandleFunc("GET /e/{id}/history", s.PageHandler(s.history))
	mux.HandleFunc("GET /e/{id}/similar", s.similarCalls)
	mux.HandleFunc("GET /slice", s.slice)
	mux.HandleFunc("GET /about", s.PageHandler(s.about))
	mux.HandleFunc("GET /bot", s.PageHandler(s.crawlerPage))
	mux.HandleFunc("GET /privacy", s.PageHandler(s.privacy))
	mux.HandleFunc("GET /s/{series}", s.PageHandler(s.series))
	mux.HandleFunc("GET /new", s.PageHandler(s.newCalls))
	mux.HandleFunc("GET /changes", s.PageHandler(s.changes))
	mux.HandleFunc("GET /zone", s.PageHandler(s.chooseZone))
	mux.Handle("POST /zone", http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.setZone)))
	mux.HandleFunc("GET "+closingPath, s.PageHandler(s.closingPage))
	mux.HandleFunc("GET "+minePath, s.PageHandler(s.myCallsPage))
	mux.Handle("POST "+minePath, http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.setFields)))
	mux.HandleFunc("GET "+fitPath, s.PageHandler(s.fitPage))
	mux.Handle("POST "+fitPath, http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.limitFit)))
	mux.HandleFunc("GET "+starredPath, s.starredPage)
	mux.Handle("POST "+starredPath, http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.changeStarred)))
	mux.Handle("POST /rows", http.NewCrossOriginProtection().Handler(http.HandlerFunc(s.setRows)))
	mux.HandleFunc(anyPath, s.PageHandler(s.NotFound))
	mux.HandleFunc("GET /static/", s.ServeAsset)
	s.apiRoutes(mux)
	s.viewRoutes(mux)
	s.accountRoutes(mux)
	s.noteRoutes(mux)
	s.adminRoutes(mux)
	mux.HandleFunc("GET /healthz", web.ServeHealth)
	return mux
}

// anyPath is the pattern for all other paths.
const anyPath = "GET /"

// apiRoutes adds the API, the format endings of searches and other data for programs.
func (s *server) apiRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/events.json", s.jsonHandler(s.eventsJSON))
	mux.HandleFunc("GET /api/v1/events/{file}", s.jsonFile(s.eventRecord))
	mux.HandleFunc("GET /api/v1/events/{id}/diff", s.jsonHandler(s.diffJSON))
	mux.HandleFunc("GET /api/v1/series/{file}", s.jsonFile(s.seriesRecord))
	mux.HandleFunc("GET /api/v1/changes.json", s.jsonHandler(s.changesJSON))
	mux.HandleFunc("GET /api/v1/suggest.json", s.jsonHandler(s.suggestJSON))
	mux.HandleFunc("GET /api/v1/status.json", s.jsonHandler(s.statusJSON))
	mux.HandleFunc("GET /api/v1/openapi.json", s.openAPI)
	mux.HandleFunc("GET /api", s.PageHandler(s.apiText))
	mux.HandleFunc("GET "+api.SuggestPath, s.jsonHandler(s.suggestBrowser))
	mux.HandleFunc("GET /sitemap.xml", s.xmlPage("application/xml; charset=utf-8", s.sitemap))
	mux.HandleFunc("GET /sitemap/{file}", s.xmlPage("application/xml; charset=utf-8", s.sitemapFile))
	mux.HandleFunc("GET /opensearch.xml", s.xmlPage("application/opensearchdescription+xml; charset=utf-8", s.openSearch))
	mux.HandleFunc("GET /robots.txt", s.robots)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /data", s.PageHandler(s.dataPage))
	mux.HandleFunc("GET /data/{name}", s.dumpFile)
	mux.HandleFunc("GET /api/", s.jsonHandler(func(*http.Request) (any, error) { return nil, web.ErrNoPage }))
}

// viewRoutes adds the calendar with the subscription page, the timeline and the map.
func (s *server) viewRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /calendar", s.PageHandler(s.calendar))
	mux.HandleFunc("GET /calendar/add", s.PageHandler(s.calendarAdd))
	mux.HandleFunc("GET /timeline", s.PageHandler(s.timeline))
	mux.HandleFunc("GET /map", s.PageHandler(s.worldMap))
	mux.Handle("GET /next.txt", http.RedirectHandler("/search.txt", http.StatusFound)) // a short name for terminals
}

// A navigationPart is a page of the navigation, shown if this instance has it.
type navigationPart struct {
	views.MenuEntry
	foot    bool // in the footer, not in the header
	present func(o Options) bool
}

func isAlwaysShown(Options) bool { return true }

// parts are the pages that the navigation offers, in order.
var parts = []navigationPart{
	{views.MenuEntry{Name: "home", Text: "Open calls", Href: "/"}, false, isAlwaysShown},
	{views.MenuEntry{Name: "closing", Text: "This week", Href: closingPath}, false, isAlwaysShown},
	{views.MenuEntry{Name: "mine", Text: "My fields", Href: minePath}, true, isAlwaysShown},
	{views.MenuEntry{Name: "calendar", Text: "Calendar", Href: "/calendar"}, false, isAlwaysShown},
	{views.MenuEntry{Name: "starred", Text: "Starred", Href: starredPath}, false, isAlwaysShown},
	{views.MenuEntry{Name: "new", Text: "New", Href: "/new"}, false, func(o Options) bool { return o.Recent != nil }},
	{views.MenuEntry{Name: "changes", Text: "Changes", Href: "/changes"}, false, func(o Options) bool { return o.Recent != nil }},
	{views.MenuEntry{Name: "clips", Text: "My lists", Href: "/clips"}, false, func(o Options) bool { return o.Subscriptions != nil }},
	{views.MenuEntry{Name: "submit", Text: "Submit a call", Href: "/submit"}, false, func(o Options) bool { return o.Submitter != nil }},
	{views.MenuEntry{Name: "about", Text: "About", Href: "/about"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "all", Text: "All calls", Href: "/search?all=1"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "fit", Text: "Calls for an abstract", Href: fitPath}, true, isAlwaysShown},
	{views.MenuEntry{Name: "timeline", Text: "Timeline", Href: "/timeline"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "map", Text: "Map", Href: "/map"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "slice", Text: "Slice a page", Href: "/slice"}, true, func(o Options) bool { return o.Slicer != nil }},
	{views.MenuEntry{Name: "api", Text: "API", Href: "/api"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "data", Text: "Data", Href: "/data"}, true, func(o Options) bool { return o.Dumps != "" }},
	{views.MenuEntry{Name: "bot", Text: "Our crawler", Href: "/bot"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "privacy", Text: "Privacy", Href: "/privacy"}, true, isAlwaysShown},
	{views.MenuEntry{Name: "zone", Text: "Time zone", Href: "/zone"}, true, isAlwaysShown},
}

// newSite lists the parts that o has and mux serves.
func newSite(o Options, mux *http.ServeMux) views.Site {
	s := views.Site{OpenSearch: isServed(mux, "/opensearch.xml")}
	for _, p := range parts {
		switch {
		case !p.present(o) || !isServed(mux, p.Href):
		case p.foot:
			s.Foot = append(s.Foot, p.MenuEntry)
		default:
			s.Menu = append(s.Menu, p.MenuEntry)
		}
	}
	return s
}

// isServed reports whether mux has more than an error page at a URL.
func isServed(mux *http.ServeMux, href string) bool {
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: u})
	return pattern != "" && pattern != anyPath
}

// canonicalURL returns the canonical URL of a path of this site.
func (s *server) canonicalURL(r *http.Request, path string) string {
	return strings.TrimSuffix(s.siteBase(r), "/") + path
}

// A botPage describes the crawler and how to exclude it.
type botPage struct {
	views.Frame
	Contact              *views.Link // nil without a contact
	UserAgent            string
	Product              string // the part of UserAgent for robots.txt
	Pause, MaxCrawlDelay string // "" is not shown
	Directives           bool   // of pages are obeyed
}

func (s *server) crawlerPage(r *http.Request) (web.View, error) {
	p := botPage{
		Frame: s.textFrame(r, "Our crawler", "bot", "The crawler of this site: its name, its behaviour, and how to exclude your site."), Contact: views.ContactLink(s.Contact), UserAgent: s.UserAgent, Product: views.ProductName(s.UserAgent),
		Pause: views.DurationText(s.Pause), MaxCrawlDelay: views.DurationText(s.MaxCrawlDelay), Directives: !s.IgnoreDirectives,
	}
	if p.Contact != nil {
		p.UserAgent += " (+" + p.Contact.Text + ")" // as the crawler sends it
	}
	return web.View{Name: "bot", Data: p}, nil
}

// textFrame returns the frame of a page that is the same for all.
func (s *server) textFrame(r *http.Request, title, nav, about string) views.Frame {
	f := s.FrameOf(r, title, nav)
	f.Meta.About, f.Meta.Canonical = about, s.canonicalURL(r, r.URL.Path)
	return f
}
