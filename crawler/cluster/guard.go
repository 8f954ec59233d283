package cluster

import (
	"context"
	"errors"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// A request is one on its way.
type request struct {
	part int
	cut  context.CancelCauseFunc
}

var errNotOurs = errors.New("another crawler asks this host now, or may soon")

// Guard is a fetcher that asks nobody past the fence, and no host that is not owned:
// such pages are Deferred, and requests on their way are cut.
func (w *Worker) Guard(f crawler.Fetcher) crawler.Fetcher { return guard{f, w} }

type guard struct {
	crawler.Fetcher
	w *Worker
}

// Fetch implements crawler.Fetcher.
func (g guard) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	ctx, done, ok := g.w.begin(ctx, webgraph.HostOf(r.URL))
	if !ok {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.Deferred, Unasked: true, Err: errNotOurs}
	}
	defer done()
	turn := r.Turn
	r.Turn = func(h webgraph.Host) bool { return g.w.may(h) && (turn == nil || turn(h)) }
	page, err := g.Fetcher.Fetch(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), errNotOurs) {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.Deferred, Err: errNotOurs}
	}
	return page, err
}

// Sitemaps implements crawler.Lister as far as the Fetcher below does.
func (g guard) Sitemaps(url string) []string {
	if l, ok := g.Fetcher.(crawler.Lister); ok {
		return l.Sitemaps(url)
	}
	return nil
}

// CrawlDelay implements crawler.Pacer as far as the Fetcher below does.
func (g guard) CrawlDelay(url string) time.Duration {
	if p, ok := g.Fetcher.(crawler.Pacer); ok {
		return p.CrawlDelay(url)
	}
	return 0
}

// begin lets a host be asked and returns a context that ends when it may no more.
func (w *Worker) begin(ctx context.Context, host webgraph.Host) (_ context.Context, done func(), ok bool) {
	n := PartitionOf(host, w.conf.Partitions)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.asks(n) {
		return nil, nil, false
	}
	r := &request{part: n}
	ctx, r.cut = context.WithCancelCause(ctx)
	w.requests[r] = struct{}{}
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.requests, r)
		r.cut(nil)
	}, true
}

// may reports whether a host may be asked now.
func (w *Worker) may(host webgraph.Host) bool {
	n := PartitionOf(host, w.conf.Partitions)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.asks(n)
}

// asks reports whether the hosts of a partition may be asked. w.mu is held.
func (w *Worker) asks(n int) bool {
	return w.joined && !w.over && w.own.has(n) && w.seen.parts[n].Owner == w.o.Name && !w.past()
}

// astray reports a request to a partition that was taken away. w.mu is held.
func (w *Worker) astray(r *request) bool { return w.seen.parts[r.part].Owner != w.o.Name }

// cut ends requests on their way. w.mu is held.
func (w *Worker) cut(which func(*request) bool) {
	for r := range w.requests {
		if which(r) {
			r.cut(errNotOurs)
		}
	}
}
