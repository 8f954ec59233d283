package ui

import (
	"net/http"

	"eventseer/eventseer/ui/internal/web"
)

// apiRoutes adds the API, the endings of searches and what programs read.
func (s *server) apiRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /api/v1/events.json", s.api(s.eventsJSON))
	mux.HandleFunc("GET /api/v1/events/{file}", s.api(s.eventJSON))
	mux.HandleFunc("GET /api/v1/events/{id}/diff", s.api(s.diffJSON))
	mux.HandleFunc("GET /api/v1/series/{file}", s.api(s.seriesJSON))
	mux.HandleFunc("GET /api/v1/changes.json", s.api(s.changesJSON))
	mux.HandleFunc("GET /api/v1/suggest.json", s.api(s.suggestJSON))
	mux.HandleFunc("GET /api/v1/status.json", s.api(s.statusJSON))
	mux.HandleFunc("GET /api/v1/openapi.json", s.openAPI)
	mux.HandleFunc("GET /api", s.Page(s.apiText))
	mux.HandleFunc("GET "+suggestPath, s.api(s.suggestBrowser))
	mux.HandleFunc("GET /sitemap.xml", s.xmlPage("application/xml; charset=utf-8", s.sitemap))
	mux.HandleFunc("GET /sitemap/{file}", s.xmlPage("application/xml; charset=utf-8", s.sitemapFile))
	mux.HandleFunc("GET /opensearch.xml", s.xmlPage("application/opensearchdescription+xml; charset=utf-8", s.openSearch))
	mux.HandleFunc("GET /robots.txt", s.robots)
	mux.HandleFunc("GET /readyz", s.readyz)
	mux.HandleFunc("GET /data", s.Page(s.data))
	mux.HandleFunc("GET /data/{name}", s.dumpFile)
	mux.HandleFunc("GET /api/", s.api(func(*http.Request) (any, error) { return nil, web.ErrNoPage }))
}
