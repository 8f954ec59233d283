package ui

import (
	"net/http"
	"net/url"
)

// A site is what all pages of a server show around their content.
type site struct {
	Menu, Foot []menuEntry
	OpenSearch bool
}

// A menuEntry leads to a page. Name is the Nav of its frame.
type menuEntry struct{ Name, Text, Href string }

// A part is a page of the navigation, shown where this instance has it.
type part struct {
	menuEntry
	foot    bool // in the footer instead of the header
	present func(o Options) bool
}

func always(Options) bool { return true }

// parts are the pages that the navigation offers, in order.
var parts = []part{
	{menuEntry{"home", "Open calls", "/"}, false, always},
	{menuEntry{"calendar", "Calendar", "/calendar"}, false, always},
	{menuEntry{"new", "New", "/new"}, false, func(o Options) bool { return o.Recent != nil }},
	{menuEntry{"changes", "Changes", "/changes"}, false, func(o Options) bool { return o.Recent != nil }},
	{menuEntry{"clips", "My lists", "/clips"}, false, func(o Options) bool { return o.Subscriptions != nil }},
	{menuEntry{"submit", "Submit a call", "/submit"}, false, func(o Options) bool { return o.Submitter != nil }},
	{menuEntry{"about", "About", "/about"}, false, always},
	{menuEntry{"all", "All calls", "/search?all=1"}, true, always},
	{menuEntry{"timeline", "Timeline", "/timeline"}, true, always},
	{menuEntry{"map", "Map", "/map"}, true, always},
	{menuEntry{"slice", "Slice a page", "/slice"}, true, func(o Options) bool { return o.Slicer != nil }},
	{menuEntry{"api", "API", "/api"}, true, always},
	{menuEntry{"data", "Data", "/data"}, true, func(o Options) bool { return o.Dumps != "" }},
	{menuEntry{"bot", "Our crawler", "/bot"}, true, always},
	{menuEntry{"privacy", "Privacy", "/privacy"}, true, always},
	{menuEntry{"zone", "Time zone", "/zone"}, true, always},
}

// newSite lists the parts that o has and mux serves.
func newSite(o Options, mux *http.ServeMux) site {
	s := site{OpenSearch: serves(mux, "/opensearch.xml")}
	for _, p := range parts {
		switch {
		case !p.present(o) || !serves(mux, p.Href):
		case p.foot:
			s.Foot = append(s.Foot, p.menuEntry)
		default:
			s.Menu = append(s.Menu, p.menuEntry)
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
