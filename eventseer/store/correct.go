package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/internal/bolt"
)

// MaxCorrections bounds the corrections that one call of Correct makes.
const MaxCorrections = 100

// Correct makes corrections, all or none, and returns them as stored. Event and Other are ids that
// readers know, even of events merged since; Old is filled in. expect maps fields to the values
// that the editor saw, and may be nil: if one has changed, the error is an eventseer.ErrConflict.
// Other errors are an eventseer.ErrNotFound and a curate.ErrBad; each message says what to do.
func (s *Store) Correct(ctx context.Context, expect map[string]string, given ...eventseer.Correction) (kept []eventseer.Correction, err error) {
	if len(given) == 0 || len(given) > MaxCorrections {
		return nil, fmt.Errorf("%w: %d corrections are given; 1 to %d can be made together", curate.ErrBad, len(given), MaxCorrections)
	}
	err = s.writeTx(ctx, func(tx *bolt.Tx) error {
		if kept, err = s.prepareCorrections(tx, given, expect); err != nil {
			return err
		}
		_, err := s.putCorrections(tx, kept, true)
		return err
	})
	if err != nil {
		return nil, err
	}
	return kept, nil
}

// errPreview rolls back the transaction of a preview.
var errPreview = errors.New("this is a preview, which writes nothing")

// Preview returns what Correct would change for readers, in the order of the corrections and
// each id once, and writes nothing. Its errors are those of Correct.
func (s *Store) Preview(ctx context.Context, expect map[string]string, given ...eventseer.Correction) (effects []Effect, err error) {
	if len(given) == 0 || len(given) > MaxCorrections {
		return nil, fmt.Errorf("%w: %d corrections are given; 1 to %d can be made together", curate.ErrBad, len(given), MaxCorrections)
	}
	err = s.writeTx(ctx, func(tx *bolt.Tx) error {
		kept, err := s.prepareCorrections(tx, given, expect)
		if err != nil {
			return err
		}
		all, err := s.putCorrections(tx, kept, false)
		if err != nil {
			return err
		}
		for _, e := range all {
			i := slices.IndexFunc(effects, func(o Effect) bool { return o.ID == e.ID })
			if i < 0 {
				effects = append(effects, e)
			} else {
				effects[i].After, effects[i].Into = e.After, e.Into
			}
		}
		return errPreview
	})
	if errors.Is(err, errPreview) {
		err = nil
	}
	return effects, err
}

// prepareCorrections returns the stored form of corrections that are made together.
func (s *Store) prepareCorrections(tx *bolt.Tx, given []eventseer.Correction, expect map[string]string) (kept []eventseer.Correction, err error) {
	edited, now := map[eventseer.EventID]eventseer.Event{}, s.now()
	for _, c := range given {
		if c.At.IsZero() {
			c.At = now
		}
		if c, err = s.prepareCorrection(tx, edited, c, expect); err != nil {
			return nil, err
		}
		kept = append(kept, c)
	}
	for _, c := range kept {
		if c.Field == "" {
			continue
		}
		if _, err := curate.SetChecked(edited[c.Event], c.Field, c.Value); err != nil {
			return nil, fmt.Errorf("%s %s: %w", c.Kind, c.Event, err)
		}
	}
	return kept, nil
}

// prepareCorrection returns the stored form of a correction. edited are the events after the
// corrections before it.
func (s *Store) prepareCorrection(tx *bolt.Tx, edited map[eventseer.EventID]eventseer.Event, c eventseer.Correction, expect map[string]string) (eventseer.Correction, error) {
	e, err := publicEvent(tx, c.Event)
	if err != nil {
		return c, adviseMissing(tx, c, c.Event, err)
	}
	if before, ok := edited[e.ID]; ok {
		e = before
	}
	c.Event, c.Page = e.ID, e.URL
	switch {
	case c.Field != "":
		e, c, err = s.prepareEdit(tx, e, c, expect)
		edited[c.Event] = e
	case c.Other != "":
		var other eventseer.Event
		if other, err = publicEvent(tx, c.Other); err != nil {
			return c, adviseMissing(tx, c, c.Other, err)
		}
		if other.ID == e.ID {
			err = fmt.Errorf("%w: %s and %s are one event already", curate.ErrBad, e.ID, c.Other)
		}
		c.Other, c.OtherPage = other.ID, other.URL
		if n := len(correctedEventsOf(tx, e.ID, other.ID).ids); err == nil && c.Kind == eventseer.MergeCorrection && n >= maxFamily {
			err = fmt.Errorf("%w: corrections have joined %d events already, the maximum is %d", curate.ErrBad, n, maxFamily)
		}
	case c.Kind == eventseer.SplitCorrection:
		c, err = prepareSplit(tx, e, c)
	case c.Kind == eventseer.HideCorrection && e.Hidden:
		err = fmt.Errorf("%w: %s is hidden already", curate.ErrBad, e.ID)
	}
	if err != nil {
		return c, err
	}
	return curate.New(c)
}

// adviseMissing adds advice to the error about a missing event that a correction names.
func adviseMissing(tx *bolt.Tx, c eventseer.Correction, id eventseer.EventID, err error) error {
	if !errors.Is(err, eventseer.ErrNotFound) {
		return err
	}
	if near := similarIDs(tx, id, maxSuggested); len(near) > 0 {
		return fmt.Errorf("%s: %w; did you mean %s?", c.Kind, err, strings.Join(near, ", "))
	}
	return fmt.Errorf("%s: %w; `eventseer find --all` lists events, `eventseer curation log` lists merged events", c.Kind, err)
}

func (s *Store) prepareEdit(tx *bolt.Tx, e eventseer.Event, c eventseer.Correction, expect map[string]string) (eventseer.Event, eventseer.Correction, error) {
	now, err := curate.FieldValue(e, c.Field)
	if err != nil {
		return e, c, err
	}
	c.Old, c.Value = now, strings.TrimSpace(c.Value)
	if seen, ok := expect[c.Field]; ok && seen != now {
		return e, c, fmt.Errorf("%w: the %s of %s is now %q, not %q; look at it again", eventseer.ErrConflict, c.Field, e.ID, now, seen)
	}
	switch {
	case c.Kind == eventseer.PinCorrection:
		c.Value = now
	case c.Value == now:
		return e, c, fmt.Errorf("%w: the %s of %s is %q already; `eventseer pin %s %s` pins it", curate.ErrBad, c.Field, e.ID, now, e.ID, c.Field)
	case c.Field == "series" && c.Value != "" && !s.tableIn(tx).Has(c.Value):
		return e, c, fmt.Errorf("%w: there is no series %q; `eventseer series list` lists the known ones, `series import` adds one", curate.ErrBad, c.Value)
	}
	out, err := curate.Set(e, c.Field, c.Value)
	return out, c, err
}

// prepareSplit connects a split with the stored event that has the pages it names.
func prepareSplit(tx *bolt.Tx, e eventseer.Event, c eventseer.Correction) (eventseer.Correction, error) {
	all := slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(e.CallPages()), e.Related...))))
	for _, p := range c.Pages {
		if !slices.Contains(all, p) {
			return c, fmt.Errorf("%w: %s is not a page of %s; its pages are %s", curate.ErrBad, p, e.ID, strings.Join(all[:min(len(all), 10)], " "))
		}
	}
	parts := partsOf(tx, e.ID)
	if len(parts) > 2 || len(parts) == 2 && parts[1] != e.ID {
		if _, err := readEvent(tx, e.ID); err != nil || len(parts) > 2 {
			return c, fmt.Errorf("%w: an editor has merged or split %s; undo that first (`eventseer curation log %s`)", curate.ErrBad, e.ID, e.ID)
		}
	}
	stored, err := readEvent(tx, e.ID)
	if err != nil {
		return c, err
	}
	records := evidenceOf(tx, stored)
	read := func(p string) bool {
		return slices.ContainsFunc(records, func(r eventseer.Event) bool { return r.URL == p })
	}
	rest := 0
	for _, r := range records {
		if !slices.Contains(c.Pages, r.URL) {
			rest++
		}
	}
	for _, p := range c.Pages {
		if !read(p) {
			return c, fmt.Errorf("%w: what %s says about %s is not stored, because an earlier version or another store read it; crawl it again, then split", curate.ErrBad, p, e.ID)
		}
	}
	if rest == 0 {
		return c, fmt.Errorf("%w: no page would be left of %s; name fewer pages", curate.ErrBad, e.ID)
	}
	return c, nil
}

// putCorrections stores corrections, merges them with known ones, and computes what readers see.
// own means that they were made or imported here: a cluster is notified of them.
func (s *Store) putCorrections(tx *bolt.Tx, all []eventseer.Correction, own bool) ([]Effect, error) {
	b := tx.Bucket(correctionBucket)
	var ids []eventseer.EventID
	var at time.Time
	all = slices.Clone(all)
	rank := func(c eventseer.Correction) int { // splits first, so that corrections of a part find it
		if c.Kind == eventseer.SplitCorrection {
			return 0
		}
		return 1
	}
	slices.SortFunc(all, func(x, y eventseer.Correction) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.ID, y.ID))
	})
	for _, c := range all {
		bound := boundCorrection{Correction: c}
		if old, err := decodeRecord[boundCorrection](b.Get([]byte(c.ID))); err == nil {
			bound = old
			if bound.Correction = curate.MergeUndo(old.Correction, c); bound.Undone == old.Undone {
				continue
			}
		}
		of, err := bindCorrection(tx, bound)
		if err == nil && own {
			err = logCorrection(tx, c.ID)
		}
		if err != nil {
			return nil, fmt.Errorf("correction %s of %s: %w", c.ID, c.Event, err)
		}
		ids = append(ids, of...)
		at = laterTime(at, bound.Correction)
	}
	return s.rebuildCorrected(tx, at, ids)
}

// laterTime returns the later of a time and that at which a correction was made or undone.
func laterTime(at time.Time, c eventseer.Correction) time.Time {
	if c.Undone != nil && c.Undone.At.After(at) {
		return c.Undone.At
	}
	if c.At.After(at) {
		return c.At
	}
	return at
}

// rebuildCorrected rebuilds what readers see of some events whose corrections have changed, and
// returns what has changed for them.
func (s *Store) rebuildCorrected(tx *bolt.Tx, at time.Time, ids []eventseer.EventID) (effects []Effect, err error) {
	made := map[eventseer.EventID]bool{}
	for _, id := range ids {
		if id == "" || made[id] {
			continue
		}
		some, err := s.rebuildCurated(tx, id)
		if err != nil {
			return effects, err
		}
		for _, e := range some {
			made[e.ID] = true
		}
		effects = append(effects, some...)
	}
	return effects, reportCorrected(tx, effects, at)
}

// logCorrection records that a correction is to be sent to a cluster.
func logCorrection(tx *bolt.Tx, id string) error {
	b := tx.Bucket(correctLogBucket)
	seq, err := b.NextSequence()
	if err != nil {
		return err
	}
	return b.Put(seqBytes(seq), []byte(id))
}

// OwnCorrections returns corrections that were made, undone or imported here after a number, in
// their present state, at most limit. last is the number to continue after. Corrections received
// from a cluster are not included.
func (s *Store) OwnCorrections(ctx context.Context, after uint64, limit int) (own []eventseer.Correction, last uint64, err error) {
	last = after
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		cursor := tx.Bucket(correctLogBucket).Cursor()
		for k, id := cursor.Seek(seqBytes(after + 1)); k != nil && len(own) < limit; k, id = cursor.Next() {
			last = seqOf(k)
			if c, err := decodeRecord[boundCorrection](tx.Bucket(correctionBucket).Get(id)); err == nil { // Check reports others
				own = append(own, c.Correction)
			}
		}
		return nil
	})
	return own, last, err
}

// waitHash returns the key by which a correction waits for an event with an id, besides its page.
// The event may arrive without that page.
func waitHash(id eventseer.EventID) []byte { return pageHash("event " + string(id)) }

// bindCorrection stores a correction under its events and returns their ids. If an event is missing, the
// correction waits for a page of it, and for its id. A correction that was bound by a page still waits
// for the id, and moves when that is known: stores then agree whichever came first. The returned ids
// include those of the events it has left.
func bindCorrection(tx *bolt.Tx, c boundCorrection) ([]eventseer.EventID, error) {
	pages, bound := tx.Bucket(correctPageBucket), tx.Bucket(correctedBucket)
	left := []eventseer.EventID{c.EventAt, c.OtherAt}
	var errs []error
	find := func(at *eventseer.EventID, id eventseer.EventID, page string) {
		before, now := *at, eventWithID(tx, id)
		byPage, byID := append(pageHash(page), c.ID...), append(waitHash(id), c.ID...)
		switch {
		case now != "" && (before == "" || pages.Get(byID) != nil):
			*at = now
			errs = append(errs, pages.Delete(byID))
		case before == "":
			*at = onlyEventOfPage(tx, page)
			errs = append(errs, pages.Put(byID, []byte{}))
		}
		if *at == "" {
			errs = append(errs, pages.Put(byPage, []byte{}))
		} else {
			errs = append(errs, pages.Delete(byPage))
		}
	}
	find(&c.EventAt, c.Event, c.Page)
	switch {
	case c.Kind == eventseer.SplitCorrection:
		c.OtherAt = c.Other
	case c.Other != "":
		find(&c.OtherAt, c.Other, c.OtherPage)
	}
	ids := []eventseer.EventID{c.EventAt, c.OtherAt}
	for _, id := range left {
		if id != "" {
			errs = append(errs, bound.Delete(joinKey(string(id), c.ID)))
		}
	}
	for _, id := range ids {
		if id != "" {
			errs = append(errs, bound.Put(joinKey(string(id), c.ID), []byte{}))
		}
	}
	ids = append(ids, left...)
	errs = append(errs, putRecord(tx.Bucket(correctionBucket), []byte(c.ID), c))
	if c.Kind == eventseer.SplitCorrection && !slices.Contains(left, c.Other) { // its part is known from now on
		of, _, err := bindWaitingUnder(tx, waitHash(c.Other))
		ids, errs = append(ids, of...), append(errs, err)
	}
	return ids, errors.Join(errs...)
}

// eventWithID returns the stored event, or the part of one, with an id now or earlier. It is "" if
// there is none.
func eventWithID(tx *bolt.Tx, id eventseer.EventID) eventseer.EventID {
	now := followAliases(tx, string(id))
	if tx.Bucket(eventBucket).Get([]byte(now)) != nil || tx.Bucket(curatedBucket).Get([]byte(now)) != nil || isPart(tx, eventseer.EventID(now)) {
		return eventseer.EventID(now)
	}
	return ""
}

// onlyEventOfPage returns the event that contains a page, "" if none or several do.
func onlyEventOfPage(tx *bolt.Tx, page string) eventseer.EventID {
	var found []string
	for _, of := range pageEvents(tx, page) {
		if of = followAliases(tx, of); !slices.Contains(found, of) {
			found = append(found, of)
		}
	}
	if len(found) != 1 {
		return ""
	}
	return eventseer.EventID(found[0])
}

// isPart reports whether a known split creates an event with an id, even if its pages were not read
// yet.
func isPart(tx *bolt.Tx, id eventseer.EventID) bool {
	return slices.ContainsFunc(correctionsOf(tx, id), func(c boundCorrection) bool {
		return c.Kind == eventseer.SplitCorrection && c.Other == id
	})
}

// bindWaiting binds the corrections waiting for a page that has just been read, or for its event.
func (s *Store) bindWaiting(tx *bolt.Tx, page string, of eventseer.EventID) error {
	ids, at, err := bindWaitingUnder(tx, pageHash(page), waitHash(of))
	if err != nil {
		return err
	}
	_, err = s.rebuildCorrected(tx, at, ids)
	return err
}

// bindWaitingUnder binds the corrections that wait under some keys, the oldest first. It returns the ids
// of the events that change, and the time of the latest correction.
func bindWaitingUnder(tx *bolt.Tx, hashes ...[]byte) (ids []eventseer.EventID, at time.Time, err error) {
	var waiting []string
	for _, hash := range hashes {
		for k := range keysWithPrefix(tx, correctPageBucket, hash) {
			waiting = append(waiting, string(k[len(hash):]))
		}
	}
	slices.Sort(waiting)
	for _, id := range slices.Compact(waiting) {
		c, err := decodeRecord[boundCorrection](tx.Bucket(correctionBucket).Get([]byte(id)))
		if err != nil {
			continue // Check reports it
		}
		of, err := bindCorrection(tx, c)
		if err != nil {
			return nil, at, err
		}
		ids = append(ids, of...)
		at = laterTime(at, c.Correction)
	}
	return ids, at, nil
}

// moveCorrections moves the corrections of an event to the event into which it was merged.
func (s *Store) moveCorrections(tx *bolt.Tx, from, to eventseer.EventID) error {
	bound := correctionsOf(tx, from)
	for _, c := range bound {
		if c.EventAt == from {
			c.EventAt = to
		}
		if c.OtherAt == from {
			c.OtherAt = to
		}
		err := errors.Join(
			putRecord(tx.Bucket(correctionBucket), []byte(c.ID), c),
			tx.Bucket(correctedBucket).Delete(joinKey(string(from), c.ID)),
			tx.Bucket(correctedBucket).Put(joinKey(string(to), c.ID), []byte{}),
		)
		if err != nil {
			return err
		}
	}
	if len(bound) == 0 && tx.Bucket(curatedBucket).Get([]byte(from)) == nil {
		return nil
	}
	_, err := putCurated(tx, from, curatedEvent{})
	return err
}

// rebuildCurated rebuilds what readers see of some events, and of those connected by corrections. It is
// called after a change of stored events or of corrections.
func (s *Store) rebuildCurated(tx *bolt.Tx, ids ...eventseer.EventID) (effects []Effect, err error) {
	if !slices.ContainsFunc(ids, func(id eventseer.EventID) bool {
		_, ok := curatedRow(tx, id)
		return ok || isCorrected(tx, id)
	}) {
		return nil, nil
	}
	f := correctedEventsOf(tx, ids...)
	rows := curator{tx, s.withPresentSeries}.curatedEvents(f)
	for _, id := range f.ids {
		m, err := putCurated(tx, id, rows[id])
		if err != nil {
			return effects, fmt.Errorf("corrections of %s: %w", id, err)
		}
		effects = append(effects, m)
	}
	return effects, nil
}

// Undo undoes a correction. Its errors are an eventseer.ErrNotFound, and a curate.ErrBad if it was
// undone already.
func (s *Store) Undo(ctx context.Context, id string, by eventseer.Undo) (undone eventseer.Correction, err error) {
	if by.At.IsZero() {
		by.At = s.now()
	}
	by.At = by.At.UTC()
	err = s.writeTx(ctx, func(tx *bolt.Tx) error {
		c, err := decodeRecord[boundCorrection](tx.Bucket(correctionBucket).Get([]byte(id)))
		switch {
		case err != nil:
			return fmt.Errorf("%w: there is no correction %.60q; `eventseer curation log` lists them", eventseer.ErrNotFound, id)
		case c.Undone != nil:
			return fmt.Errorf("%w: %s was undone already, by %s on %s", curate.ErrBad, id, c.Undone.Who, c.Undone.At.Format("2006-01-02 15:04"))
		}
		c.Undone, undone = &by, c.Correction
		undone.Undone = &by
		ids, err := bindCorrection(tx, c)
		if err == nil {
			_, err = s.rebuildCorrected(tx, by.At, ids)
		}
		return errors.Join(err, logCorrection(tx, id))
	})
	return undone, err
}

// Corrections yields all corrections, the oldest first. A damaged one is yielded with only its ID
// and an ErrCorrupt.
func (s *Store) Corrections(ctx context.Context) iter.Seq2[eventseer.Correction, error] {
	return scanRecords(ctx, s, correctionBucket, nil, func(id, record []byte) (eventseer.Correction, error) {
		c, err := decodeRecord[boundCorrection](record)
		if err != nil {
			c.ID = string(id)
		}
		return c.Correction, err
	})
}

// CorrectionsOf returns the corrections of an event and of those merged with it now or earlier, the
// oldest first.
func (s *Store) CorrectionsOf(ctx context.Context, id eventseer.EventID) (of []eventseer.Correction, err error) {
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		for _, c := range correctedEventsOf(tx, append(partsOf(tx, id), eventseer.EventID(followAliases(tx, string(id))))...).corrections {
			of = append(of, c.Correction)
		}
		return nil
	})
	return of, err
}

// EditorDecisions returns the pairs of events that editors declared to be one, by a merge, or two, also
// by a split. Pairs are in order of time, with the records that their comparison uses. Of two
// decisions on a pair the later is used. Pairs with missing events, or whose events were merged
// since because of pages, are left out.
func (s *Store) EditorDecisions(ctx context.Context) (pairs []match.Pair, err error) {
	type couple [2]eventseer.EventID
	at := map[couple]int{}
	err = s.readTx(ctx, func(tx *bolt.Tx) error {
		cursor := tx.Bucket(correctionBucket).Cursor()
		for id, value := cursor.First(); id != nil; id, value = cursor.Next() {
			c, err := decodeRecord[boundCorrection](value)
			decides := c.Kind == eventseer.MergeCorrection || c.Kind == eventseer.ApartCorrection || c.Kind == eventseer.SplitCorrection
			if err != nil || !decides || c.Undone != nil { // Check reports those that cannot be read
				continue
			}
			parts := curator{tx, s.withPresentSeries}.splitParts(correctedEventsOf(tx, c.EventAt, c.OtherAt), map[eventseer.EventID]curatedEvent{})
			a, b := parts[c.EventAt], parts[c.OtherAt]
			if a.of == nil || b.of == nil || a.event.URL == b.event.URL || c.EventAt == c.OtherAt {
				continue
			}
			pair := match.Pair{A: match.ComparedFields(a.event), B: match.ComparedFields(b.event), Same: c.Kind == eventseer.MergeCorrection, How: "editor"}
			of := couple{min(c.EventAt, c.OtherAt), max(c.EventAt, c.OtherAt)}
			if i, known := at[of]; known {
				pairs[i] = pair
				continue
			}
			at[of] = len(pairs)
			pairs = append(pairs, pair)
		}
		return ctx.Err()
	})
	return pairs, err
}

// PutCorrections imports corrections of another store, or of an export: known ones are merged.
// Stores with the same pages and corrections show the same events, regardless of the order of
// imports. Its error is a curate.ErrBad if one is invalid; then none is stored. A cluster is
// notified of new ones, unless they came from it.
func (s *Store) PutCorrections(ctx context.Context, all []eventseer.Correction, ofCluster bool) error {
	for _, c := range all {
		if err := curate.Check(c); err != nil {
			return err
		}
	}
	return s.writeTx(ctx, func(tx *bolt.Tx) error {
		_, err := s.putCorrections(tx, all, !ofCluster)
		return err
	})
}

// checkCorrections checks that each correction can be read and is filed under its events, and that the
// curated rows lead to an event.
func (c *checker) checkCorrections() {
	c.forEach(correctionBucket, func(id, v []byte) {
		bound, err := decodeRecord[boundCorrection](v)
		if err == nil {
			err = curate.Check(bound.Correction)
		}
		if err != nil {
			c.addFault("correction %s: %w", id, err)
			return
		}
		for _, at := range []eventseer.EventID{bound.EventAt, bound.OtherAt} {
			if at != "" && !c.hasKey(correctedBucket, joinKey(string(at), bound.ID)) {
				c.addFault("correction %s is missing at its event %s", id, at)
			}
		}
	})
	c.forEach(correctedBucket, func(k, _ []byte) {
		if !c.hasKey(correctionBucket, []byte(lastPart(k))) {
			c.addFault("%q does not lead to a correction", k)
		}
	})
	count := 0
	c.forEach(curatedBucket, func(id, v []byte) {
		row, err := decodeRecord[curatedEvent](v)
		if err != nil {
			c.addFault("corrected event %s: %w", id, err)
			return
		}
		count += row.Count
		if _, err := publicEvent(c.tx, eventseer.EventID(id)); err != nil {
			c.addFault("corrected event %s: %w", id, err)
		}
	})
	if n := int(c.tx.Bucket(curatedBucket).Sequence()) - curatedOffset; n != count { // #nosec G115 -- it is near curatedOffset
		c.addFault("corrections add %d events, but %d are counted", count, n)
	}
	c.forEach(evidenceBucket, func(k, v []byte) {
		e, err := decodeRecord[eventseer.Event](v)
		if err != nil || len(k) <= hashSize || !bytes.HasPrefix(k, pageHash(e.URL)) {
			c.addFault("the stored record %x of a page cannot be read or belongs to another page", k)
		} else if !c.leadsToEvent(string(k[hashSize:])) {
			c.addFault("the stored record of page %s does not lead to an event", e.URL)
		}
	})
}
