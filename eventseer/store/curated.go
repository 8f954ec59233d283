package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Buckets of the corrections of editors. Records of pages stay in the event bucket and are merged
// there without corrections. What readers see of a corrected event is computed from that and its
// corrections whenever either changes, and is in the curated bucket.
//
//	correction   id           → record of boundCorrection
//	corrected    event 0 id   → -      the corrections of an event, or of what was split from one
//	correctpage  hash(URL) id → -      corrections whose event is not in the store yet
//	curated      event        → record of curated; its sequence is that many events more than
//	                            event has, less curatedOffset
//	evidence     hash(URL) id → record of eventseer.Event: what the page said of the event last
//	correctlog   seq          → id of a correction made, undone or imported here, for a cluster
var (
	correctionBucket  = []byte("correction")
	correctedBucket   = []byte("corrected")
	correctPageBucket = []byte("correctpage")
	curatedBucket     = []byte("curated")
	evidenceBucket    = []byte("evidence")
	correctLogBucket  = []byte("correctlog")
)

// curatedOffset allows the sequence of curated, which cannot be negative, to represent negative
// numbers.
const curatedOffset = 1 << 32

func addCorrections(tx *bolt.Tx) error {
	for _, name := range [][]byte{correctionBucket, correctedBucket, correctPageBucket, curatedBucket, evidenceBucket, correctLogBucket} {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return tx.Bucket(curatedBucket).SetSequence(curatedOffset)
}

// A boundCorrection is a correction with the ids of its events in this store, "" for an event that is not in
// the store yet.
type boundCorrection struct {
	eventseer.Correction
	EventAt eventseer.EventID `json:"event_at,omitempty"`
	OtherAt eventseer.EventID `json:"other_at,omitempty"`
}

// A curatedEvent is what readers see under an id: an event, or a link to the event into which it was merged.
type curatedEvent struct {
	Event *eventseer.Event  `json:"event,omitempty"`
	Into  eventseer.EventID `json:"into,omitempty"`
	// Parts are the stored events that Event consists of.
	Parts []eventseer.EventID `json:"parts,omitempty"`
	// Count is the change in the number of events caused by this row.
	Count int `json:"count,omitempty"`
}

// maxFamily bounds the events that corrections combine into one computation.
const maxFamily = 1000

// publicEvent returns the event that readers see under an id.
func publicEvent(tx *bolt.Tx, id eventseer.EventID) (eventseer.Event, error) {
	now := eventseer.EventID(followAliases(tx, string(id)))
	for range maxFamily {
		row, ok := curatedRow(tx, now)
		if !ok {
			return storedEvent(tx, now, id)
		}
		if row.Event != nil {
			return *row.Event, nil
		}
		now = eventseer.EventID(followAliases(tx, string(row.Into)))
	}
	return eventseer.Event{}, fmt.Errorf("%w: following the alias of event %s leads back to it", ErrCorrupt, id)
}

func storedEvent(tx *bolt.Tx, id, asked eventseer.EventID) (eventseer.Event, error) {
	if tx.Bucket(eventBucket).Get([]byte(id)) == nil {
		return eventseer.Event{}, fmt.Errorf("%w: %s", eventseer.ErrNotFound, asked)
	}
	return readEvent(tx, id)
}

func curatedRow(tx *bolt.Tx, id eventseer.EventID) (row curatedEvent, ok bool) {
	value := tx.Bucket(curatedBucket).Get([]byte(id))
	if value == nil {
		return row, false
	}
	row, err := decodeRecord[curatedEvent](value)
	return row, err == nil && (row.Event != nil || row.Into != "") // Check reports others
}

// partsOf returns the stored events that the event seen under an id consists of.
func partsOf(tx *bolt.Tx, id eventseer.EventID) []eventseer.EventID {
	now := eventseer.EventID(followAliases(tx, string(id)))
	for range maxFamily {
		row, ok := curatedRow(tx, now)
		switch {
		case !ok:
			return []eventseer.EventID{now}
		case row.Event != nil:
			return append([]eventseer.EventID{row.Event.ID}, row.Parts...)
		}
		now = eventseer.EventID(followAliases(tx, string(row.Into)))
	}
	return nil
}

// isCorrected reports whether any correction is bound to an id.
func isCorrected(tx *bolt.Tx, id eventseer.EventID) bool {
	prefix := joinKey(string(id), "")
	k, _ := tx.Bucket(correctedBucket).Cursor().Seek(prefix)
	return bytes.HasPrefix(k, prefix)
}

// correctionsOf returns the corrections bound to an id, in order of time. Damaged ones are left for
// Check to report.
func correctionsOf(tx *bolt.Tx, id eventseer.EventID) (bound []boundCorrection) {
	for k := range keysWithPrefix(tx, correctedBucket, joinKey(string(id), "")) {
		if c, err := decodeRecord[boundCorrection](tx.Bucket(correctionBucket).Get([]byte(lastPart(k)))); err == nil {
			bound = append(bound, c)
		}
	}
	return bound
}

// isDecided reports whether an editor has decided that two events are one, or two.
func isDecided(tx *bolt.Tx, a, b eventseer.EventID) bool {
	return slices.ContainsFunc(correctionsOf(tx, a), func(c boundCorrection) bool {
		other := c.Kind == eventseer.MergeCorrection || c.Kind == eventseer.ApartCorrection
		return other && c.Undone == nil && (c.EventAt == b || c.OtherAt == b)
	})
}

// A correctedEvents is the result of corrections of some connected events.
type correctedEvents struct {
	ids         []eventseer.EventID // in order
	corrections []boundCorrection   // of all ids, including undone ones, in order of time
}

// correctedEventsOf returns the ids that corrections connect with some.
func correctedEventsOf(tx *bolt.Tx, ids ...eventseer.EventID) (f correctedEvents) {
	seen := map[string]bool{}
	for queue := slices.Clone(ids); len(queue) > 0 && len(f.ids) < maxFamily; queue = queue[1:] {
		id := queue[0]
		if id == "" || slices.Contains(f.ids, id) {
			continue
		}
		f.ids = append(f.ids, id)
		for _, c := range correctionsOf(tx, id) {
			if !seen[c.ID] {
				seen[c.ID] = true
				f.corrections = append(f.corrections, c)
			}
			if c.Kind != eventseer.ApartCorrection {
				queue = append(queue, c.EventAt, c.OtherAt)
			}
		}
	}
	slices.Sort(f.ids)
	slices.SortFunc(f.corrections, func(a, b boundCorrection) int { return cmp.Compare(a.ID, b.ID) })
	return f
}

// An Effect is the change for readers under one id by a correction.
type Effect struct {
	ID            eventseer.EventID
	Before, After *eventseer.Event // nil if there is no event with that id
	// Into is the event to which the id leads if After is nil.
	Into eventseer.EventID
}

// A curator computes what readers see of stored events within a transaction.
type curator struct {
	tx *bolt.Tx
	// ofSeries returns an event with the data on its series.
	ofSeries func(*bolt.Tx, eventseer.Event) eventseer.Event
}

// curatedEvents returns the rows of the ids that have one.
func (c curator) curatedEvents(f correctedEvents) map[eventseer.EventID]curatedEvent {
	rows := map[eventseer.EventID]curatedEvent{}
	parts := c.splitParts(f, rows)
	into := map[eventseer.EventID]eventseer.EventID{}
	goesOnAs := func(id eventseer.EventID) eventseer.EventID {
		for into[id] != "" {
			id = into[id]
		}
		return id
	}
	own := map[eventseer.EventID][]eventseer.Correction{}
	for _, one := range f.corrections {
		if _, known := parts[one.EventAt]; !known || one.Undone != nil || one.Kind != eventseer.MergeCorrection {
			continue
		}
		a, b := goesOnAs(one.EventAt), goesOnAs(one.OtherAt)
		if _, known := parts[b]; known && a != b {
			into[b] = a
		}
	}
	for _, one := range f.corrections {
		if one.Undone == nil && (one.Field != "" || one.Kind == eventseer.HideCorrection) {
			id := goesOnAs(one.EventAt)
			own[id] = append(own[id], one.Correction)
		}
	}
	members := map[eventseer.EventID][]eventseer.EventID{}
	for _, id := range f.ids {
		if of := goesOnAs(id); of != id {
			rows[id] = curatedEvent{Into: of}
			members[of] = append(members[of], id)
		}
	}
	for _, id := range f.ids {
		p, known := parts[id]
		if !known || into[id] != "" || !p.isSplit && len(members[id])+len(own[id]) == 0 {
			continue
		}
		e, of := p.event, slices.Clone(p.of)
		for _, m := range members[id] {
			e, _ = merge.UniteEditions(e, parts[m].event)
			of = append(of, parts[m].of...)
		}
		e = curate.Apply(c.ofSeries(c.tx, e), own[id])
		e.ID = id
		slices.Sort(of)
		rows[id] = curatedEvent{Event: &e, Parts: slices.Compact(of)}
	}
	return rows
}

// An eventPart is a stored event, or some pages of a split event.
type eventPart struct {
	event   eventseer.Event
	of      []eventseer.EventID // the stored event
	isSplit bool
}

// splitParts returns the parts of a family. It also sets the rows of parts whose split was undone: they
// lead to the event from which they were split.
func (c curator) splitParts(f correctedEvents, rows map[eventseer.EventID]curatedEvent) map[eventseer.EventID]eventPart {
	parts := map[eventseer.EventID]eventPart{}
	for _, id := range f.ids {
		if e, err := readEvent(c.tx, id); err == nil {
			parts[id] = eventPart{event: e, of: []eventseer.EventID{id}}
		}
	}
	records := map[eventseer.EventID][]eventseer.Event{}
	for _, one := range f.corrections {
		if one.Kind != eventseer.SplitCorrection {
			continue
		}
		from, known := parts[one.EventAt]
		if one.Undone != nil || !known || parts[one.OtherAt].of != nil {
			if known && parts[one.OtherAt].of == nil {
				rows[one.OtherAt] = curatedEvent{Into: one.EventAt}
			}
			continue
		}
		all, read := records[one.EventAt]
		if !read {
			all = evidenceOf(c.tx, from.event)
		}
		var off, rest []eventseer.Event
		for _, r := range all {
			if slices.Contains(one.Pages, r.URL) {
				off = append(off, r)
			} else {
				rest = append(rest, r)
			}
		}
		if len(off) == 0 || len(rest) == 0 {
			rows[one.OtherAt] = curatedEvent{Into: one.EventAt}
			continue // until the pages are read
		}
		records[one.EventAt], records[one.OtherAt] = rest, off
		parts[one.EventAt] = eventPart{mergeRecords(c.tx, one.EventAt, from.of[0], rest), from.of, true}
		parts[one.OtherAt] = eventPart{mergeRecords(c.tx, one.OtherAt, from.of[0], off), from.of, true}
		delete(rows, one.OtherAt)
	}
	return parts
}

// evidenceOf returns the last records of the pages of a stored event, in the order in which the
// pages were first read. For records of other stores it returns those of their pages, or if these
// are unknown, the record itself as that of its first page.
func evidenceOf(tx *bolt.Tx, e eventseer.Event) (records []eventseer.Event) {
	prefix, isRemote := joinKey(string(e.ID), ""), false
	for k, v := range keysWithPrefix(tx, remoteBucket, prefix) {
		isRemote = true
		var said []eventseer.Event
		if remote := k[len(prefix):]; string(remote) == ownRecord {
			said = ownEvidenceOf(tx, e)
		} else {
			said = decodeAll(keysWithPrefix(tx, remotePageBucket, append(slices.Clone(remote), 0)))
		}
		if r, err := decodeRecord[eventseer.Event](v); len(said) == 0 && err == nil { // Check reports others
			said = []eventseer.Event{r}
		}
		records = append(records, said...)
	}
	if !isRemote {
		records = ownEvidenceOf(tx, e)
	}
	slices.SortStableFunc(records, func(a, b eventseer.Event) int {
		return cmp.Or(a.FirstSeen.Compare(b.FirstSeen), cmp.Compare(a.URL, b.URL))
	})
	return records
}

// ownEvidenceOf returns the last records of the event's pages that were read here.
func ownEvidenceOf(tx *bolt.Tx, e eventseer.Event) (records []eventseer.Event) {
	seen := map[string]bool{}
	for _, url := range append(slices.Clone(e.CallPages()), e.Related...) {
		if seen[url] {
			continue
		}
		seen[url] = true
		hash := pageHash(url)
		for k, v := range keysWithPrefix(tx, evidenceBucket, hash) {
			if followAliases(tx, string(k[hashSize:])) != string(e.ID) {
				continue
			}
			if r, err := decodeRecord[eventseer.Event](v); err == nil { // Check reports others
				records = append(records, r)
			}
		}
	}
	return records
}

// decodeAll returns the readable records of a range; Check reports damaged ones.
func decodeAll(values iter.Seq2[[]byte, []byte]) (records []eventseer.Event) {
	for _, v := range values {
		if r, err := decodeRecord[eventseer.Event](v); err == nil {
			records = append(records, r)
		}
	}
	return records
}

// mergeRecords merges records into an event with an id; of is the stored event whose votes are used.
func mergeRecords(tx *bolt.Tx, id, of eventseer.EventID, records []eventseer.Event) eventseer.Event {
	e := records[0]
	if len(e.Pages) == 0 && !eventseer.IsRelated(e) {
		e.Pages = []string{e.URL}
	}
	for _, r := range records[1:] {
		e, _ = merge.Merge(e, r)
	}
	e.ID = id
	e, _ = applyVotes(tx, eventseer.Event{}, e, of)
	for _, r := range records {
		if e.FirstSeen.IsZero() || r.FirstSeen.Before(e.FirstSeen) && !r.FirstSeen.IsZero() {
			e.FirstSeen = r.FirstSeen
		}
	}
	return e
}

// putEvidence stores the record of a page. Several records from one reading of a page that belong
// to one event are merged.
func putEvidence(tx *bolt.Tx, id eventseer.EventID, e eventseer.Event) error {
	b, key := tx.Bucket(evidenceBucket), pageKey(e.URL, id)
	before, err := decodeRecord[eventseer.Event](b.Get(key))
	if err == nil && !e.LastSeen.IsZero() && before.LastSeen.Equal(e.LastSeen) && !sameRecord(before, e) {
		e, _ = merge.Merge(before, e)
	} else if err == nil && !before.FirstSeen.IsZero() {
		e.FirstSeen = before.FirstSeen
	}
	e.ID = ""
	return putRecord(b, key, e)
}

// putCurated stores or removes the row of an id, and files the event that readers see under its
// series.
func putCurated(tx *bolt.Tx, id eventseer.EventID, row curatedEvent) (m Effect, err error) {
	m.ID, m.Into = id, row.Into
	b := tx.Bucket(curatedBucket)
	old, had := curatedRow(tx, id)
	raw, rawErr := readEvent(tx, id)
	exists := rawErr == nil
	switch {
	case had:
		m.Before = old.Event
	case exists:
		m.Before = &raw
	}
	m.After = row.Event
	own := 0
	if row.Event != nil {
		own = 1
	}
	keep := row.Event != nil || row.Into != ""
	if keep {
		row.Count = own
		if exists {
			row.Count--
		}
		err = putRecord(b, []byte(id), row)
	} else if err = b.Delete([]byte(id)); exists {
		m.After = &raw
	}
	err = errors.Join(err, b.SetSequence(b.Sequence()+uint64(row.Count-old.Count))) // #nosec G115 -- the sum is not below 0
	if old.Event != nil {
		err = errors.Join(err, dropEdition(tx, *old.Event))
	}
	if exists {
		err = errors.Join(err, dropEdition(tx, raw))
	}
	if m.After != nil {
		err = errors.Join(err, putEdition(tx, eventseer.Event{}, *m.After))
	}
	return m, err
}

// reportCorrected adds the changes for readers caused by a correction to the outbox.
func reportCorrected(tx *bolt.Tx, effects []Effect, at time.Time) error {
	var errs []error
	for _, m := range effects {
		c := eventseer.Change{Event: m.ID, At: at}
		for _, e := range []*eventseer.Event{m.Before, m.After} {
			if e != nil {
				c.Page = e.URL
			}
		}
		switch {
		case m.Before == nil && m.After == nil:
			continue
		case m.After == nil:
			c.Into = m.Into
		case m.Before == nil:
			if c.New = len(partsOf(tx, m.ID)) > 0 && tx.Bucket(eventBucket).Get([]byte(m.ID)) == nil; !c.New {
				errs = append(errs, putOutbox(tx, &c)) // it is a separate event again
				continue
			}
		default:
			c.Fields = curate.Diff(*m.Before, *m.After)
		}
		if !notifiesPeople(c) {
			errs = append(errs, putOutbox(tx, &c))
			continue
		}
		errs = append(errs, putChange(tx, c))
	}
	return errors.Join(errs...)
}
