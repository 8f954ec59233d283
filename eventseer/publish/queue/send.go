package queue

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Sending. An email is in the queue until the server has taken it. Before the mailer is called the
// queue says that the email is being sent, and as soon as it returns one transaction takes the
// email out and notes that it was sent. So a process that is killed
//
//   - before the server's 250: sends the email again, and no reader has it twice;
//   - between the server's 250 and the end of that transaction, a few milliseconds: cannot
//     know, and sends the same letter again with the same Message-ID, by which mail
//     programs and servers tell that they have it;
//   - after that: does not send it again.
//
// Every reader sees an email, and no reader sees two. One letter is under way at a time, so a kill
// repeats one at most.

// SendAll sends what is in the queue. It returns how many emails were sent and how long to wait for
// the next one, 0 if there is none.
func (s *Queue) SendAll(ctx context.Context) (n int, wait time.Duration, err error) {
	if s.o.Mailer == nil {
		return 0, 0, nil
	}
	s.working.Lock()
	defer s.working.Unlock()
	for {
		now := s.now()
		if s.HeldBack(now) {
			if empty, err := s.empty(ctx); err != nil || empty {
				return n, 0, err
			}
			return n, time.Duration(float64(time.Second) / float64(s.limiter.Limit())), nil
		}
		sent, more, wait, err := s.sendNext(ctx, now)
		if sent {
			n++
		}
		if err != nil || !more {
			return n, wait, err
		}
	}
}

// HeldBack reports whether the rate limit allows no email now.
func (s *Queue) HeldBack(now time.Time) bool {
	return s.limiter != nil && s.limiter.TokensAt(now) < 1
}

// sendNext sends one email. more is false if there is none to be sent now.
func (s *Queue) sendNext(ctx context.Context, now time.Time) (done, more bool, wait time.Duration, err error) {
	var key []byte
	var q Mail
	var l message.Email
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		var err error
		if key, q, wait, err = nextLetter(tx, now); err != nil || key == nil {
			return s.skipCorrupt(tx, key, err)
		}
		if l, err = s.o.Write(tx, q); err != nil {
			l = message.Email{}
			return s.cannotWrite(tx, key, &q, err)
		}
		q.Sending = now
		q.Tries++
		return records.Put(tx, records.QueueBucket, key, q)
	})
	if err != nil || key == nil {
		return false, false, wait, err
	}
	if l.ID == "" { // it is not to be sent
		return false, true, 0, nil
	}
	if s.limiter != nil {
		s.limiter.AllowN(now, 1)
	}
	sendErr := s.o.Mailer.Send(ctx, l)
	// What the server has taken is noted, also if ctx has ended meanwhile.
	return sendErr == nil, true, 0, s.settleTry(context.WithoutCancel(ctx), key, q, sendErr)
}

// skipCorrupt takes a queued record that cannot be read out, so that it holds up no other.
func (s *Queue) skipCorrupt(tx *bolt.Tx, key []byte, err error) error {
	if err == nil || key == nil {
		return err
	}
	s.o.Log.Error("a queued letter cannot be read and is dropped", "cause", err)
	return tx.Bucket(records.QueueBucket).Delete(key)
}

// cannotWrite decides about an email that is not written: it is not wanted any more, or later.
func (s *Queue) cannotWrite(tx *bolt.Tx, key []byte, q *Mail, err error) error {
	if deleteErr := tx.Bucket(records.QueueBucket).Delete(key); deleteErr != nil {
		return deleteErr
	}
	var paused PausedError
	if errors.As(err, &paused) {
		return Add(tx, key[0], paused.Until, *q)
	}
	if !errors.Is(err, eventseer.ErrNotFound) {
		s.o.Log.Error("a letter cannot be written and is dropped", "id", q.ID, "cause", err)
	}
	s.count(func(c *Counters) { c.Lost++ })
	return nil
}

// settleTry records how a try ended.
func (s *Queue) settleTry(ctx context.Context, key []byte, q Mail, sendErr error) error {
	now := s.now()
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		if err := tx.Bucket(records.QueueBucket).Delete(key); err != nil {
			return err
		}
		q.Sending = time.Time{}
		switch {
		case sendErr == nil:
			s.count(func(c *Counters) { c.Sent++ })
			return records.Put(tx, records.SentBucket, []byte(q.ID), Sent{Address: records.AddressKey(q.Address), At: now})
		case errors.Is(sendErr, message.ErrRefused):
			s.count(func(c *Counters) { c.Refused++ })
			s.o.Log.Warn("an address takes no mail and gets none any more", "letter", q.ID, "cause", eventseer.Redact(sendErr.Error()))
			return s.o.Refuse(tx, q.Address, sendErr.Error(), now)
		}
		q.Error = message.CleanLine(sendErr.Error(), 300)
		wait, again := backoff(q.Tries)
		if !again {
			s.count(func(c *Counters) { c.Lost++ })
			s.o.Log.Error("a letter is given up", "letter", q.ID, "tries", q.Tries, "cause", eventseer.Redact(sendErr.Error()))
			return nil
		}
		s.count(func(c *Counters) { c.Retried++ })
		return Add(tx, key[0], now.Add(wait), q)
	})
}

// Bounced ends mail to the recipient of the email with a Message-ID, with or without brackets. It
// returns eventseer.ErrNotFound if it is not an email of ours. An address is not a Message-ID,
// although it looks like one: a reader's address is not secret, but the name of an email is.
func (s *Queue) Bounced(ctx context.Context, letter, why string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		kept, err := records.Get[Sent](tx, records.SentBucket, []byte(trimID(letter)))
		if errors.Is(err, eventseer.ErrNotFound) {
			return fmt.Errorf("%w: no letter %q", err, message.CleanLine(letter, records.MaxAddress))
		}
		if err != nil {
			return err
		}
		return s.bounced(tx, kept.Address, why)
	})
}

// Gone ends mail to the address of a reader, on the word of an operator;
// eventseer.ErrNotFound of no reader's.
func (s *Queue) Gone(ctx context.Context, address, why string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		if tx.Bucket(records.AddressBucket).Get([]byte(records.AddressKey(address))) == nil {
			return fmt.Errorf("%w: no reader %q", eventseer.ErrNotFound, message.CleanLine(address, records.MaxAddress))
		}
		return s.bounced(tx, address, why)
	})
}

func (s *Queue) bounced(tx *bolt.Tx, address, why string) error {
	s.count(func(c *Counters) { c.Refused++ })
	return s.o.Refuse(tx, address, "bounced: "+why, s.now())
}

func trimID(id string) string {
	if len(id) > 2 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}

// Waiting returns how many emails are in the queue.
func (s *Queue) Waiting(ctx context.Context) (int, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (int, error) { return tx.Bucket(records.QueueBucket).Len(), nil })
}

func (s *Queue) empty(ctx context.Context) (bool, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (bool, error) {
		k, _ := tx.Bucket(records.QueueBucket).Cursor().First()
		return k == nil, nil
	})
}
