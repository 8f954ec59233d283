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
	var others []string
	for _, id := range candidates(tx, e) {
		if id == string(e.ID) {
			continue
		}
		if c, err := s.memo.of(id, events.Get([]byte(id))); err == nil && match.NamedByList(key, c.EventKey) {
			others = append(others, id)
		}
	}
	if len(others) < match.MinListed {
		return nil
	}
	var errs []error
	for _, id := range append(others, string(e.ID)) {
		stored, err := readEvent(tx, eventseer.EventID(id))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if !slices.ContainsFunc(stored.Warnings, func(w eventseer.Warning) bool { return w.Rule == eventseer.ListNameRule }) {
			stored.Warnings = append(stored.Warnings, eventseer.Warning{
				Rule: eventseer.ListNameRule, Text: fmt.Sprintf("its archive announces other events as %q too", stored.Acronym),
			})
			errs = append(errs, putRecord(events, []byte(id), stored))
		}
	}
	return errors.Join(errs...)
}
