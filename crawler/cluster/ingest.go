package cluster

import (
	"context"
	"strconv"

	"github.com/zeebo/xxh3"
)

// maxEvents is how many events are taken before they are acknowledged.
const maxEvents = 64

// ingest takes what crawlers publish until ctx ends. What cannot be taken now comes
// again; the others are taken meanwhile.
func (m *Manager) ingest(ctx context.Context) error {
	for {
		c, err := m.o.Bus.Consume(ctx, Events)
		if err == nil {
			err = m.ingestFrom(ctx, c)
			if e := c.Close(); err == nil {
				err = e
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.tell("take what crawlers have found", err)
		}
		if err := pause(ctx, m.every()); err != nil {
			return err
		}
	}
}

// ingestFrom returns after an error, so that what was not taken waits a little.
func (m *Manager) ingestFrom(ctx context.Context, c Consumer) error {
	for {
		messages, err := c.Next(ctx, maxEvents, consumes)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var failed error
		for _, msg := range messages {
			if err := m.o.Take(ctx, contentID(msg.Data), msg.Data); err != nil {
				failed = err
				continue
			}
			if err := msg.Ack(); err != nil {
				failed = err
			}
		}
		if failed != nil {
			return failed
		}
	}
}

// contentID names a message by what it says.
func contentID(data []byte) string { return strconv.FormatUint(xxh3.Hash(data), 36) }
