package cluster

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"

	"golang.org/x/sync/errgroup"
)

// WorkerOptions are what a crawler of a cluster needs.
type WorkerOptions struct {
	Bus     Bus
	Name    string // of this crawler, at most MaxName bytes; the same after a restart
	Local   Local
	Version func(Conf) (string, error) // what Conf.Version would be here
	// Counts adds what the crawl counts: pages and targets. Nil: nothing.
	Counts func(*Counts)
	// Page answers for the pages kept here, or returns ErrNoPage. Nil: none are kept.
	Page func(ctx context.Context, url string, part func([]byte) error) error
	// Visits says that the frontier hands out visits of what is due only (its floor is
	// monitor.Floor). Next then returns crawler.ErrDrained when there is none, and this
	// crawler is never idle: the links of a crawl may wait.
	Visits bool
	// Until ends Run in order at an order, as the end of the crawl does: links are left in
	// the outbox for who joins next by this name. Nil: never.
	Until func(Order) bool
	// MaxOutbox is how many links may wait in the outbox before no more pages are
	// fetched. Zero means 1,000,000.
	MaxOutbox int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nobody is told
}

const defaultMaxOutbox = 1_000_000

// A Worker is one crawler of a cluster: it keeps its lease, takes and hands over
// partitions, and moves links between its frontier and the bus. The crawl itself is
// crawler.Crawler over Frontier and Guard.
type Worker struct {
	o       WorkerOptions
	conf    Conf
	disk    string // of the frontier
	started time.Time
	kick    chan struct{} // a beat is wanted now

	beating chan struct{} // holds one while a beat is sent; guards below
	beats   uint64
	rev     uint64 // of the entry
	idle    bool   // what the bucket may hold

	mu       sync.Mutex // guards below
	boot     string
	fence    time.Time
	joined   bool // not revoked
	over     bool // no page is handed out any more
	done     bool // there is nothing to do any more, nor will be
	left     bool // Run has ended
	failed   error
	seen     mirror
	own      partSet         // whose hosts are asked
	held     map[int]holding // what the frontier has noted
	changed  chan struct{}   // closed and replaced by every change of the above
	requests map[*request]struct{}
	timer    *time.Timer // at the fence
	problem  string

	stirs   atomic.Uint64 // what may have made links wait
	drained atomic.Uint64 // stirs when the frontier was last drained, and one
	flow
}

// flow counts what went through a Worker.
type flow struct {
	sent, taken, events, handedOver, adopted, resent atomic.Uint64
}

func (o WorkerOptions) validate() error {
	switch {
	case o.Bus == nil || o.Local == nil || o.Version == nil:
		return errors.New("bus, frontier and version must be set")
	case !validName(o.Name):
		return fmt.Errorf("name %q of the crawler is not of 1 to %d letters, digits, - and _", o.Name, MaxName)
	case o.MaxOutbox < 0:
		return fmt.Errorf("an outbox of %d links cannot be", o.MaxOutbox)
	}
	return nil
}

// Conf is what is crawled.
func (w *Worker) Conf() Conf { return w.conf }

// errOver ends Run in order.
var errOver = errors.New("the work of this crawler is done")

// Run works until ctx ends, when it lets go in order and returns nil, and until the
// crawl is over or this crawler has handed over all it owned (Done), or Until says so,
// when it returns nil too. ErrVersion: the cluster has gone to another version; start again.
func (w *Worker) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{w.watch, w.beatOn, w.keep, w.receive, w.send, w.serve, w.awaitEnd} {
		g.Go(func() error { return part(gctx) })
	}
	err := g.Wait()
	if errors.Is(err, errOver) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	w.leave(context.WithoutCancel(ctx), err)
	return err
}

// leave lets nobody ask any more, and says so.
func (w *Worker) leave(ctx context.Context, err error) {
	w.mu.Lock()
	w.over, w.left, w.failed = true, true, err
	joined := w.joined
	w.stopTimer()
	w.cut(func(*request) bool { return true })
	w.wake()
	w.mu.Unlock()
	if !joined {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, beatEvery(w.conf.Lease))
	defer cancel()
	if err := w.beat(ctx); err != nil {
		w.tell("the last beat", err)
	}
}

// awaitEnd returns errOver when nothing is left to be done here.
func (w *Worker) awaitEnd(ctx context.Context) error {
	for {
		changed, committed := w.change(), w.o.Local.Changed()
		if w.ended() {
			return errOver
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-committed:
		}
	}
}

// ended reports whether the crawl is over, or all was handed over, and nothing of it
// waits here; or this crawler was to work until now only, and has nothing in hand.
func (w *Worker) ended() bool {
	w.mu.Lock()
	w.done = w.seen.order.Do == DoFinish || w.seen.drain && w.empty()
	done, until := w.done, w.until()
	if (done || until) && !w.over {
		w.over = true
		w.wake()
	}
	w.mu.Unlock()
	return (until || done && w.o.Local.OutboxLen() == 0) && w.o.Local.InHand(anyHost) == 0
}

// until reports whether this crawler was to work until now only. w.mu is held.
func (w *Worker) until() bool { return w.o.Until != nil && w.o.Until(w.seen.order) }

// Over reports whether no page is handed out any more, and Done whether none will be to
// who joins by this name again, since the crawl is over or this crawler was drained.
func (w *Worker) Over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// Done is explained at Over.
func (w *Worker) Done() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done
}

// Owns reports whether a URL is this crawler's to ask for.
func (w *Worker) Owns(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own.has(PartitionOf(webgraph.HostOf(url), w.conf.Partitions))
}

// empty reports whether nothing is owned or on its way from here.
func (w *Worker) empty() bool {
	for _, h := range w.held {
		if h.Phase != "" {
			return false
		}
	}
	for _, p := range w.seen.parts {
		if p.Owner == w.o.Name {
			return false
		}
	}
	return w.seen.ready
}

func anyHost(webgraph.Host) bool { return true }

// Order is what the cluster is to do now.
func (w *Worker) Order() Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.order
}

// Changed is closed when something has changed that Order may tell.
func (w *Worker) Changed() <-chan struct{} { return w.change() }

// PublishEvent hands something found to the managers, in place of what was handed of
// that id by this crawler before.
func (w *Worker) PublishEvent(ctx context.Context, id string, data []byte) error {
	if len(data) > MaxMessage {
		return fmt.Errorf("event %s has %d bytes, more than the %d of a message", id, len(data), MaxMessage)
	}
	if err := w.o.Bus.Announce(ctx, w.o.Name+"."+id, data); err != nil {
		return fmt.Errorf("publish event %s: %w", id, err)
	}
	w.events.Add(1)
	return nil
}

// change returns what is closed at the next change.
func (w *Worker) change() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// wake tells of a change. w.mu is held.
func (w *Worker) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// note commits notes.
func (w *Worker) note(ctx context.Context, notes ...crawler.Note) error {
	if len(notes) == 0 {
		return nil
	}
	return w.o.Local.Done(ctx, crawler.End{Outcome: crawler.Outcome{Notes: notes}})
}

// tell logs what went wrong and goes into the next beat.
func (w *Worker) tell(what string, err error) {
	w.mu.Lock()
	w.problem = what + ": " + err.Error()
	w.mu.Unlock()
	w.o.Log.Warn(what, "crawler", w.o.Name, "error", err)
}
