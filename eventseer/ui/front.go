package ui

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A front is what stands before the pages: limits, the cache, and the endings of
// searches.
type front struct {
	proxies []netip.Prefix
	limits  *web.Limiter
	cache   *web.PageCache
	vary    []string
	endings []eventseer.Format // longest ending first
	catalog *views.Catalog
	icon    string // the path of our icon
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

// before puts the front before the pages.
func (s *server) before(pages http.Handler) http.Handler {
	return s.limited(s.knownOnly(s.cached(s.ended(pages))))
}

// limited answers 429 to clients that ask for data too often; pages are not limited.
func (s *server) limited(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.isData(r.URL.Path) {
			if d := s.limits.Wait(s.clientAddress(r), s.Now()); d > 0 {
				seconds := int(d/time.Second) + 1
				w.Header().Set("Retry-After", strconv.Itoa(seconds))
				s.writeProblem(w, apiProblem{
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
	if strings.HasPrefix(path, "/api/") || path == suggestPath {
		return true
	}
	_, format := s.cutEnding(path)
	return format != nil
}
