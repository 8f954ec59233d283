// Package slicer retrieves what a page and the pages around it say about a
// query (paper 003, section III.B, algorithm 2).
//
//	current page → its slice → shown
//	    → the links of the slice wait, each with its ontological distance
//	    → the nearest is fetched and becomes the current page
//
// until nothing waits or a limit is met. Links outside a slice are never
// followed (design decision 4), nor those of pages five links away (decision
// 3), so a page that makes up pages without end is left: either the query
// does not match there, or the distance ends it. No page is read twice, by
// canonical URL or by digest.
//
// Pages are fetched one at a time. Several at once would be read in the same order, but most
// waiting links lead to one host, which should not bear that.
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

// Defaults and limits.
const (
	DefaultTime  = 10 * time.Second // design decision 5
	DefaultPages = 100
	DefaultBytes = 32 << 20
	MaxDistance  = 5      // page distance, design decision 3
	MaxPrecision = 400    // with the depth of a tree still below K_P, so that distances stay in order
	maxWaiting   = 10_000 // links that wait; what is found beyond is not followed
	maxBacklinks = 50     // in-links requested
	maxFrames    = 8      // frames fetched of one page
)

// Options say what is looked for, and how far.
type Options struct {
	// Query is the query; it must be set.
	Query *slice.Query
	// Precision is how many edges of a page's tree a node of the slice may be away from a match, 0
	// to MaxPrecision.
	Precision int
	// Metadata has meta tags and microdata count as labels of nodes.
	Metadata bool

	// Fetcher brings the pages. Nil: no link is followed.
	Fetcher crawler.Fetcher
	// Backlinker answers who links to the first page. Nil means no backlinks.
	Backlinker crawler.Backlinker

	// MaxTime ends the search after so long, a fetch under way included. Zero
	// means DefaultTime.
	MaxTime time.Duration
	// MaxPages is how many pages are read, the first included, those where
	// nothing matches too. Zero means DefaultPages.
	MaxPages int
	// MaxBytes is how many bytes of bodies are read; the page that passes it is
	// the last. Zero means DefaultBytes.
	MaxBytes int

	// PageWeight and DomainWeight are the constants K_P and K_D. Zero means
	// crawler.PageWeight and crawler.DomainWeight.
	PageWeight, DomainWeight int
	// Now is the clock of MaxTime. Nil means time.Now.
	Now func() time.Time
}

// withDefaults returns o with every zero field set, or what is wrong with it.
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

// An End is why a search ended.
type End string

// The ends of a search.
const (
	Exhausted   End = "exhausted" // nothing relevant waits
	TimeUp      End = "time"
	PagesUp     End = "pages"
	BytesUp     End = "bytes"
	Interrupted End = "interrupted" // by the caller's context
)

// A Summary counts what a search did.
type Summary struct {
	End    End
	Pages  int // read, the first and those where nothing matches included
	Shown  int // of them with a slice that is not empty
	Failed int // fetches that brought no page
	Bytes  int
	Took   time.Duration
	// BacklinkErr is why no backlinks of the first page are known, or not all.
	BacklinkErr error
	// Left are the relevant links that a limit kept from being followed, the
	// nearest first.
	Left []Waiting
}

// Run is algorithm 2. It searches from start and calls show, from the caller's goroutine, with each
// page as soon as it has been read, the most relevant first. The first page is always shown; others
// may have an empty slice, or an error in place of a page. The search ends early with ctx, whose
// error is returned, and with an error of show.
func Run(ctx context.Context, start *webgraph.Page, o Options, show func(*Result) error) (Summary, error) {
	o, err := o.withDefaults()
	if err != nil {
		return Summary{}, err
	}
	s := &search{
		o: o, began: o.Now(), queue: queue{kp: o.PageWeight, kd: o.DomainWeight, byURL: map[string]*Waiting{}},
		seen: map[string]bool{}, held: map[webgraph.Digest]bool{}, framed: map[string]*webgraph.Page{},
	}
	err = s.run(ctx, start, show)
	s.sum.Took = s.o.Now().Sub(s.began)
	for _, w := range s.late {
		s.queue.push(w)
	}
	s.sum.Left = s.queue.rest()
	return s.sum, err
}

// search is one Run.
type search struct {
	o     Options
	began time.Time
	queue queue
	seen  map[string]bool          // canonical URLs requested or answered
	held  map[webgraph.Digest]bool // bodies read
	// framed are the pages that frames have shown, nil where they failed: sites
	// have the same frames on many pages.
	framed map[string]*webgraph.Page
	late   []Waiting // of hosts that may not be requested in time
	sum    Summary
}

// timeLeft returns how much of MaxTime is left.
func (s *search) timeLeft() time.Duration { return s.o.MaxTime - s.o.Now().Sub(s.began) }

func (s *search) run(ctx context.Context, start *webgraph.Page, show func(*Result) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, s.o.MaxTime, errTimeUp)
	defer cancel()
	s.remember(start)
	for url := range s.seen {
		s.framed[url] = nil // pages that contain the first do not show it again
	}
	current := &Result{URL: start.URL, Relevance: crawler.Relevance(0), How: Start, Link: -1}
	var err error
	if current.Tree, err = s.parse(ctx, start); err != nil {
		return err
	}
	for current != nil {
		s.read(current)
		if err := show(current); err != nil {
			return err
		}
		s.follow(ctx, current)
		if current, err = s.next(ctx); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps what a page is known by.
func (s *search) remember(p *webgraph.Page) {
	urls := []string{p.URL, p.Requested}
	for _, r := range p.Redirects {
		urls = append(urls, r.From, r.To)
	}
	for _, url := range urls {
		if url, err := webgraph.Canonical(url); err == nil {
			s.seen[url] = true
		}
	}
	s.held[p.Digest()] = true
}

// read slices a page that came.
func (s *search) read(r *Result) {
	r.TimeLeft = max(0, s.timeLeft())
	if r.Err != nil {
		s.sum.Failed++
		return
	}
	s.sum.Pages++
	s.sum.Bytes += len(r.Tree.Page.Body)
	r.Slice = slice.Of(r.Tree, s.o.Query, slice.Options{Precision: s.o.Precision, Metadata: s.o.Metadata})
	if !r.Slice.Empty() {
		s.sum.Shown++
	}
}
