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
		c.checkAliases()
		c.checkEvents()
		c.checkReferences()
		c.checkChanges()
		c.checkReaderPositions()
		c.checkWaiting()
		c.checkVotes()
		c.checkTexts()
		c.checkRemotes()
		c.checkCorrections()
		c.checkSeries()
		c.checkEditions()
		c.checkNews()
		c.checkNotes()
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

func (c *checker) addFault(format string, args ...any) {
	c.broken = append(c.broken, fmt.Errorf(format, args...))
}

func (c *checker) forEach(bucket []byte, f func(k, v []byte)) {
	cursor := c.tx.Bucket(bucket).Cursor()
	for k, v := cursor.First(); k != nil; k, v = cursor.Next() {
		f(k, v)
	}
}

func (c *checker) hasKey(bucket, key []byte) bool { return c.tx.Bucket(bucket).Get(key) != nil }

// leadsToEvent reports whether an id names an event, directly or through aliases.
func (c *checker) leadsToEvent(id string) bool {
	return c.hasKey(eventBucket, []byte(followAliases(c.tx, id))) || c.hasKey(curatedBucket, []byte(id))
}

// checkAliases checks that each alias leads to an event and is not an event itself.
func (c *checker) checkAliases() {
	c.forEach(aliasBucket, func(id, _ []byte) {
		if c.hasKey(eventBucket, id) {
			c.addFault("the id of event %s is also an alias", id)
		} else if !c.leadsToEvent(string(id)) {
			c.addFault("alias %s does not lead to an event", id)
		}
	})
}

// checkEvents checks that each event can be read and is found by its keys and its first page.
func (c *checker) checkEvents() {
	c.forEach(eventBucket, func(id, value []byte) {
		e, err := decodeEvent(id, value)
		if err != nil {
			c.broken = append(c.broken, err)
			return
		}
		for _, k := range indexKeys(e.ID, e) {
			if !c.hasKey(keyBucket, k) {
				c.addFault("event %s: its key %q is missing", id, k)
			}
		}
		if !c.hasKey(pageBucket, pageKey(e.URL, e.ID)) && !slices.ContainsFunc(pageEvents(c.tx, e.URL), func(of string) bool { return followAliases(c.tx, of) == string(id) }) {
			c.addFault("event %s: its page %s is missing", id, e.URL)
		}
	})
}

// checkReferences checks that keys, pages and clips belong to existing events.
func (c *checker) checkReferences() {
	c.forEach(keyBucket, func(k, _ []byte) {
		if !c.leadsToEvent(lastPart(k)) {
			c.addFault("key %q does not lead to an event", k)
		}
	})
	c.forEach(pageBucket, func(k, _ []byte) {
		if len(k) <= 16 || !c.leadsToEvent(string(k[16:])) {
			c.addFault("page %x does not lead to an event", k)
		}
	})
	c.forEach(clipBucket, func(k, v []byte) {
		clip, err := decodeRecord[eventseer.Clip](v)
		if err != nil {
			c.addFault("clip %q: %w", k, err)
		} else if !bytes.Equal(k, joinKey(string(clip.Event), clip.ID)) || !c.hasKey(eventBucket, []byte(clip.Event)) {
			c.addFault("clip %q belongs to no event", k)
		}
	})
}

// checkChanges checks that each change can be read and is in the history of its event, and that the
// history has no others.
func (c *checker) checkChanges() {
	c.forEach(changeBucket, func(seq, value []byte) {
		change, err := decodeChange(seq, value)
		if err != nil {
			c.broken = append(c.broken, err)
			return
		}
		for _, class := range classesOf(change) {
			if !c.hasKey(newsBucket, newsKey(class, change.Seq)) {
				c.addFault("change %d is missing from the list of changes of class %c", change.Seq, class)
			}
		}
		if notifiesPeople(change) && !c.hasKey(historyBucket, joinKey(followAliases(c.tx, string(change.Event)), string(seq))) {
			c.addFault("change %d is missing from the history of %s", change.Seq, change.Event)
		}
		if !c.leadsToEvent(string(change.Event)) {
			c.addFault("change %d does not belong to an event", change.Seq)
		}
	})
	c.forEach(historyBucket, func(k, _ []byte) {
		if len(k) < 9 || !c.hasKey(changeBucket, k[len(k)-8:]) {
			c.addFault("history entry %q does not name a change", k)
		}
	})
}

// checkReaderPositions checks that no reader of the outbox is ahead of it.
func (c *checker) checkReaderPositions() {
	last := c.tx.Bucket(changeBucket).Sequence()
	c.forEach(markBucket, func(reader, v []byte) {
		if len(v) != 8 || seqOf(v) > last && !strings.HasPrefix(string(reader), eventseer.OtherLog) {
			c.addFault("the read position of %s is %d, but the outbox ends at %d", reader, seqOf(v), last)
		}
	})
}

// checkWaiting checks that each waiting record can be read and is found by its page and its keys, which
// lead to no others.
func (c *checker) checkWaiting() {
	keys := 0
	c.forEach(waitingBucket, func(seq, value []byte) {
		e, err := decodeRecord[eventseer.Event](value)
		if err != nil {
			c.addFault("waiting record %x: %w", seq, err)
			return
		}
		if !bytes.Equal(c.tx.Bucket(waitingPageBucket).Get(pageHash(e.URL)), seq) {
			c.addFault("the waiting record of %s is not found by its page", e.URL)
		}
		for _, k := range indexKeys(eventseer.EventID(seq), e) {
			if keys++; !c.hasKey(waitingKeyBucket, k) {
				c.addFault("the waiting record of %s: its key %q is missing", e.URL, k)
			}
		}
	})
	c.forEach(waitingPageBucket, func(k, seq []byte) {
		if !c.hasKey(waitingBucket, seq) {
			c.addFault("page %x does not lead to a waiting record", k)
		}
	})
	c.forEach(waitingKeyBucket, func([]byte, []byte) { keys-- })
	if keys < 0 {
		c.addFault("%d keys do not lead to a waiting record", -keys)
	}
}

// checkSeries checks that each series can be read and is valid.
func (c *checker) checkSeries() {
	c.forEach(seriesBucket, func(id, value []byte) {
		known, err := decodeSeries(id, value)
		if err == nil {
			err = series.Check(known)
		}
		if err != nil {
			c.broken = append(c.broken, err)
		}
	})
}

// checkEditions checks that each event is filed under its series, and nothing else is.
func (c *checker) checkEditions() {
	c.forEach(eventBucket, func(id, value []byte) {
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
		if key := editionKey(e); key != nil && !c.hasKey(editionBucket, key) {
			c.addFault("event %s is missing in the editions of its series %s", id, series.IDOf(e))
		}
	})
	c.forEach(editionBucket, func(k, _ []byte) {
		id := lastPart(k)
		e, err := publicEvent(c.tx, eventseer.EventID(id))
		if err != nil && !errors.Is(err, ErrCorrupt) || err == nil && string(e.ID) != id {
			c.addFault("edition %q does not belong to an event", k)
			return
		}
		if err == nil && !bytes.Equal(k, editionKey(e)) {
			c.addFault("edition %q: its event belongs to the series %q in %d", k, series.IDOf(e), e.Year)
		}
	})
}

// checkNews checks that each row refers to a change of its class.
func (c *checker) checkNews() {
	c.forEach(newsBucket, func(k, _ []byte) {
		if len(k) != 9 || !c.hasKey(changeBucket, k[1:]) {
			c.addFault("entry %q of the list of changes by class does not name a change", k)
			return
		}
		change, err := decodeChange(k[1:], c.tx.Bucket(changeBucket).Get(k[1:]))
		if err == nil && !slices.Contains(classesOf(change), k[0]) {
			c.addFault("change %d is in the list of changes of class %c, but has another class", change.Seq, k[0])
		}
	})
}

// checkNotes checks that each note can be read and is found by its id, which leads to no others. It also
// checks that the count of open notes is right.
func (c *checker) checkNotes() {
	waiting, rows := uint64(0), 0
	look := func(bucket []byte, done bool) {
		c.forEach(bucket, func(seq, value []byte) {
			rows++
			if !done {
				waiting++
			}
			n, err := decodeRecord[eventseer.Note](value)
			if err != nil {
				c.addFault("note %x: %w", seq, err)
				return
			}
			want := seq
			if done {
				want = closedNoteValue(seqOf(seq))
			}
			if !bytes.Equal(c.tx.Bucket(noteIDBucket).Get([]byte(n.ID)), want) || n.Done.IsZero() == done {
				c.addFault("note %s is not found by its id, or is settled but still in the queue", n.ID)
			}
		})
	}
	look(noteBucket, false)
	look(noteDoneBucket, true)
	c.forEach(noteIDBucket, func(id, seq []byte) {
		rows--
		bucket := noteBucket
		if len(seq) == settledLen {
			bucket = noteDoneBucket
		}
		if len(seq) < 8 || !c.hasKey(bucket, seq[:8]) {
			c.addFault("note %s does not exist, but has an id", id)
		}
	})
	if rows != 0 {
		c.addFault("%d notes have no id in the index, or ids have no note", rows)
	}
	if n := c.tx.Bucket(noteIDBucket).Sequence(); n != waiting {
		c.addFault("%d notes wait, but %d are counted", waiting, n)
	}
}
