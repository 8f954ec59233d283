package store

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// Limits on the work one Put does.
const (
	maxCandidates = 64  // editions looked at for each key
	maxTitleKey   = 120 // bytes of a title that count
	maxID         = 200 // bytes of an event id
	maxSameID     = 50  // editions that are told apart by a number
)

// A key leads from something a record says to the editions it may belong to.
type key struct{ kind, name string }

// keysOf returns the keys of an event, the most telling first.
func keysOf(e eventseer.Event) []key {
	var keys []key
	add := func(kind, name string) {
		if name != "" {
			keys = append(keys, key{kind, name})
		}
	}
	add("id", baseID(e))
	add("acronym", fold(e.Acronym, e.Year))
	add("title", fold(e.Title, e.Year))
	if u, err := url.Parse(e.URL); err == nil {
		add("host", strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."))
	}
	return keys
}

// fold keeps lower-case letters and digits of a name, words apart, and leaves
// out years: editions of one series share it.
func fold(name string, year int) string {
	short := fmt.Sprintf("%02d", year%100)
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	kept := words[:0]
	for _, w := range words {
		if n, err := strconv.Atoi(w); err == nil && (len(w) == 4 || year > 0 && w == short) && n >= 0 {
			continue
		}
		if year > 0 {
			w = strings.TrimSuffix(w, strconv.Itoa(year))
		}
		kept = append(kept, w)
	}
	folded := strings.Join(kept, " ")
	return strings.ToValidUTF8(folded[:min(len(folded), maxTitleKey)], "")
}

func (k key) prefix() string { return k.kind + "\x00" + k.name + "\x00" }

func (k key) entry(year int, id eventseer.EventID) []byte {
	return []byte(k.prefix() + yearText(year) + "\x00" + string(id))
}

func yearText(year int) string { return fmt.Sprintf("%04d", max(0, min(year, 9999))) }

// putKeys makes the event findable by what the record and the merged event say.
func putKeys(tx *bbolt.Tx, id eventseer.EventID, events ...eventseer.Event) error {
	b := tx.Bucket(keyBucket)
	for _, e := range events {
		for _, k := range keysOf(e) {
			if err := b.Put(k.entry(e.Year, id), []byte{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// find returns the stored edition that e belongs to: first among those read
// from the same page, then by the keys.
func find(tx *bbolt.Tx, e eventseer.Event) (eventseer.Event, bool) {
	events := tx.Bucket(eventBucket)
	tried := map[string]bool{}
	for _, id := range candidates(tx, e) {
		if tried[id] {
			continue
		}
		tried[id] = true
		old, err := decodeEvent([]byte(id), events.Get([]byte(id)))
		if err == nil && eventseer.SameEdition(old, e) {
			return old, true
		}
	}
	return eventseer.Event{}, false
}

func candidates(tx *bbolt.Tx, e eventseer.Event) []string {
	ids := pageEvents(tx, e.URL)
	for _, k := range keysOf(e) {
		if e.Year == 0 {
			ids = append(ids, keyEvents(tx, k.prefix())...)
			continue
		}
		ids = append(ids, keyEvents(tx, k.prefix()+yearText(e.Year))...)
		ids = append(ids, keyEvents(tx, k.prefix()+yearText(0))...)
	}
	return ids
}

func keyEvents(tx *bbolt.Tx, prefix string) []string {
	var ids []string
	c := tx.Bucket(keyBucket).Cursor()
	for k, _ := c.Seek([]byte(prefix)); bytes.HasPrefix(k, []byte(prefix)) && len(ids) < maxCandidates; k, _ = c.Next() {
		ids = append(ids, string(k[bytes.LastIndexByte(k, 0)+1:]))
	}
	return ids
}

func pageHash(url string) []byte {
	sum := sha256.Sum256([]byte(url))
	return sum[:16]
}

func pageKey(url string, id eventseer.EventID) []byte { return append(pageHash(url), id...) }

// pageEvents returns the events that records of this page went into.
func pageEvents(tx *bbolt.Tx, url string) []string {
	var ids []string
	hash := pageHash(url)
	c := tx.Bucket(pageBucket).Cursor()
	for k, _ := c.Seek(hash); bytes.HasPrefix(k, hash) && len(ids) < maxCandidates; k, _ = c.Next() {
		ids = append(ids, string(k[len(hash):]))
	}
	return ids
}

// unchanged returns the event that holds this very record of the page already.
func unchanged(tx *bbolt.Tx, url string, digest []byte) (eventseer.Event, bool) {
	hash := pageHash(url)
	c := tx.Bucket(pageBucket).Cursor()
	for k, v := c.Seek(hash); bytes.HasPrefix(k, hash); k, v = c.Next() {
		if !bytes.Equal(v, digest) {
			continue
		}
		id := k[len(hash):]
		if e, err := decodeEvent(id, tx.Bucket(eventBucket).Get(id)); err == nil {
			return e, true
		}
	}
	return eventseer.Event{}, false
}

// baseID is the id e asks for, made fit for a key.
func baseID(e eventseer.Event) string {
	id := string(eventseer.MakeID(e))
	if id == "" || len(id) > maxID || strings.ContainsRune(id, 0) {
		return fmt.Sprintf("event-%x", pageHash(e.URL)[:6])
	}
	return id
}

// freeID returns an id no event has: the one e asks for, else with a number,
// else with a hash of the page.
func freeID(tx *bbolt.Tx, e eventseer.Event) eventseer.EventID {
	base, b := baseID(e), tx.Bucket(eventBucket)
	id := base
	for n := 2; b.Get([]byte(id)) != nil; n++ {
		if n > maxSameID {
			id = fmt.Sprintf("%s-%x", base, pageHash(e.URL + "\x00" + e.Title + "\x00" + id)[:8])
			continue
		}
		id = fmt.Sprintf("%s-%d", base, n)
	}
	return eventseer.EventID(id)
}
