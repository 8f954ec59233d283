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

// Sending. A mail stays in the queue until the server has accepted it. Before the mailer is called, the queue
// records that the mail is being sent. After the call, one transaction removes the mail and records that it
// was sent. If the process is killed
//
//   - before the server's 250, the mail is sent again; no reader gets it twice;
//   - between the server's 250 and the end of that transaction, a few
//     milliseconds, the mail is sent again with the same Message-ID, by which
//     mail programs and servers recognise a copy;
//   - after that, the mail is not sent again.
//
// So every mail is delivered, and readers see it once. One mail is sent at a time, so a kill repeats one at
// most.

// SendAll sends the mails that are due. It returns the number of mails sent and how long to wait for the next
// one, 0 if the queue is empty.
func (s *Queue) SendAll(ctx context.Context) (n int, wait time.Duration, err error) {
	if s.o.Mailer == nil {
		return 0, 0, nil
	}
	s.working.Lock()
	defer s.working.Unlock()
	for {
		now := s.now()
		if s.IsRateLimited(now) {
			if empty, err := s.isEmpty(ctx); err != nil || empty {
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

// IsRateLimited reports whether the rate limit currently allows no mail.
func (s *Queue) IsRateLimited(now time.Time) bool {
	return s.limiter != nil && s.limiter.TokensAt(now) < 1
}

// sendNext sends one mail. more is false if no mail is due.
func (s *Queue) sendNext(ctx context.Context, now time.Time) (done, more bool, wait time.Duration, err error) {
	var key []byte
	var q Mail
	var l message.Email
	err = s.db.Write(ctx, func(tx *bolt.Tx) error {
		var err error
		if key, q, wait, err = nextMail(tx, now); err != nil || key == nil {
			return s.removeCorrupt(tx, key, err)
		}
		if l, err = s.o.Write(tx, q); err != nil {
			l = message.Email{}
			return s.requeueOrDrop(tx, key, &q, err)
		}
		q.Sending = now
		q.Tries++
		return records.Put(tx, records.QueueBucket, key, q)
	})
	if err != nil || key == nil {
		return false, false, wait, err
	}
	if l.ID == "" { // must not be sent now
		return false, true, 0, nil
	}
	if s.limiter != nil {
		s.limiter.AllowN(now, 1)
	}
	sendErr := s.o.Mailer.Send(ctx, l)
	// The result is recorded even if ctx has ended.
	return sendErr == nil, true, 0, s.recordTry(context.WithoutCancel(ctx), key, q, sendErr)
}

// removeCorrupt removes a queued record that cannot be read, so that it does not block others. It returns any
// other error.
func (s *Queue) removeCorrupt(tx *bolt.Tx, key []byte, err error) error {
	if err == nil || key == nil {
		return err
	}
	s.o.Log.Error("a queued mail cannot be read and is dropped", "cause", err)
	return tx.Bucket(records.QueueBucket).Delete(key)
}

// requeueOrDrop handles a mail whose text could not be written. A paused mail is queued again, others are
// dropped.
func (s *Queue) requeueOrDrop(tx *bolt.Tx, key []byte, q *Mail, err error) error {
	if deleteErr := tx.Bucket(records.QueueBucket).Delete(key); deleteErr != nil {
		return deleteErr
	}
	var paused PausedError
	if errors.As(err, &paused) {
		return Add(tx, key[0], paused.Until, *q)
	}
	if !errors.Is(err, eventseer.ErrNotFound) {
		s.o.Log.Error("a mail cannot be composed and is dropped", "id", q.ID, "cause", err)
	}
	s.updateCounters(func(c *Counters) { c.Lost++ })
	return nil
}

// recordTry records the result of a try.
func (s *Queue) recordTry(ctx context.Context, key []byte, q Mail, sendErr error) error {
	now := s.now()
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		if err := tx.Bucket(records.QueueBucket).Delete(key); err != nil {
			return err
		}
		q.Sending = time.Time{}
		switch {
		case sendErr == nil:
			s.updateCounters(func(c *Counters) { c.Sent++ })
			return records.Put(tx, records.SentBucket, []byte(q.ID), SentRecord{Address: records.AddressKey(q.Address), At: now})
		case errors.Is(sendErr, message.ErrRefused):
			s.updateCounters(func(c *Counters) { c.Refused++ })
			s.o.Log.Warn("an address rejects our mail and gets no more", "letter", q.ID, "cause", eventseer.Redact(sendErr.Error()))
			return s.o.Refuse(tx, q.Address, sendErr.Error(), now)
		}
		q.Error = message.CleanLine(sendErr.Error(), 300)
		wait, again := backOffAfter(q.Tries)
		if !again {
			s.updateCounters(func(c *Counters) { c.Lost++ })
			s.o.Log.Error("a mail could not be sent in all tries and is dropped", "letter", q.ID, "tries", q.Tries, "cause", eventseer.Redact(sendErr.Error()))
			return nil
		}
		s.updateCounters(func(c *Counters) { c.Retried++ })
		return Add(tx, key[0], now.Add(wait), q)
	})
}

// EndMailByMessage ends mail to the recipient of the mail with the given Message-ID, with or without angle brackets.
// It returns eventseer.ErrNotFound if the queue did not send it. It does not accept an address instead,
// because a reader's address is not secret but a Message-ID is.
func (s *Queue) EndMailByMessage(ctx context.Context, letter, why string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		kept, err := records.Get[SentRecord](tx, records.SentBucket, []byte(trimID(letter)))
		if errors.Is(err, eventseer.ErrNotFound) {
			return fmt.Errorf("%w: no letter %q", err, message.CleanLine(letter, records.MaxAddress))
		}
		if err != nil {
			return err
		}
		return s.endMailTo(tx, kept.Address, why)
	})
}

// EndMailByAddress ends mail to the address of a reader, at the request of an operator. It returns eventseer.ErrNotFound
// if no reader has the address.
func (s *Queue) EndMailByAddress(ctx context.Context, address, why string) error {
	return s.db.Write(ctx, func(tx *bolt.Tx) error {
		if tx.Bucket(records.AddressBucket).Get([]byte(records.AddressKey(address))) == nil {
			return fmt.Errorf("%w: no reader %q", eventseer.ErrNotFound, message.CleanLine(address, records.MaxAddress))
		}
		return s.endMailTo(tx, address, why)
	})
}

func (s *Queue) endMailTo(tx *bolt.Tx, address, why string) error {
	s.updateCounters(func(c *Counters) { c.Refused++ })
	return s.o.Refuse(tx, address, "bounced: "+why, s.now())
}

func trimID(id string) string {
	if len(id) > 2 && id[0] == '<' && id[len(id)-1] == '>' {
		return id[1 : len(id)-1]
	}
	return id
}

// CountWaiting returns the number of mails in the queue.
func (s *Queue) CountWaiting(ctx context.Context) (int, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (int, error) { return tx.Bucket(records.QueueBucket).Len(), nil })
}

func (s *Queue) isEmpty(ctx context.Context) (bool, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (bool, error) {
		k, _ := tx.Bucket(records.QueueBucket).Cursor().First()
		return k == nil, nil
	})
}
