package store

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/zeebo/xxh3"
)

// Limits on the work of one call of Put.
const (
	maxCandidates = 256 // events compared with a record
	maxPerKey     = 64  // events examined for each key
	maxID         = 200 // bytes of an event id
	maxSameID     = 50  // editions distinguished by a number
)

// keyPrefix returns the prefix of the entries of a key in one year.
func keyPrefix(k match.BlockKey, year int) []byte {
	return joinKey(k.Kind, k.Name, yearText(year), "")
}

func yearText(year int) string { return fmt.Sprintf("%04d", max(0, min(year, 9999))) }

// indexKeys returns the keys under which an event is indexed, in its possible years.
func indexKeys(id eventseer.EventID, e eventseer.Event) (keys [][]byte) {
	for _, k := range match.BlockKeys(e) {
		for _, year := range match.PossibleYears(e) {
			keys = append(keys, append(keyPrefix(k, year), id...))
		}
	}
	return keys
}

// candidatePrefixes returns the key prefixes of records that may belong to the same edition as e. They are
// those of its years and of no year, or of any year if its own is unknown.
func candidatePrefixes(e eventseer.Event) (out [][]byte) {
	years := match.PossibleYears(e)
	if !slices.Contains(years, 0) {
		years = append(years, 0)
	}
	for _, k := range match.BlockKeys(e) {
		if e.Year == 0 {
			out = append(out, joinKey(k.Kind, k.Name, ""))
			continue
		}
		for _, year := range years {
			out = append(out, keyPrefix(k, year))
		}
	}
	return out
}

// putKeys indexes the event by the record and the merged event.
func putKeys(tx *bolt.Tx, id eventseer.EventID, events ...eventseer.Event) error {
	b := tx.Bucket(keyBucket)
	for _, e := range events {
		for _, k := range indexKeys(id, e) {
			if err := b.Put(k, []byte{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// findEvent returns the stored event that e most probably belongs to, the older of equals, excluding
// except.
func (s *Store) findEvent(tx *bolt.Tx, e eventseer.Event, except eventseer.EventID) (eventseer.Event, bool) {
	events, of := tx.Bucket(eventBucket), match.NewEventKey(e)
	var best eventKey
	most := 0.0
	for _, id := range candidateEvents(tx, e) {
		if id == string(except) {
			continue
		}
		c, err := s.cache.cachedEventKey(id, events.Get([]byte(id)))
		if err != nil || string(c.id) != id {
			continue // Check reports the one that cannot be read
		}
		like := s.score(c.EventKey, of)
		if like > most || like == most && (best.id == "" || c.isOlder(best)) {
			best, most = c, like
		}
	}
	if best.id == "" && except == "" && eventseer.IsRelated(e) {
		best = s.eventOnSite(tx, of, candidateEvents(tx, e))
	}
	if best.id == "" {
		return eventseer.Event{}, false
	}
	found, err := decodeEvent([]byte(best.id), events.Get([]byte(best.id)))
	return found, err == nil
}

// eventOnSite returns the only event among the candidates that has a page's site. If there are several
// it returns none, because then only names decide.
func (s *Store) eventOnSite(tx *bolt.Tx, page *match.EventKey, ids []string) (of eventKey) {
	for _, id := range ids {
		c, err := s.cache.cachedEventKey(id, tx.Bucket(eventBucket).Get([]byte(id)))
		if err != nil || string(c.id) != id || !match.AreOnOneSite(c.EventKey, page) {
			continue // Check reports the one that cannot be read
		}
		if of.id != "" {
			return eventKey{}
		}
		of = c
	}
	return of
}

// previousEdition returns the edition of the year before e.
func previousEdition(tx *bolt.Tx, e eventseer.Event) (eventseer.Event, bool) {
	if e.Year == 0 || series.Of(e) == "" {
		return eventseer.Event{}, false
	}
	for _, id := range idsUnder(tx, keyBucket, keyPrefix(match.SeriesKey(e), e.Year-1), maxPerKey, lastPart) {
		id = followAliases(tx, id)
		before, err := decodeEvent([]byte(id), tx.Bucket(eventBucket).Get([]byte(id)))
		if err == nil && before.Year == e.Year-1 && series.Of(before) == series.Of(e) {
			return before, true
		}
	}
	return eventseer.Event{}, false
}

// checkAgainstPrevious checks an event against the edition before.
func checkAgainstPrevious(tx *bolt.Tx, e eventseer.Event) eventseer.Event {
	if before, ok := previousEdition(tx, e); ok {
		return validate.CompareWithPrevious(e, before)
	}
	return e
}

// isOlder reports whether event a was found before b.
func isOlder(a, b eventseer.Event) bool {
	return eventKey{id: a.ID, firstSeen: a.FirstSeen}.isOlder(eventKey{id: b.ID, firstSeen: b.FirstSeen})
}

// candidateEvents returns the ids of the events to which e may belong: those that contain its page, and
// those that share a key with it.
func candidateEvents(tx *bolt.Tx, e eventseer.Event) (ids []string) {
	add := func(found []string) {
		for _, id := range found {
			if id = followAliases(tx, id); len(ids) < maxCandidates && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	add(pageEvents(tx, e.URL))
	for _, prefix := range candidatePrefixes(e) {
		add(idsUnder(tx, keyBucket, prefix, maxPerKey, lastPart))
	}
	return ids
}

// lastPart returns the id at the end of an entry of a key.
func lastPart(entry []byte) string { return string(entry[bytes.LastIndexByte(entry, 0)+1:]) }

// keysWithPrefix yields the keys of a bucket that begin with prefix, in order, and their values.
func keysWithPrefix(tx *bolt.Tx, bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && yield(k, v); k, v = c.Next() {
		}
	}
}

// idsUnder returns the ids in the keys of a bucket that begin with prefix, at most limit.
func idsUnder(tx *bolt.Tx, bucket, prefix []byte, limit int, id func(key []byte) string) (ids []string) {
	for k := range keysWithPrefix(tx, bucket, prefix) {
		if len(ids) == limit {
			break
		}
		ids = append(ids, id(k))
	}
	return ids
}

func pageHash(url string) []byte {
	sum := sha256.Sum256([]byte(url))
	return sum[:16]
}

func pageKey(url string, id eventseer.EventID) []byte { return append(pageHash(url), id...) }

// pageEvents returns the events that records of this page went into.
func pageEvents(tx *bolt.Tx, url string) []string {
	hash := pageHash(url)
	return idsUnder(tx, pageBucket, hash, maxPerKey, func(key []byte) string { return string(key[len(hash):]) })
}

// findUnchanged returns the event that already contains this record of the page, and the key of the
// page's entry. The version of the page does not matter.
func findUnchanged(tx *bolt.Tx, url string, reading []byte) (e eventseer.Event, key []byte, known bool) {
	hash := pageHash(url)
	for k, v := range keysWithPrefix(tx, pageBucket, hash) {
		if !bytes.HasPrefix(v, reading[:sha256.Size]) {
			continue
		}
		if e, err := readEvent(tx, eventseer.EventID(followAliases(tx, string(k[len(hash):])))); err == nil {
			return e, bytes.Clone(k), true
		}
	}
	return eventseer.Event{}, nil, false
}

// isReadBefore reports whether this version of the page was read before, so that its changes were
// reported.
func isReadBefore(tx *bolt.Tx, e eventseer.Event) bool {
	if e.Version == "" {
		return false
	}
	version := pageHash(e.Version)
	for _, v := range keysWithPrefix(tx, pageBucket, pageHash(e.URL)) {
		if bytes.Equal(v[min(len(v), sha256.Size):], version) {
			return true
		}
	}
	return false
}

func readEvent(tx *bolt.Tx, id eventseer.EventID) (eventseer.Event, error) {
	return decodeEvent([]byte(id), tx.Bucket(eventBucket).Get([]byte(id)))
}

// baseID returns the preferred id of e, without characters that a key cannot have.
func baseID(e eventseer.Event) string {
	id := string(series.MakeID(e))
	if id == "" || len(id) > maxID || strings.ContainsRune(id, 0) {
		return fmt.Sprintf("event-%x", pageHash(e.URL)[:6])
	}
	return id
}

// freeID returns an unused id: the preferred one of e, otherwise with a number, otherwise with a
// hash of the page.
func freeID(tx *bolt.Tx, e eventseer.Event) eventseer.EventID {
	base, b, aliases := baseID(e), tx.Bucket(eventBucket), tx.Bucket(aliasBucket)
	id := base
	for n := 2; b.Get([]byte(id)) != nil || aliases.Get([]byte(id)) != nil; n++ {
		if n > maxSameID {
			id = fmt.Sprintf("%s-%x", base, pageHash(e.URL + "\x00" + e.Title + "\x00" + id)[:8])
			continue
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return eventseer.EventID(id)
}

// maxMemo is the number of event keys in each of the two generations of the cache.
const maxMemo = 4096

// waitingMemo begins the cache keys of waiting records: no event id contains this byte.
const waitingMemo = "\x00"

// A recordCache caches stored records in the form for comparison. A record is compared with up to
// maxCandidates, and decoding takes much longer than comparing. It is safe for concurrent use.
type recordCache struct {
	mu          sync.Mutex // guards below
	now, before map[string]eventKey
}

// An eventKey is the compared form of a record with this content.
type eventKey struct {
	*match.EventKey
	id        eventseer.EventID
	firstSeen time.Time
	content   xxh3.Uint128
	listName  bool // a warning says that its acronym is the name of a mailing list
}

// isOlder reports whether event c was found before d.
func (c eventKey) isOlder(d eventKey) bool {
	if !c.firstSeen.Equal(d.firstSeen) {
		return c.firstSeen.Before(d.firstSeen)
	}
	return c.id < d.id
}

// cachedEventKey returns the eventKey of a record that is stored under a key.
func (m *recordCache) cachedEventKey(key string, record []byte) (eventKey, error) {
	content := xxh3.Hash128(record)
	if c, ok := m.lookup(key); ok && c.content == content {
		return c, nil
	}
	e, err := decodeRecord[eventseer.Event](record)
	if err != nil {
		return eventKey{}, err
	}
	c := eventKey{match.NewEventKey(e), e.ID, e.FirstSeen, content, hasMailingListName(e)}
	m.add(key, c)
	return c, nil
}

func (m *recordCache) lookup(key string) (eventKey, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.now[key]
	if !ok {
		if c, ok = m.before[key]; ok {
			m.addAndEvict(key, c)
		}
	}
	return c, ok
}

func (m *recordCache) add(key string, c eventKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.addAndEvict(key, c)
}

// addAndEvict adds a key to the cache and drops the older ones if maxMemo newer ones were added. m.mu must be
// held.
func (m *recordCache) addAndEvict(key string, c eventKey) {
	if m.now == nil || len(m.now) >= maxMemo {
		m.now, m.before = map[string]eventKey{}, m.now
	}
	m.now[key] = c
}

// A Question is a pair of events that may be one edition. The evidence is too weak to unite them
// and too strong to be sure that they are two.
type Question struct {
	A, B eventseer.EventID // in order
	// Likeness is the log-odds for one edition minus the threshold for merging, so it is negative.
	// See match.Scorer.
	Likeness float64
	// Probability is the probability of one edition, at least match.QuestionProbability.
	Probability float64
}

// MaxQuestions bounds the pairs that Questions returns.
const MaxQuestions = 1000

// OpenQuestions returns the pairs of events that may be one, the most probable first. It compares each
// event with those that share a key with it, and writes nothing. Events that cannot be read are
// left out; Check reports them.
func (s *Store) OpenQuestions(ctx context.Context) (open []Question, err error) {
	for e, err := range s.Events(ctx) {
		if err != nil {
			continue
		}
		key := match.NewEventKey(e)
		err := s.readTx(ctx, func(tx *bolt.Tx) error {
			for _, id := range candidateEvents(tx, e) {
				if id <= string(e.ID) || isDecided(tx, e.ID, eventseer.EventID(id)) {
					continue // the same pair again, or an editor has decided it
				}
				c, err := s.cache.cachedEventKey(id, tx.Bucket(eventBucket).Get([]byte(id)))
				if err != nil {
					continue
				}
				like := s.score(c.EventKey, key)
				if p := s.pairs.Probability(c.EventKey, key); like < 0 && p >= match.QuestionProbability {
					open = append(open, Question{e.ID, eventseer.EventID(id), like, p})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(open, func(a, b Question) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return open[:min(len(open), MaxQuestions)], ctx.Err()
}

// warnOfListName adds a warning to an event whose acronym is the name of a mailing list. It also
// warns of the events from which this is learned: different events announced under it by messages
// of the archive. read is the record that was just stored.
func (s *Store) warnOfListName(tx *bolt.Tx, id eventseer.EventID, read eventseer.Event) error {
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
	for _, id := range candidateEvents(tx, e) {
		if id == string(e.ID) {
			continue
		}
		if c, err := s.cache.cachedEventKey(id, events.Get([]byte(id))); err == nil && match.NamedByList(key, c.EventKey) {
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
		if !hasMailingListName(stored) {
			stored.Warnings = append(stored.Warnings, eventseer.Warning{
				Rule: eventseer.ListNameRule, Text: fmt.Sprintf("its archive also announces other events as %q", stored.Acronym),
			})
			errs = append(errs, putRecord(events, []byte(id), stored))
			_, err := s.rebuildCurated(tx, stored.ID)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// hasMailingListName reports whether a warning says that the acronym of an event is the name of a
// mailing list.
func hasMailingListName(e eventseer.Event) bool {
	return slices.ContainsFunc(e.Warnings, func(w eventseer.Warning) bool { return w.Rule == eventseer.ListNameRule })
}
