package fetch

import (
	"fmt"
	"net/http"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch/sitemap"
)

// readList sets the entries of a page that is a sitemap or a feed. It returns an error if the type
// is only used for lists and the page is not one.
func (v *fetchInProgress) readList(a *response) error {
	if a.status != http.StatusOK || a.pdf || len(a.body) == 0 {
		return nil
	}
	var err error
	if v.p.Entries, err = sitemap.Entries(v.p); err != nil {
		v.o.Log.Warn("a feed cannot be read", "url", v.url, "err", err)
	}
	declared := sitemap.MediaType(a.header.Get("Content-Type"))
	if v.p.Entries == nil && (isListType(declared) || sitemap.IsGzip(a.body)) {
		return &crawler.FetchError{Fate: crawler.Refused, Status: a.status,
			Err: fmt.Errorf("content of type %q is not a sitemap or feed", declared)}
	}
	return nil
}

// isListType reports whether a type is read only if it contains a sitemap or a feed.
func isListType(declared string) bool {
	switch declared {
	case "application/gzip", "application/x-gzip", "application/json", "application/feed+json":
		return true
	}
	return false
}

// Sitemaps returns the sitemaps in the robots.txt of a canonical URL's origin, if the file is
// known. It makes no request. See crawler.Lister.
func (f *Fetcher) Sitemaps(url string) []string {
	origin, _ := splitOrigin(url)
	file := f.robots.peek(origin)
	if file.rules == nil {
		return nil
	}
	return file.rules.SitemapsAt(origin + "/robots.txt")
}
