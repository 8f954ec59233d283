package slicer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// errTimeUp is the cause of a context that was cancelled by MaxTime.
var errTimeUp = errors.New("time is up")

// queueSliceLinks queues the links in the slice of a page, and the backlinks of the first page.
func (s *searchState) queueSliceLinks(ctx context.Context, r *Result) {
	if s.o.Fetcher == nil {
		return
	}
	if r.How == Start {
		s.queueBacklinks(ctx, r)
	}
	if !r.Shown() || r.Pages >= MaxDistance {
		return
	}
	for _, l := range r.Slice.Links() {
		link := r.Tree.Links()[l.Link]
		s.queueLink(r, l.Link, Waiting{
			URL: link.Target, Anchor: link.Anchor, connection: Link,
			Distance: crawler.Distance{Tree: l.Distance, Pages: r.Pages, Domains: r.Domains},
			pages:    r.Pages + 1, domains: r.Domains + domainDistance(r.URL, link.Target),
		})
	}
}

// queueLink queues a link of r unless its URL was requested before or is of a type that is never read.
func (s *searchState) queueLink(r *Result, link int, w Waiting) {
	if s.seen[w.URL] || crawler.IsUnreadable(w.URL) {
		return
	}
	w.parent, w.link = r, link
	s.queue.pushLink(w)
}

// queueBacklinks queues the pages that link to the first one. If the provider fails, the search continues without
// backlinks.
func (s *searchState) queueBacklinks(ctx context.Context, start *Result) {
	self, err := webgraph.Canonical(start.URL)
	if err != nil || s.o.Backlinker == nil {
		return
	}
	links, _, err := s.o.Backlinker.Backlinks(ctx, self, maxBacklinks)
	if err != nil {
		s.sum.BacklinkErr = err
	}
	for _, l := range links[:min(len(links), maxBacklinks)] {
		if !samePage(l.Target, self) {
			continue // the link leads to another page
		}
		w := Waiting{URL: l.Source, Anchor: l.Anchor, connection: Backlink, pages: 1, domains: domainDistance(self, l.Source)}
		w.Distance = crawler.Distance{Pages: 1, Domains: w.domains}
		if isFrame(l) {
			w.connection, w.pages, w.Distance.Pages = Container, 0, 0
		}
		s.queueLink(start, -1, w)
	}
}

// samePage reports whether two URLs are equal except for the scheme.
func samePage(a, b string) bool {
	_, a, _ = strings.Cut(a, "://")
	_, b, _ = strings.Cut(b, "://")
	return a == b
}

// domainDistance returns 1 if a link between two URLs leaves the registered domain, otherwise 0. It returns 0 if
// either is not a URL, such as the name of a file.
func domainDistance(from, to string) int {
	a, b := webgraph.HostOf(from), webgraph.HostOf(to)
	if a == "" || b == "" || webgraph.SameSite(a, b) {
		return 0
	}
	return 1
}

// fetchNextQueued fetches the most relevant queued page that was not read before. At the end of the search it returns
// nil and sets s.sum.End.
func (s *searchState) fetchNextQueued(ctx context.Context) (*Result, error) {
	for {
		if err := callerError(ctx); err != nil {
			s.sum.End = Interrupted
			return nil, err
		}
		if s.sum.End = s.limitReached(ctx); s.sum.End != "" {
			return nil, nil
		}
		w := s.queue.popNearest()
		if w == nil {
			if s.sum.End = Exhausted; len(s.delayed) > 0 {
				s.sum.End = TimeUp
			}
			return nil, nil
		}
		if s.seen[w.URL] {
			continue // another page redirected to it
		}
		s.seen[w.URL] = true
		r := &Result{
			URL: w.URL, Distance: w.Distance, D: w.D, Relevance: crawler.Relevance(w.D),
			Pages: w.pages, Domains: w.domains, How: w.connection, Parent: w.parent, Link: w.link,
		}
		known, err := s.fetchPage(ctx, r)
		switch {
		case err != nil && s.limitReached(ctx) == TimeUp:
			s.queue.pushLink(*w) // interrupted by the limit, not by the server
			delete(s.seen, w.URL)
		case errors.Is(err, crawler.ErrTooLate): // reported in Summary.Left
			s.delayed = append(s.delayed, *w)
		case err != nil:
			r.Err = err
			return r, nil
		case !known:
			return r, nil
		}
	}
}

// callerError returns the error of ctx unless MaxTime cancelled it.
func callerError(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errTimeUp) {
		return nil
	}
	return ctx.Err()
}

// limitReached returns the limit that the search has reached, or "".
func (s *searchState) limitReached(ctx context.Context) End {
	switch {
	case s.timeLeft() <= 0 || ctx.Err() != nil:
		return TimeUp
	case s.sum.Pages >= s.o.MaxPages:
		return PagesUp
	case s.sum.Bytes >= s.o.MaxBytes:
		return BytesUp
	}
	return ""
}

// fetchPage fetches and parses the page of r within the time left. known is true if the page was read before under
// another URL.
func (s *searchState) fetchPage(ctx context.Context, r *Result) (known bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeLeft(), errTimeUp)
	defer cancel()
	page, err := s.o.Fetcher.Fetch(ctx, crawler.Request{URL: r.URL})
	switch {
	case err != nil:
		return false, err
	case s.timeLeft() <= 0:
		return false, errTimeUp // by a clock unknown to the fetcher
	case page.Status != http.StatusOK:
		return false, fmt.Errorf("%s answered with status %d", page.URL, page.Status)
	}
	if final, err := webgraph.Canonical(page.URL); err == nil {
		if final != r.URL && r.How == Link {
			r.Domains = r.Parent.Domains + domainDistance(r.Parent.URL, final)
		}
		known = final != r.URL && s.seen[final]
		r.URL = final
	}
	known = known || s.digests[page.Digest()]
	s.recordPage(page)
	if known {
		return true, nil
	}
	r.Tree, err = s.parseWithFrames(ctx, page)
	if r.Tree != nil && r.How == Backlink && hasFrame(r.Tree, r.Parent.URL) {
		r.How, r.Pages = Container, 0
	}
	return false, err
}

// parseWithFrames parses a page with the documents of its frames as subtrees, so that a slice extends into them. A
// frame that cannot be fetched in time remains a link.
func (s *searchState) parseWithFrames(ctx context.Context, p *webgraph.Page) (*tagtree.Tree, error) {
	if s.o.Fetcher == nil {
		return tagtree.Parse(p)
	}
	left := maxFrames
	return tagtree.ParseWithFrames(p, func(url string) *webgraph.Page {
		if frame, known := s.framed[url]; known || left == 0 || s.limitReached(ctx) != "" {
			return frame
		}
		left--
		frame, err := s.o.Fetcher.Fetch(ctx, crawler.Request{URL: url})
		if err != nil || frame.Status != http.StatusOK || s.timeLeft() <= 0 {
			frame = nil
		} else {
			s.sum.Bytes += len(frame.Body)
			s.recordPage(frame)
		}
		s.framed[url] = frame
		return frame
	})
}

// isFrame reports whether a link is the src of a frame or iframe.
func isFrame(l webgraph.Link) bool {
	element := l.Path[strings.LastIndexByte(l.Path, '/')+1:]
	element, _, _ = strings.Cut(element, "[")
	return element == "frame" || element == "iframe"
}

// hasFrame reports whether a page has url in a frame. The first page is never inserted as a subtree, so its
// frame is among the links.
func hasFrame(t *tagtree.Tree, url string) bool {
	for _, l := range t.Links() {
		if isFrame(l) && samePage(l.Target, url) {
			return true
		}
	}
	return false
}

// A linkQueue is the queue of pending links in algorithm 2. It has one entry per URL, in the order in which
// URLs were found.
type linkQueue struct {
	kp, kd  int // weights K_P and K_D
	waiting []*Waiting
	byURL   map[string]*Waiting
}

// pushLink adds w. If its URL is queued already, the nearer link and the smaller distances are kept. A full queue
// drops new URLs.
func (q *linkQueue) pushLink(w Waiting) {
	w.D = w.Distance.OntologicalDistance(q.kp, q.kd)
	old := q.byURL[w.URL]
	if old == nil {
		if len(q.waiting) < maxWaiting {
			q.byURL[w.URL] = &w
			q.waiting = append(q.waiting, &w)
		}
		return
	}
	pages, domains := min(w.pages, old.pages), min(w.domains, old.domains)
	if w.D < old.D {
		*old = w
	}
	old.pages, old.domains = pages, domains
}

// popNearest is the step of algorithm 2 that selects the most relevant link. It removes and returns the
// nearest entry; among equals, the one found first. It returns nil if the queue is empty.
func (q *linkQueue) popNearest() *Waiting {
	if len(q.waiting) == 0 {
		return nil
	}
	best := 0
	for i, w := range q.waiting {
		if w.D < q.waiting[best].D {
			best = i
		}
	}
	w := q.waiting[best]
	q.waiting = slices.Delete(q.waiting, best, best+1)
	delete(q.byURL, w.URL)
	return w
}

// remaining returns the remaining entries, nearest first.
func (q *linkQueue) remaining() []Waiting {
	rest := make([]Waiting, len(q.waiting))
	for i, w := range q.waiting {
		rest[i] = *w
	}
	slices.SortStableFunc(rest, func(a, b Waiting) int { return cmp.Compare(a.D, b.D) })
	return rest
}
