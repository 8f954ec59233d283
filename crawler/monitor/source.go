package monitor

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// A Kind is the kind of page of a source.
type Kind string

// The kinds of sources.
const (
	Index   Kind = "index"   // lists calls or events: lists of calls, calendars, archives
	Event   Kind = "event"   // is about one event
	Feed    Kind = "feed"    // RSS, Atom or JSON Feed
	Sitemap Kind = "sitemap" // of sitemaps.org
)

// Kinds lists the kinds.
func Kinds() []Kind { return []Kind{Index, Event, Feed, Sitemap} }

func (k Kind) isValid() bool { return slices.Contains(Kinds(), k) }

// isWatchedForLinks reports whether sources of this kind are watched for their links.
func (k Kind) isWatchedForLinks() bool { return k != Event }

// A By is the reason why a page became a source.
type By string

// The ways to become a source.
const (
	ByOperator By = "operator"  // named by a person
	ByType     By = "page type" // recognised as a list of calls, or as a call
	ByYield    By = "yield"     // by the number of its links that led to calls
)

// A Source is a page that is visited again and again.
type Source struct {
	URL   string    `json:"url"` // canonical
	Kind  Kind      `json:"kind"`
	By    By        `json:"by"`
	Added time.Time `json:"added"`
	// Visits are the last ones, oldest first.
	Visits []Visit `json:"visits,omitempty"`
	// Visited, Changed and Failed count all visits, those with a new version and those without a
	// page.
	Visited int `json:"visited"`
	Changed int `json:"changed"`
	Failed  int `json:"failed"`
	// Row is the number of consecutive visits, up to the last, without a page.
	Row int `json:"row,omitempty"`
	// ETag and LastModified are the validators of the last version, Digest is the digest of its
	// body. They are empty before the first version.
	ETag         string          `json:"etag,omitempty"`
	LastModified string          `json:"last_modified,omitempty"`
	Digest       webgraph.Digest `json:"digest,omitempty"`
	Alarm        *Alarm          `json:"alarm,omitempty"`
	// LedTo is the address to which the last visit was redirected; Was is the address before a
	// move; "" if none.
	LedTo string `json:"led_to,omitempty"`
	Was   string `json:"was,omitempty"`
}

// A Fate is the result of a visit.
type Fate byte

// The fates of visits.
const (
	Unchanged Fate = iota // 304, the same bytes, or nothing new for a reader
	Changed               // a new version, or the first
	Gone                  // status 404 or 410
	Failed                // no response, refused, or unreadable
)

// String returns the fate's name.
func (f Fate) String() string {
	return [...]string{"unchanged", "changed", "gone", "failed"}[min(f, Failed)]
}

// hasPage reports whether the visit found a page.
func (f Fate) hasPage() bool { return f <= Changed }

// A Visit is one visit of a source.
type Visit struct {
	At   time.Time
	Fate Fate
	// Modified is when the page last changed by its own statement; zero if not stated.
	Modified time.Time
}

// maxVisits is the number of visits stored for a source, because only recent rates matter.
const maxVisits = 64

// MarshalJSON writes a visit as milliseconds since 1970, fate, and milliseconds of
// the last change.
func (v Visit) MarshalJSON() ([]byte, error) {
	row := []int64{v.At.UnixMilli(), int64(v.Fate)}
	if !v.Modified.IsZero() {
		row = append(row, v.Modified.UnixMilli())
	}
	return json.Marshal(row)
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (v *Visit) UnmarshalJSON(text []byte) error {
	var row []int64
	if err := json.Unmarshal(text, &row); err != nil {
		return err
	}
	if len(row) < 2 || len(row) > 3 || row[1] < 0 || row[1] > int64(Failed) {
		return fmt.Errorf("a visit of %.100s", text)
	}
	*v = Visit{At: time.UnixMilli(row[0]).UTC(), Fate: Fate(row[1])}
	if len(row) == 3 {
		v.Modified = time.UnixMilli(row[2]).UTC()
	}
	return nil
}

// Last returns the last visit; its time is zero if there was none.
func (s *Source) Last() Visit {
	if len(s.Visits) == 0 {
		return Visit{}
	}
	return s.Visits[len(s.Visits)-1]
}

// addVisit adds a visit that is later than the last, and reports whether it is.
func (s *Source) addVisit(v Visit) bool {
	v.At = v.At.UTC().Truncate(time.Millisecond)
	if last := s.Last(); len(s.Visits) > 0 && !v.At.After(last.At) {
		return false
	}
	if s.Visits = append(s.Visits, v); len(s.Visits) > maxVisits {
		s.Visits = slices.Delete(s.Visits, 0, len(s.Visits)-maxVisits)
	}
	s.Visited++
	switch {
	case v.Fate == Changed:
		s.Changed++
		s.Row = 0
	case v.Fate == Unchanged:
		s.Row = 0
	default:
		s.Failed++
		s.Row++
	}
	return true
}

// valueVersion is the first byte of every value.
const valueVersion = 1

func decodeJSON(value []byte, v any) error {
	if len(value) == 0 || value[0] != valueVersion {
		return errors.New("the value is empty or of a version that this program cannot read")
	}
	return json.Unmarshal(value[1:], v)
}

// getValue reads a value of a bucket; known is false if there is none.
func getValue[T any](tx *bolt.Tx, bucket []byte, key string) (v T, known bool, err error) {
	value := tx.Bucket(bucket).Get([]byte(key))
	if value == nil {
		return v, false, nil
	}
	if err := decodeJSON(value, &v); err != nil {
		return v, false, fmt.Errorf("%s %s: %w", bucket, key, err)
	}
	return v, true, nil
}

// putValue writes a value into a bucket.
func putValue(tx *bolt.Tx, bucket, key []byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return tx.Bucket(bucket).Put(key, append([]byte{valueVersion}, text...))
}

// Source returns a source by its canonical URL, and false if there is none.
func (d *DB) Source(url string) (s Source, ok bool, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		s, ok, err = sourceIn(tx, url)
		return err
	})
	return s, ok, err
}

func sourceIn(tx *bolt.Tx, url string) (s Source, ok bool, err error) {
	return getValue[Source](tx, sourceBucket, url)
}

// maxSources is the maximum number of automatically added sources; sources named by a person are
// accepted beyond it. Each visit of the monitor plans with all of them.
const maxSources = 50_000

// isFull reports whether no more sources are added automatically. The sequence of the bucket is the
// number of its keys.
func isFull(tx *bolt.Tx) bool { return tx.Bucket(sourceBucket).Sequence() >= maxSources }

func (d *DB) isFull() (is bool) {
	_ = d.db.View(func(tx *bolt.Tx) error { is = isFull(tx); return nil }) // the next error explains a closed file
	return is
}

func putSource(tx *bolt.Tx, s Source) error {
	b := tx.Bucket(sourceBucket)
	if b.Get([]byte(s.URL)) == nil {
		if err := b.SetSequence(b.Sequence() + 1); err != nil {
			return err
		}
	}
	return putValue(tx, sourceBucket, []byte(s.URL), s)
}

// dropSource removes an existing source.
func dropSource(tx *bolt.Tx, url string) error {
	b := tx.Bucket(sourceBucket)
	return errors.Join(b.SetSequence(b.Sequence()-1), b.Delete([]byte(url)))
}

// countSources sets the number of sources in files without it.
func countSources(tx *bolt.Tx) error {
	b, n := tx.Bucket(sourceBucket), uint64(0)
	err := b.ForEach(func(_, _ []byte) error { n++; return nil })
	return errors.Join(err, b.SetSequence(n))
}

// Sources returns all sources, by URL.
func (d *DB) Sources() (all []Source, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(sourceBucket).ForEach(func(url, value []byte) error {
			var s Source
			if err := decodeJSON(value, &s); err != nil {
				return fmt.Errorf("source %s: %w", url, err)
			}
			all = append(all, s)
			return nil
		})
	})
	return all, err
}

// Add makes a page a source, or changes the kind of one that is. It reports whether it is new. The
// error is about an invalid URL or kind.
func (d *DB) Add(rawURL string, kind Kind, by By) (fresh bool, err error) {
	url, err := sourceURL(rawURL)
	if err != nil {
		return false, err
	}
	if !kind.isValid() {
		return false, fmt.Errorf("source %.200s: unknown kind %q; the kinds are %v", url, kind, Kinds())
	}
	err = d.db.Update(func(tx *bolt.Tx) error {
		s, ok, err := sourceIn(tx, url)
		if err != nil {
			return err
		}
		if fresh = !ok; fresh {
			s = Source{URL: url, Added: d.o.Now().UTC()}
		}
		s.Kind, s.By = kind, by
		return putSource(tx, s)
	})
	return fresh, err
}

func sourceURL(raw string) (string, error) {
	url, err := webgraph.Canonical(raw)
	if err != nil {
		return "", fmt.Errorf("source %.200q is not an http or https URL: %w", raw, err)
	}
	return url, nil
}

// Remove removes a page from the sources, and reports whether it was one. Its versions are
// retained.
func (d *DB) Remove(rawURL string) (was bool, err error) {
	url, err := sourceURL(rawURL)
	if err != nil {
		return false, err
	}
	err = d.db.Update(func(tx *bolt.Tx) error {
		if was = tx.Bucket(sourceBucket).Get([]byte(url)) != nil; !was {
			return nil
		}
		return dropSource(tx, url)
	})
	return was, err
}
