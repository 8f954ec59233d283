package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Buckets of records of events from other stores; see PutRemote.
//
//	remote    event, store, its id of the event → its record
//	remoteid  store, its id of the event        → event
//	remotepage store, its id of the event, hash(URL) → record of eventseer.Event: the last record of the page
var (
	remoteBucket     = []byte("remote")
	remoteIDBucket   = []byte("remoteid")
	remotePageBucket = []byte("remotepage")
)

func addRemotes(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists(remoteBucket)
	_, err2 := tx.CreateBucketIfNotExists(remoteIDBucket)
	return errors.Join(err, err2)
}

func addRemotePages(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists(remotePageBucket)
	return err
}

// ownRecord is the name of this store among the stores whose records an event consists of. Its
// record is the event before another store sent it, and pages read here since.
const ownRecord = ""

// PutRemote stores an event that another store sent, like Put. e.ID is the event's id in that store; from is
// the name of that store, not empty and without NUL. The record replaces the earlier one from the same store,
// and the event is rebuilt from the last record of each store, in the order of their names. So the event is
// the same in all stores that received the last record of each, whichever earlier records they received. (A
// log that keeps only the last message of each event drops the earlier ones.) Which records belong to one
// event is decided when they arrive, and does not change. pages are the records of the event's pages, see
// PageRecords; they allow an editor to split it. texts are the texts of the pages.
func (s *Store) PutRemote(ctx context.Context, from string, e eventseer.Event, clips []eventseer.Clip, pages []eventseer.Event, texts ...eventseer.PageText) (eventseer.EventID, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if from == ownRecord || strings.ContainsRune(from, 0) || e.URL == "" || e.ID == "" || len(e.ID) > maxID || strings.ContainsRune(string(e.ID), 0) {
		return "", fmt.Errorf("store event of another store: %q of %q, read at %q: store, id and address are needed", e.ID, from, e.URL)
	}
	var c eventseer.Change
	var gone int
	err := s.db.Update(func(tx *bolt.Tx) error {
		since := tx.Bucket(changeBucket).Sequence()
		changed, err := putTexts(tx, texts)
		if err == nil {
			err = putRemotePages(tx, joinKey(from, string(e.ID)), pages)
		}
		if err != nil {
			return err
		}
		c, gone, err = s.putRemote(tx, from, e.WithinLimits(), clips)
		if err == nil && changed {
			err = reportChangedTexts(tx, since, c)
		}
		return err
	})
	if err != nil {
		return "", fmt.Errorf("store event %s of %s: %w", e.ID, from, err)
	}
	if c.New {
		s.events.Add(1)
	}
	s.events.Add(-int64(gone))
	return c.Event, nil
}

// putRemote returns the change, and how many events were merged into another.
func (s *Store) putRemote(tx *bolt.Tx, from string, e eventseer.Event, clips []eventseer.Clip) (c eventseer.Change, gone int, err error) {
	c = eventseer.Change{At: s.readTime(e), Page: e.URL}
	remote := joinKey(from, string(e.ID))
	old, err := readEvent(tx, eventseer.EventID(followAliases(tx, string(tx.Bucket(remoteIDBucket).Get(remote)))))
	if err != nil {
		old, err = s.remoteEvent(tx, e)
		c.New = old.URL == ""
	}
	c.Event = old.ID
	if err = errors.Join(err, putRemoteRecord(tx, old.ID, from, e), removeWaitingOfPage(tx, e.URL)); err != nil {
		return c, 0, err
	}
	made, err := s.rebuildEvent(tx, old, e, clips, &c)
	if err != nil {
		return c, 0, err
	}
	made, gone, err = s.mergeDuplicates(tx, made, c)
	if err == nil && gone > 0 {
		c.Event, c.New = made.ID, false
		_, err = s.rebuildEvent(tx, made, e, nil, &c)
	}
	return c, gone, errors.Join(err, s.warnOfListName(tx, c.Event, e))
}

// remoteEvent returns the event to which the first record of another store belongs. If there is
// none, or if the record is older than the event, so that their union must get the record's id, it
// returns a new event with only an id.
func (s *Store) remoteEvent(tx *bolt.Tx, e eventseer.Event) (eventseer.Event, error) {
	id := e.ID
	if tx.Bucket(eventBucket).Get([]byte(id)) != nil || tx.Bucket(aliasBucket).Get([]byte(id)) != nil {
		id = freeID(tx, e)
	}
	old, known := s.findEvent(tx, e, "")
	if !known || id == e.ID && isOlder(e, old) {
		return eventseer.Event{ID: id}, nil
	}
	var err error
	if id == e.ID {
		err = tx.Bucket(aliasBucket).Put([]byte(id), []byte(old.ID))
	}
	if len(remotesOf(tx, old.ID)) == 0 {
		err = errors.Join(err, putRemoteRecord(tx, old.ID, ownRecord, old))
	}
	return old, err
}

// rebuildEvent rebuilds an event from the records of all stores, and records what changed.
func (s *Store) rebuildEvent(tx *bolt.Tx, old, e eventseer.Event, clips []eventseer.Clip, c *eventseer.Change) (eventseer.Event, error) {
	records := remotesOf(tx, old.ID)
	made := records[0]
	for _, r := range records[1:] {
		made, _ = merge.Merge(made, r)
	}
	if made.ID = old.ID; len(made.Pages) == 0 && !eventseer.IsRelated(made) {
		made.Pages = []string{made.URL}
	}
	own := match.OwnPages(made, maxVotes)
	var votes []eventseer.Event
	for _, r := range records {
		if slices.Contains(own, r.URL) && !slices.ContainsFunc(votes, func(v eventseer.Event) bool { return v.URL == r.URL }) {
			votes = append(votes, merge.VoteOf(r, eventseer.Event{}))
		}
	}
	made, fields := merge.ApplyVotes(old, made, votes)
	if !c.New {
		c.Fields = fields
	}
	seen, seenErr := publicEvent(tx, old.ID)
	made, err := s.storeMerged(tx, old, made, e, clips, c.At)
	if now, nowErr := publicEvent(tx, old.ID); err == nil && seenErr == nil && nowErr == nil && isCorrected(tx, old.ID) {
		c.Fields = curate.Diff(seen, now)
	}
	return made, errors.Join(err, putChange(tx, *c))
}

// PageRecords returns the last record of each page of an event if more than one page has a record,
// otherwise none. Corrections are not included.
func (s *Store) PageRecords(ctx context.Context, id eventseer.EventID) (records []eventseer.Event, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		e, err := readEvent(tx, eventseer.EventID(followAliases(tx, string(id))))
		if err != nil {
			return err
		}
		if records = evidenceOf(tx, e); len(records) < 2 {
			records = nil
		}
		return nil
	})
	return records[:min(len(records), eventseer.MaxPages)], err
}

// putRemotePages stores the records of the pages of another store's record, replacing earlier ones.
func putRemotePages(tx *bolt.Tx, remote []byte, pages []eventseer.Event) error {
	b, prefix := tx.Bucket(remotePageBucket), append(slices.Clone(remote), 0)
	var before [][]byte
	for k := range keysWithPrefix(tx, remotePageBucket, prefix) {
		before = append(before, slices.Clone(k))
	}
	for _, k := range before {
		if err := b.Delete(k); err != nil {
			return err
		}
	}
	for _, p := range pages[:min(len(pages), eventseer.MaxPages)] {
		if p = p.WithinLimits(); p.URL == "" {
			continue
		}
		p.ID = ""
		if err := putRecord(b, append(slices.Clone(prefix), pageHash(p.URL)...), p); err != nil {
			return err
		}
	}
	return nil
}

// remotesOf returns the records an event consists of, its own first; none if no other store has
// sent one. Damaged ones are left for Check to report.
func remotesOf(tx *bolt.Tx, id eventseer.EventID) (records []eventseer.Event) {
	for _, v := range keysWithPrefix(tx, remoteBucket, joinKey(string(id), "")) {
		if r, err := decodeRecord[eventseer.Event](v); err == nil {
			records = append(records, r)
		}
	}
	return records
}

func putRemoteRecord(tx *bolt.Tx, id eventseer.EventID, from string, r eventseer.Event) error {
	remote := joinKey(from, string(r.ID))
	if from == ownRecord {
		remote = []byte(ownRecord)
	} else if before := tx.Bucket(remoteIDBucket).Get(remote); before != nil && string(before) != string(id) {
		if err := tx.Bucket(remoteBucket).Delete(joinKey(string(before), string(remote))); err != nil {
			return err
		}
	}
	err := putRecord(tx.Bucket(remoteBucket), joinKey(string(id), string(remote)), r)
	if from != ownRecord {
		err = errors.Join(err, tx.Bucket(remoteIDBucket).Put(remote, []byte(id)))
	}
	return err
}

// putOwnRecord merges a record read here into the event's own record, if the event consists of
// records of several stores.
func putOwnRecord(tx *bolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	key := joinKey(string(id), ownRecord)
	if k, _ := tx.Bucket(remoteBucket).Cursor().Seek(key); !bytes.HasPrefix(k, key) {
		return nil
	}
	own, err := decodeRecord[eventseer.Event](tx.Bucket(remoteBucket).Get(key))
	if err != nil {
		own = eventseer.Event{}
	}
	own, _ = merge.Merge(own, e)
	return putRemoteRecord(tx, id, ownRecord, own)
}

// moveRemotes moves the records of lost to kept; both events are in the state before they were
// merged.
func moveRemotes(tx *bolt.Tx, kept, lost eventseer.Event) error {
	records := copiesOfEvent(tx, remoteBucket, lost.ID)
	if len(records) == 0 {
		return putOwnRecord(tx, kept.ID, lost)
	}
	if len(remotesOf(tx, kept.ID)) == 0 {
		if err := putRemoteRecord(tx, kept.ID, ownRecord, kept); err != nil {
			return err
		}
	}
	b := tx.Bucket(remoteBucket)
	for _, r := range records {
		err := b.Delete(joinKey(string(lost.ID), string(r.key)))
		if string(r.key) != ownRecord {
			err = errors.Join(err, b.Put(joinKey(string(kept.ID), string(r.key)), r.value), tx.Bucket(remoteIDBucket).Put(r.key, []byte(kept.ID)))
		} else if own, bad := decodeRecord[eventseer.Event](r.value); bad == nil { // a damaged record is lost with its event
			err = errors.Join(err, putOwnRecord(tx, kept.ID, own))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkRemotes checks that each record of another store can be read and belongs to an event.
func (c *checker) checkRemotes() {
	c.forEach(remoteBucket, func(k, v []byte) {
		id, remote, _ := bytes.Cut(k, []byte{0})
		if _, err := decodeRecord[eventseer.Event](v); err != nil {
			c.addFault("record from another store of event %s: %w", id, err)
		}
		if !c.hasKey(eventBucket, id) {
			c.addFault("record %q from another store belongs to no event %s", remote, id)
		}
	})
	c.forEach(remoteIDBucket, func(remote, id []byte) {
		if !c.hasKey(remoteBucket, joinKey(string(id), string(remote))) {
			c.addFault("record %q from another store is missing at event %s", remote, id)
		}
	})
	c.forEach(remotePageBucket, func(k, v []byte) {
		remote := k[:max(0, len(k)-hashSize-1)]
		if e, err := decodeRecord[eventseer.Event](v); err != nil || !bytes.HasSuffix(k, pageHash(e.URL)) {
			c.addFault("what another store read on a page, %q, cannot be read or belongs to another page", remote)
		} else if !c.hasKey(remoteIDBucket, remote) {
			c.addFault("what another store read on %s belongs to no record %q", e.URL, remote)
		}
	})
}
