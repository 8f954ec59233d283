package manager

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
)

// A Sink stores the events of all crawlers, oldest first. Of each event, only the last version that a crawler
// announced is needed. Every manager has its own Sink, so that each has all events.
type Sink interface {
	// LastStored returns the number that was last marked, initially 0.
	LastStored(ctx context.Context) (uint64, error)
	// StoreAnnouncement stores an event. After a crash it may get the same one again. After an error it
	// is called again with the same event, so it must return nil for an event that can never be stored.
	StoreAnnouncement(ctx context.Context, a cluster.Announcement) error
	// SetLastStored records that all events up to a number were stored.
	SetLastStored(ctx context.Context, number uint64) error
}

// maxEvents is the number of events that are stored before the position in the log is written. If there are
// fewer, checkInterval is the interval of checking for more.
const (
	maxEvents     = 64
	checkInterval = time.Second
)

// ingestEvents stores the events that crawlers publish until ctx ends.
func (m *Manager) ingestEvents(ctx context.Context) error {
	for {
		n, err := m.ingestNext(ctx)
		if err != nil && ctx.Err() == nil {
			m.logError("store the events of crawlers", err)
		}
		if n < maxEvents || err != nil {
			if err := crawler.WaitFor(ctx, checkInterval); err != nil {
				return err
			}
		}
	}
}

// Limits after the crawl is over.
const (
	maxDrainTime = time.Minute     // of storing events and waiting for other managers
	maxBusTime   = 5 * time.Second // of reading what other managers have stored
)

// ingestRemaining stores the remaining events after all crawlers have gone, and then waits for the other
// managers. Events that cannot be read from the bus in time are stored at the next start; this is logged.
func (m *Manager) ingestRemaining(ctx context.Context) {
	if m.o.Sink == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxDrainTime)
	defer cancel()
	for {
		n, err := m.ingestNext(ctx)
		switch {
		case err != nil:
			m.logError("store the events of crawlers", err)
		case n == 0:
			if m.reported != nil {
				m.awaitOtherManagers(ctx)
			}
			return
		}
		if err != nil && crawler.WaitFor(ctx, checkInterval) != nil {
			m.o.Log.Warn("not all events of crawlers were stored: start the manager again to store the rest", "manager", m.o.Name)
			return
		}
	}
}

// ingestNext stores the next events of the log, up to maxEvents, and returns their number.
func (m *Manager) ingestNext(ctx context.Context) (n int, err error) {
	marked, err := m.o.Sink.LastStored(ctx)
	if err != nil {
		return 0, err
	}
	number := marked
	for n < maxEvents && err == nil {
		var next cluster.Announcement
		if next, err = m.o.Bus.Announced(ctx, number); err != nil {
			break
		}
		if err = m.o.Sink.StoreAnnouncement(ctx, next); err == nil {
			number = next.Number
			n++
		}
	}
	if errors.Is(err, cluster.ErrNoKey) {
		err = nil
	}
	if number != marked {
		err = errors.Join(err, m.o.Sink.SetLastStored(ctx, number))
	}
	if err == nil && m.o.Conf.Once {
		err = m.reportState(ctx, cluster.ManagerState{Stored: number, Ended: m.reported != nil && m.reported.Ended})
	}
	return n, err
}

// reportState writes the state of this manager for the others, unless it is written.
func (m *Manager) reportState(ctx context.Context, s cluster.ManagerState) error {
	if m.reported != nil && *m.reported == s {
		return nil
	}
	key := cluster.ManagerPrefix + m.o.Name
	e, err := m.o.Bus.Get(ctx, key)
	if err != nil && !errors.Is(err, cluster.ErrNoKey) {
		return err
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if _, err = m.o.Bus.Set(ctx, key, data, e.Revision); err != nil {
		return err
	}
	m.reported = &s
	return nil
}

// maxStall is how many times, at intervals of checkInterval, a manager looks after the others without any of them
// having stored another event.
const maxStall = 20

// awaitOtherManagers waits until all other managers know that the crawl is over and have stored the events that
// this one has. If they do nothing more, because they were stopped before, it logs their names and returns. It
// also returns if the bus does not respond, since they cannot read from it either.
func (m *Manager) awaitOtherManagers(ctx context.Context) {
	if err := m.reportState(ctx, cluster.ManagerState{Stored: m.reported.Stored, Ended: true}); err != nil {
		m.logError("tell other managers what is stored", err)
		return
	}
	var before, behind map[string]cluster.ManagerState
	for stalled := 0; stalled < maxStall; stalled++ {
		var err error
		if behind, err = m.managersBehind(ctx); err != nil || len(behind) == 0 {
			return
		}
		if !maps.Equal(behind, before) {
			stalled = 0
		}
		before = behind
		if crawler.WaitFor(ctx, checkInterval) != nil {
			break
		}
	}
	m.o.Log.Warn("other managers have not stored all events of crawlers: start this manager and them again to store the rest",
		"manager", m.o.Name, "others", strings.Join(slices.Sorted(maps.Keys(behind)), ", "))
}

// managersBehind returns the other managers that do not know that the crawl is over or have stored fewer events
// than this one.
func (m *Manager) managersBehind(ctx context.Context) (map[string]cluster.ManagerState, error) {
	ctx, cancel := context.WithTimeout(ctx, maxBusTime)
	defer cancel()
	entries, err := cluster.ReadAll(ctx, m.o.Bus)
	behind := map[string]cluster.ManagerState{}
	for key, e := range entries {
		name, ok := strings.CutPrefix(key, cluster.ManagerPrefix)
		if !ok || e.Value == nil || cluster.CheckEntry(e) != nil {
			continue
		}
		var s cluster.ManagerState
		if err := cluster.Decode(e, &s); err == nil && (!s.Ended || s.Stored < m.reported.Stored) {
			behind[name] = s
		}
	}
	return behind, err
}
