package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"

	"eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// The log of events is a stream with a subject for each ID, which keeps the last
// message of each.

func (b *bus) eventSubjects() string { return b.o.Bucket + ".e.*" }

// Announce implements cluster.Bus.
func (b *bus) Announce(ctx context.Context, id string, data []byte) error {
	err := checkMessage(id, data)
	if err == nil {
		subject := b.o.Bucket + ".e." + base64.RawURLEncoding.EncodeToString([]byte(id))
		// Only the retries of this call are the same message: an older one may come back.
		err = b.publish(ctx, &nats.Msg{Subject: subject, Data: data}, "e:"+rand.Text())
	}
	if err != nil {
		return fmt.Errorf("announce %.100q: %w", id, err)
	}
	return nil
}

// Announced implements cluster.Bus.
func (b *bus) Announced(ctx context.Context, after uint64) (number uint64, data []byte, err error) {
	err = b.retry(ctx, temporary, func(ctx context.Context) (err error) {
		number, data, err = b.announced(ctx, after)
		return err
	})
	if err != nil {
		return 0, nil, fmt.Errorf("events after %d: %w", after, err)
	}
	return number, data, nil
}

func (b *bus) announced(ctx context.Context, after uint64) (number uint64, data []byte, err error) {
	s, err := b.js.Stream(ctx, b.eventStream()) // asks how far it is
	if err != nil {
		return 0, nil, err
	}
	last := s.CachedInfo().State.LastSeq
	switch {
	case last < after:
		after = 0
	case last == after:
		return 0, nil, cluster.ErrNoKey
	}
	m, err := s.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(b.eventSubjects()))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil, cluster.ErrNoKey
	}
	if err != nil {
		return 0, nil, err
	}
	return m.Sequence, m.Data, nil
}
