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

// An eventRow is the part of an event that is in memory while the index is open. Fact terms, orders and
// facets use it.
type eventRow struct {
	facts query.Facts
	// Symbols of the facet values, 0 without a value.
	topics, ranks        []uint32
	fields               uint64 // one bit for each of field.All, including the general fields of its disciplines
	kind, country, month uint32
	regions              uint16 // one bit for each of query.Regions
}

// lastDeadline returns the latest deadline in nanoseconds since 1970, or noDeadline.
func (r *eventRow) lastDeadline() int64 {
	if n := len(r.facts.Due); n > 0 {
		return r.facts.Due[n-1].Moment.UnixNano()
	}
	return noDeadline
}

// storedFacts is the content of the field "facts" of a document.
type storedFacts struct {
	query.Facts
	has    string // Facts.Has
	topics []string
	venue  eventseer.Venue
}

// encodeOrDecode writes or reads all fields, in this order.
func (s *storedFacts) encodeOrDecode(c *codec) {
	c.codeText(&s.Series)
	c.codeText((*string)(&s.Kind))
	c.codeNumber(&s.Year)
	for _, t := range []*time.Time{&s.Start, &s.Seen, &s.Changed} {
		c.codeTime(t)
	}
	codeList(c, &s.Due, func(d *query.Due) {
		c.codeTime(&d.Moment)
		c.codeTime(&d.Day)
	})
	codeList(c, &s.Facts.Ranks, func(r *eventseer.Rank) {
		c.codeText(&r.System)
		c.codeText(&r.Value)
		c.codeNumber(&r.Year)
	})
	c.codeText(&s.has)
	codeList(c, &s.Facts.Fields, c.codeText)
	codeList(c, &s.topics, c.codeText)
	for _, text := range []*string{&s.venue.City, &s.venue.Region, &s.venue.Country, &s.venue.CountryCode} {
		c.codeText(text)
	}
	c.codeBit(&s.venue.Online)
	c.codeBit(&s.venue.Hybrid)
}

// encodeRow returns the facts of a document as the index stores them.
func encodeRow(d eventseer.Document) []byte {
	s := storedFacts{Facts: query.FactsOf(d), topics: d.Event.Topics}
	s.has = strings.Join(s.Has, " ")
	s.Due = slices.DeleteFunc(s.Due, func(d query.Due) bool { return !isIndexable(d.Moment) || !isIndexable(d.Day) })
	if d.Event.Location != nil {
		s.venue = *d.Event.Location
	}
	var c codec
	s.encodeOrDecode(&c)
	return c.b
}

var errRow = errors.New("the stored fields of an event cannot be read")

// decodeRow reads a row of the event id.
func decodeRow(id, facts []byte, symbols *symbols) (*eventRow, error) {
	c := codec{reading: true, b: facts}
	var s storedFacts
	if s.encodeOrDecode(&c); c.bad {
		return nil, errRow
	}
	p := symbols.storedVenueOf(s.venue)
	r := &eventRow{facts: s.Facts, country: p.country, regions: p.regions}
	f := &r.facts
	f.ID, f.Series, f.Kind = eventseer.EventID(id), symbols.sharedText(s.Series), eventseer.Kind(symbols.sharedText(string(s.Kind)))
	f.Has, f.Place = symbols.splitWords(s.has), &p.keys
	f.Ranks, r.ranks = symbols.ranksAndNumbers(f.Ranks)
	for i, id := range f.Fields {
		f.Fields[i] = symbols.sharedText(id)
		for _, of := range field.Containing(id) {
			r.fields |= fieldBit(of)
		}
	}
	r.kind, r.month = symbols.kindNumber(string(f.Kind)), symbols.monthNumber(f.Start)
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
	if i, ok := field.IndexOf(id); ok {
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

// codeCount writes a number, or reads one that is at most the number of remaining bytes.
func (c *codec) codeCount(n int) int {
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
	if n := c.codeCount(len(*list)); c.reading && n > 0 {
		*list = make([]T, n)
	}
	for i := range *list {
		item(&(*list)[i])
	}
}

func (c *codec) codeText(s *string) {
	n := c.codeCount(len(*s))
	if !c.reading {
		c.b = append(c.b, *s...)
		return
	}
	*s, c.b = string(c.b[:n]), c.b[n:]
}

func (c *codec) codeVarint(n int64) int64 {
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

func (c *codec) codeNumber(n *int) { *n = int(c.codeVarint(int64(*n))) }

func (c *codec) codeTime(t *time.Time) {
	n := int64(0)
	if isIndexable(*t) {
		n = t.UnixNano()
	}
	if n = c.codeVarint(n); c.reading && n != 0 {
		*t = time.Unix(0, n).UTC()
	}
}

func (c *codec) codeBit(on *bool) {
	switch {
	case !c.reading:
		c.b = append(c.b, bitOf(*on))
	case len(c.b) == 0:
		c.bad = true
	default:
		*on, c.b = c.b[0] == 1, c.b[1:]
	}
}

func bitOf(on bool) byte {
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

func isIndexable(t time.Time) bool { return !t.Before(earliest) && !t.After(latest) }
