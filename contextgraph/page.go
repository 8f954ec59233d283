package contextgraph

import (
	"context"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// A Fetcher brings pages and says what they are. It is safe for concurrent use
// and polite by itself.
type Fetcher interface {
	// Fetch returns the page at a canonical URL, of whatever status. An error says
	// that nothing came.
	Fetch(ctx context.Context, url string) (Page, error)
}

// A Page holds the data that a build needs of a page.
type Page struct {
	URL    string // that answered, after redirects
	Status int    // of HTTP
	// Links are keys of where its links lead, by LinkKeys.
	Links       []uint64
	Bytes       int             // of its text
	Digest      webgraph.Digest // of its body
	Fingerprint webgraph.Fingerprint
	Words       int // of its text
	PageType    string
	CFPScore    float64
}

// maxPageLinks bounds the links of a page that are kept.
const maxPageLinks = 5000

// parallel is how many pages are fetched at once, those that link to one target.
const parallel = 8

// LinkKeys makes the Links of a Page of the canonical URLs its links lead to: of
// the first 5,000.
func LinkKeys(targets []string) []uint64 {
	targets = targets[:min(len(targets), maxPageLinks)]
	keys := make([]uint64, len(targets))
	for i, t := range targets {
		keys[i] = xxh3.HashString(spelling(t))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// holds reports whether sorted link keys hold that of a URL.
func holds(keys []uint64, url string) bool {
	_, found := slices.BinarySearch(keys, xxh3.HashString(spelling(url)))
	return found
}

// fetched is what came of fetching a page.
type fetched struct {
	page Page
	err  error
}

// fetchAll fetches the sources of links that the graph does not know.
func (b *builder) fetchAll(ctx context.Context, links []webgraph.Link) []fetched {
	all := make([]fetched, len(links))
	if b.Fetcher == nil {
		return all
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, parallel)
	for i, l := range links {
		if _, known := b.copies.find(l.Source); known {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			all[i].page, all[i].err = b.fetch(ctx, l.Source)
			<-slots
		})
	}
	wait.Wait()
	return all
}

// fetch brings a page, or nothing where no pages are fetched.
func (b *builder) fetch(ctx context.Context, url string) (Page, error) {
	if b.Fetcher == nil {
		return Page{}, nil
	}
	return b.Journal.page(ctx, b.Fetcher, url)
}
