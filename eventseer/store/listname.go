package store

import (
	"errors"
	"fmt"
	"slices"

	"eventseer/eventseer"
	"eventseer/eventseer/match"

	"go.etcd.io/bbolt"
)

// warnOfListName warns of the acronym of an event if it is the name of a mailing list, and
// of the other events that this is learned from: those which messages of the archive
// announce under it and that are something else. read is the record that was just stored.
func (s *Store) warnOfListName(tx *bbolt.Tx, id eventseer.EventID, read eventseer.Event) error {
	if !match.IsArchive(read.URL) || read.Acronym == "" {
		return nil
	}
	e, err := readEvent(tx, id)
	if err != nil || match.OwnsName(e) {
		return err
	}
	key := match.NewEventKey(e)
	events := tx.Bucket(eventBucket)
	others, unwarned := 0, []string{string(e.ID)}
	for _, id := range candidates(tx, e) {
		if id == string(e.ID) {
			continue
		}
		if c, err := s.memo.of(id, events.Get([]byte(id))); err == nil && match.NamedByList(key, c.EventKey) {
			if others++; !c.listName {
				unwarned = append(unwarned, id)
			}
		}
	}
	if others < match.MinListed {
		return nil
	}
	var errs []error
	for _, id := range unwarned {
		stored, err := readEvent(tx, eventseer.EventID(id))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !bearsListName(stored) {
			stored.Warnings = append(stored.Warnings, eventseer.Warning{
				Rule: eventseer.ListNameRule, Text: fmt.Sprintf("its archive announces other events as %q too", stored.Acronym),
			})
			errs = append(errs, putRecord(events, []byte(id), stored))
		}
	}
	return errors.Join(errs...)
}

// bearsListName reports whether a warning says that the acronym of an event is the name of a
// mailing list.
func bearsListName(e eventseer.Event) bool {
	return slices.ContainsFunc(e.Warnings, func(w eventseer.Warning) bool { return w.Rule == eventseer.ListNameRule })
}
