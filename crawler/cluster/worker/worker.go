// Package worker is a crawler of a cluster. It keeps its lease, takes over and hands over partitions of
// the web, and moves links between its frontier and the bus. Package cluster describes the protocol
// between crawlers and managers.
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

// Options configure a crawler of a cluster.
type Options struct {
	Bus     cluster.Bus
	Name    string // of this crawler, at most cluster.MaxName bytes; the same after a restart
	Local   *frontier.Frontier
	Version func(cluster.Conf) (string, error) // returns the Conf.Version that this program would write
	// Counts adds the crawl's counters, such as pages and targets. Nil means none.
	Counts func(*cluster.Counts)
	// Page sends the recorded page with a URL in parts, or returns ErrNoPage. Nil means that no pages are
	// recorded.
	Page func(ctx context.Context, url string, part func([]byte) error) error
	// Visits means that the frontier leases only visits that are due (its floor is monitor.Floor). Next
	// then returns crawler.ErrDrained if none is due, and this crawler is never idle, because links of
	// the crawl may be waiting.
	Visits bool
	// Until reports whether Run must end at an order, as it does at the end of the crawl. Links stay in
	// the outbox for the next worker with this name. Nil means never.
	Until func(cluster.Order) bool
	// Published is closed when all events found were published or cannot be. A crawler reports that it
	// has ended only after that. Nil means that no events are published.
	Published <-chan struct{}
	// MaxOutbox is the number of links in the outbox above which no more pages are fetched. Zero means
	// 1,000,000.
	MaxOutbox int
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nothing is logged
}

const defaultMaxOutbox = 1_000_000

// A Worker is one crawler of a cluster. It keeps its lease, takes over and hands over partitions, and
// moves links between its frontier and the bus. The crawl itself is a crawler.Crawler that uses its
// Frontier and Guard.
type Worker struct {
	o               Options
	conf            cluster.Conf
	disk            string // of the frontier
	started         time.Time
	heartbeatWanted chan struct{} // receives a value if a heartbeat is wanted now

	beating chan struct{} // a lock: full while a heartbeat is written; guards the fields below
	beats   uint64
	rev     uint64 // of the entry
	idle    bool   // the entry in the bucket may have Idle set

	mu       sync.Mutex // guards below
	boot     string
	fence    time.Time
	joined   bool // not revoked
	over     bool // no more links are leased
	done     bool // this crawler has ended its work for good
	left     bool // Run has ended
	failed   error
	seen     bucketView
	own      partSet                 // whose hosts are asked
	holdings map[int]partitionRecord // holdings recorded in the frontier
	changed  chan struct{}           // closed and replaced at every change of the fields above
	requests map[*activeRequest]struct{}
	timer    *time.Timer // at the fence
	problem  string

	newLinkEvents atomic.Uint64 // number of events that may have added waiting links
	drained       atomic.Uint64 // value of newLinkEvents when the frontier was last drained, plus one
	workerCounters
}

// A workerCounters holds the counters of a Worker.
type workerCounters struct {
	sent, taken, events, handedOver, adopted, resent atomic.Uint64
}

func (o Options) validate() error {
	switch {
	case o.Bus == nil || o.Local == nil || o.Version == nil:
		return errors.New("bus, frontier and version must be set")
	case !cluster.ValidName(o.Name):
		return fmt.Errorf("the name %q of the crawler must have 1 to %d letters, digits, - and _", o.Name, cluster.MaxName)
	case o.MaxOutbox < 0:
		return fmt.Errorf("MaxOutbox is %d, must not be negative", o.MaxOutbox)
	}
	return nil
}

// errOver makes Run return nil.
var errOver = errors.New("the work of this crawler is done")

// Run works until ctx ends, the crawl is over, all partitions were handed over (Done), or Until returns
// true. It then returns nil. It returns ErrVersion if the cluster has changed to another version: start
// again with that one.
func (w *Worker) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{w.watchBucket, w.sendHeartbeats, w.movePartitions, w.receiveLinks, w.sendOutbox, w.servePages, w.awaitEnd} {
		g.Go(func() error { return part(gctx) })
	}
	err := g.Wait()
	if errors.Is(err, errOver) || ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = nil
	}
	w.stopAll(context.WithoutCancel(ctx), err)
	return err
}

// stopAll stops all requests, stores err as the reason, and writes a last heartbeat.
func (w *Worker) stopAll(ctx context.Context, err error) {
	w.mu.Lock()
	w.over, w.left, w.failed = true, true, err
	joined := w.joined
	w.stopTimer()
	w.cancelRequests(func(*activeRequest) bool { return true })
	w.notifyChange()
	w.mu.Unlock()
	if !joined {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, heartbeatInterval(w.conf.Lease))
	defer cancel()
	if err := w.writeHeartbeat(ctx); err != nil {
		w.logError("the last beat", err)
	}
}

// awaitEnd returns errOver when nothing is left to do here.
func (w *Worker) awaitEnd(ctx context.Context) error {
	for {
		changed, committed := w.changeChannel(), w.o.Local.Changed()
		if w.canEnd() {
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

// canEnd reports whether Run can end: the crawl is over or all partitions were handed over, the outbox is
// empty, and no links are leased. If Until returns true, it is enough that no links are leased.
func (w *Worker) canEnd() bool {
	w.mu.Lock()
	w.done = w.seen.order.Do == cluster.DoFinish || w.seen.drain && w.ownsNothing()
	done, until := w.done, w.isUntilReached()
	if (done || until) && !w.over {
		w.over = true
		w.notifyChange()
	}
	w.mu.Unlock()
	return (until || done && w.o.Local.OutboxLen() == 0) && w.o.Local.CountOutstanding(allHosts) == 0
}

// isUntilReached reports whether Options.Until ends Run at the present order. w.mu must be held.
func (w *Worker) isUntilReached() bool { return w.o.Until != nil && w.o.Until(w.seen.order) }

// IsOver reports whether no more links are leased. IsDone reports whether no worker with this name will lease
// links any more, because the crawl is over or this crawler was drained.
func (w *Worker) IsOver() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.over
}

// IsDone is described at IsOver.
func (w *Worker) IsDone() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.done
}

// Owns reports whether this crawler owns the partition of a URL.
func (w *Worker) Owns(url string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own.has(cluster.PartitionOf(webgraph.HostOf(url), w.conf.Partitions))
}

// ownsNothing reports whether this crawler owns no partition and is moving none. w.mu must be held.
func (w *Worker) ownsNothing() bool {
	for _, h := range w.holdings {
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

func allHosts(webgraph.Host) bool { return true }

// Order returns the current order of the cluster.
func (w *Worker) Order() cluster.Order {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.seen.order
}

// Changed returns a channel that is closed at the next change, such as a new order.
func (w *Worker) Changed() <-chan struct{} { return w.changeChannel() }

// PublishEvent publishes an event for the managers. It replaces an earlier one with the same id from this
// crawler.
func (w *Worker) PublishEvent(ctx context.Context, id string, data []byte) error {
	if len(data) > cluster.MaxMessage {
		return fmt.Errorf("event %s has %d bytes, a message at most %d", id, len(data), cluster.MaxMessage)
	}
	if err := w.o.Bus.Announce(ctx, w.o.Name+"."+id, data); err != nil {
		return fmt.Errorf("publish event %s: %w", id, err)
	}
	w.events.Add(1)
	return nil
}

// changeChannel returns a channel that is closed at the next change.
func (w *Worker) changeChannel() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

// notifyChange wakes the goroutines that wait for a change. w.mu must be held.
func (w *Worker) notifyChange() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// storeNotes commits notes.
func (w *Worker) storeNotes(ctx context.Context, notes ...crawler.Note) error {
	if len(notes) == 0 {
		return nil
	}
	return w.o.Local.Done(ctx, crawler.End{Outcome: crawler.Outcome{Notes: notes}})
}

// logError logs an error and stores it for the next heartbeat.
func (w *Worker) logError(what string, err error) {
	w.mu.Lock()
	w.problem = what + ": " + err.Error()
	w.mu.Unlock()
	w.o.Log.Warn(what, "crawler", w.o.Name, "error", err)
}

// Keys of the crawler's notes in its frontier.
const (
	notePrefix = "crawler/cluster/"
	diskNote   = notePrefix + "disk"
)

// Join waits until there is a cluster, checks that this crawler has its version (else ErrVersion), and
// registers its name. It fails if another running process uses the name. Call Run at once afterwards,
// because the lease has begun.
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
		o: o, heartbeatWanted: make(chan struct{}, 1), beating: make(chan struct{}, 1), boot: rand.Text(), started: o.Now(), seen: newBucketView(),
		holdings: map[int]partitionRecord{}, changed: make(chan struct{}), requests: map[*activeRequest]struct{}{},
	}
	o.Local.SetOwned(w.own.hostFilter(1))
	if err := w.joinCluster(ctx); err != nil {
		return nil, fmt.Errorf("join as %s: %w", o.Name, err)
	}
	return w, nil
}

func (w *Worker) joinCluster(ctx context.Context) error {
	if err := w.awaitConf(ctx); err != nil {
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
	return w.registerName(ctx)
}

// awaitConf waits until the bucket has a Conf.
func (w *Worker) awaitConf(ctx context.Context) error {
	for {
		err := w.awaitConfOnce(ctx)
		if err == nil || ctx.Err() != nil {
			return err
		}
		w.logError("wait for a cluster", err)
		if err := crawler.WaitFor(ctx, cluster.MinLease); err != nil {
			return err
		}
	}
}

func (w *Worker) awaitConfOnce(ctx context.Context) error {
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
			return err // other unreadable entries are reported by Run
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

// readNotes reads the holdings that this crawler recorded before. A new frontier has never sent a link,
// so it records all earlier losses as handled.
func (w *Worker) readNotes(ctx context.Context) error {
	var broken error
	err := w.o.Local.Notes(ctx, func(n crawler.Note) error {
		if n.Key == diskNote {
			w.disk = string(n.Value)
		} else if number, ok := strings.CutPrefix(n.Key, holdingPrefix); ok {
			part, h, err := readPartitionRecord(number, n.Value)
			if err != nil {
				broken = errors.Join(broken, err)
				return nil
			}
			w.holdings[part] = h
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
			h := partitionRecord{Seen: p.Lost}
			w.holdings[n] = h
			notes = append(notes, h.encodeNote(n))
		}
	}
	return w.storeNotes(ctx, notes...)
}

// registerName registers the crawler's name. While another process may still use the name, it waits, up to a
// lease.
func (w *Worker) registerName(ctx context.Context) error {
	first, since := uint64(0), time.Now()
	for {
		e, err := w.o.Bus.Get(ctx, cluster.WorkerPrefix+w.o.Name)
		if err != nil && !errors.Is(err, cluster.ErrNoKey) {
			return err
		}
		b, err := decodeHeartbeat(e)
		if err != nil {
			w.logError("read the own entry", err) // written by an unknown process: wait for a lease
		}
		if first == 0 {
			first = e.Revision
		}
		free := e.Value == nil || b.Revoked || b.Doing == cluster.Gone || b.Disk == w.disk || time.Since(since) > w.conf.Lease
		switch {
		case free:
			err := w.writeFirstHeartbeat(ctx, e, b)
			if err == nil || !errors.Is(err, cluster.ErrConflict) {
				return err
			}
		case e.Revision != first:
			return fmt.Errorf("another process has used this name since %s; give this crawler another name", b.Started.Format(time.RFC3339))
		}
		if err := crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// writeFirstHeartbeat replaces entry e by the first heartbeat of this process. If old was revoked, it first records new
// tokens for the owned partitions, so that a manager that is about to reassign them fails.
func (w *Worker) writeFirstHeartbeat(ctx context.Context, e cluster.Entry, old cluster.Beat) error {
	if e.Value == nil || old.Revoked {
		if err := w.recordNextTokens(ctx); err != nil {
			return err
		}
	}
	if err := w.lockHeartbeat(ctx); err != nil {
		return err
	}
	defer w.unlockHeartbeat()
	w.mu.Lock()
	w.boot = rand.Text()
	w.mu.Unlock()
	start := w.o.Now()
	data, err := json.Marshal(w.nextHeartbeat(ctx))
	if err != nil {
		return err
	}
	rev, err := w.o.Bus.Set(ctx, cluster.WorkerPrefix+w.o.Name, data, e.Revision)
	if err == nil {
		w.moveFence(start, rev)
	}
	return err
}
