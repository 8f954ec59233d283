package store

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/match"
	"eventseer/eventseer/merge"

	"go.etcd.io/bbolt"
)

// maxVotes bounds the pages of an event's own site that are asked together.
const maxVotes = 64

// putVote keeps what a page of an event says where all pages of its site are asked.
func putVote(tx *bbolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	if match.IsArchive(e.URL) {
		return nil
	}
	b, key := tx.Bucket(voteBucket), pageKey(e.URL, id)
	before, err := decode[eventseer.Event](b.Get(key))
	if err != nil {
		before = eventseer.Event{} // the first vote, or one that cannot be read
	}
	return putRecord(b, key, merge.Vote(e, before))
}

// putMissingVote is putVote where a store from before there were votes has none.
func putMissingVote(tx *bbolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	for k := range under(tx, voteBucket, pageHash(e.URL)) {
		if resolve(tx, string(k[hashSize:])) == string(id) {
			return nil
		}
	}
	return putVote(tx, id, e)
}

// elect gives an event what the pages of its own site say most. The votes that were put
// under ids of events that are now this one count too, and those under also.
func elect(tx *bbolt.Tx, e eventseer.Event) eventseer.Event { return electOf(tx, e, "") }

// electOf is elect where also is about to become an alias of the event.
func electOf(tx *bbolt.Tx, e eventseer.Event, also eventseer.EventID) eventseer.Event {
	var votes []eventseer.Event
	for _, page := range match.OwnPages(e, maxVotes) {
		hash := pageHash(page)
		var newest eventseer.Event
		for k, v := range under(tx, voteBucket, hash) {
			id := resolve(tx, string(k[hashSize:]))
			if id != string(e.ID) && id != string(also) {
				continue
			}
			if vote, err := decode[eventseer.Event](v); err == nil && (newest.URL == "" || vote.LastSeen.After(newest.LastSeen)) {
				newest = vote // Check reports those that cannot be read
			}
		}
		if newest.URL != "" {
			votes = append(votes, newest)
		}
	}
	return merge.Elect(e, votes)
}

// onSite returns the one event of the candidates on whose site a page is; none if there are
// several, for then only names tell whose it is.
func (s *Store) onSite(tx *bbolt.Tx, page *match.EventKey, ids []string) (of eventKey) {
	for _, id := range ids {
		c, err := s.memo.of(id, tx.Bucket(eventBucket).Get([]byte(id)))
		if err != nil || string(c.id) != id || !match.OneSite(c.EventKey, page) {
			continue // Check reports the one that cannot be read
		}
		if of.id != "" {
			return eventKey{}
		}
		of = c
	}
	return of
}

// maxSitePages bounds the waiting pages of one site that are read together.
const maxSitePages = 64

// foundOfSite founds the edition that the pages waiting for it on the site of e, which waits
// too, call for together, and takes them in; false if they do not.
func (s *Store) foundOfSite(tx *bbolt.Tx, e eventseer.Event, change eventseer.Change) (eventseer.Change, bool, error) {
	if s.isEdition == nil {
		return change, false, nil
	}
	records := s.waitingOnSite(tx, e)
	if !s.isEdition(records) {
		return change, false, nil
	}
	whole := match.NewEventKey(merge.Site(records))
	records = slices.DeleteFunc(records, func(r eventseer.Event) bool { return !match.OneSite(whole, match.NewEventKey(r)) })
	if !s.isEdition(records) {
		return change, false, nil // what called was of another edition
	}
	made := first(tx, merge.Site(records), change.At)
	change.New, change.Event = true, made.ID
	for _, r := range records {
		reading, err := readingOf(r, nil)
		err = errors.Join(err, forgetPage(tx, r.URL), putVote(tx, made.ID, r), putKeys(tx, made.ID, r), tx.Bucket(pageBucket).Put(pageKey(r.URL, made.ID), reading))
		if err != nil {
			return change, true, err
		}
	}
	if _, err := s.keep(tx, eventseer.Event{}, elect(tx, made), records[0], nil, change.At); err != nil {
		return change, true, err
	}
	return change, true, putChange(tx, change)
}

// waitingOnSite returns the records that wait and may be of one edition with e, by address,
// at most maxSitePages, in the order of their addresses.
func (s *Store) waitingOnSite(tx *bbolt.Tx, e eventseer.Event) (records []eventseer.Event) {
	of := match.NewEventKey(e)
	seen := map[string]bool{}
	for _, k := range match.BlockKeys(e) {
		if k.Kind != match.HostKey {
			continue
		}
		prefix := join(k.Kind, k.Name, "")
		for key := range under(tx, waitingKeyBucket, prefix) {
			seq := string(key[max(0, len(key)-8):])
			if seen[seq] {
				continue
			}
			if seen[seq] = true; len(seen) > maxCandidates || len(records) == maxSitePages-1 {
				break
			}
			record := tx.Bucket(waitingBucket).Get([]byte(seq))
			c, err := s.memo.of(waitingMemo+seq, record)
			if err != nil || !match.OneSite(c.EventKey, of) {
				continue // Check reports the one that cannot be read
			}
			if r, err := decode[eventseer.Event](record); err == nil && r.URL != e.URL {
				records = append(records, r)
			}
		}
	}
	records = append(records, e)
	slices.SortFunc(records, func(a, b eventseer.Event) int { return strings.Compare(a.URL, b.URL) })
	return records
}

// votes: each is of a page that an event has.
func (c *checker) votes() {
	c.each(voteBucket, func(k, v []byte) {
		if len(k) <= hashSize {
			c.report("vote %x has no event", k)
			return
		}
		hash, id := k[:hashSize], string(k[hashSize:])
		e, err := decode[eventseer.Event](v)
		switch {
		case err != nil:
			c.report("vote of a page of event %s: %w", id, err)
		case !bytes.Equal(pageHash(e.URL), hash):
			c.report("vote of a page of event %s calls itself %s", id, e.URL)
		case !c.leads(id):
			c.report("vote of %s leads to no event %s", e.URL, id)
		}
	})
}

// hashSize is the length of pageHash, in bytes.
const hashSize = 16
