package search

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/topic"
)

// A row is the part of an event that is in memory while the index is open. Fact terms, orders and
// facets use it.
type row struct {
	facts query.Facts
	// Symbols of the facet values, 0 without a value.
	topics, ranks        []uint32
	fields               uint64 // one bit for each of field.All, including the general fields of its disciplines
	kind, country, month uint32
	regions              uint16 // one bit for each of query.Regions
}

// last returns the latest deadline in nanoseconds since 1970, or noDeadline.
func (r *row) last() int64 {
	if n := len(r.facts.Due); n > 0 {
		return r.facts.Due[n-1].Moment.UnixNano()
	}
	return noDeadline
}

// stored is the content of the field "facts" of a document.
type stored struct {
	query.Facts
	has    string // Facts.Has
	topics []string
	venue  eventseer.Venue
}

// code writes or reads all fields, in this order.
func (s *stored) code(c *codec) {
	c.text(&s.Series)
	c.text((*string)(&s.Kind))
	c.number(&s.Year)
	for _, t := range []*time.Time{&s.Start, &s.Seen, &s.Changed} {
		c.time(t)
	}
	codeList(c, &s.Due, func(d *query.Due) {
		c.time(&d.Moment)
		c.time(&d.Day)
	})
	codeList(c, &s.Facts.Ranks, func(r *eventseer.Rank) {
		c.text(&r.System)
		c.text(&r.Value)
		c.number(&r.Year)
	})
	c.text(&s.has)
	codeList(c, &s.Facts.Fields, c.text)
	codeList(c, &s.topics, c.text)
	for _, text := range []*string{&s.venue.City, &s.venue.Region, &s.venue.Country, &s.venue.CountryCode} {
		c.text(text)
	}
	c.bit(&s.venue.Online)
	c.bit(&s.venue.Hybrid)
}

// encodeRow returns the facts of a document as the index stores them.
func encodeRow(d eventseer.Document) []byte {
	s := stored{Facts: query.FactsOf(d), topics: d.Event.Topics}
	s.has = strings.Join(s.Has, " ")
	s.Due = slices.DeleteFunc(s.Due, func(d query.Due) bool { return !indexable(d.Moment) || !indexable(d.Day) })
	if d.Event.Location != nil {
		s.venue = *d.Event.Location
	}
	var c codec
	s.code(&c)
	return c.b
}

var errRow = errors.New("the stored fields of an event cannot be read")

// decodeRow reads a row of the event id.
func decodeRow(id, facts []byte, symbols *symbols) (*row, error) {
	c := codec{reading: true, b: facts}
	var s stored
	if s.code(&c); c.bad {
		return nil, errRow
	}
	p := symbols.placeOf(s.venue)
	r := &row{facts: s.Facts, country: p.country, regions: p.regions}
	f := &r.facts
	f.ID, f.Series, f.Kind = eventseer.EventID(id), symbols.text(s.Series), eventseer.Kind(symbols.text(string(s.Kind)))
	f.Has, f.Place = symbols.words(s.has), &p.keys
	f.Ranks, r.ranks = symbols.rankSet(f.Ranks)
	for i, id := range f.Fields {
		f.Fields[i] = symbols.text(id)
		for _, of := range field.Holding(id) {
			r.fields |= fieldBit(of)
		}
	}
	r.kind, r.month = symbols.kind(string(f.Kind)), symbols.month(f.Start)
	for _, printed := range s.topics[:min(len(s.topics), topic.MaxPrinted)] {
		for _, t := range symbols.topicSet(printed) {
			if !slices.Contains(r.topics, t) {
				r.topics = append(r.topics, t)
			}
		}
	}
	return r, nil
}

// fieldBit returns the bit of row.fields for a field, 0 for an unknown id.
func fieldBit(id string) uint64 {
	if i, ok := field.Index(id); ok {
		return 1 << i
	}
	return 0
}

// A codec writes or reads consecutive values. Numbers are varints, texts follow their length, times
// are in nanoseconds since 1970 with 0 for unknown.
type codec struct {
	b       []byte // bytes written so far, or still to be read
	reading bool
	bad     bool // b is something else
}

// count writes a number, or reads one that is at most the number of remaining bytes.
func (c *codec) count(n int) int {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(n))
		return n
	}
	read, size := binary.Uvarint(c.b)
	if size <= 0 || read > uint64(len(c.b)-size) {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[size:]
	return int(read)
}

// codeList writes or reads the length of a list, then each item.
func codeList[T any](c *codec, list *[]T, item func(*T)) {
	if n := c.count(len(*list)); c.reading && n > 0 {
		*list = make([]T, n)
	}
	for i := range *list {
		item(&(*list)[i])
	}
}

func (c *codec) text(s *string) {
	n := c.count(len(*s))
	if !c.reading {
		c.b = append(c.b, *s...)
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

func (c *codec) varint(n int64) int64 {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, n)
		return n
	}
	n, size := binary.Varint(c.b)
	if size <= 0 {
		c.bad, c.b = true, nil
		return 0
	}
	c.b = c.b[size:]
	return n
}

func (c *codec) number(n *int) { *n = int(c.varint(int64(*n))) }

func (c *codec) time(t *time.Time) {
	n := int64(0)
	if indexable(*t) {
		n = t.UnixNano()
	}
	if n = c.varint(n); c.reading && n != 0 {
		*t = time.Unix(0, n).UTC()
	}
}

func (c *codec) bit(on *bool) {
	switch {
	case !c.reading:
		c.b = append(c.b, bit(*on))
	case len(c.b) == 0:
		c.bad = true
	default:
		*on, c.b = c.b[0] == 1, c.b[1:]
	}
}

func bit(on bool) byte {
	if on {
		return 1
	}
	return 0
}

// The range of times in 64 bits of nanoseconds.
var (
	earliest = time.Date(1700, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2250, 1, 1, 0, 0, 0, 0, time.UTC)
)

func indexable(t time.Time) bool { return !t.Before(earliest) && !t.After(latest) }
