package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// Limits of a note besides its text.
const (
	maxNoteURL    = 2000 // bytes
	maxNoteField  = 100  // bytes
	maxNoteAnswer = 500  // runes
)

// Leave implements eventseer.Desk. A note without a time gets that of the clock.
// E-mail addresses and telephone numbers are taken out of the text, what is longer
// than MaxNote is cut.
func (s *Store) Leave(ctx context.Context, n eventseer.Note) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	n, err := s.fitNote(n)
	if err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return putNote(tx, n) })
}

// putNote lets a note wait, unless it does or did already.
func putNote(tx *bbolt.Tx, n eventseer.Note) error {
	ids, notes := tx.Bucket(noteIDBucket), tx.Bucket(noteBucket)
	if ids.Get([]byte(n.ID)) != nil {
		return nil
	}
	if ids.Sequence() >= eventseer.MaxNotes {
		return eventseer.ErrDeskFull
	}
	seq, err := notes.NextSequence()
	if err != nil {
		return err
	}
	return errors.Join(
		putRecord(notes, seqBytes(seq), n),
		ids.Put([]byte(n.ID), seqBytes(seq)),
		ids.SetSequence(ids.Sequence()+1),
	)
}

// fitNote returns a note as it is kept, named by what it says and its day.
func (s *Store) fitNote(n eventseer.Note) (eventseer.Note, error) {
	if n.At.IsZero() {
		n.At = s.now()
	}
	if n.Kind == "" || len(n.Kind) > maxNoteField || len(n.Event) > maxID || len(n.URL) > maxNoteURL || len(n.Field) > maxNoteField {
		return n, fmt.Errorf("leave a note of the kind %.60q: no kind, or an event, a URL or a field that is too long", n.Kind)
	}
	n.At, n.Done, n.Answer = n.At.UTC(), time.Time{}, ""
	n.Text = cutRunes(eventseer.Redact(strings.ToValidUTF8(n.Text, "\uFFFD")), eventseer.MaxNote)
	sum := sha256.Sum256(join(string(n.Kind), string(n.Event), n.URL, n.Field, n.Text))
	n.ID = fmt.Sprintf("%s-%x", n.At.Format("20060102"), sum[:8])
	return n, nil
}

// cutRunes returns the first runes of a text, at most limit.
func cutRunes(s string, limit int) string {
	for i := range s {
		if limit--; limit < 0 {
			return s[:i]
		}
	}
	return s
}

// Notes implements eventseer.Desk. A note that cannot be read is left out; Check tells
// of it.
func (s *Store) Notes(ctx context.Context, done bool, limit int) (notes []eventseer.Note, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	bucket := noteBucket
	if done {
		bucket = noteDoneBucket
	}
	err = s.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.First(); k != nil && len(notes) < limit; k, v = c.Next() {
			if n, err := decode[eventseer.Note](v); err == nil {
				notes = append(notes, n)
			}
		}
		return nil
	})
	return notes, err
}

// Waiting returns how many notes wait for the operator, at no cost.
func (s *Store) Waiting() (n int, err error) {
	err = s.db.View(func(tx *bbolt.Tx) error {
		n = int(tx.Bucket(noteIDBucket).Sequence())
		return nil
	})
	return n, err
}

// Settle implements eventseer.Desk. A note that is settled already keeps its first
// answer.
func (s *Store) Settle(ctx context.Context, id, answer string, at time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.Update(func(tx *bbolt.Tx) error { return settleNote(tx, id, answer, at) })
}

func settleNote(tx *bbolt.Tx, id, answer string, at time.Time) error {
	ids, notes := tx.Bucket(noteIDBucket), tx.Bucket(noteBucket)
	seq := bytes.Clone(ids.Get([]byte(id)))
	switch len(seq) {
	case 0:
		return fmt.Errorf("%w: note %s", eventseer.ErrNotFound, id)
	case settledLen:
		return nil
	}
	n, err := decode[eventseer.Note](notes.Get(seq))
	if err != nil {
		n = eventseer.Note{ID: id} // what it said is lost; that it was settled is kept
	}
	n.Done, n.Answer = at.UTC(), cutRunes(strings.ToValidUTF8(answer, "\uFFFD"), maxNoteAnswer)
	return errors.Join(
		notes.Delete(seq),
		ids.SetSequence(max(ids.Sequence(), 1)-1),
		settle(tx, n),
	)
}

// settledLen is the length of the value of noteid of a settled note.
const settledLen = 9

func settledValue(seq uint64) []byte { return append(seqBytes(seq), 0) }

// settle keeps a settled note and forgets the oldest where there are too many.
func settle(tx *bbolt.Tx, n eventseer.Note) error {
	ids, done := tx.Bucket(noteIDBucket), tx.Bucket(noteDoneBucket)
	seq, err := done.NextSequence()
	if err != nil {
		return err
	}
	if err := errors.Join(putRecord(done, seqBytes(seq), n), ids.Put([]byte(n.ID), settledValue(seq))); err != nil {
		return err
	}
	k, v := done.Cursor().First()
	if seq-seqOf(k) < eventseer.MaxNoteDone {
		return nil
	}
	if old, err := decode[eventseer.Note](v); err == nil {
		if err := ids.Delete([]byte(old.ID)); err != nil {
			return err
		}
	}
	return done.Delete(bytes.Clone(k))
}
