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

// A front is what is before the pages: limits, the cache, and the endings of searches.
type front struct {
	proxies []netip.Prefix
	limits  *web.Limiter
	cache   *web.PageCache
	vary    []string
	endings []eventseer.Format // longest ending first
	catalog *views.Catalog
}

// recordsEnding is that of the records of the API, which no format writes.
const recordsEnding = ".json"

func newFront(o Options) (front, error) {
	proxies, err := web.ParseProxies(o.UserProxies)
	if err != nil {
		return front{}, err
	}
	vary := "Accept-Encoding, Cookie"
	if o.UserHeader != "" {
		vary += ", " + o.UserHeader
	}
	endings := slices.DeleteFunc(slices.Clone(o.Formats), func(f eventseer.Format) bool { return f.Ending == recordsEnding })
	endings = append(endings, eventseer.Format{Name: "json", Ending: recordsEnding})
	slices.SortStableFunc(endings, func(a, b eventseer.Format) int { return len(b.Ending) - len(a.Ending) })
	return front{
		proxies: proxies, limits: web.NewLimiter(web.RequestsASecond, web.RequestsAtOnce), cache: web.NewPageCache(web.CacheBytes),
		vary: []string{vary}, endings: endings, catalog: views.NewCatalog(o.Store),
	}, nil
}

// limited answers 429 to clients that ask for data too often; pages are not limited.
func (s *server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isData(r.URL.Path) {
			if d := s.limits.Wait(s.clientAddress(r), s.Now()); d > 0 {
				seconds := int(d/time.Second) + 1
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
				s.writeProblem(w, api.APIProblem{
					Status: http.StatusTooManyRequests,
					Detail: "Those were too many requests: " + strconv.Itoa(web.RequestsASecond) + " a second are answered, and " + strconv.Itoa(web.RequestsAtOnce) + " at once. Try again in " + strconv.Itoa(seconds) + " s.",
				})
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// isData reports whether a path leads to the API or to a list in a format of programs.
func (s *server) isData(path string) bool {
	if strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/data/") {
		return false
	}
	if strings.HasPrefix(path, "/api/") || path == api.SuggestPath {
		return true
	}
	_, format := s.cutEnding(path)
	return format != nil
}

// parameters are all that the endings of lists and the formats know. What is none of them is taken
// out of a request for a list before anything reads it, so that it changes neither the answer nor
// the addresses in it: links get names of campaigns and the like put after them. The API refuses
// what it does not know: a program that asks for it would not get what it means.
var parameters = []string{
	"after", "alarm", "all", "as", "before", "class", "days", "facets", "fields", "from", "ids", "limit", "new", "of", "old", "page", "q", "sort", "style", "view", "what",
}

// knownOnly takes parameters that nothing knows out of requests for lists, and refuses requests
// to the API that have some.
func (s *server) knownOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" || !s.isData(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		known, isAPI := api.Parameters(r.URL.Path)
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

// unknownParameter reports what is wrong with a request to the API.
func unknownParameter(name string, known []string) string {
	if len(known) == 0 {
		return fmt.Sprintf("The parameter %.40q is not known here; this address takes none.", name)
	}
	return fmt.Sprintf("The parameter %.40q is not known here; this address takes %s.", name, strings.Join(known, ", "))
}

// isProxy reports whether an address is one of Options.UserProxies.
func (s *server) isProxy(a netip.Addr) bool {
	return slices.ContainsFunc(s.proxies, func(p netip.Prefix) bool { return p.Contains(a) })
}

// maxForwarded bounds the addresses of X-Forwarded-For that are looked at.
const maxForwarded = 20

// clientAddress returns the address of the client. It is the peer's, or, if the peer is one of our
// proxies, the last address of X-Forwarded-For that is not one of them. The zero Addr is an unknown
// client.
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

// siteBase returns the URL the site is reached at, ending in "/": that of the options, else that of
// the request.
func (s *server) siteBase(r *http.Request) string {
	if s.Base != "" {
		return strings.TrimSuffix(s.Base, "/") + "/"
	}
	host := r.Host
	if !web.HostName.MatchString(host) {
		host = "localhost"
	}
	return s.scheme(r) + "://" + host + "/"
}

// scheme is that of the request; of a proxy of ours, that of X-Forwarded-Proto.
func (s *server) scheme(r *http.Request) string {
	if r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https" && s.isProxy(web.PeerAddress(r)) {
		return "https"
	}
	return "http"
}

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
		return nil // the client is gone
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

// epoch returns the present one.
func (s *server) epoch() web.Epoch {
	e := web.Epoch{Minute: s.Now().Unix() / 60}
	if s.Revision != nil {
		e.Revision = s.Revision()
	}
	return e
}

// cacheKey returns the URL of a request. It includes the site's URL if that is taken from the
// request, and the reader's time zone if known. That of the home page has the fields that the
// reader chose.
func (s *server) cacheKey(r *http.Request) string {
	key := r.RequestURI
	if s.Base == "" {
		key = s.siteBase(r) + key
	}
	if zone, chosen := web.KnownZone(r); zone != nil {
		key += " " + zone.String() + strconv.FormatBool(chosen) // no URL holds a space
	}
	if r.URL.Path == "/" {
		key += " " + strings.Join(myFields(r), ".")
	}
	return key
}

// isAnonymous reports whether the answer to a request is that of all readers in its time
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

// publicPaths are pages that are the same for all who are not signed in.
var publicPaths = map[string]bool{
	"/": true, "/search": true, closingPath: true, "/new": true, "/changes": true, "/calendar": true, "/timeline": true, "/map": true,
	"/about": true, "/bot": true, "/privacy": true, "/api": true, "/data": true,
	"/sitemap.xml": true, "/opensearch.xml": true, "/robots.txt": true, api.SuggestPath: true,
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
	return format != nil && publicPaths[base]
}
