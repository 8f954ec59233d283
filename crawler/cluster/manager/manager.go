// Package manager says which crawler of a cluster owns which partition of the web, while
// it leads, and when the crawl is over. Package cluster says how crawlers and managers
// agree.
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

// A Bus is what a manager needs of cluster.Bus.
type Bus interface {
	cluster.Bucket
	cluster.Queues
	cluster.Events
}

// Options are what a manager needs.
type Options struct {
	Bus  Bus
	Name string // of this manager, at most MaxName bytes
	// Conf is what is to be crawled. The first manager of a cluster writes it; one with
	// another Version replaces it only if Replace is set, which ends all crawlers of the old.
	Conf    cluster.Conf
	Replace bool
	// Seeds are published once per Conf.Version, by the leader.
	Seeds []crawler.Candidate
	Sink  Sink // stores what crawlers have found; nil: no events are stored here
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
		return fmt.Errorf("name %q of the manager is not of 1 to %d letters, digits, - and _", o.Name, cluster.MaxName)
	case c.Version == "":
		return errors.New("the crawl has no version")
	case c.Partitions < cluster.MinPartitions || c.Partitions > cluster.MaxPartitions:
		return fmt.Errorf("%d partitions: %d to %d", c.Partitions, cluster.MinPartitions, cluster.MaxPartitions)
	case c.Lease < cluster.MinLease || c.Settle < 0:
		return fmt.Errorf("a lease of %s after %s: at least %s, and not before", c.Lease, c.Settle, cluster.MinLease)
	case !(c.Budget >= 0):
		return fmt.Errorf("a budget of %g pages", c.Budget)
	}
	return nil
}

// A Manager says which crawler owns which partition while it leads, and waits to
// lead while another does. All that it decides is in the bucket, so that the next
// leader goes on where it ended.
type Manager struct {
	o    Options
	boot string
	sown map[int]int // seeds published by partition; of manage alone

	mu      sync.Mutex // guards below
	seen    board
	changed chan struct{} // closed and replaced by every change of seen
	term    uint64        // that it leads, 0 if it does not
	until   time.Time     // it leads no longer than that
	beats   uint64
	moves   uint64
	lost    uint64
	backlog cluster.Backlog
}

// New returns a Manager, or an error that names the option that is wrong.
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
	return &Manager{o: o, boot: rand.Text(), sown: map[int]int{}, seen: newBoard(), changed: make(chan struct{})}, nil
}

// errFinished ends Run in order.
var errFinished = errors.New("the crawl is over")

// Run manages until ctx ends, then returns nil, or until the crawl is over and all
// crawlers have ended, where Conf.Once is set. A bus that does not answer is reported and
// tried again. ErrVersion: the cluster crawls with another version.
func (m *Manager) Run(ctx context.Context) error {
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() error { return m.watch(gctx) })
	g.Go(func() error { return m.manage(gctx) })
	if m.o.Sink != nil {
		g.Go(func() error { return m.ingest(gctx) })
	}
	err := g.Wait()
	switch {
	case errors.Is(err, errFinished):
		m.ingestRest(ctx)
		err = nil
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		err = nil
	}
	return err
}

// watch keeps the board as the bucket is, until ctx ends.
func (m *Manager) watch(ctx context.Context) error {
	for {
		if err := m.watchOnce(ctx); err != nil {
			return err
		}
		if err := crawler.Pause(ctx, m.every()); err != nil {
			return err
		}
	}
}

// watchOnce fills a board of its own first: of half a board it would look as if owners
// were not there.
func (m *Manager) watchOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := m.o.Bus.Watch(ctx)
	if err != nil {
		m.tell("watch the cluster", err)
		return ctx.Err()
	}
	m.mu.Lock()
	fresh := m.seen.again()
	m.mu.Unlock()
	for e := range entries {
		if fresh.ready {
			err = m.learn(e)
		} else if m.takeEntry(&fresh, e); fresh.ready {
			err = m.replace(fresh)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *Manager) takeEntry(b *board, e cluster.Entry) {
	if err := b.applyEntry(e, m.o.Now()); err != nil {
		m.o.Log.Error("the bucket holds invalid entries: they are written again", "manager", m.o.Name, "error", err, "value", fmt.Sprintf("%.100q", e.Value))
	}
}

// replace puts a board in the place of what was seen. Own writes that it lacks come by
// the watch.
func (m *Manager) replace(b board) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = b
	return m.news()
}

// learn takes in an entry. Its error is that the crawl became another.
func (m *Manager) learn(e cluster.Entry) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.takeEntry(&m.seen, e)
	return m.news()
}

// news tells of a change. m.mu is held.
func (m *Manager) news() error {
	close(m.changed)
	m.changed = make(chan struct{})
	c := m.seen.conf
	switch {
	case c == nil || m.o.Replace:
		return nil
	case c.Version != m.o.Conf.Version:
		return fmt.Errorf("%w: %s, this manager has %s", cluster.ErrVersion, c.Version, m.o.Conf.Version)
	case !c.Equal(m.o.Conf):
		return fmt.Errorf("%w: its lease, partitions, budget or the like are others than this manager's", cluster.ErrVersion)
	}
	return nil
}

// every returns the time between two turns.
func (m *Manager) every() time.Duration { return leaderLease(m.o.Conf.Lease) / 5 }

// manage makes turns until ctx ends or the crawl is over.
func (m *Manager) manage(ctx context.Context) error {
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
			m.tell("manage the cluster", err)
		}
		if err := m.rest(ctx, changed); err != nil {
			return err
		}
	}
}

// rest waits for the next turn: shorter where something has changed, but long enough
// that changes come together.
func (m *Manager) rest(ctx context.Context, changed <-chan struct{}) error {
	if err := crawler.Pause(ctx, min(m.every()/4, 100*time.Millisecond)); err != nil {
		return err
	}
	t := time.NewTimer(m.every())
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-changed:
	case <-t.C:
	}
	return nil
}

// makeTurn returns one look at the board and what follows from it.
func (m *Manager) makeTurn(ctx context.Context) error {
	m.mu.Lock()
	ready := m.seen.ready
	m.mu.Unlock()
	if !ready {
		return nil
	}
	if leads, err := m.lead(ctx); !leads || err != nil {
		return errors.Join(err, m.ended())
	}
	m.repair(ctx)
	if err := m.configure(ctx); err != nil {
		return err
	}
	// Who owns what comes first: without an owner no queue empties.
	return errors.Join(m.arrange(ctx), m.conduct(ctx), m.seed(ctx), m.ended())
}

// arrange carries out the plan.
func (m *Manager) arrange(ctx context.Context) error {
	m.mu.Lock()
	conf, term := m.o.Conf, m.term
	writes := m.seen.plan(conf, term, m.o.Now())
	m.mu.Unlock()
	g := errgroup.Group{}
	g.SetLimit(16)
	for _, w := range writes {
		g.Go(func() error {
			err := m.put(ctx, w)
			if errors.Is(err, cluster.ErrConflict) {
				return nil // the watch brings what it is now
			}
			return err
		})
	}
	return g.Wait()
}

// put writes an entry, if this manager still leads and no other has changed it.
func (m *Manager) put(ctx context.Context, w write) error {
	m.mu.Lock()
	leads := m.term > 0 && m.o.Now().Before(m.until)
	m.mu.Unlock()
	if !leads {
		return nil
	}
	data, err := w.data()
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
		m.count(w.old, p)
	}
	return m.learn(cluster.Entry{Key: w.key, Value: data, Revision: rev})
}

// count counts moves and losses.
func (m *Manager) count(old, p cluster.Part) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if p.Lost != old.Lost {
		m.lost++
	}
	if old.Owner != "" && p.Next != old.Next && p.Lost == old.Lost {
		m.moves++
	}
}

func (m *Manager) tell(what string, err error) {
	m.o.Log.Warn(what, "manager", m.o.Name, "error", err)
}
