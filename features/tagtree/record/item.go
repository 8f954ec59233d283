package record

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// bestItems returns the best reading by which each unit of one name is a record.
func (c *sequence) bestItems() reading {
	var best reading
	tried := make(map[string]bool)
	for _, u := range c.units {
		if tried[u.name] || isHeadingName(u.name) || u.name == "th" {
			continue
		}
		tried[u.name] = true
		if r := c.itemsOf(u.name); r.count() > 0 && (best.count() == 0 || c.total(r).text > c.total(best).text) {
			best = r
		}
		if len(tried) == maxStarts {
			break
		}
	}
	return best
}

// itemsOf reads the units of one name as records, those between two headings as a run.
func (c *sequence) itemsOf(name string) reading {
	taken := c.members(name)
	if len(taken) < 2 {
		return reading{}
	}
	r := reading{items: true}
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
	usual := &c.units[c.usual(taken)]
	r.runs = slices.DeleteFunc(r.runs, func(run []tagtree.Range) bool { // a lone unit that is not like the usual one
		return len(run) == 1 && unitLikeness(&c.units[run[0].Start], usual) < sameProfile
	})
	if name == "p" || name == lineUnit || name == "div" && 10*c.total(r).leaves < 13*r.count() {
		r.runs = slices.DeleteFunc(c.withoutProse(r.runs), c.isProse)
	}
	c.rate(&r)
	if !c.accepts(r, name) {
		return reading{}
	}
	return r
}

// members returns the units of one name that are entries: no heads of columns or groups,
// and nothing that looks altogether different.
func (c *sequence) members(name string) []int {
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
	usual := c.usual(of)
	return slices.DeleteFunc(of, func(i int) bool {
		return i != usual && (c.kinds[i] < 0 || c.sizes[c.kinds[i]] == 1) && unitLikeness(&c.units[i], &c.units[usual]) < farProfile
	})
}

// usual returns the first unit of the biggest kind among those.
func (c *sequence) usual(of []int) int {
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

// dataRows leaves out the heads of columns, and rows of one cell above rows of several.
func (c *sequence) dataRows(of []int) []int {
	n, wide, linked, dated := len(of), 0, 0, 0
	for _, i := range of {
		f := c.units[i].facts
		wide += b2i(f.cells > 1)
		linked += b2i(f.links > 0)
		dated += b2i(f.digit)
	}
	first := of[0]
	bold := func(f facts) bool { return f.text > 0 && f.bold == f.text && f.links == 0 }
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

// accepts reports whether a reading by units of one name is a list at all.
func (c *sequence) accepts(r reading, name string) bool {
	n := r.count()
	if n < 2 {
		return false
	}
	if c.shown(r) < (n+1)/2 {
		return false
	}
	switch name {
	case "td":
		return r.alike >= minPairAlike && c.total(r).leaves >= 2*n
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

// shown counts the records that have text.
func (c *sequence) shown(r reading) int {
	n := 0
	for rec := range r.records() {
		n += b2i(c.facts(rec).text > 0)
	}
	return n
}

// longLine is the length in runes from which texts without any mark are prose.
const longLine = 150

// isProse reports whether records are paragraphs of running text: long and without links
// or bold.
func (c *sequence) isProse(run []tagtree.Range) bool {
	text, marked := 0, 0
	for _, rec := range run {
		text += c.facts(rec).text
		marked += b2i(c.isMarked(rec))
	}
	return 2*marked < len(run) && text > longLine*len(run)
}

// isMarked reports whether much of a record is a link or bold, or its first text is.
func (c *sequence) isMarked(rec tagtree.Range) bool {
	f := c.facts(rec)
	return 5*(f.linked+f.bold) >= f.text || startsMarked(c.units[rec.Start].nodes)
}

// withoutProse leaves out the paragraphs of running text between short lines; they part
// the list.
func (c *sequence) withoutProse(runs [][]tagtree.Range) [][]tagtree.Range {
	var out [][]tagtree.Range
	for _, run := range runs {
		usual := c.medianText(run)
		start := 0
		for i, rec := range run {
			if t := c.facts(rec).text; t > longLine && t > 2*usual && !c.isMarked(rec) {
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
		lengths[i] = c.facts(rec).text
	}
	slices.Sort(lengths)
	return lengths[len(lengths)/2]
}

// appendRun appends a run that is a list: one record is none.
func appendRun(runs [][]tagtree.Range, run []tagtree.Range) [][]tagtree.Range {
	if len(run) < 2 {
		return runs
	}
	return append(runs, run)
}

// startsMarked reports whether the first text of nodes is bold or a link.
func startsMarked(nodes []*tagtree.Node) bool {
	marked, found := false, false
	for _, n := range nodes {
		visit(n, func(c *tagtree.Node) bool {
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
