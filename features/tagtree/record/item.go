package record

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// bestItems returns the best reading in which each unit of one name is a record: the one with the most text.
func (c *sequence) bestItems() listReading {
	var best listReading
	tried := make(map[string]bool)
	for _, u := range c.units {
		if tried[u.name] || isHeadingName(u.name) || u.name == "th" {
			continue
		}
		tried[u.name] = true
		if r := c.itemsOf(u.name); r.countRecords() > 0 && (best.countRecords() == 0 || c.sumOfFacts(r).text > c.sumOfFacts(best).text) {
			best = r
		}
		if len(tried) == maxStarts {
			break
		}
	}
	return best
}

// itemsOf reads the units of one name as records. A heading between them ends a run.
func (c *sequence) itemsOf(name string) listReading {
	taken := c.entriesNamed(name)
	if len(taken) < 2 {
		return listReading{}
	}
	r := listReading{items: true}
	var run []tagtree.Range
	next := taken[0]
	for _, i := range taken {
		for ; next < i; next++ {
			if name != "tr" && c.headings[next] && len(run) > 0 {
				r.runs, run = append(r.runs, run), nil
			}
		}
		run = append(run, tagtree.Range{Start: i, End: i + 1})
		next = i + 1
	}
	r.runs = append(r.runs, run)
	usual := &c.units[c.usualUnit(taken)]
	r.runs = slices.DeleteFunc(r.runs, func(run []tagtree.Range) bool { // a single unit that differs from the usual one
		return len(run) == 1 && unitLikeness(&c.units[run[0].Start], usual) < sameProfile
	})
	if name == "p" || name == lineUnit || name == "div" && 10*c.sumOfFacts(r).leaves < 13*r.countRecords() {
		r.runs = slices.DeleteFunc(c.withoutProse(r.runs), c.isProse)
	}
	c.rateReading(&r)
	if !c.isList(r, name) {
		return listReading{}
	}
	return r
}

// entriesNamed returns the units of one name that are entries. It omits headings and units that differ from all
// others.
func (c *sequence) entriesNamed(name string) []int {
	var of []int
	for i, u := range c.units {
		if u.name == name && !(c.headings[i] && name != "li") {
			of = append(of, i)
		}
	}
	if len(of) < 2 || name == "li" || name == "dd" || name == "dt" {
		return of
	}
	if name == "tr" {
		of = c.dataRows(of)
	}
	usual := c.usualUnit(of)
	return slices.DeleteFunc(of, func(i int) bool {
		return i != usual && (c.kinds[i] < 0 || c.sizes[c.kinds[i]] == 1) && unitLikeness(&c.units[i], &c.units[usual]) < farProfile
	})
}

// usualUnit returns the first unit of the most frequent kind among the given units.
func (c *sequence) usualUnit(of []int) int {
	best := -1
	for _, i := range of {
		if k := c.kinds[i]; k >= 0 && (best < 0 || c.sizes[k] > c.sizes[c.kinds[best]]) {
			best = i
		}
	}
	if best < 0 && len(of) > 0 {
		return of[0]
	}
	return best
}

// dataRows removes header rows and rows with a single cell, if most rows have several.
func (c *sequence) dataRows(of []int) []int {
	n, wide, linked, dated := len(of), 0, 0, 0
	for _, i := range of {
		f := c.units[i].facts
		wide += boolToInt(f.cells > 1)
		linked += boolToInt(f.links > 0)
		dated += boolToInt(f.digit)
	}
	first := of[0]
	bold := func(f unitCounts) bool { return f.text > 0 && f.bold == f.text && f.links == 0 }
	headed := len(of) > 2 && bold(c.units[first].facts) && !bold(c.units[of[1]].facts)
	return slices.DeleteFunc(of, func(i int) bool {
		f := c.units[i].facts
		switch {
		case f.cells > 1 && f.heads == f.cells, f.cells == 1 && 2*wide > n:
			return true
		case i != first || n < 3:
			return false
		case headed:
			return true
		}
		return f.links == 0 && 10*linked >= 8*(n-1) || !f.digit && 10*dated >= 8*(n-1) && f.links == 0
	})
}

// isList reports whether a reading by units of one name is a list. The required similarity depends on the
// name.
func (c *sequence) isList(r listReading, name string) bool {
	n := r.countRecords()
	if n < 2 {
		return false
	}
	if c.countShown(r) < (n+1)/2 {
		return false
	}
	switch name {
	case "td":
		return r.alike >= minPairAlike && c.sumOfFacts(r).leaves >= 2*n
	case "li", "dd", "dt", "option", "article":
		return r.alike >= minItemsAlike
	case "tr":
		return r.alike >= minRowsAlike
	}
	if n == 2 {
		return r.alike >= minPairAlike
	}
	return r.alike >= minRecordsAlike
}

// countShown returns the number of records with text.
func (c *sequence) countShown(r listReading) int {
	n := 0
	for rec := range r.records() {
		n += boolToInt(c.factsOfRange(rec).text > 0)
	}
	return n
}

// longLine is the minimum length in runes of prose: a text without links and bold parts.
const longLine = 150

// isProse reports whether records are mostly paragraphs of running text: long and without links or bold text.
func (c *sequence) isProse(run []tagtree.Range) bool {
	text, marked := 0, 0
	for _, rec := range run {
		text += c.factsOfRange(rec).text
		marked += boolToInt(c.isMarked(rec))
	}
	return 2*marked < len(run) && text > longLine*len(run)
}

// isMarked reports whether at least a fifth of a record, or its first text, is linked or bold.
func (c *sequence) isMarked(rec tagtree.Range) bool {
	f := c.factsOfRange(rec)
	return 5*(f.linked+f.bold) >= f.text || startsMarked(c.units[rec.Start].nodes)
}

// withoutProse removes paragraphs of running text between short lines and splits the run there.
func (c *sequence) withoutProse(runs [][]tagtree.Range) [][]tagtree.Range {
	var out [][]tagtree.Range
	for _, run := range runs {
		usual := c.medianText(run)
		start := 0
		for i, rec := range run {
			if t := c.factsOfRange(rec).text; t > longLine && t > 2*usual && !c.isMarked(rec) {
				out = appendRun(out, run[start:i])
				start = i + 1
			}
		}
		out = appendRun(out, run[start:])
	}
	return out
}

// medianText returns the median length of records in runes.
func (c *sequence) medianText(run []tagtree.Range) int {
	lengths := make([]int, len(run))
	for i, rec := range run {
		lengths[i] = c.factsOfRange(rec).text
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

// appendRun appends a run to runs if it has at least two records.
func appendRun(runs [][]tagtree.Range, run []tagtree.Range) [][]tagtree.Range {
	if len(run) < 2 {
		return runs
	}
	return append(runs, run)
}

// startsMarked reports whether the first text in nodes is bold, a heading or a link.
func startsMarked(nodes []*tagtree.Node) bool {
	marked, found := false, false
	for _, n := range nodes {
		visitSubtree(n, func(c *tagtree.Node) bool {
			if found || c.Hidden {
				return false
			}
			if c.Name == "" && strings.TrimSpace(c.Text) != "" {
				found = true
				for p := c.Parent; p != nil && p != n.Parent && !marked; p = p.Parent {
					marked = p.Name == "a" || p.Name == "b" || p.Name == "strong" || isHeadingName(p.Name)
				}
			}
			return !found
		})
	}
	return marked
}
