package contextgraph

import (
	"context"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// A Fetcher fetches pages and classifies them. It is safe for concurrent use and enforces politeness
// itself.
type Fetcher interface {
	// Fetch returns the page at a canonical URL, whatever its HTTP status. An error means that there was
	// no response.
	Fetch(ctx context.Context, url string) (Page, error)
}

// A Page holds the data of a page that a build needs.
type Page struct {
	URL    string // that answered, after redirects
	Status int    // of HTTP
	// Links are the keys of the URLs it links to, from LinkKeys.
	Links       []uint64
	Bytes       int             // of its text
	Digest      webgraph.Digest // of its body
	Fingerprint webgraph.Fingerprint
	Words       int // of its text
	PageType    string
	CFPScore    float64
}

// maxPageLinks is the largest number of links that are stored per page.
const maxPageLinks = 5000

// parallel is the number of pages fetched at the same time; they link to the same page.
const parallel = 8

// LinkKeys returns the value of Page.Links for the canonical URLs that a page links to. It uses only the
// first 5,000.
func LinkKeys(targets []string) []uint64 {
	targets = targets[:min(len(targets), maxPageLinks)]
	keys := make([]uint64, len(targets))
	for i, t := range targets {
		keys[i] = xxh3.HashString(urlWithoutVariants(t))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// containsURL reports whether sorted link keys include that of a URL.
func containsURL(keys []uint64, url string) bool {
	_, found := slices.BinarySearch(keys, xxh3.HashString(urlWithoutVariants(url)))
	return found
}

// A fetchResult is the result of fetching a page.
type fetchResult struct {
	page Page
	err  error
}

// fetchAll fetches the sources of links that are not in the graph.
func (b *builder) fetchAll(ctx context.Context, links []webgraph.Link) []fetchResult {
	all := make([]fetchResult, len(links))
	if b.Fetcher == nil {
		return all
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, l := range links {
		if _, known := b.copies.findNode(l.Source); known {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			all[i].page, all[i].err = b.fetchPage(ctx, l.Source)
			<-slots
		})
	}
	wait.Wait()
	return all
}

// fetchPage fetches a page, or returns the zero Page if no pages are fetched.
func (b *builder) fetchPage(ctx context.Context, url string) (Page, error) {
	if b.Fetcher == nil {
		return Page{}, nil
	}
	return b.Journal.cachedPage(ctx, b.Fetcher, url)
}
