package search

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// A row is what is kept in memory of an event while the index is open: what the
// terms of facts, the order and the facets are read from.
type row struct {
	facts query.Facts
	// Symbols of the values of facets.
	topics  []uint32
	country uint32 // 0 of none
	ranks   []uint32
	regions uint16 // a bit for each of query.Regions
}

// last returns the latest deadline in nanoseconds since 1970, noDeadline of none.
func (r *row) last() int64 {
	if n := len(r.facts.Due); n > 0 {
		return r.facts.Due[n-1].Moment.UnixNano()
	}
	return noDeadline
}

// encodeRow writes the facts of a document as the field "facts" stores them: in
// this order, numbers as varints, texts behind their length, times in nanoseconds
// since 1970 with 0 for unknown.
func encodeRow(d eventseer.Document) []byte {
	f := query.FactsOf(d)
	var b []byte
	b = appendText(b, f.Series)
	b = appendText(b, string(f.Kind))
	b = binary.AppendVarint(b, int64(f.Year))
	b = appendTime(appendTime(appendTime(b, f.Start), f.Seen), f.Changed)
	var due []query.Due
	for _, d := range f.Due {
		if indexable(d.Moment) && indexable(d.Day) {
			due = append(due, d)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(due)))
	for _, d := range due {
		b = appendTime(appendTime(b, d.Moment), d.Day)
	}
	b = binary.AppendUvarint(b, uint64(len(f.Ranks)))
	for _, r := range f.Ranks {
		b = appendText(appendText(b, r.System), r.Value)
		b = binary.AppendVarint(b, int64(r.Year))
	}
	b = appendText(b, strings.Join(f.Has, " "))
	b = binary.AppendUvarint(b, uint64(len(d.Event.Topics)))
	for _, t := range d.Event.Topics {
		b = appendText(b, t)
	}
	v := d.Event.Location
	if v == nil {
		v = &eventseer.Venue{}
	}
	for _, s := range []string{v.City, v.Region, v.Country, v.CountryCode} {
		b = appendText(b, s)
	}
	return append(b, bit(v.Online), bit(v.Hybrid))
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendTime(b []byte, t time.Time) []byte {
	if !indexable(t) {
		return binary.AppendVarint(b, 0)
	}
	return binary.AppendVarint(b, t.UnixNano())
}

// The times that 64 bits of nanoseconds hold.
var (
	earliest = time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC)
)

func indexable(t time.Time) bool { return !t.Before(earliest) && !t.After(latest) }

var errRow = errors.New("facts of an event cannot be read")

// A decoder reads what encodeRow wrote; bad says that it was something else.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) text() string {
	n := d.count()
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// count returns a number no larger than the bytes that are left.
func (d *decoder) count() int {
	n, size := binary.Uvarint(d.b)
	if size <= 0 || n > uint64(len(d.b)-size) {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[size:]
	return int(n)
}

func (d *decoder) number() int64 {
	n, size := binary.Varint(d.b)
	if size <= 0 {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[size:]
	return n
}

func (d *decoder) time() time.Time {
	if n := d.number(); n != 0 {
		return time.Unix(0, n).UTC()
	}
	return time.Time{}
}

func (d *decoder) bit() bool {
	if len(d.b) == 0 {
		d.bad = true
		return false
	}
	on := d.b[0] == 1
	d.b = d.b[1:]
	return on
}

// decodeRow reads a row of the event id.
func decodeRow(id, stored []byte, s *symbols) (*row, error) {
	d := decoder{b: stored}
	r := &row{facts: query.Facts{ID: eventseer.EventID(id), Series: s.text(d.text()), Kind: eventseer.Kind(s.text(d.text()))}}
	f := &r.facts
	f.Year = int(d.number())
	f.Start, f.Seen, f.Changed = d.time(), d.time(), d.time()
	if n := d.count(); n > 0 {
		f.Due = make([]query.Due, 0, n)
		for range n {
			f.Due = append(f.Due, query.Due{Moment: d.time(), Day: d.time()})
		}
	}
	var ranks []eventseer.Rank
	for range d.count() {
		ranks = append(ranks, eventseer.Rank{System: d.text(), Value: d.text(), Year: int(d.number())})
	}
	f.Ranks, r.ranks = s.rankSet(ranks)
	f.Has = s.words(d.text())
	if n := d.count(); n > 0 {
		r.topics = make([]uint32, 0, n)
		for range n {
			if t := s.topic(d.text()); t > 0 {
				r.topics = append(r.topics, t)
			}
		}
	}
	v := eventseer.Venue{City: d.text(), Region: d.text(), Country: d.text(), CountryCode: d.text(), Online: d.bit(), Hybrid: d.bit()}
	if d.bad {
		return nil, errRow
	}
	p := s.place(v)
	f.Place, r.country, r.regions = &p.keys, p.country, p.regions
	return r, nil
}
