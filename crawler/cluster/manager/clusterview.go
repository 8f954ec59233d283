package manager

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// A clusterView is a manager's view of the bucket, with the times at which entries changed.
type clusterView struct {
	ready       bool // all entries that existed at the start were read
	conf        *cluster.Conf
	order       cluster.Order
	leader      leaderEntry
	seeded      string // the Conf.Version whose seeds were published
	parts       map[int]cluster.PartEntry
	workers     map[string]crawlerEntry
	drains      map[string]bool
	bad         map[string]unreadableEntry // invalid entries, by key
	quarantined map[string]bool            // keys under BadPrefix that have a value
	last        map[string]uint64          // revisions by key
	before      map[string]crawlerEntry
}

// An unreadableEntry is an entry that CheckEntry refuses. Its value is nil if the entry was deleted.
type unreadableEntry struct {
	cluster.Entry
	kept bool // under BadPrefix
}

// A leaderEntry is the Leader entry with its revision.
type leaderEntry struct {
	cluster.Leader
	revision uint64
	changed  time.Time // time when this manager first saw this revision
}

// A crawlerEntry is a Beat entry with its revision.
type crawlerEntry struct {
	cluster.Beat
	revision     uint64
	changed      time.Time // time when this manager first saw this revision
	workingSince time.Time // time when this manager first saw the crawler working without interruption since
}

func newClusterView() clusterView {
	return clusterView{
		parts: map[int]cluster.PartEntry{}, workers: map[string]crawlerEntry{}, drains: map[string]bool{}, bad: map[string]unreadableEntry{}, quarantined: map[string]bool{},
		last: map[string]uint64{},
	}
}

// emptyCopy returns an empty view to be filled from a new watch. It keeps the times of the entries, which
// stay valid for those whose revision has not changed. The two views share no mutable data.
func (b *clusterView) emptyCopy() clusterView {
	next := newClusterView()
	next.before = maps.Clone(b.workers)
	next.leader, next.conf = b.leader, b.conf
	return next
}

// applyEntry updates the view with an entry. Entries that are not newer are ignored.
func (b *clusterView) applyEntry(e cluster.Entry, now time.Time) error {
	if e.Key == "" {
		b.ready, b.before = true, nil
		return nil
	}
	if e.Revision <= b.last[e.Key] {
		return nil
	}
	b.last[e.Key] = e.Revision
	kind, name, _ := strings.Cut(e.Key, ".")
	if err := cluster.CheckEntry(e); err != nil {
		b.applyBadEntry(e, kind+".", name, now)
		return err
	}
	delete(b.bad, e.Key)
	switch kind + "." {
	case cluster.PartPrefix:
		return b.applyPart(e, name)
	case cluster.WorkerPrefix:
		return b.applyWorker(e, name, now)
	case cluster.DrainPrefix:
		b.drains[name] = e.Value != nil
		return nil
	case cluster.BadPrefix:
		if b.quarantined[name] = true; e.Value == nil {
			delete(b.quarantined, name)
		}
		return nil
	}
	switch e.Key {
	case cluster.ConfKey:
		b.conf = new(cluster.Conf)
		return cluster.Decode(e, b.conf)
	case cluster.LeaderKey:
		if e.Revision != b.leader.revision {
			b.leader.changed = now
		}
		b.leader.Leader, b.leader.revision = cluster.Leader{}, e.Revision
		return cluster.Decode(e, &b.leader.Leader)
	case cluster.OrderKey:
		b.order = cluster.Order{}
		return cluster.Decode(e, &b.order)
	case cluster.SeededKey:
		b.seeded = string(e.Value)
	}
	return nil
}

func (b *clusterView) applyPart(e cluster.Entry, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= cluster.MaxPartitions {
		return nil // without an owner
	}
	var p cluster.Part
	if e.Value == nil { // not by a manager or crawler
		p, e.Revision = lostPart(e), 0
	} else if err := cluster.Decode(e, &p); err != nil {
		return err
	}
	b.parts[n] = cluster.PartEntry{Part: p, Revision: e.Revision}
	return nil
}

// lostPart returns a Part without an owner and without its state. The revision serves as its token,
// because it is larger than any earlier token.
func lostPart(e cluster.Entry) cluster.Part {
	return cluster.Part{Token: e.Revision, Lost: e.Revision}
}

// applyBadEntry updates the view with an unreadable entry. The previous value stays in use, except for
// partitions and crawlers, whose owner or state may have changed. The leader writes all of these entries
// again (see repairEntries).
func (b *clusterView) applyBadEntry(e cluster.Entry, kind, name string, now time.Time) {
	b.bad[e.Key] = unreadableEntry{Entry: e}
	switch kind {
	case cluster.PartPrefix:
		if n, err := strconv.Atoi(name); err == nil && n >= 0 && n < cluster.MaxPartitions {
			b.parts[n] = cluster.PartEntry{Part: lostPart(e), Revision: e.Revision}
		}
	case cluster.WorkerPrefix: // it may make requests until its lease ends
		b.workers[name] = crawlerEntry{revision: e.Revision, changed: now}
	}
	if e.Key == cluster.LeaderKey {
		b.leader.Boot, b.leader.revision, b.leader.changed = "", e.Revision, now
	}
}

// largestTerm returns the largest term in any entry.
func (b *clusterView) largestTerm() uint64 {
	term := b.leader.Term
	for _, p := range b.parts {
		term = max(term, p.Term)
	}
	return term
}

func (b *clusterView) applyWorker(e cluster.Entry, name string, now time.Time) error {
	if e.Value == nil || !cluster.ValidName(name) {
		delete(b.workers, name)
		return nil
	}
	old, known := b.workers[name]
	if !known {
		old = b.before[name]
	}
	w := crawlerEntry{revision: e.Revision, changed: now, workingSince: old.workingSince}
	if old.revision == e.Revision {
		w.changed = old.changed
	}
	if err := cluster.Decode(e, &w.Beat); err != nil {
		return err
	}
	switch {
	case w.Revoked || w.Doing == cluster.Gone:
		w.workingSince = time.Time{}
	case w.workingSince.IsZero():
		w.workingSince = now
	}
	b.workers[name] = w
	return nil
}

// restartSilence restarts the silence of all crawlers. It is called when a manager becomes leader, because the
// bus may have been unavailable before.
func (b *clusterView) restartSilence(now time.Time) {
	for name, w := range b.workers {
		w.changed = now
		b.workers[name] = w
	}
}

// crawlerNames returns the names of all crawlers, sorted.
func (b *clusterView) crawlerNames() []string { return slices.Sorted(maps.Keys(b.workers)) }

// isWorking reports whether a crawler is alive, so that it may own partitions.
func (w crawlerEntry) isWorking(c cluster.Conf, now time.Time) bool {
	return !w.Revoked && w.Doing != cluster.Gone && now.Sub(w.changed) < c.Lease
}
