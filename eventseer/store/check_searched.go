package store

import (
	"bytes"
	"slices"

	"eventseer/eventseer"
	"eventseer/eventseer/series"
)

// series: each can be read and could be put again.
func (c *checker) series() {
	c.each(seriesBucket, func(id, value []byte) {
		series, err := decodeSeries(id, value)
		if err == nil {
			err = checkSeries(series)
		}
		if err != nil {
			c.broken = append(c.broken, err)
		}
	})
}

// editions: each event is filed under its series, and nothing else is.
func (c *checker) editions() {
	c.each(eventBucket, func(id, value []byte) {
		e, err := decodeEvent(id, value)
		if err != nil {
			return // events tells of it
		}
		if key := editionKey(e); key != nil && !c.has(editionBucket, key) {
			c.report("event %s is not filed under its series %s", id, series.Of(e))
		}
	})
	c.each(editionBucket, func(k, _ []byte) {
		id := lastPart(k)
		value := c.tx.Bucket(eventBucket).Get([]byte(id))
		if value == nil {
			c.report("edition %q is of no event", k)
			return
		}
		if e, err := decodeEvent([]byte(id), value); err == nil && !bytes.Equal(k, editionKey(e)) {
			c.report("edition %q: the event is of the series %q in %d", k, series.Of(e), e.Year)
		}
	})
}

// news: each row names a change that is of its class.
func (c *checker) news() {
	c.each(newsBucket, func(k, _ []byte) {
		if len(k) != 9 || !c.has(changeBucket, k[1:]) {
			c.report("news %q name no change", k)
			return
		}
		change, err := decodeChange(k[1:], c.tx.Bucket(changeBucket).Get(k[1:]))
		if err == nil && !slices.Contains(classesOf(change), k[0]) {
			c.report("change %d is no news of class %c", change.Seq, k[0])
		}
	})
}

// notes: each can be read and is found by its id, which leads to no others, and those
// that wait are counted.
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
				c.report("note %s is not where its id leads, or is settled and waits", n.ID)
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
		c.report("%d notes have no id, or ids no note", rows)
	}
	if n := c.tx.Bucket(noteIDBucket).Sequence(); n != waiting {
		c.report("%d notes wait, %d are counted", waiting, n)
	}
}
