package worker

import (
	"context"
	"errors"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/webgraph"
)

// Frontier returns Local for use by a crawl. Its Next waits for links of other crawlers instead of
// returning crawler.ErrDrained, until the crawl is over or this crawler is drained (but see
// Options.Visits). It also waits while the order is to stop, while the outbox is full, and after the
// fence.
func (w *Worker) Frontier() crawler.Frontier { return gatedFrontier{w.o.Local, w} }

type gatedFrontier struct {
	crawler.Frontier
	w *Worker
}

// Next implements crawler.Frontier.
func (v gatedFrontier) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		changed, committed, stirs := v.w.changeChannel(), v.w.o.Local.Changed(), v.w.newLinkEvents.Load()
		open, over, err := v.w.leasingState()
		if over || err != nil {
			if err == nil {
				err = crawler.ErrDrained
			}
			return crawler.Lease{}, err
		}
		if open {
			l, err := v.leaseUntilChange(ctx, changed)
			switch {
			case err == nil:
				return l, nil
			case errors.Is(err, crawler.ErrDrained) && v.w.o.Visits:
				return l, err
			case errors.Is(err, crawler.ErrDrained):
				v.w.drained.Store(stirs + 1)
			case ctx.Err() != nil || !errors.Is(err, context.Canceled):
				return l, err
			default:
				continue // something changed
			}
		}
		if err := waitForChange(ctx, changed, committed); err != nil {
			return crawler.Lease{}, err
		}
	}
}

// leaseUntilChange calls Next of the frontier and cancels it if a change closes the gate.
func (v gatedFrontier) leaseUntilChange(ctx context.Context, changed <-chan struct{}) (crawler.Lease, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case <-changed:
			}
			changed = v.w.changeChannel()
			if open, over, err := v.w.leasingState(); !open || over || err != nil {
				cancel()
				return
			}
		}
	}()
	l, err := v.Frontier.Next(ctx)
	cancel()
	<-ended
	return l, err
}

// gateLag is the interval of checking a closed gate: the passing of the fence sends no signal.
const gateLag = time.Second

func waitForChange(ctx context.Context, changed, committed <-chan struct{}) error {
	t := time.NewTimer(gateLag)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-committed:
	case <-t.C:
	}
	return nil
}

// leasingState reports whether links may be leased now (open), and whether none ever will be (over).
func (w *Worker) leasingState() (open, over bool, err error) {
	full := w.o.Local.OutboxLen() > w.o.MaxOutbox
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.failed != nil {
		return false, true, w.failed
	}
	return !full && w.joined && w.seen.order.Do != cluster.DoStop && !w.isUntilReached() && !w.isFenced(), false, nil
}

// Push implements crawler.Frontier.
func (v gatedFrontier) Push(ctx context.Context, cs []crawler.Candidate) error {
	v.w.recordNewLinks()
	defer v.w.recordNewLinks()
	return v.Frontier.Push(ctx, cs)
}

// Done implements crawler.Frontier. Results are stored even after the fence.
func (v gatedFrontier) Done(ctx context.Context, ends ...crawler.End) error {
	v.w.recordNewLinks()
	defer v.w.recordNewLinks()
	return v.Frontier.Done(ctx, ends...)
}

// MayRequest implements crawler.Frontier.
func (v gatedFrontier) MayRequest(l crawler.Lease, host webgraph.Host) bool {
	return v.w.mayRequest(host) && v.Frontier.MayRequest(l, host)
}

// An activeRequest is an HTTP request in progress.
type activeRequest struct {
	part int
	cut  context.CancelCauseFunc
}

var errNotOurs = errors.New("another crawler owns this host now, or will own it soon")

// GuardFetcher returns a fetcher that makes no requests after the fence, and none to hosts whose partition this
// crawler does not own. Such pages fail with fate Deferred, and requests in progress are cut.
func (w *Worker) GuardFetcher(f crawler.Fetcher) crawler.Fetcher {
	return guardedFetcher{crawler.Wrapped{Fetcher: f}, w}
}

type guardedFetcher struct {
	crawler.Wrapped
	w *Worker
}

// Fetch implements crawler.Fetcher.
func (g guardedFetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	ctx, done, ok := g.w.beginRequest(ctx, webgraph.HostOf(r.URL))
	if !ok {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.Deferred, Unasked: true, Err: errNotOurs}
	}
	defer done()
	turn := r.Turn
	r.Turn = func(h webgraph.Host) bool { return g.w.mayRequest(h) && (turn == nil || turn(h)) }
	page, err := g.Wrapped.Fetch(ctx, r)
	if err != nil && errors.Is(context.Cause(ctx), errNotOurs) {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.Deferred, Err: errNotOurs}
	}
	return page, err
}

// beginRequest registers a request to a host and returns a context that ends when the request must be cut. The
// caller calls done after the request. If the request is not allowed, ok is false.
func (w *Worker) beginRequest(ctx context.Context, host webgraph.Host) (_ context.Context, done func(), ok bool) {
	n := cluster.PartitionOf(host, w.conf.Partitions)
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.mayRequestPart(n) {
		return nil, nil, false
	}
	r := &activeRequest{part: n}
	ctx, r.cut = context.WithCancelCause(ctx)
	w.requests[r] = struct{}{}
	return ctx, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.requests, r)
		r.cut(nil)
	}, true
}

// mayRequest reports whether this crawler may send requests to a host now.
func (w *Worker) mayRequest(host webgraph.Host) bool {
	n := cluster.PartitionOf(host, w.conf.Partitions)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mayRequestPart(n)
}

// mayRequestPart reports whether this crawler may send requests to hosts of partition n. w.mu must be held.
func (w *Worker) mayRequestPart(n int) bool {
	return w.joined && !w.over && w.own.has(n) && w.seen.parts[n].Owner == w.o.Name && !w.isFenced()
}

// isDisowned reports whether this crawler no longer owns the partition of r. w.mu must be held.
func (w *Worker) isDisowned(r *activeRequest) bool { return w.seen.parts[r.part].Owner != w.o.Name }

// cancelRequests cancels the requests in progress that which selects. w.mu must be held.
func (w *Worker) cancelRequests(which func(*activeRequest) bool) {
	for r := range w.requests {
		if which(r) {
			r.cut(errNotOurs)
		}
	}
}
