package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A requestFilter is the first stage of requests: limits, the cache, and format endings of searches.
type requestFilter struct {
	proxies []netip.Prefix
	limits  *web.Limiter
	cache   *web.PageCache
	vary    []string
	endings []eventseer.Format // longest ending first
	catalog *views.Catalog
}

// recordsEnding is the ending of the API's records, which no format uses.
const recordsEnding = ".json"

func newRequestFilter(o Options) (requestFilter, error) {
	proxies, err := web.ParseProxies(o.UserProxies)
	if err != nil {
		return requestFilter{}, err
	}
	vary := "Accept-Encoding, Cookie"
	if o.UserHeader != "" {
		vary += ", " + o.UserHeader
	}
	endings := slices.DeleteFunc(slices.Clone(o.Formats), func(f eventseer.Format) bool { return f.Ending == recordsEnding })
	endings = append(endings, eventseer.Format{Name: "json", Ending: recordsEnding})
	slices.SortStableFunc(endings, func(a, b eventseer.Format) int { return len(b.Ending) - len(a.Ending) })
	return requestFilter{
		proxies: proxies, limits: web.NewLimiter(web.RequestsASecond, web.RequestsAtOnce), cache: web.NewPageCache(web.CacheBytes),
		vary: []string{vary}, endings: endings, catalog: views.NewCatalog(o.Store),
	}, nil
}

// limitRate responds with 429 to clients that request data too often; pages are not limited.
func (s *server) limitRate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isDataPath(r.URL.Path) {
			if d := s.limits.WaitTime(s.clientAddress(r), s.Now()); d > 0 {
				seconds := int(d/time.Second) + 1
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
				s.writeProblem(w, api.APIProblem{
					Status: http.StatusTooManyRequests,
					Detail: "You sent too many requests. We respond to " + strconv.Itoa(web.RequestsASecond) + " a second, and to " + strconv.Itoa(web.RequestsAtOnce) + " at once. Try again in " + strconv.Itoa(seconds) + " s.",
				})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isDataPath reports whether a path belongs to the API or is a list in a data format.
func (s *server) isDataPath(path string) bool {
	if strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/data/") {
		return false
	}
	if strings.HasPrefix(path, "/api/") || path == api.SuggestPath {
		return true
	}
	_, format := s.cutEnding(path)
	return format != nil
}

// parameters are all parameters known to list formats. Unknown ones, such as campaign tags, are
// removed from a request for a list, so that they change neither the response nor the links in it.
// The API rejects unknown parameters, because the program would not get what it expects.
var parameters = []string{
	"after", "alarm", "all", "as", "before", "class", "days", "facets", "fields", "from", "ids", "limit", "new", "of", "old", "page", "passages", "q", "sort", "style", "view", "what",
}

// rejectUnknown removes unknown parameters from requests for lists, and rejects requests to the API
// with any.
func (s *server) rejectUnknown(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" || !s.isDataPath(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		known, isAPI := api.ParametersOf(r.URL.Path)
		if !isAPI {
			known = parameters
		}
		var kept []string
		for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if name, err := url.QueryUnescape(name); err == nil && slices.Contains(known, name) {
				kept = append(kept, pair)
			} else if isAPI && pair != "" {
				s.writeProblem(w, api.APIProblem{Status: http.StatusBadRequest, Detail: unknownParameter(name, known)})
				return
			}
		}
		if query := strings.Join(kept, "&"); query != r.URL.RawQuery {
			r = r.Clone(r.Context())
			r.URL.RawQuery = query
			r.RequestURI = r.URL.RequestURI()
		}
		next.ServeHTTP(w, r)
	})
}

// unknownParameter returns the error of a request to the API with an unknown parameter.
func unknownParameter(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("The parameter %.40q is unknown; this address takes none.", name)
	}
	return fmt.Sprintf("The parameter %.40q is unknown; this address takes %s.", name, strings.Join(known, ", "))
}

// isProxy reports whether an address is one of Options.UserProxies.
func (s *server) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// maxForwarded is the maximum number of addresses of X-Forwarded-For that are examined.
const maxForwarded = 20

// clientAddress returns the address of the client. It is the peer's, or, if the peer is a trusted
// proxy, the last address of X-Forwarded-For that is not one. The zero Addr is an unknown client.
func (s *server) clientAddress(r *http.Request) netip.Addr {
	address := web.PeerAddress(r)
	if !s.isProxy(address) {
		return address
	}
	named := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := range min(len(named), maxForwarded) {
		a, err := netip.ParseAddr(strings.TrimSpace(named[len(named)-1-i]))
		if err != nil {
			break
		}
		address = a.Unmap().WithZone("")
		if !s.isProxy(address) {
			break
		}
	}
	return address
}

// siteBase returns the URL of the site, ending in "/": that of the options, otherwise that of the
// request.
func (s *server) siteBase(r *http.Request) string {
	if s.Base != "" {
		return strings.TrimSuffix(s.Base, "/") + "/"
	}
	host := r.Host
	if !web.HostName.MatchString(host) {
		host = "localhost"
	}
	return s.schemeOf(r) + "://" + host + "/"
}

// schemeOf returns the scheme of a request; from a trusted proxy, that of X-Forwarded-Proto.
func (s *server) schemeOf(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" && s.isProxy(web.PeerAddress(r)) {
		return "https"
	}
	return "http"
}

// serveCached serves from the cache if next would give the same response.
func (s *server) serveCached(next http.Handler) http.Handler {
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
		page, f, lead := s.cache.Lookup(key, s.currentEpoch())
		for page == nil && !lead {
			var again bool
			if page, again = f.WaitRendered(r.Context()); !again {
				break
			}
			page, f, lead = s.cache.Lookup(key, s.currentEpoch())
		}
		if lead {
			page = s.renderAndCache(next, w, r, key, f)
			if page == nil {
				return // answered
			}
		} else if page == nil {
			next.ServeHTTP(w, r)
			return
		}
		page.Send(w, r)
	})
}

// renderAndCache renders a page and ends its flight. It sends a response that may not be cached itself and
// returns nil.
func (s *server) renderAndCache(next http.Handler, w http.ResponseWriter, r *http.Request, key string, f *web.PendingPage) (page *web.CachedPage) {
	defer func() { s.cache.Finish(key, f, page) }() // even when a handler panics
	select {
	case s.cache.Renders <- struct{}{}:
		defer func() { <-s.cache.Renders }()
	case <-r.Context().Done():
		f.Left = true
		return nil // the client is gone
	}
	// All waiting visitors share the page: it is rendered even if the first one leaves.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), web.MaxRender)
	defer cancel()
	plain := r.Clone(ctx)
	plain.Method = http.MethodGet
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range", "If-Range"} {
		plain.Header.Del(name)
	}
	rec := &web.Recorder{Kept: w.Header().Clone()}
	next.ServeHTTP(rec, plain)
	if page = rec.CacheablePage(key, f.Epoch); page != nil {
		return page
	}
	for name, values := range rec.Kept {
		w.Header()[name] = values
	}
	if rec.Status != 0 {
		w.WriteHeader(rec.Status)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(rec.Body.Bytes()) // a visitor who has left is not an error
	}
	return nil
}

// currentEpoch returns the present epoch of the cache.
func (s *server) currentEpoch() web.CacheEpoch {
	e := web.CacheEpoch{Minute: s.Now().Unix() / 60}
	if s.Revision != nil {
		e.Revision = s.Revision()
	}
	return e
}

// cacheKey returns the cache key of a request. It contains its URL, the site's URL if it is taken
// from the request, the reader's time zone if known, and on the home page the reader's fields.
func (s *server) cacheKey(r *http.Request) string {
	key := r.RequestURI
	if s.Base == "" {
		key = s.siteBase(r) + key
	}
	if zone, chosen := web.KnownZone(r); zone != nil {
		key += " " + zone.String() + strconv.FormatBool(chosen) // a URL contains no space
	}
	if r.URL.Path == "/" {
		key += " " + strings.Join(myFields(r), ".")
	}
	return key
}

// isAnonymous reports whether the response to a request is the same for all readers in its time
// zone.
func (s *server) isAnonymous(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || len(r.RequestURI) > web.MaxCachedURL {
		return false
	}
	for _, c := range r.Cookies() {
		if c.Name != web.ZoneCookie && c.Name != fieldsCookie {
			return false
		}
	}
	if len(r.Header["Authorization"]) > 0 {
		return false
	}
	return s.UserHeader == "" || r.Header.Get(s.UserHeader) == ""
}

// publicPaths are pages that are the same for all visitors who are not signed in.
var publicPaths = map[string]bool{
	"/": true, "/search": true, closingPath: true, "/new": true, "/changes": true, "/calendar": true, "/timeline": true, "/map": true,
	"/about": true, "/bot": true, "/privacy": true, "/api": true, "/data": true,
	"/sitemap.xml": true, "/opensearch.xml": true, "/robots.txt": true, api.SuggestPath: true,
}

// isPublic reports whether a path is a page, a list or a record that all may see. Forms are not
// public.
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
	return format != nil && publicPaths[base]
}
