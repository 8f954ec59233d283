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

// errTimeUp is the cause of a context that MaxTime has ended.
var errTimeUp = errors.New("time is up")

// follow puts what the page leads to into the queue.
func (s *search) follow(ctx context.Context, r *Result) {
	if s.o.Fetcher == nil {
		return
	}
	if r.How == Start {
		s.backlinks(ctx, r)
	}
	if !r.Shown() || r.Pages >= MaxDistance {
		return
	}
	for _, l := range r.Slice.Links() {
		link := r.Tree.Links()[l.Link]
		s.wait(r, l.Link, Waiting{
			URL: link.Target, Anchor: link.Anchor, how: Link,
			Distance: crawler.Distance{Tree: l.Distance, Pages: r.Pages, Domains: r.Domains},
			pages:    r.Pages + 1, domains: r.Domains + crossing(r.URL, link.Target),
		})
	}
}

// wait queues a link of r, unless it was requested before.
func (s *search) wait(r *Result, link int, w Waiting) {
	if s.seen[w.URL] || crawler.Unread(w.URL) {
		return
	}
	w.parent, w.link = r, link
	s.queue.push(w)
}

// backlinks queues the pages that link to the first one. A provider that cannot answer is left out:
// the search then goes forward only.
func (s *search) backlinks(ctx context.Context, start *Result) {
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
			continue // it links to a neighbour
		}
		w := Waiting{URL: l.Source, Anchor: l.Anchor, how: Backlink, pages: 1, domains: crossing(self, l.Source)}
		w.Distance = crawler.Distance{Pages: 1, Domains: w.domains}
		if isFrame(l) {
			w.how, w.pages, w.Distance.Pages = Container, 0, 0
		}
		s.wait(start, -1, w)
	}
}

// samePage reports whether two URLs differ by their scheme at most.
func samePage(a, b string) bool {
	_, a, _ = strings.Cut(a, "://")
	_, b, _ = strings.Cut(b, "://")
	return a == b
}

// crossing is 1 if the link from one URL to another leaves its registered domain, else 0. A link
// from or to something that is not a URL, such as a file, never crosses.
func crossing(from, to string) int {
	a, b := webgraph.HostOf(from), webgraph.HostOf(to)
	if a == "" || b == "" || webgraph.SameSite(a, b) {
		return 0
	}
	return 1
}

// next brings the most relevant page that waits and was not read before; nil
// ends the search, and s.sum.End says why.
func (s *search) next(ctx context.Context) (*Result, error) {
	for {
		if err := interrupted(ctx); err != nil {
			s.sum.End = Interrupted
			return nil, err
		}
		if s.sum.End = s.limit(ctx); s.sum.End != "" {
			return nil, nil
		}
		w := s.queue.pop()
		if w == nil {
			if s.sum.End = Exhausted; len(s.late) > 0 {
				s.sum.End = TimeUp
			}
			return nil, nil
		}
		if s.seen[w.URL] {
			continue // another page redirected there
		}
		s.seen[w.URL] = true
		r := &Result{
			URL: w.URL, Distance: w.Distance, D: w.D, Relevance: crawler.Relevance(w.D),
			Pages: w.pages, Domains: w.domains, How: w.how, Parent: w.parent, Link: w.link,
		}
		known, err := s.load(ctx, r)
		switch {
		case err != nil && s.limit(ctx) == TimeUp:
			s.queue.push(*w) // cut off by the limit, not by its server
			delete(s.seen, w.URL)
		case errors.Is(err, crawler.ErrTooLate): // the link is left for the reader
			s.late = append(s.late, *w)
		case err != nil:
			r.Err = err
			return r, nil
		case !known:
			return r, nil
		}
	}
}

// interrupted returns ctx's error unless MaxTime ended it.
func interrupted(ctx context.Context) error {
	if errors.Is(context.Cause(ctx), errTimeUp) {
		return nil
	}
	return ctx.Err()
}

// limit reports which limit the search has met, "" for none.
func (s *search) limit(ctx context.Context) End {
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

// load fetches and parses the page of r, within the time that is left. It
// reports a page that was read before under another URL.
func (s *search) load(ctx context.Context, r *Result) (known bool, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, s.timeLeft(), errTimeUp)
	defer cancel()
	page, err := s.o.Fetcher.Fetch(ctx, crawler.Request{URL: r.URL})
	switch {
	case err != nil:
		return false, err
	case s.timeLeft() <= 0:
		return false, errTimeUp // by a clock that the fetcher does not know
	case page.Status != http.StatusOK:
		return false, fmt.Errorf("%s answered with status %d", page.URL, page.Status)
	}
	if final, err := webgraph.Canonical(page.URL); err == nil {
		if final != r.URL && r.How == Link {
			r.Domains = r.Parent.Domains + crossing(r.Parent.URL, final)
		}
		known = final != r.URL && s.seen[final]
		r.URL = final
	}
	known = known || s.held[page.Digest()]
	s.remember(page)
	if known {
		return true, nil
	}
	r.Tree, err = s.parse(ctx, page)
	if r.Tree != nil && r.How == Backlink && frames(r.Tree, r.Parent.URL) {
		r.How, r.Pages = Container, 0
	}
	return false, err
}

// parse reads a page with what its frames show as subtrees, so that a slice
// goes through them. A frame that is not to be had in time stays a link.
func (s *search) parse(ctx context.Context, p *webgraph.Page) (*tagtree.Tree, error) {
	if s.o.Fetcher == nil {
		return tagtree.Parse(p)
	}
	left := maxFrames
	return tagtree.ParseWithFrames(p, func(url string) *webgraph.Page {
		if frame, known := s.framed[url]; known || left == 0 || s.limit(ctx) != "" {
			return frame
		}
		left--
		frame, err := s.o.Fetcher.Fetch(ctx, crawler.Request{URL: url})
		if err != nil || frame.Status != http.StatusOK || s.timeLeft() <= 0 {
			frame = nil
		} else {
			s.sum.Bytes += len(frame.Body)
			s.remember(frame)
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

// frames reports whether a page shows url in a frame. The first
// page is never a subtree of another, so its frame is still a link.
func frames(t *tagtree.Tree, url string) bool {
	for _, l := range t.Links() {
		if isFrame(l) && samePage(l.Target, url) {
			return true
		}
	}
	return false
}

// A queue is pendingLinks of algorithm 2: one entry for each URL, in the order
// they were found.
type queue struct {
	kp, kd  int // weights
	waiting []*Waiting
	byURL   map[string]*Waiting
}

// push adds w, or, where its URL waits already, keeps the nearer of the two
// links and the lower distances of both. A full queue takes no more.
func (q *queue) push(w Waiting) {
	w.D = w.Distance.Of(q.kp, q.kd)
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

// pop is getMostRelevantLink: it takes out the nearest entry, of equals the one
// whose URL was found first. It returns nil if none waits.
func (q *queue) pop() *Waiting {
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

// rest returns what waits still, the nearest first.
func (q *queue) rest() []Waiting {
	rest := make([]Waiting, len(q.waiting))
	for i, w := range q.waiting {
		rest[i] = *w
	}
	slices.SortStableFunc(rest, func(a, b Waiting) int { return cmp.Compare(a.D, b.D) })
	return rest
}
