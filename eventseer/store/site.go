package store

import (
	"bytes"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/internal/bolt"
)

// maxVotes bounds the pages of an event's own site whose values are compared by vote.
const maxVotes = 64

// putVote stores the record of an event's page, complete and reduced to the fields on which the
// site's pages vote.
func putVote(tx *bolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	if err := putEvidence(tx, id, e); err != nil || match.IsArchive(e.URL) {
		return err
	}
	b, key := tx.Bucket(voteBucket), pageKey(e.URL, id)
	before, err := decodeRecord[eventseer.Event](b.Get(key))
	if err != nil {
		before = eventseer.Event{} // the first vote, or a damaged one
	}
	return putRecord(b, key, merge.VoteOf(e, before))
}

// putMissingVote is putVote for pages from before votes were stored.
func putMissingVote(tx *bolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	bucket := voteBucket
	if match.IsArchive(e.URL) || tx.Bucket(evidenceBucket).Get(pageKey(e.URL, id)) == nil {
		bucket = evidenceBucket
	}
	for k := range keysWithPrefix(tx, bucket, pageHash(e.URL)) {
		if followAliases(tx, string(k[hashSize:])) == string(id) {
			return nil
		}
	}
	return putVote(tx, id, e)
}

// applyVotes sets the event's fields to the majority values of its site's pages. Votes stored under former
// ids of the event are included, as are votes under the id also, which is about to become an alias of the
// event. It also returns the fields changed since before.
func applyVotes(tx *bolt.Tx, before, e eventseer.Event, also eventseer.EventID) (eventseer.Event, []eventseer.FieldChange) {
	var votes []eventseer.Event
	for _, page := range match.OwnPages(e, maxVotes) {
		hash := pageHash(page)
		var newest eventseer.Event
		for k, v := range keysWithPrefix(tx, voteBucket, hash) {
			id := followAliases(tx, string(k[hashSize:]))
			if id != string(e.ID) && id != string(also) {
				continue
			}
			if vote, err := decodeRecord[eventseer.Event](v); err == nil && (newest.URL == "" || vote.LastSeen.After(newest.LastSeen)) {
				newest = vote // damaged ones are left for Check to report
			}
		}
		if newest.URL != "" {
			votes = append(votes, newest)
		}
	}
	return merge.ApplyVotes(before, e, votes)
}

// checkVotes checks that each vote belongs to a page of an event.
func (c *checker) checkVotes() {
	c.forEach(voteBucket, func(k, v []byte) {
		if len(k) <= hashSize {
			c.addFault("vote %x has no event", k)
			return
		}
		hash, id := k[:hashSize], string(k[hashSize:])
		e, err := decodeRecord[eventseer.Event](v)
		switch {
		case err != nil:
			c.addFault("vote of a page of event %s: %w", id, err)
		case !bytes.Equal(pageHash(e.URL), hash):
			c.addFault("the vote of a page of event %s names the page %s", id, e.URL)
		case !c.leadsToEvent(id):
			c.addFault("the vote of %s does not lead to an event %s", e.URL, id)
		}
	})
}

// hashSize is the length of pageHash, in bytes.
const hashSize = 16
