// Package worker is a crawler of a cluster. It keeps its lease, takes and hands over partitions of
// the web, and moves links between its frontier and the bus. Package cluster says how crawlers and
// managers agree.
package worker

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/sync/errgroup"
)

// Options are what a crawler of a cluster needs.
type Options struct {
	Bus     cluster.Bus
	Name    string // of this crawler, at most MaxName bytes; the same after a restart
	Local   *frontier.Frontier
	Version func(cluster.Conf) (string, error) // what Conf.Version would be here
	// Counts adds what the crawl counts: pages and targets. Nil: nothing.
	Counts func(*cluster.Counts)
	// Page answers for the pages kept here, or returns ErrNoPage. Nil: none are kept.
	Page func(ctx context.Context, url string, part func([]byte) error) error
	// Visits means that the frontier hands out visits of what is due only (its floor is
	// monitor.Floor). Next then returns crawler.ErrDrained when there is none, and this crawler is
	// never idle: the links of a crawl may wait.
	Visits bool
	// Until ends Run in order at an order, as the end of the crawl does. Links are left in the
	// outbox for the next worker of this name. Nil: never.
	Until func(cluster.Order) bool
	// Published is closed when all that was found is published, or cannot be. A crawler that
	// is done says so only after that. Nil: nothing is published.
	Published <-chan struct{}
	// MaxOutbox is how many links may wait in the outbox before no more pages are
	// fetched. Zero means 1,000,000.
	MaxOutbox int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nothing is logged
}

const defaultMaxOutbox = 1_000_000

// A Worker is one crawler of a cluster. It keeps its lease, takes and hands over partitions, and
// moves links between its frontier and the bus. The crawl itself is crawler.Crawler over Frontier
// and Guard.
type Worker struct {
	o       Options
	conf    cluster.Conf
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

func (o Options) validate() error {
	switch {
	case o.Bus == nil || o.Local == nil || o.Version == nil:
		return errors.New("bus, frontier and version must be set")
	case !cluster.ValidName(o.Name):
		return fmt.Errorf("name %q of the crawler is not of 1 to %d letters, digits, - and _", o.Name, cluster.MaxName)
	case o.MaxOutbox < 0:
		return fmt.Errorf("an outbox of %d links cannot be", o.MaxOutbox)
	}
	return nil
}

// errOver ends Run in order.
var errOver = errors.New("the work of this crawler is done")

// Run works until ctx ends, when it releases its partitions in order and returns nil. It also
// returns nil when the crawl is over, when this crawler has handed over all it owned (Done), or
// when Until says so. ErrVersion: the cluster has gone to another version; start again.
func (w *Worker) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{w.watch, w.beatOn, w.keepPartitions, w.receive, w.send, w.serve, w.awaitEnd} {
		g.Go(func() error { return part(gctx) })
	}
	err := g.Wait()
	if errors.Is(err, errOver) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	w.leave(context.WithoutCancel(ctx), err)
	return err
}

// leave stops all requests, and records why.
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
			if w.o.Published == nil {
				return errOver
			}
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-w.o.Published:
				return errOver
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-committed:
		}
	}
}

// ended reports whether the crawl is over, or all was handed over, and nothing of it waits here. It
// is also true if this crawler was to work until now only, and has no outstanding leases.
func (w *Worker) ended() bool {
	w.mu.Lock()
	w.done = w.seen.order.Do == cluster.DoFinish || w.seen.drain && w.empty()
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

// Over reports whether no page is leased any more. Done reports whether none will be to a worker of
// this name, since the crawl is over or this crawler was drained.
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
	return w.own.has(cluster.PartitionOf(webgraph.HostOf(url), w.conf.Partitions))
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

// Order returns what the cluster is to do now.
func (w *Worker) Order() cluster.Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.order
}

// Changed is closed when something has changed that Order may tell.
func (w *Worker) Changed() <-chan struct{} { return w.change() }

// PublishEvent hands something found to the managers, in place of what was handed of
// that id by this crawler before.
func (w *Worker) PublishEvent(ctx context.Context, id string, data []byte) error {
	if len(data) > cluster.MaxMessage {
		return fmt.Errorf("event %s has %d bytes, more than the %d of a message", id, len(data), cluster.MaxMessage)
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

// Notes of a crawler in its frontier.
const (
	notePrefix = "crawler/cluster/"
	diskNote   = notePrefix + "disk"
)

// Join waits until there is a cluster, checks that this crawler may work for it
// (ErrVersion), and takes its name. It fails if another process lives by that name.
// Run is to be called at once: the lease runs.
func Join(ctx context.Context, o Options) (*Worker, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if o.MaxOutbox == 0 {
		o.MaxOutbox = defaultMaxOutbox
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	w := &Worker{
		o: o, kick: make(chan struct{}, 1), beating: make(chan struct{}, 1), boot: rand.Text(), started: o.Now(), seen: newMirror(),
		held: map[int]holding{}, changed: make(chan struct{}), requests: map[*request]struct{}{},
	}
	o.Local.Own(w.own.owns(1))
	if err := w.join(ctx); err != nil {
		return nil, fmt.Errorf("join as %s: %w", o.Name, err)
	}
	return w, nil
}

func (w *Worker) join(ctx context.Context) error {
	if err := w.await(ctx); err != nil {
		return err
	}
	version, err := w.o.Version(w.conf)
	if err != nil {
		return err
	}
	if version != w.conf.Version {
		return fmt.Errorf("%w: %s, this crawler has %s", cluster.ErrVersion, w.conf.Version, version)
	}
	if err := w.readNotes(ctx); err != nil {
		return err
	}
	return w.takeName(ctx)
}

// await waits until there is a Conf.
func (w *Worker) await(ctx context.Context) error {
	for {
		err := w.awaitOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		w.tell("wait for a cluster", err)
		if err := crawler.Pause(ctx, cluster.MinLease); err != nil {
			return err
		}
	}
}

func (w *Worker) awaitOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := w.o.Bus.Watch(ctx)
	if err != nil {
		return err
	}
	all := false
	for e := range entries {
		all = all || e.Key == ""
		_, err := w.seen.applyEntry(e, w.o.Name)
		if bad := errors.Is(err, cluster.ErrBadEntry) && e.Key != cluster.ConfKey; err != nil && !bad {
			return err // of other keys Run tells
		}
		if c := w.seen.conf; all && c != nil && c.Version != "" {
			if err := c.Validate(); err != nil {
				return err
			}
			w.conf = *c
			return nil
		}
	}
	return errors.Join(ctx.Err(), errors.New("the watch of the bucket ended"))
}

// readNotes takes up what this crawler has done before. A new frontier has never
// sent a link, so that what was lost before needs nothing.
func (w *Worker) readNotes(ctx context.Context) error {
	var broken error
	err := w.o.Local.Notes(ctx, func(n crawler.Note) error {
		if n.Key == diskNote {
			w.disk = string(n.Value)
		} else if number, ok := strings.CutPrefix(n.Key, holdingPrefix); ok {
			part, h, err := readHolding(number, n.Value)
			if err != nil {
				broken = errors.Join(broken, err)
				return nil
			}
			w.held[part] = h
		}
		return nil
	})
	if err = errors.Join(err, broken); err != nil || w.disk != "" {
		return err
	}
	w.disk = rand.Text()
	notes := []crawler.Note{{Key: diskNote, Value: []byte(w.disk)}}
	for n := range w.conf.Partitions {
		if p := w.seen.parts[n]; p.Lost > 0 {
			h := holding{Seen: p.Lost}
			w.held[n] = h
			notes = append(notes, h.note(n))
		}
	}
	return w.note(ctx, notes...)
}

// takeName waits as long as it may be that another process lives by the name.
func (w *Worker) takeName(ctx context.Context) error {
	first, since := uint64(0), time.Now()
	for {
		e, err := w.o.Bus.Get(ctx, cluster.WorkerPrefix+w.o.Name)
		if err != nil && !errors.Is(err, cluster.ErrNoKey) {
			return err
		}
		b, err := readBeat(e)
		if err != nil {
			w.tell("read the own entry", err) // the owner of the name is unknown: wait for a lease
		}
		if first == 0 {
			first = e.Revision
		}
		free := e.Value == nil || b.Revoked || b.Doing == cluster.Gone || b.Disk == w.disk || time.Since(since) > w.conf.Lease
		switch {
		case free:
			err := w.enter(ctx, e, b)
			if err == nil || !errors.Is(err, cluster.ErrConflict) {
				return err
			}
		case e.Revision != first:
			return fmt.Errorf("another process works by this name since %s: give this crawler another", b.Started.Format(time.RFC3339))
		}
		if err := crawler.Pause(ctx, beatEvery(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// enter puts the first beat in the place of an entry. What the last process had when
// it was revoked is to be claimed, so that a manager on its way to take it fails.
func (w *Worker) enter(ctx context.Context, e cluster.Entry, old cluster.Beat) error {
	if e.Value == nil || old.Revoked {
		if err := w.reclaim(ctx); err != nil {
			return err
		}
	}
	if err := w.lockBeat(ctx); err != nil {
		return err
	}
	defer w.unlockBeat()
	w.mu.Lock()
	w.boot = rand.Text()
	w.mu.Unlock()
	start := w.o.Now()
	data, err := json.Marshal(w.describe(ctx))
	if err != nil {
		return err
	}
	rev, err := w.o.Bus.Set(ctx, cluster.WorkerPrefix+w.o.Name, data, e.Revision)
	if err == nil {
		w.took(start, rev)
	}
	return err
}
