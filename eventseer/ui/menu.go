package ui

import (
	"net/http"
	"net/url"

	"eventseer/eventseer/ui/views"
)

// A part is a page of the navigation, shown where this instance has it.
type part struct {
	views.MenuEntry
	foot    bool // in the footer instead of the header
	present func(o Options) bool
}

func always(Options) bool { return true }

// parts are the pages that the navigation offers, in order.
var parts = []part{
	{views.MenuEntry{Name: "home", Text: "Open calls", Href: "/"}, false, always},
	{views.MenuEntry{Name: "calendar", Text: "Calendar", Href: "/calendar"}, false, always},
	{views.MenuEntry{Name: "new", Text: "New", Href: "/new"}, false, func(o Options) bool { return o.Recent != nil }},
	{views.MenuEntry{Name: "changes", Text: "Changes", Href: "/changes"}, false, func(o Options) bool { return o.Recent != nil }},
	{views.MenuEntry{Name: "clips", Text: "My lists", Href: "/clips"}, false, func(o Options) bool { return o.Subscriptions != nil }},
	{views.MenuEntry{Name: "submit", Text: "Submit a call", Href: "/submit"}, false, func(o Options) bool { return o.Submitter != nil }},
	{views.MenuEntry{Name: "about", Text: "About", Href: "/about"}, false, always},
	{views.MenuEntry{Name: "all", Text: "All calls", Href: "/search?all=1"}, true, always},
	{views.MenuEntry{Name: "timeline", Text: "Timeline", Href: "/timeline"}, true, always},
	{views.MenuEntry{Name: "map", Text: "Map", Href: "/map"}, true, always},
	{views.MenuEntry{Name: "slice", Text: "Slice a page", Href: "/slice"}, true, func(o Options) bool { return o.Slicer != nil }},
	{views.MenuEntry{Name: "api", Text: "API", Href: "/api"}, true, always},
	{views.MenuEntry{Name: "data", Text: "Data", Href: "/data"}, true, func(o Options) bool { return o.Dumps != "" }},
	{views.MenuEntry{Name: "bot", Text: "Our crawler", Href: "/bot"}, true, always},
	{views.MenuEntry{Name: "privacy", Text: "Privacy", Href: "/privacy"}, true, always},
	{views.MenuEntry{Name: "zone", Text: "Time zone", Href: "/zone"}, true, always},
}

// newSite lists the parts that o has and mux serves.
func newSite(o Options, mux *http.ServeMux) views.Site {
	s := views.Site{OpenSearch: serves(mux, "/opensearch.xml")}
	for _, p := range parts {
		switch {
		case !p.present(o) || !serves(mux, p.Href):
		case p.foot:
			s.Foot = append(s.Foot, p.MenuEntry)
		default:
			s.Menu = append(s.Menu, p.MenuEntry)
		}
	}
	return s
}

// serves reports whether mux has more than an error page at a URL.
func serves(mux *http.ServeMux, href string) bool {
	u, err := url.Parse(href)
	if err != nil {
		return false
	}
	_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: u})
	return pattern != "" && pattern != anyPath
}
