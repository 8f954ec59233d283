// Package slicer retrieves what a page and the pages around it contain about a query. The method is that of
// paper 003, section III.B, algorithm 2.
//
//	slice the current page and show the slice
//	    → queue the links of the slice by their ontological distance
//	    → fetch the nearest; it becomes the current page
//
// This is repeated until the queue is empty or a limit is reached. Links outside a slice are never followed
// (design decision 4), nor are links of pages five links away (decision 3). So the search leaves a site that
// generates pages without end: either the query does not match there, or the distance ends it. No page is
// read twice, by canonical URL or by digest.
//
// Pages are fetched one at a time. Parallel fetches would not change the order of results, but most queued
// links lead to one host, which should not get parallel requests.
package slicer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

const (
	DefaultTime  = 10 * time.Second // design decision 5
	DefaultPages = 100
	DefaultBytes = 32 << 20
	MaxDistance  = 5      // maximum page distance, design decision 3
	MaxPrecision = 400    // plus the depth of a tree this is below K_P, so the order of distances is kept
	maxWaiting   = 10_000 // maximum number of queued links; further links are not followed
	maxBacklinks = 50     // maximum number of backlinks requested
	maxFrames    = 8      // maximum number of frames fetched per page
)

// Options set the query and the limits of a search.
type Options struct {
	// Query is the query. It is required.
	Query *slice.Query
	// Precision is the maximum distance of a slice's node from a match, in edges of the page's tree. It is
	// between 0 and MaxPrecision.
	Precision int
	// Metadata means that meta tags and microdata count as labels of nodes.
	Metadata bool

	// Fetcher fetches the pages. If it is nil, no link is followed.
	Fetcher crawler.Fetcher
	// Backlinker provides the links to the first page. If it is nil, there are no backlinks.
	Backlinker crawler.Backlinker

	// MaxTime is the time limit of the search. It also ends a fetch in progress. Zero means DefaultTime.
	MaxTime time.Duration
	// MaxPages is the maximum number of pages read, including the first and those without a match. Zero means
	// DefaultPages.
	MaxPages int
	// MaxBytes limits the bytes of page bodies read. The page that exceeds it is the last. Zero means
	// DefaultBytes.
	MaxBytes int

	// PageWeight and DomainWeight are the weights K_P and K_D. Zero means crawler.PageWeight and
	// crawler.DomainWeight.
	PageWeight, DomainWeight int
	// Now is the clock for MaxTime. Nil means time.Now.
	Now func() time.Time
}

// withDefaults returns o with defaults for zero fields, or an error if a field is invalid.
func (o Options) withDefaults() (Options, error) {
	switch {
	case o.Query == nil:
		return o, errors.New("slicer: no query")
	case o.Precision < 0 || o.Precision > MaxPrecision:
		return o, fmt.Errorf("slicer: precision %d is not between 0 and %d", o.Precision, MaxPrecision)
	case o.MaxTime < 0 || o.MaxPages < 0 || o.MaxBytes < 0 || o.PageWeight < 0 || o.DomainWeight < 0:
		return o, errors.New("slicer: limits and weights must not be negative")
	}
	o.MaxTime = cmp.Or(o.MaxTime, DefaultTime)
	o.MaxPages, o.MaxBytes = cmp.Or(o.MaxPages, DefaultPages), cmp.Or(o.MaxBytes, DefaultBytes)
	o.PageWeight, o.DomainWeight = cmp.Or(o.PageWeight, crawler.PageWeight), cmp.Or(o.DomainWeight, crawler.DomainWeight)
	if o.Now == nil {
		o.Now = time.Now
	}
	return o, nil
}

// An End is the reason why a search ended.
type End string

const (
	Exhausted   End = "exhausted" // the queue is empty
	TimeUp      End = "time"
	PagesUp     End = "pages"
	BytesUp     End = "bytes"
	Interrupted End = "interrupted" // the caller's context was cancelled
)

// A Summary has the counts of a search.
type Summary struct {
	End    End
	Pages  int // pages read, including the first and those without a match
	Shown  int // pages with a match
	Failed int // fetches without a page
	Bytes  int
	Took   time.Duration
	// BacklinkErr is the error of the backlink request. Some backlinks may still be known.
	BacklinkErr error
	// Left are the queued links that a limit kept from being followed, nearest first.
	Left []Waiting
}

// Run is algorithm 2 of paper 003. It searches from start and calls show with each page once it is read, most
// relevant first. show is called from the caller's goroutine. The first page is always shown. Other pages may
// have an empty slice, or an error in place of a page. The search ends early when ctx is done, whose error is
// returned, or when show returns an error.
func Run(ctx context.Context, start *webgraph.Page, o Options, show func(*Result) error) (Summary, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Summary{}, err
	}
	s := &searchState{
		o: o, began: o.Now(), queue: linkQueue{kp: o.PageWeight, kd: o.DomainWeight, byURL: map[string]*Waiting{}},
		seen: map[string]bool{}, digests: map[webgraph.Digest]bool{}, framed: map[string]*webgraph.Page{},
	}
	err = s.runSearch(ctx, start, show)
	s.sum.Took = s.o.Now().Sub(s.began)
	for _, w := range s.delayed {
		s.queue.pushLink(w)
	}
	s.sum.Left = s.queue.remaining()
	return s.sum, err
}

// searchState is the state of one Run.
type searchState struct {
	o       Options
	began   time.Time
	queue   linkQueue
	seen    map[string]bool          // canonical URLs requested or reached by redirects
	digests map[webgraph.Digest]bool // digests of the pages read
	// framed are the documents of frames by URL, nil if they could not be fetched. They are cached because
	// sites use the same frames on many pages.
	framed  map[string]*webgraph.Page
	delayed []Waiting // links to hosts whose delay does not allow a request in time
	sum     Summary
}

// timeLeft returns the remaining part of MaxTime.
func (s *searchState) timeLeft() time.Duration { return s.o.MaxTime - s.o.Now().Sub(s.began) }

func (s *searchState) runSearch(ctx context.Context, start *webgraph.Page, show func(*Result) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.MaxTime, errTimeUp)
	defer cancel()
	s.recordPage(start)
	for url := range s.seen {
		s.framed[url] = nil // containers of the first page do not show it again
	}
	current := &Result{URL: start.URL, Relevance: crawler.Relevance(0), How: Start, Link: -1}
	var err error
	if current.Tree, err = s.parseWithFrames(ctx, start); err != nil {
		return err
	}
	for current != nil {
		s.slicePage(current)
		if err := show(current); err != nil {
			return err
		}
		s.queueSliceLinks(ctx, current)
		if current, err = s.fetchNextQueued(ctx); err != nil {
			return err
		}
	}
	return nil
}

// recordPage records the URLs and the digest of a page.
func (s *searchState) recordPage(p *webgraph.Page) {
	urls := []string{p.URL, p.Requested}
	for _, r := range p.Redirects {
		urls = append(urls, r.From, r.To)
	}
	for _, url := range urls {
		if url, err := webgraph.Canonical(url); err == nil {
			s.seen[url] = true
		}
	}
	s.digests[p.Digest()] = true
}

// slicePage slices the page of a result and updates the summary.
func (s *searchState) slicePage(r *Result) {
	r.TimeLeft = max(0, s.timeLeft())
	if r.Err != nil {
		s.sum.Failed++
		return
	}
	s.sum.Pages++
	s.sum.Bytes += len(r.Tree.Page.Body)
	r.Slice = slice.NewSlice(r.Tree, s.o.Query, slice.Options{Precision: s.o.Precision, Metadata: s.o.Metadata})
	if !r.Slice.IsEmpty() {
		s.sum.Shown++
	}
}
