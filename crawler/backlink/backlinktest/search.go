package backlinktest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// NewMarginalia starts a search that knows the operator links:, at /search.
func NewMarginalia(t testing.TB, o Options) *Server {
	return newServer(t, o, "/search", (*Server).marginalia)
}

func (s *Server) marginalia(w http.ResponseWriter, r *http.Request) {
	if s.o.Key != "" && r.Header.Get("API-Key") != s.o.Key {
		http.Error(w, "Unknown API key", http.StatusUnauthorized)
		return
	}
	host := webgraph.Host(strings.TrimPrefix(r.FormValue("query"), "links:"))
	var found []webgraph.Link
	for _, l := range s.o.Links {
		if webgraph.HostOf(l.Target) == host {
			found = append(found, l)
		}
	}
	count, _ := strconv.Atoi(r.FormValue("count"))
	page, _ := strconv.Atoi(r.FormValue("page"))
	size := s.size(count, 100)
	found = pageOf(found, page, size)
	if s.o.Endless {
		found = s.o.Links
	}
	row := func(l webgraph.Link) any {
		return map[string]any{"url": l.Source, "title": l.Context, "description": "", "quality": 4.2, "format": "html", "details": []any{}}
	}
	s.send(w, fmt.Sprintf(`{"license":"CC-BY-NC-SA 4.0","query":%q,"results":[`, r.FormValue("query")), found, row, `]}`)
}

// pageOf returns the rows of a page, counted from 1.
func pageOf[T any](all []T, page, size int) []T {
	from := min(len(all), max(0, page-1)*size)
	return all[from:min(len(all), from+size)]
}

// searxSize is the number of results on a page of this SearXNG.
const searxSize = 10

// NewSearX starts a SearXNG instance, at /.
func NewSearX(t testing.TB, o Options) *Server {
	s := newServer(t, o, "/search", (*Server).searx)
	s.URL = strings.TrimSuffix(s.URL, "search")
	return s
}

func (s *Server) searx(w http.ResponseWriter, r *http.Request) {
	if s.o.JSONDisabled && r.FormValue("format") != "html" {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<!doctype html><title>403 Forbidden</title>")
		return
	}
	page, _ := strconv.Atoi(r.FormValue("pageno"))
	found := s.searched(r.FormValue("q"))
	size := s.size(searxSize, searxSize)
	if !s.o.Endless {
		found = pageOf(found, page, size)
	}
	row := func(l webgraph.Link) any {
		return map[string]any{"url": l.Source, "title": l.Anchor, "content": l.Context, "engine": "fake", "score": 1.0}
	}
	s.send(w, fmt.Sprintf(`{"query":%q,"number_of_results":0,"results":[`, r.FormValue("q")), found, row, `],"answers":[],"suggestions":[],"unresponsive_engines":[]}`)
}

// searched returns the sources that a query finds. For a quoted URL these are the pages that link
// to a URL with that beginning, for words the pages that have them all.
func (s *Server) searched(query string) (found []webgraph.Link) {
	if quoted, rest, ok := strings.Cut(strings.TrimPrefix(query, `"`), `" -site:`); ok {
		for _, l := range s.o.Links {
			_, target, _ := strings.Cut(l.Target, "://")
			if strings.HasPrefix(target, quoted) && !strings.HasSuffix(string(webgraph.HostOf(l.Source)), rest) {
				found = append(found, webgraph.Link{Source: l.Source, Anchor: l.Context})
			}
		}
		return found
	}
	for _, p := range s.o.Pages {
		if hasWords(p.Title+" "+p.Snippet, query) {
			found = append(found, webgraph.Link{Source: p.URL, Anchor: p.Title, Context: p.Snippet})
		}
	}
	return found
}

func hasWords(text, query string) bool {
	text = strings.ToLower(text)
	for _, word := range strings.Fields(strings.ToLower(strings.ReplaceAll(query, `"`, ""))) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}
