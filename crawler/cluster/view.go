package cluster

import (
	"context"
	"errors"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Frontier is Local as a crawl sees it: Next waits for links of others instead of
// returning crawler.ErrDrained until the crawl is over or this crawler drained
// (but see WorkerOptions.Visits), for orders to stop, for the outbox, and at the fence.
func (w *Worker) Frontier() crawler.Frontier { return view{w.o.Local, w} }

type view struct {
	crawler.Frontier
	w *Worker
}

// Next implements crawler.Frontier.
func (v view) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		changed, committed, stirs := v.w.change(), v.w.o.Local.Changed(), v.w.stirs.Load()
		open, over, err := v.w.gate()
		if over || err != nil {
			if err == nil {
				err = crawler.ErrDrained
			}
			return crawler.Lease{}, err
		}
		if open {
			l, err := v.lease(ctx, changed)
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
		if err := wait(ctx, changed, committed); err != nil {
			return crawler.Lease{}, err
		}
	}
}

// lease asks the frontier until something changes that may shut the gate.
func (v view) lease(ctx context.Context, changed <-chan struct{}) (crawler.Lease, error) {
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
			changed = v.w.change()
			if open, over, err := v.w.gate(); !open || over || err != nil {
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

// gateLag is after how long a shut gate is looked at again: a clock tells nobody.
const gateLag = time.Second

func wait(ctx context.Context, changed, committed <-chan struct{}) error {
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

// gate reports whether links may be handed out now, and whether none ever will.
func (w *Worker) gate() (open, over bool, err error) {
	full := w.o.Local.OutboxLen() > w.o.MaxOutbox
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over || w.failed != nil {
		return false, true, w.failed
	}
	return !full && w.joined && w.seen.order.Do != DoStop && !w.until() && !w.past(), false, nil
}

// Push implements crawler.Frontier.
func (v view) Push(ctx context.Context, cs []crawler.Candidate) error {
	v.w.stir()
	defer v.w.stir()
	return v.Frontier.Push(ctx, cs)
}

// Done implements crawler.Frontier. Work is kept also past the fence.
func (v view) Done(ctx context.Context, ends ...crawler.End) error {
	v.w.stir()
	defer v.w.stir()
	return v.Frontier.Done(ctx, ends...)
}

// Turn implements crawler.Frontier.
func (v view) Turn(l crawler.Lease, host webgraph.Host) bool {
	return v.w.may(host) && v.Frontier.Turn(l, host)
}
