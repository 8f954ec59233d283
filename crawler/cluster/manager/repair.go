package manager

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// repairEntries copies unreadable entries to BadPrefix, and deletes requests to drain and states of managers among
// them. Partitions, conf, order and crawlers are written again by the code that normally writes them;
// renewLeadership has already written the leader's own entry.
func (m *Manager) repairEntries(ctx context.Context) {
	m.mu.Lock()
	bad := maps.Clone(m.view.bad)
	m.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(bad)) {
		if err := m.copyBadEntry(ctx, bad[key]); err != nil {
			m.logError("copy an unreadable entry to "+cluster.BadPrefix+key, err)
		}
		if !strings.HasPrefix(key, cluster.DrainPrefix) && !strings.HasPrefix(key, cluster.ManagerPrefix) {
			continue
		}
		if err := m.applyWrite(ctx, plannedWrite{key: key, last: bad[key].Revision, what: "entry " + key + " is none: deleted"}); err != nil && !errors.Is(err, cluster.ErrConflict) {
			m.logError("delete "+key, err)
		}
	}
}

// copyBadEntry copies the value of one entry to BadPrefix, once.
func (m *Manager) copyBadEntry(ctx context.Context, e unreadableEntry) error {
	if e.kept || e.Value == nil {
		return nil
	}
	key := cluster.BadPrefix + e.Key
	old, err := m.o.Bus.Get(ctx, key)
	if err != nil && !errors.Is(err, cluster.ErrNoKey) {
		return err
	}
	if _, err := m.o.Bus.Set(ctx, key, e.Value[:min(len(e.Value), cluster.MaxEntry)], old.Revision); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now, ok := m.view.bad[e.Key]; ok && now.Revision == e.Revision {
		now.kept = true
		m.view.bad[e.Key] = now
	}
	return nil
}

// lastRevision returns the revision to pass to Set for a key, which is 0 if the entry was deleted. m.mu must be
// held.
func (m *Manager) lastRevision(key string) uint64 {
	if bad, ok := m.view.bad[key]; ok && bad.Value == nil {
		return 0
	}
	return m.view.last[key]
}
