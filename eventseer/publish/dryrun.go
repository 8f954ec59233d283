package publish

import (
	"bytes"
	"context"
	"errors"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// errDry takes back what a dry run did.
var errDry = errors.New("dry run")

// DryRun makes one pass and gives m the letters that would be sent, those that wait
// already too, and takes everything back: nothing is told, and nothing is marked as sent.
func (s *Service) DryRun(ctx context.Context, m message.Mailer) (Done, error) {
	s.working.Lock()
	defer s.working.Unlock()
	var d Done
	var letters []message.Email
	before := s.Counters()
	s.lists.RLock()
	defer s.lists.RUnlock()
	err := s.update(ctx, func(tx *bbolt.Tx) error {
		if err := s.dryPass(ctx, tx, &d); err != nil {
			return err
		}
		var err error
		letters, err = s.allLetters(tx)
		return errors.Join(errDry, err)
	})
	after := s.Counters()
	d.Changes, d.Items = int(after.Changes-before.Changes), int(after.Items-before.Items)
	s.count(func(c *Counters) { *c = before })
	if err = withoutDry(err); err != nil {
		return d, err
	}
	for _, l := range letters {
		if err := m.Send(ctx, l); err != nil {
			return d, err
		}
		d.Sent++
	}
	return d, nil
}

// withoutDry returns what went wrong besides that everything is taken back.
func withoutDry(err error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok && errors.Is(err, errDry) {
		return errors.Join(joined.Unwrap()[1:]...)
	}
	return err
}

// dryPass reads the outbox and makes digests in one transaction.
func (s *Service) dryPass(ctx context.Context, tx *bbolt.Tx, d *Done) error {
	inside := func(_ context.Context, f func(*bbolt.Tx) error) error { return f(tx) }
	for s.o.Store != nil {
		n, err := s.readBatch(ctx, inside)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	if err := s.enter(ctx, transactions{inside, inside}); err != nil {
		return err
	}
	for {
		made, due, err := s.digestBatch(ctx, inside)
		d.Digests += made
		if err != nil || due < accountsAtOnce {
			return err
		}
	}
}

// allLetters writes all letters of the queue that are wanted.
func (s *Service) allLetters(tx *bbolt.Tx) (letters []message.Email, err error) {
	for _, v := range under(tx, queueBucket, nil) {
		q, err := decode[queued](queueBucket, bytes.Clone(v))
		if err != nil {
			return nil, err
		}
		l, err := s.letter(tx, q)
		var paused pausedError
		if errors.Is(err, eventseer.ErrNotFound) || errors.As(err, &paused) {
			continue
		}
		if err != nil {
			return nil, err
		}
		letters = append(letters, l)
	}
	return letters, nil
}
