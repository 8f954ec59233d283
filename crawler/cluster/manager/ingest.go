package manager

import (
	"context"
	"errors"
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

// maxDrainTime is how long a manager continues to store events after the crawl is over.
const maxDrainTime = time.Minute

// ingestRemaining stores the remaining events after all crawlers have gone. Events that cannot be read from
// the bus in time are stored at the next start; this is logged.
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
	return n, err
}
