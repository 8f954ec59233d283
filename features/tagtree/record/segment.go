package record

import (
	"iter"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A recordList is a list before its records are read: a run of records among the units of a container.
type recordList struct {
	container *tagtree.Node
	units     []unit
	records   []tagtree.Range // ranges of units, in order
	alike     float64         // mean similarity of adjacent records
	items     bool            // true if each record is one unit
	key       uint32          // hash of the container's tag path without positions
	known     bool            // true if containers with this path are known to have records
	columns   bool            // true if each unit is a column of cells
	inner     [][]*recordList
}

// A listReading is one interpretation of the children of a container as runs of records.
type listReading struct {
	runs  [][]tagtree.Range
	items bool
	alike float64 // mean similarity of adjacent records, 0 to 1
	whole float64 // share of the units between the first and last record that are in a record
}

func (r listReading) score() float64 { return r.alike * r.whole }

// records returns an iterator over the records of all runs in order.
func (r listReading) records() iter.Seq[tagtree.Range] {
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

func (r listReading) countRecords() int {
	n := 0
	for _, run := range r.runs {
		n += len(run)
	}
	return n
}

// Thresholds for lists of units.
const (
	minRecordsAlike = 0.5  // minimum mean similarity of adjacent records
	minPairAlike    = 0.65 // the same for only two records
	minItemsAlike   = 0.2  // the same for elements meant for list entries, such as li
	minRowsAlike    = 0.35 // the same for rows of a table
	farProfile      = 0.25 // a unit that is less similar to the usual one is not a record
	maxStarts       = 24   // maximum number of guesses at which units begin a record
)

// listsAmong returns the lists among the units of a container. key is the hash of its tag path.
func (f *regionFinder) listsAmong(container *tagtree.Node, units []unit, key uint32) []*recordList {
	if len(units) == 0 {
		return nil
	}
	if l := f.readColumns(container, units); l != nil {
		return []*recordList{l}
	}
	usual, known := f.known[key]
	var chosen listReading
	if len(units) > 1 {
		c := newSequence(units)
		chosen = c.chooseReading(c.bestItems(), c.bestGroups())
	}
	if chosen.countRecords() == 0 && known {
		chosen = unitsLikeUsual(units, usual)
	}
	var out []*recordList
	for _, run := range chosen.runs {
		out = append(out, &recordList{container: container, units: units, records: run, items: chosen.items, alike: chosen.alike, key: key, known: known})
	}
	return out
}

// unitsLikeUsual returns a reading with the units that are similar to the records of other containers.
func unitsLikeUsual(units []unit, usual []pathProfile) listReading {
	r := listReading{items: true}
	var run []tagtree.Range
	for i, u := range units {
		if slices.ContainsFunc(usual, func(p pathProfile) bool { return similarity(u.profile, p) >= sameProfile }) {
			run = append(run, tagtree.Range{Start: i, End: i + 1})
		}
	}
	if len(run) > 0 {
		r.runs = [][]tagtree.Range{run}
	}
	return r
}

// A sequence is the units of a container with their kinds. A kind is a number from clusterUnits, -1 for none.
type sequence struct {
	units    []unit
	kinds    []int
	sizes    []int // number of units of each kind
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

// maxHeading is the maximum length, in runes, of a bold text that is taken for a heading.
const maxHeading = 80

// isHeadingUnit reports whether a unit is a heading of the units after it.
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

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rateReading sets r.alike and r.whole.
func (c *sequence) rateReading(r *listReading) {
	var sum float64
	pairs, units := 0, 0
	first, last := len(c.units), 0
	for _, run := range r.runs {
		var before *unit
		for _, rec := range run {
			u := c.mergedUnit(rec)
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

// mergedUnit returns the units of a record merged into one.
func (c *sequence) mergedUnit(r tagtree.Range) *unit {
	first := &c.units[r.Start]
	if r.End == r.Start+1 {
		return first
	}
	profiles := make([]pathProfile, 0, r.End-r.Start)
	for _, u := range c.units[r.Start:r.End] {
		profiles = append(profiles, u.profile)
	}
	return &unit{class: first.class, profile: mergeProfiles(profiles)}
}

func (c *sequence) factsOfRange(r tagtree.Range) unitCounts { return factsIn(c.units[r.Start:r.End]) }

// sumOfFacts returns the sum of the facts of all records.
func (c *sequence) sumOfFacts(r listReading) unitCounts {
	var sum unitCounts
	for rec := range r.records() {
		sum.add(c.factsOfRange(rec))
	}
	return sum
}

func factsIn(units []unit) unitCounts {
	var sum unitCounts
	for _, u := range units {
		sum.add(u.facts)
	}
	return sum
}

// chooseReading chooses between a reading with one unit per record and one with several.
func (c *sequence) chooseReading(items, groups listReading) listReading {
	switch {
	case groups.countRecords() == 0:
		return items
	case items.countRecords() == 0:
		return groups
	}
	g := c.groupingEvidence(groups, items)
	switch {
	case g.outer == 0 || g.items == 0: // their records do not overlap; compare scores below
	case g.filled:
		if n := float64(g.items); float64(g.inner.cells) >= 1.5*n && variationCoefficient(g.counts) > 0.2 {
			return items // rows of several cells, separated by empty ones
		}
		if groups.alike > items.alike+clearlyAlike {
			return groups
		}
		return items
	case 2*len(items.runs) > items.countRecords(): // most records follow a heading of their own
		return groups
	case g.onlyGroups():
		return items
	default:
		return groups
	}
	if groups.score() > items.score() {
		return groups
	}
	return items
}

// clearlyAlike is the minimum advantage in similarity at which records of several units are preferred.
const clearlyAlike = 0.15
