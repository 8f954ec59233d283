package store

import (
	"bytes"
	"fmt"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"
)

// addDerivedCalls adds the calls of all events, derived from the addresses of their pages. A damaged
// event is left for Check to report, and one without room for them is unchanged, because readers
// derive them again.
func addDerivedCalls(tx *bolt.Tx) error {
	b := tx.Bucket(eventBucket)
	var from []byte
	for {
		var changed []record
		read := 0
		c := b.Cursor()
		for id, value := c.Seek(from); id != nil && read < chunk; id, value = c.Next() {
			read++
			from = append(bytes.Clone(id), 0)
			e, err := decodeEvent(id, value)
			if err != nil || len(e.Calls) > 0 {
				continue
			}
			if e.Calls = e.PageCalls(); len(e.Calls) == 0 {
				continue
			}
			if value, err := encodeRecord(e); err == nil {
				changed = append(changed, record{bytes.Clone(id), value})
			}
		}
		for _, r := range changed {
			if err := b.Put(r.key, r.value); err != nil {
				return fmt.Errorf("calls of %s: %w", r.key, err)
			}
		}
		if read < chunk {
			return nil
		}
	}
}

// withParent returns an event with the id of the stored edition that Parent names, if there is one.
func withParent(tx *bolt.Tx, e eventseer.Event) eventseer.Event {
	for _, id := range series.IDsByName(e.Parent) {
		for _, of := range editionIDs(tx, id) {
			if other, err := publicEvent(tx, eventseer.EventID(of)); err == nil && series.IsParent(other, e) {
				e.ParentID = other.ID
				return e
			}
		}
	}
	return e
}
