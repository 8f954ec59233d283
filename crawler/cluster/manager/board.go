package manager

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// A board is what a manager has seen of the bucket, and since when it is so.
type board struct {
	ready   bool // all there was has been seen
	conf    *cluster.Conf
	order   cluster.Order
	leader  leaderEntry
	seeded  string // the Conf.Version whose seeds were published
	parts   map[int]cluster.PartEntry
	workers map[string]crawlerEntry
	drains  map[string]bool
	broken  map[int]bool      // partitions whose entry cannot be read
	last    map[string]uint64 // revisions by key
	before  map[string]crawlerEntry
}

// A leaderEntry is the Leader as it was read.
type leaderEntry struct {
	cluster.Leader
	revision uint64
	changed  time.Time // when a manager first saw it so
}

// A crawlerEntry is a Beat as it was read.
type crawlerEntry struct {
	cluster.Beat
	revision uint64
	changed  time.Time // when a manager first saw it so
	arrived  time.Time // when a manager first saw it work, since it last did not
}

func newBoard() board {
	return board{
		parts: map[int]cluster.PartEntry{}, workers: map[string]crawlerEntry{}, drains: map[string]bool{}, broken: map[int]bool{},
		last: map[string]uint64{},
	}
}

// again is an empty board to be filled anew, which remembers since when the entries
// that have not changed meanwhile are as they are. The two share nothing that changes.
func (b *board) again() board {
	next := newBoard()
	next.before = maps.Clone(b.workers)
	next.leader, next.conf = b.leader, b.conf
	return next
}

// take takes an entry in.
func (b *board) take(e cluster.Entry, now time.Time) error {
	if e.Key == "" {
		b.ready, b.before = true, nil
		return nil
	}
	if e.Revision <= b.last[e.Key] {
		return nil
	}
	b.last[e.Key] = e.Revision
	kind, name, _ := strings.Cut(e.Key, ".")
	switch kind + "." {
	case cluster.PartPrefix:
		return b.takePart(e, name)
	case cluster.WorkerPrefix:
		return b.takeWorker(e, name, now)
	case cluster.DrainPrefix:
		b.drains[name] = e.Value != nil
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

func (b *board) takePart(e cluster.Entry, number string) error {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= cluster.MaxPartitions {
		return nil // of nobody's
	}
	var p cluster.Part
	if e.Value == nil { // not by one of us: what the owner has is of no token that is known
		token := b.parts[n].Token + 1
		p, e.Revision = cluster.Part{Token: token, Lost: token}, 0
	} else if err := json.Unmarshal(e.Value, &p); err != nil {
		b.broken[n] = true
		return fmt.Errorf("entry %s, which no manager changes: %w", e.Key, err)
	}
	delete(b.broken, n)
	b.parts[n] = cluster.PartEntry{Part: p, Revision: e.Revision}
	return nil
}

func (b *board) takeWorker(e cluster.Entry, name string, now time.Time) error {
	if e.Value == nil || !cluster.ValidName(name) {
		delete(b.workers, name)
		return nil
	}
	old, known := b.workers[name]
	if !known {
		old = b.before[name]
	}
	w := crawlerEntry{revision: e.Revision, changed: now, arrived: old.arrived}
	if old.revision == e.Revision {
		w.changed = old.changed
	}
	if err := cluster.Decode(e, &w.Beat); err != nil {
		return err
	}
	switch {
	case w.Revoked || w.Doing == cluster.Gone:
		w.arrived = time.Time{}
	case w.arrived.IsZero():
		w.arrived = now
	}
	b.workers[name] = w
	return nil
}

// forgive begins the silence of all crawlers anew: while nobody led it may have been
// the bus that was silent.
func (b *board) forgive(now time.Time) {
	for name, w := range b.workers {
		w.changed = now
		b.workers[name] = w
	}
}

// names are those of all crawlers, sorted.
func (b *board) names() []string { return slices.Sorted(maps.Keys(b.workers)) }

// working reports whether a crawler is alive, and may own partitions or does.
func (w crawlerEntry) working(c cluster.Conf, now time.Time) bool {
	return !w.Revoked && w.Doing != cluster.Gone && now.Sub(w.changed) < c.Lease
}
