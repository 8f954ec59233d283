package manager

import (
	"context"
	"errors"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
)

// A Sink takes the events of all crawlers, oldest first; of what one crawler has said
// of an event the last is enough. Every manager has one, so that each has all.
type Sink interface {
	// Taken is the number that was last marked, 0 at first.
	Taken(ctx context.Context) (uint64, error)
	// Take takes an event: some again after a crash. After an error it comes again, so
	// what can never be taken is no error.
	StoreAnnouncement(ctx context.Context, a cluster.Announcement) error
	// Mark means that all up to a number were taken.
	Mark(ctx context.Context, number uint64) error
}

// maxEvents is how many events are taken before they are marked, and look how often
// it is looked whether there are more.
const (
	maxEvents = 64
	look      = time.Second
)

// ingest takes what crawlers publish until ctx ends.
func (m *Manager) ingest(ctx context.Context) error {
	for {
		n, err := m.ingestSome(ctx)
		if err != nil && ctx.Err() == nil {
			m.tell("take what crawlers have found", err)
		}
		if n < maxEvents || err != nil {
			if err := crawler.Pause(ctx, look); err != nil {
				return err
			}
		}
	}
}

// maxRest bounds how long a manager takes events after the crawl is over.
const maxRest = time.Minute

// ingestRest takes what is left when all crawlers have gone: they have announced all they found.
// What the bus does not give is left to the next start, and reported.
func (m *Manager) ingestRest(ctx context.Context) {
	if m.o.Sink == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, maxRest)
	defer cancel()
	for {
		n, err := m.ingestSome(ctx)
		switch {
		case err != nil:
			m.tell("take what crawlers have found", err)
		case n == 0:
			return
		}
		if err != nil && crawler.Pause(ctx, look) != nil {
			m.o.Log.Warn("not all events that crawlers have found were taken: start the manager again to take them", "manager", m.o.Name)
			return
		}
	}
}

// ingestSome takes the events that are there, up to maxEvents.
func (m *Manager) ingestSome(ctx context.Context) (n int, err error) {
	marked, err := m.o.Sink.Taken(ctx)
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
		err = errors.Join(err, m.o.Sink.Mark(ctx, number))
	}
	return n, err
}
