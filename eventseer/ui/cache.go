package ui

import (
	"context"
	"net/http"
	"strings"

	"eventseer/eventseer/ui/internal/web"
)

// Limits of the page cache.
const ()

// cached answers from the cache where next would answer the same.
func (s *server) cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isPublic(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header()["Vary"] = s.vary
		if !s.isAnonymous(r) {
			next.ServeHTTP(w, r)
			return
		}
		key := s.cacheKey(r)
		page, f, lead := s.cache.Look(key, s.epoch())
		for page == nil && !lead {
			var again bool
			if page, again = f.Wait(r.Context()); !again {
				break
			}
			page, f, lead = s.cache.Look(key, s.epoch())
		}
		if lead {
			page = s.fill(next, w, r, key, f)
			if page == nil {
				return // answered
			}
		} else if page == nil {
			next.ServeHTTP(w, r)
			return
		}
		page.Serve(w, r)
	})
}

// fill renders a page and lands its flight. An answer that is not to be kept it sends
// itself and returns nil.
func (s *server) fill(next http.Handler, w http.ResponseWriter, r *http.Request, key string, f *web.Flight) (page *web.CachedPage) {
	defer func() { s.cache.Land(key, f, page) }() // also when a handler panics
	select {
	case s.cache.Renders <- struct{}{}:
		defer func() { <-s.cache.Renders }()
	case <-r.Context().Done():
		f.Left = true
		return nil // nobody is there to be answered
	}
	// The page is everybody's who waits: it is rendered although the first may leave.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), web.MaxRender)
	defer cancel()
	plain := r.Clone(ctx)
	plain.Method = http.MethodGet
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range", "If-Range"} {
		plain.Header.Del(name)
	}
	rec := &web.Recorder{Kept: w.Header().Clone()}
	next.ServeHTTP(rec, plain)
	if page = rec.Page(key, f.Epoch); page != nil {
		return page
	}
	for name, values := range rec.Kept {
		w.Header()[name] = values
	}
	if rec.Status != 0 {
		w.WriteHeader(rec.Status)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(rec.Body.Bytes()) // a visitor who has left is no error of ours
	}
	return nil
}

// epoch is the present one.
func (s *server) epoch() web.Epoch {
	e := web.Epoch{Minute: s.Now().Unix() / 60}
	if s.Revision != nil {
		e.Revision = s.Revision()
	}
	return e
}

// cacheKey is the URL of a request: with the site's where that is taken from the
// request.
func (s *server) cacheKey(r *http.Request) string {
	if s.Base != "" {
		return r.RequestURI
	}
	return s.siteBase(r) + r.RequestURI
}

// isAnonymous reports whether the answer to a request is everybody's.
func (s *server) isAnonymous(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || len(r.RequestURI) > web.MaxCachedURL {
		return false
	}
	if len(r.Header["Cookie"]) > 0 || len(r.Header["Authorization"]) > 0 {
		return false
	}
	return s.UserHeader == "" || r.Header.Get(s.UserHeader) == ""
}

// publicPaths are pages that are the same for all who are not signed in.
var publicPaths = map[string]bool{
	"/": true, "/search": true, "/new": true, "/changes": true, "/calendar": true, "/timeline": true, "/map": true,
	"/about": true, "/bot": true, "/privacy": true, "/api": true, "/data": true,
	"/sitemap.xml": true, "/opensearch.xml": true, "/robots.txt": true, suggestPath: true,
}

// isPublic reports whether a path is that of a page, a list or a record that all may
// see. Forms are none of them.
func (s *server) isPublic(path string) bool {
	if publicPaths[path] || strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/sitemap/") {
		return true
	}
	if rest, ok := strings.CutPrefix(path, "/e/"); ok {
		id, page, _ := strings.Cut(rest, "/")
		return id != "" && (page == "" || page == "history")
	}
	if rest, ok := strings.CutPrefix(path, "/s/"); ok {
		return !strings.Contains(rest, "/")
	}
	base, format := s.cutEnding(path)
	return format != nil && publicPaths[base] || base == closingPath
}
