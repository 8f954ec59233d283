package store

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Check reads the whole store and returns every broken invariant: damaged database pages,
// unreadable records, and rows with missing targets.
func (s *Store) Check() []error {
	broken := bolt.Check(s.db)
	if len(broken) > 0 {
		return broken
	}
	err := s.db.View(func(tx *bolt.Tx) error {
		c := checker{tx: tx}
		c.aliases()
		c.events()
		c.references()
		c.changes()
		c.marks()
		c.waiting()
		c.votes()
		c.texts()
		c.remotes()
		c.corrections()
		c.series()
		c.editions()
		c.news()
		c.notes()
		broken = append(broken, c.broken...)
		return nil
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}

type checker struct {
	tx     *bolt.Tx
	broken []error
}

func (c *checker) report(format string, args ...any) {
	c.broken = append(c.broken, fmt.Errorf(format, args...))
}

func (c *checker) each(bucket []byte, f func(k, v []byte)) {
	cursor := c.tx.Bucket(bucket).Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		f(k, v)
	}
}

func (c *checker) has(bucket, key []byte) bool { return c.tx.Bucket(bucket).Get(key) != nil }

// leads reports whether an id names an event, be it through aliases.
func (c *checker) leads(id string) bool {
	return c.has(eventBucket, []byte(resolve(c.tx, id))) || c.has(curatedBucket, []byte(id))
}

// aliases checks that each alias leads to an event and is not an event itself.
func (c *checker) aliases() {
	c.each(aliasBucket, func(id, _ []byte) {
		if c.has(eventBucket, id) {
			c.report("the id of event %s is also an alias", id)
		} else if !c.leads(string(id)) {
			c.report("alias %s does not lead to an event", id)
		}
	})
}

// events checks that each event can be read and is found by its keys and its first page.
func (c *checker) events() {
	c.each(eventBucket, func(id, value []byte) {
		e, err := decodeEvent(id, value)
		if err != nil {
			c.broken = append(c.broken, err)
			return
		}
		for _, k := range entries(e.ID, e) {
			if !c.has(keyBucket, k) {
				c.report("event %s: its key %q is missing", id, k)
			}
		}
		if !c.has(pageBucket, pageKey(e.URL, e.ID)) && !slices.ContainsFunc(pageEvents(c.tx, e.URL), func(of string) bool { return resolve(c.tx, of) == string(id) }) {
			c.report("event %s: its page %s is missing", id, e.URL)
		}
	})
}

// references checks that keys, pages and clips belong to existing events.
func (c *checker) references() {
	c.each(keyBucket, func(k, _ []byte) {
		if !c.leads(lastPart(k)) {
			c.report("key %q does not lead to an event", k)
		}
	})
	c.each(pageBucket, func(k, _ []byte) {
		if len(k) <= 16 || !c.leads(string(k[16:])) {
			c.report("page %x does not lead to an event", k)
		}
	})
	c.each(clipBucket, func(k, v []byte) {
		clip, err := decode[eventseer.Clip](v)
		if err != nil {
			c.report("clip %q: %w", k, err)
		} else if !bytes.Equal(k, join(string(clip.Event), clip.ID)) || !c.has(eventBucket, []byte(clip.Event)) {
			c.report("clip %q belongs to no event", k)
		}
	})
}

// changes checks that each change can be read and is in the history of its event, and that the
// history has no others.
func (c *checker) changes() {
	c.each(changeBucket, func(seq, value []byte) {
		change, err := decodeChange(seq, value)
		if err != nil {
			c.broken = append(c.broken, err)
			return
		}
		for _, class := range classesOf(change) {
			if !c.has(newsBucket, newsKey(class, change.Seq)) {
				c.report("change %d is missing from the news %c", change.Seq, class)
			}
		}
		if tells(change) && !c.has(historyBucket, join(resolve(c.tx, string(change.Event)), string(seq))) {
			c.report("change %d is missing from the history of %s", change.Seq, change.Event)
		}
		if !c.leads(string(change.Event)) {
			c.report("change %d does not belong to an event", change.Seq)
		}
	})
	c.each(historyBucket, func(k, _ []byte) {
		if len(k) < 9 || !c.has(changeBucket, k[len(k)-8:]) {
			c.report("history %q does not name a change", k)
		}
	})
}

// marks checks that no reader of the outbox is ahead of it.
func (c *checker) marks() {
	last := c.tx.Bucket(changeBucket).Sequence()
	c.each(markBucket, func(reader, v []byte) {
		if len(v) != 8 || seqOf(v) > last && !strings.HasPrefix(string(reader), eventseer.OtherLog) {
			c.report("the mark of %s is at %d, but the outbox ends at %d", reader, seqOf(v), last)
		}
	})
}

// waiting checks that each waiting record can be read and is found by its page and its keys, which
// lead to no others.
func (c *checker) waiting() {
	keys := 0
	c.each(waitingBucket, func(seq, value []byte) {
		e, err := decode[eventseer.Event](value)
		if err != nil {
			c.report("waiting record %x: %w", seq, err)
			return
		}
		if !bytes.Equal(c.tx.Bucket(waitingPageBucket).Get(pageHash(e.URL)), seq) {
			c.report("the waiting record of %s is not found by its page", e.URL)
		}
		for _, k := range entries(eventseer.EventID(seq), e) {
			if keys++; !c.has(waitingKeyBucket, k) {
				c.report("the waiting record of %s: its key %q is missing", e.URL, k)
			}
		}
	})
	c.each(waitingPageBucket, func(k, seq []byte) {
		if !c.has(waitingBucket, seq) {
			c.report("page %x does not lead to a waiting record", k)
		}
	})
	c.each(waitingKeyBucket, func([]byte, []byte) { keys-- })
	if keys < 0 {
		c.report("%d keys do not lead to a waiting record", -keys)
	}
}

// series checks that each series can be read and is valid.
func (c *checker) series() {
	c.each(seriesBucket, func(id, value []byte) {
		known, err := decodeSeries(id, value)
		if err == nil {
			err = series.Check(known)
		}
		if err != nil {
			c.broken = append(c.broken, err)
		}
	})
}

// editions checks that each event is filed under its series, and nothing else is.
func (c *checker) editions() {
	c.each(eventBucket, func(id, value []byte) {
		e, err := decodeEvent(id, value)
		if err != nil {
			return // events reports it
		}
		if row, ok := curatedRow(c.tx, e.ID); ok {
			if row.Event == nil {
				return // it was merged into another
			}
			e = *row.Event
		}
		if key := editionKey(e); key != nil && !c.has(editionBucket, key) {
			c.report("event %s is missing in the editions of its series %s", id, series.IDOf(e))
		}
	})
	c.each(editionBucket, func(k, _ []byte) {
		id := lastPart(k)
		e, err := public(c.tx, eventseer.EventID(id))
		if err != nil && !errors.Is(err, ErrCorrupt) || err == nil && string(e.ID) != id {
			c.report("edition %q does not belong to an event", k)
			return
		}
		if err == nil && !bytes.Equal(k, editionKey(e)) {
			c.report("edition %q: its event belongs to the series %q in %d", k, series.IDOf(e), e.Year)
		}
	})
}

// news checks that each row refers to a change of its class.
func (c *checker) news() {
	c.each(newsBucket, func(k, _ []byte) {
		if len(k) != 9 || !c.has(changeBucket, k[1:]) {
			c.report("news %q do not name a change", k)
			return
		}
		change, err := decodeChange(k[1:], c.tx.Bucket(changeBucket).Get(k[1:]))
		if err == nil && !slices.Contains(classesOf(change), k[0]) {
			c.report("change %d does not belong to the news of class %c", change.Seq, k[0])
		}
	})
}

// notes checks that each note can be read and is found by its id, which leads to no others. It also
// checks that the count of open notes is right.
func (c *checker) notes() {
	waiting, rows := uint64(0), 0
	look := func(bucket []byte, done bool) {
		c.each(bucket, func(seq, value []byte) {
			rows++
			if !done {
				waiting++
			}
			n, err := decode[eventseer.Note](value)
			if err != nil {
				c.report("note %x: %w", seq, err)
				return
			}
			want := seq
			if done {
				want = settledValue(seqOf(seq))
			}
			if !bytes.Equal(c.tx.Bucket(noteIDBucket).Get([]byte(n.ID)), want) || n.Done.IsZero() == done {
				c.report("note %s is not where its id leads, or is settled and still waits", n.ID)
			}
		})
	}
	look(noteBucket, false)
	look(noteDoneBucket, true)
	c.each(noteIDBucket, func(id, seq []byte) {
		rows--
		bucket := noteBucket
		if len(seq) == settledLen {
			bucket = noteDoneBucket
		}
		if len(seq) < 8 || !c.has(bucket, seq[:8]) {
			c.report("note %s is nowhere", id)
		}
	})
	if rows != 0 {
		c.report("%d notes have no id, or ids have no note", rows)
	}
	if n := c.tx.Bucket(noteIDBucket).Sequence(); n != waiting {
		c.report("%d notes wait, but %d are counted", waiting, n)
	}
}
