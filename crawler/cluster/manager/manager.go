// Package manager decides which crawler of a cluster owns which partition of the web, while it leads, and
// when the crawl is over. Package cluster describes the protocol between crawlers and managers.
package manager

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"golang.org/x/sync/errgroup"
)

// Bus is the part of cluster.Bus that a manager uses.
type Bus interface {
	cluster.Bucket
	cluster.Queues
	cluster.Events
}

// Options configure a manager.
type Options struct {
	Bus  Bus
	Name string // of this manager, at most cluster.MaxName bytes
	// Conf describes the crawl. The first manager of a cluster writes it. A manager with another Version
	// replaces it only if Replace is set, which ends all crawlers with the old version.
	Conf    cluster.Conf
	Replace bool
	// Seeds are published once per Conf.Version, by the leader, and again for partitions whose state is lost.
	Seeds []crawler.Candidate
	Sink  Sink // stores the events that crawlers find; nil: this manager stores none
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	Log *slog.Logger // nil: nothing is logged
}

func (o Options) validate() error {
	c := o.Conf
	switch {
	case o.Bus == nil:
		return errors.New("no bus")
	case !cluster.ValidName(o.Name):
		return fmt.Errorf("the name %q of the manager must have 1 to %d letters, digits, - and _", o.Name, cluster.MaxName)
	case c.Version == "":
		return errors.New("the version of the crawl is missing")
	case c.Partitions < cluster.MinPartitions || c.Partitions > cluster.MaxPartitions:
		return fmt.Errorf("there are %d partitions, must be %d to %d", c.Partitions, cluster.MinPartitions, cluster.MaxPartitions)
	case c.Lease < cluster.MinLease || c.Settle < 0:
		return fmt.Errorf("the lease is %s, and moves begin after %s: the lease must be at least %s, and the other not negative", c.Lease, c.Settle, cluster.MinLease)
	case !(c.Budget >= 0):
		return fmt.Errorf("the budget is %g pages, must not be negative", c.Budget)
	}
	return nil
}

// A Manager assigns partitions to crawlers while it leads, and waits to lead while another manager does.
// All its decisions are in the bucket, so that the next leader continues with them.
type Manager struct {
	o          Options
	boot       string
	seeds      [][]crawler.Candidate // by partition
	seedStates map[int]seedState     // by partition; used only by makeTurns
	reported   *cluster.ManagerState // last written to the bucket, nil: none; used only by one goroutine at a time

	mu      sync.Mutex // guards below
	view    clusterView
	changed chan struct{} // closed and replaced at every change of seen
	term    uint64        // the term in which it leads, 0 if it does not lead
	until   time.Time     // end of its leadership unless it is renewed
	beats   uint64
	moves   uint64
	lost    uint64
	backlog cluster.Backlog
}

// New returns a Manager, or an error that names the invalid option.
func New(o Options) (*Manager, error) {
	if err := o.validate(); err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Manager{o: o, boot: rand.Text(), seeds: seedsByPartition(o.Seeds, o.Conf.Partitions), seedStates: map[int]seedState{}, view: newClusterView(), changed: make(chan struct{})}, nil
}

// errFinished makes Run return nil.
var errFinished = errors.New("the crawl is over")

// Run manages the cluster until ctx ends or the crawl is over. The crawl is over, if Conf.Once is set,
// when no link is left and all crawlers have ended. Run then stores the remaining events, waits until the other
// managers have stored them too, because the bus may end with this process, and returns nil. If the bus does not respond,
// Run logs it and tries again. It returns ErrVersion if the cluster crawls with another version.
func (m *Manager) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.watchBucket(gctx) })
	g.Go(func() error { return m.makeTurns(gctx) })
	if m.o.Sink != nil {
		g.Go(func() error { return m.ingestEvents(gctx) })
	}
	err := g.Wait()
	switch {
	case errors.Is(err, errFinished):
		m.ingestRemaining(ctx)
		err = nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = nil
	}
	return err
}

// watchBucket updates the view with all changes of the bucket until ctx ends.
func (m *Manager) watchBucket(ctx context.Context) error {
	for {
		if err := m.watchOnce(ctx); err != nil {
			return err
		}
		if err := crawler.WaitFor(ctx, m.turnInterval()); err != nil {
			return err
		}
	}
}

// watchOnce first fills a new view completely and then replaces the old one. With a partly filled view,
// owners would seem to be missing.
func (m *Manager) watchOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := m.o.Bus.Watch(ctx)
	if err != nil {
		m.logError("watch the cluster", err)
		return ctx.Err()
	}
	m.mu.Lock()
	fresh := m.view.emptyCopy()
	m.mu.Unlock()
	for e := range entries {
		if fresh.ready {
			err = m.applyEntry(e)
		} else if m.receiveEntry(&fresh, e); fresh.ready {
			err = m.replaceView(fresh)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *Manager) receiveEntry(b *clusterView, e cluster.Entry) {
	if err := b.applyEntry(e, m.o.Now()); err != nil {
		m.o.Log.Error("the bucket holds invalid entries; they are replaced", "manager", m.o.Name, "error", err, "value", fmt.Sprintf("%.100q", e.Value))
	}
}

// replaceView replaces the current view by b. This manager's own writes that b lacks follow in the watch.
func (m *Manager) replaceView(b clusterView) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.view = b
	return m.notifyChange()
}

// applyEntry updates the view with an entry. It returns an error if the crawl was replaced by another one.
func (m *Manager) applyEntry(e cluster.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.receiveEntry(&m.view, e)
	return m.notifyChange()
}

// notifyChange wakes the goroutines that wait for a change. m.mu must be held.
func (m *Manager) notifyChange() error {
	close(m.changed)
	m.changed = make(chan struct{})
	c := m.view.conf
	switch {
	case c == nil || m.o.Replace:
		return nil
	case c.Version != m.o.Conf.Version:
		return fmt.Errorf("%w: %s; this manager has %s", cluster.ErrVersion, c.Version, m.o.Conf.Version)
	case !c.Equal(m.o.Conf):
		return fmt.Errorf("%w: its settings (lease, partitions, budget and others) differ from those of this manager", cluster.ErrVersion)
	}
	return nil
}

// turnInterval returns the interval between two turns.
func (m *Manager) turnInterval() time.Duration { return leaderLease(m.o.Conf.Lease) / 5 }

// makeTurns makes turns until ctx ends or the crawl is over.
func (m *Manager) makeTurns(ctx context.Context) error {
	for {
		m.mu.Lock()
		changed := m.changed
		m.mu.Unlock()
		limited, cancel := context.WithTimeout(ctx, leaderLease(m.o.Conf.Lease))
		err := m.makeTurn(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.Is(err, errFinished):
			return err
		case err != nil && !errors.Is(err, cluster.ErrConflict):
			m.logError("manage the cluster", err)
		}
		if err := m.awaitTurn(ctx, changed); err != nil {
			return err
		}
	}
}

// awaitTurn waits for the next turn. A change ends the wait, but not before a minimum time, so that several
// changes are handled together.
func (m *Manager) awaitTurn(ctx context.Context, changed <-chan struct{}) error {
	if err := crawler.WaitFor(ctx, min(m.turnInterval()/4, 100*time.Millisecond)); err != nil {
		return err
	}
	t := time.NewTimer(m.turnInterval())
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-t.C:
	}
	return nil
}

// makeTurn renews the leadership and then makes the changes that follow from the view.
func (m *Manager) makeTurn(ctx context.Context) error {
	m.mu.Lock()
	ready := m.view.ready
	m.mu.Unlock()
	if !ready {
		return nil
	}
	if leads, err := m.renewLeadership(ctx); !leads || err != nil {
		return errors.Join(err, m.checkEnded())
	}
	m.repairEntries(ctx)
	if err := m.writeConf(ctx); err != nil {
		return err
	}
	// Ownership comes first: queues of partitions without an owner are not read.
	return errors.Join(m.applyPlan(ctx), m.updateOrder(ctx), m.publishSeeds(ctx), m.checkEnded())
}

// applyPlan makes the changes of the plan.
func (m *Manager) applyPlan(ctx context.Context) error {
	m.mu.Lock()
	conf, term := m.o.Conf, m.term
	writes := m.view.planWrites(conf, term, m.o.Now())
	m.mu.Unlock()
	g := errgroup.Group{}
	g.SetLimit(16)
	for _, w := range writes {
		g.Go(func() error {
			err := m.applyWrite(ctx, w)
			if errors.Is(err, cluster.ErrConflict) {
				return nil // the watch brings its current value
			}
			return err
		})
	}
	return g.Wait()
}

// applyWrite makes a change if this manager still leads. It returns ErrConflict if the entry was changed by
// another process.
func (m *Manager) applyWrite(ctx context.Context, w plannedWrite) error {
	m.mu.Lock()
	leads := m.term > 0 && m.o.Now().Before(m.until)
	m.mu.Unlock()
	if !leads {
		return nil
	}
	data, err := w.encodedValue()
	if err != nil {
		return err
	}
	if data == nil {
		return m.o.Bus.Delete(ctx, w.key, w.last)
	}
	rev, err := m.o.Bus.Set(ctx, w.key, data, w.last)
	if err != nil {
		return err
	}
	if w.what != "" {
		m.o.Log.Info(w.what, "manager", m.o.Name)
	}
	if p, ok := w.value.(cluster.Part); ok {
		m.countMoves(w.old, p)
	}
	return m.applyEntry(cluster.Entry{Key: w.key, Value: data, Revision: rev})
}

// countMoves counts the move or the loss of a partition.
func (m *Manager) countMoves(old, p cluster.Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Lost != old.Lost {
		m.lost++
	}
	if old.Owner != "" && p.Next != old.Next && p.Lost == old.Lost {
		m.moves++
	}
}

func (m *Manager) logError(what string, err error) {
	m.o.Log.Warn(what, "manager", m.o.Name, "error", err)
}
