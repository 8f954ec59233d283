package record

import (
	"iter"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A recordList is a region before its records are read: runs of units of one container.
type recordList struct {
	container *tagtree.Node
	units     []unit
	records   []tagtree.Range // of units, in order
	alike     float64         // mean similarity of neighbours
	items     bool            // each record is one unit
	key       uint32          // of the container's tag path without places
	known     bool            // containers of that path are known to hold records
	columns   bool            // units are of columns, not the container's
	inner     [][]*recordList
}

// A reading is one way to see the children of a container as lists.
type reading struct {
	runs  [][]tagtree.Range
	items bool
	alike float64 // mean similarity of neighbours, 0 to 1
	whole float64 // share of the units between the first and the last that are in a record
}

func (r reading) score() float64 { return r.alike * r.whole }

// records yields the records of all runs in order.
func (r reading) records() iter.Seq[tagtree.Range] {
	return func(yield func(tagtree.Range) bool) {
		for _, run := range r.runs {
			for _, rec := range run {
				if !yield(rec) {
					return
				}
			}
		}
	}
}

func (r reading) count() int {
	n := 0
	for _, run := range r.runs {
		n += len(run)
	}
	return n
}

// What makes a list of units.
const (
	minRecordsAlike = 0.5  // mean similarity of neighbouring records
	minPairAlike    = 0.65 // of two only
	minItemsAlike   = 0.2  // of elements that are entries of lists by their name
	minRowsAlike    = 0.35 // of rows of a table
	farProfile      = 0.25 // similarity to the usual unit below which one is something else
	maxStarts       = 24   // kinds of units tried as the first of a record
)

// lists returns the lists of a container.
func (f *regionFinder) lists(container *tagtree.Node, units []unit, key uint32) []*recordList {
	if len(units) == 0 {
		return nil
	}
	if l := f.columns(container, units); l != nil {
		return []*recordList{l}
	}
	usual, known := f.known[key]
	var chosen reading
	if len(units) > 1 {
		c := newSequence(units)
		chosen = c.choose(c.bestItems(), c.bestGroups())
	}
	if chosen.count() == 0 && known {
		chosen = likeUsual(units, usual)
	}
	var out []*recordList
	for _, run := range chosen.runs {
		out = append(out, &recordList{container: container, units: units, records: run, items: chosen.items, alike: chosen.alike, key: key, known: known})
	}
	return out
}

// likeUsual takes the units as records that are like those of other containers.
func likeUsual(units []unit, usual []profile) reading {
	r := reading{items: true}
	var run []tagtree.Range
	for i, u := range units {
		if slices.ContainsFunc(usual, func(p profile) bool { return similarity(u.profile, p) >= sameProfile }) {
			run = append(run, tagtree.Range{Start: i, End: i + 1})
		}
	}
	if len(run) > 0 {
		r.runs = [][]tagtree.Range{run}
	}
	return r
}

// A sequence is the units of a container with their kinds.
type sequence struct {
	units    []unit
	kinds    []int
	sizes    []int // of the kinds
	headings []bool
}

func newSequence(units []unit) *sequence {
	c := &sequence{units: units, kinds: clusterUnits(units), sizes: make([]int, maxLeaders), headings: make([]bool, len(units))}
	for _, k := range c.kinds {
		if k >= 0 {
			c.sizes[k]++
		}
	}
	for i, u := range units {
		c.headings[i] = isHeadingUnit(u)
	}
	return c
}

// maxHeading is the longest text, in runes, that bold alone makes a heading.
const maxHeading = 80

// isHeadingUnit reports whether a unit is above others rather than beside them.
func isHeadingUnit(u unit) bool {
	if isHeadingName(u.name) || u.name == "caption" || u.name == "legend" {
		return true
	}
	switch u.name {
	case "p", lineUnit, "div", "center":
		return u.facts.bold == u.facts.text && u.facts.text > 0 && u.facts.text <= maxHeading && u.facts.links == 0 && u.facts.leaves == 1
	}
	return false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rate measures a reading.
func (c *sequence) rate(r *reading) {
	var sum float64
	pairs, units := 0, 0
	first, last := len(c.units), 0
	for _, run := range r.runs {
		var before *unit
		for _, rec := range run {
			u := c.record(rec)
			if before != nil {
				sum += unitLikeness(before, u)
				pairs++
			}
			before = u
			units += rec.End - rec.Start
			first, last = min(first, rec.Start), max(last, rec.End)
		}
	}
	if pairs > 0 {
		r.alike = sum / float64(pairs)
	}
	if last > first {
		r.whole = float64(units) / float64(last-first)
	}
}

// record returns the units of a record as one.
func (c *sequence) record(r tagtree.Range) *unit {
	first := &c.units[r.Start]
	if r.End == r.Start+1 {
		return first
	}
	profiles := make([]profile, 0, r.End-r.Start)
	for _, u := range c.units[r.Start:r.End] {
		profiles = append(profiles, u.profile)
	}
	return &unit{class: first.class, profile: mergeProfiles(profiles)}
}

func (c *sequence) facts(r tagtree.Range) facts { return factsIn(c.units[r.Start:r.End]) }

// total adds up the facts of all records.
func (c *sequence) total(r reading) facts {
	var sum facts
	for rec := range r.records() {
		sum.add(c.facts(rec))
	}
	return sum
}

func factsIn(units []unit) facts {
	var sum facts
	for _, u := range units {
		sum.add(u.facts)
	}
	return sum
}

// choose decides between records of one unit and of several.
func (c *sequence) choose(items, groups reading) reading {
	switch {
	case groups.count() == 0:
		return items
	case items.count() == 0:
		return groups
	}
	g := c.grouping(groups, items)
	switch {
	case g.outer == 0 || g.items == 0: // they have nothing to do with each other
	case g.filled:
		if n := float64(g.items); float64(g.inner.cells) >= 1.5*n && variation(g.counts) > 0.2 {
			return items // rows of several cells with empty ones between groups of them
		}
		if groups.alike > items.alike+clearlyAlike {
			return groups
		}
		return items
	case 2*len(items.runs) > items.count(): // most are alone below a heading, which is theirs
		return groups
	case g.isGroup():
		return items
	default:
		return groups
	}
	if groups.score() > items.score() {
		return groups
	}
	return items
}

// clearlyAlike is by how much longer records must be more alike than single units.
const clearlyAlike = 0.15
