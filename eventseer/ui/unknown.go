package ui

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// parameters are all that the API, the endings of lists and the formats know. What is
// none of them is taken out of a request for data before anything reads it, so that it
// changes neither the answer nor the addresses in it: links get names of campaigns and
// the like put behind them.
var parameters = []string{
	"after", "alarm", "all", "as", "before", "class", "days", "facets", "from", "limit", "new", "of", "old", "page", "q", "style", "view", "what",
}

// knownOnly takes parameters that nothing knows out of requests for data.
func (s *server) knownOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "" || !s.isData(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		var kept []string
		for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
			name, _, _ := strings.Cut(pair, "=")
			if name, err := url.QueryUnescape(name); err == nil && slices.Contains(parameters, name) {
				kept = append(kept, pair)
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
