package search

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"
)

// maxFacetValues bounds the values of a facet.
const maxFacetValues = 20

// countFacets counts the facets of a set of documents. A month is that of an event's first day; windows
// of deadlines begin now, and each contains the smaller ones.
func (f *viewSearch) countFacets(matched documentSet) (out []eventseer.Facet) {
	c := f.newCounts()
	for n := range matched.allDocuments {
		c.add(n)
	}
	c.addDue(f, matched)
	for _, facet := range []eventseer.Facet{c.fieldFacet(), c.topicFacet(), c.kindFacet(), c.countryFacet(), c.whereFacet(), c.modeFacet(), c.rankFacet(), c.monthFacet(), c.dueFacet()} {
		if len(facet.Values) > 0 {
			out = append(out, facet)
		}
	}
	return out
}

// dueWindows are the windows of the facet due, in days.
var dueWindows = []int{7, 30, 60, 90}

// counts are the counts of facet values of documents, by number.
type counts struct {
	lists
	*facetValues
	now                                     time.Time
	topics, kinds, countries, ranks, months []int32
	regions                                 []int32
	fields                                  []int32
	due                                     []int // of each window
	later                                   int   // deadlines after the last window
}

func (f *viewSearch) newCounts() *counts {
	return &counts{
		lists: f.lists, facetValues: f.tallies, now: f.now, due: make([]int, len(dueWindows)),
		topics: make([]int32, len(f.lists.topics.text)), kinds: make([]int32, len(f.lists.kinds.text)),
		countries: make([]int32, len(f.lists.countries.text)), ranks: make([]int32, len(f.lists.ranks.text)),
		months: make([]int32, len(f.lists.months.text)), regions: make([]int32, len(query.Regions())),
		fields: make([]int32, len(field.All())),
	}
}

func dueTerm(days int) query.Term {
	return query.Term{Field: "due", Op: "<", Text: strconv.Itoa(days) + "d"}
}

// add counts a document except for its deadlines.
func (c *counts) add(n uint32) {
	t, next := &c.of[n], &c.of[n+1]
	for _, topic := range c.facetValues.topics[t.topics:next.topics] {
		c.topics[topic]++
	}
	for _, rank := range c.facetValues.ranks[t.ranks:next.ranks] {
		c.ranks[rank]++
	}
	c.countries[t.country]++
	c.kinds[t.kind]++
	c.months[t.month]++
	for fields := t.fields; fields != 0; fields &= fields - 1 {
		c.fields[bits.TrailingZeros64(fields)]++
	}
	for regions := t.regions; regions != 0; regions &= regions - 1 {
		c.regions[bits.TrailingZeros16(regions)]++
	}
}

// addDue counts documents, which are in order of time, by their next deadlines.
func (c *counts) addDue(f *viewSearch, matched documentSet) {
	now := clampNanos(c.now)
	for n := range matched.allDocuments {
		if f.last[n] >= now {
			c.later++
		}
	}
	var ends []int64
	for _, days := range dueWindows {
		_, end := dueTerm(days).Window(c.now)
		ends = append(ends, clampNanos(end))
	}
	counted := newDocumentSet(len(f.rows))
	first, _ := slices.BinarySearchFunc(f.due, now, func(d documentDeadline, at int64) int { return cmp.Compare(d.at, at) })
	for _, d := range f.due[first:] {
		if d.at >= slices.Max(ends) {
			break
		}
		if !matched.has(d.document) || counted.has(d.document) {
			continue
		}
		counted.add(d.document)
		c.later--
		for i, end := range ends {
			if d.at < end {
				c.due[i]++
			}
		}
	}
}

// A valueGroup is a value in all its spellings.
type valueGroup struct {
	count    int
	spelling string // the most frequent spelling, of equals the first in the alphabet
	most     int32
}

// groupSpellings unites the spellings of values.
func groupSpellings(v values, counted []int32) []valueGroup {
	at := map[uint32]int{}
	var out []valueGroup
	for n, count := range counted {
		if n == 0 || count == 0 {
			continue
		}
		i, known := at[v.group[n]]
		if !known {
			i = len(out)
			at[v.group[n]] = i
			out = append(out, valueGroup{})
		}
		g := &out[i]
		g.count += int(count)
		if count > g.most || count == g.most && v.text[n] < g.spelling {
			g.most, g.spelling = count, v.text[n]
		}
	}
	return out
}

// topValuesFacet returns a facet of the most frequent values.
func topValuesFacet(name string, all []valueGroup, value func(spelling string) eventseer.FacetValue) eventseer.Facet {
	slices.SortFunc(all, func(a, b valueGroup) int {
		return cmp.Or(cmp.Compare(b.count, a.count), strings.Compare(a.spelling, b.spelling))
	})
	f := eventseer.Facet{Name: name}
	for i, g := range all {
		if i >= maxFacetValues {
			f.Other += g.count
			continue
		}
		v := value(g.spelling)
		v.Count = g.count
		f.Values = append(f.Values, v)
	}
	return f
}

func (c *counts) fieldFacet() eventseer.Facet {
	var all []valueGroup
	names := map[string]string{}
	for i, f := range field.All() {
		if c.fields[i] > 0 {
			all = append(all, valueGroup{count: int(c.fields[i]), spelling: f.ID})
			names[f.ID] = f.Name
		}
	}
	return topValuesFacet("field", all, func(s string) eventseer.FacetValue {
		return eventseer.FacetValue{Value: names[s], Term: query.TermText("field", s)}
	})
}

func (c *counts) topicFacet() eventseer.Facet {
	return topValuesFacet("topic", groupSpellings(c.lists.topics, c.topics), func(s string) eventseer.FacetValue {
		return eventseer.FacetValue{Value: s, Term: query.TermText("topic", s)}
	})
}

func (c *counts) kindFacet() eventseer.Facet {
	return topValuesFacet("kind", groupSpellings(c.lists.kinds, c.kinds), func(s string) eventseer.FacetValue {
		name := strings.ReplaceAll(s, "_", " ")
		return eventseer.FacetValue{Value: strings.ToUpper(name[:1]) + name[1:], Term: "kind:" + s}
	})
}

func (c *counts) countryFacet() eventseer.Facet {
	return topValuesFacet("country", groupSpellings(c.lists.countries, c.countries), func(s string) eventseer.FacetValue {
		name, term, _ := strings.Cut(s, "\x00")
		return eventseer.FacetValue{Value: cmp.Or(name, strings.TrimPrefix(term, "country:")), Term: term}
	})
}

// whereFacet counts parts of the world; modeFacet counts modes of attendance.
func (c *counts) whereFacet() eventseer.Facet {
	return c.regionFacet("where", len(query.Modes()), len(c.regions))
}
func (c *counts) modeFacet() eventseer.Facet { return c.regionFacet("mode", 0, len(query.Modes())) }

// regionFacet counts the regions from one number up to another.
func (c *counts) regionFacet(name string, from, to int) eventseer.Facet {
	var all []valueGroup
	names := map[string]string{}
	for i, r := range query.Regions()[from:to] {
		if n := c.regions[from+i]; n > 0 {
			all = append(all, valueGroup{count: int(n), spelling: r.Key})
			names[r.Key] = r.Name
		}
	}
	return topValuesFacet(name, all, func(s string) eventseer.FacetValue {
		return eventseer.FacetValue{Value: names[s], Term: query.TermText(name, s)}
	})
}

func (c *counts) rankFacet() eventseer.Facet {
	return topValuesFacet("rank", groupSpellings(c.lists.ranks, c.ranks), func(s string) eventseer.FacetValue {
		system, value, _ := strings.Cut(s, "=")
		return eventseer.FacetValue{Value: strings.ToUpper(system) + " " + value, Term: query.TermText("rank", s)}
	})
}

// monthFacet counts the months from this one on, or the last ones if all are past.
func (c *counts) monthFacet() eventseer.Facet {
	months := groupSpellings(c.lists.months, c.months)
	slices.SortFunc(months, func(a, b valueGroup) int { return strings.Compare(a.spelling, b.spelling) })
	this := slices.IndexFunc(months, func(m valueGroup) bool { return m.spelling >= c.now.Format(monthLayout) })
	if this < 0 {
		this = max(0, len(months)-maxFacetValues)
	}
	f := eventseer.Facet{Name: "month"}
	for i, m := range months {
		if i < this || i >= this+maxFacetValues {
			f.Other += m.count
			continue
		}
		month, _ := time.Parse(monthLayout, m.spelling) // as it was written
		f.Values = append(f.Values, eventseer.FacetValue{Value: month.Format("January 2006"), Term: "month:" + m.spelling, Count: m.count})
	}
	return f
}

func (c *counts) dueFacet() eventseer.Facet {
	f := eventseer.Facet{Name: "due", Other: c.later}
	for i, days := range dueWindows {
		if c.due[i] > 0 {
			f.Values = append(f.Values, eventseer.FacetValue{Value: "within " + strconv.Itoa(days) + " days", Term: dueTerm(days).String(), Count: c.due[i]})
		}
	}
	return f
}

// facetValues are the values counted by facets, in contiguous memory by document: counting from rows
// spent most of the time fetching them.
type facetValues struct {
	of     []documentValues
	topics []uint32 // topics of all documents, concatenated
	ranks  []uint32
}

// A documentValues is one document. Its topics and ranks begin at these indexes and end where those of the
// next document begin.
type documentValues struct {
	kind, country, month uint32
	topics, ranks        uint32
	regions              uint16
	fields               uint64
}

func newFacetValues(rows []*eventRow) *facetValues {
	t := &facetValues{of: make([]documentValues, len(rows)+1)}
	for i, r := range rows {
		one := &t.of[i]
		one.topics, one.ranks = uint32(len(t.topics)), uint32(len(t.ranks))
		if r == nil {
			continue
		}
		one.kind, one.country, one.month, one.regions = r.kind, r.country, r.month, r.regions
		one.fields = r.fields
		t.topics, t.ranks = append(t.topics, r.topics...), append(t.ranks, r.ranks...)
	}
	t.of[len(rows)].topics, t.of[len(rows)].ranks = uint32(len(t.topics)), uint32(len(t.ranks))
	return t
}
