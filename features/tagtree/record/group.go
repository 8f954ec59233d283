package record

import (
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// bestGroups returns the best reading in which records consist of several units. If it only groups the
// records of a finer reading, as sections group entries with their own headings, it returns the finer one.
func (c *sequence) bestGroups() listReading {
	var best listReading
	readings := []listReading{c.splitAtMarks(c.gapStarts(), true)}
	for _, starts := range c.startGuesses() {
		readings = append(readings, c.splitAtMarks(starts, false))
	}
	readings = slices.DeleteFunc(readings, func(r listReading) bool {
		return r.countRecords() < 2 || r.alike < minRecordsAlike || r.countRecords() == 2 && r.alike < minPairAlike
	})
	for _, r := range readings {
		if best.countRecords() == 0 || c.rateGroups(r) > c.rateGroups(best) {
			best = r
		}
	}
	for _, r := range readings {
		if 2*r.countRecords() < 3*best.countRecords() {
			continue
		}
		if g := c.groupingEvidence(best, r); g.items > 0 && g.onlyGroups() {
			best = r
		}
	}
	return best
}

// rateGroups rates a reading: the similarity of its records, times the shares of units and text that are in
// records.
func (c *sequence) rateGroups(r listReading) float64 {
	return r.alike * r.whole * float64(c.sumOfFacts(r).text+1) / float64(factsIn(c.units).text+1)
}

// gapStarts marks the first unit and units after a ruler or an empty line.
func (c *sequence) gapStarts() []bool {
	marks := make([]bool, len(c.units))
	for i, u := range c.units {
		marks[i] = u.gap || i == 0
	}
	return marks
}

// startGuesses returns at most maxStarts guesses at which units begin a record. Each guess marks the units of one
// name or of one kind.
func (c *sequence) startGuesses() [][]bool {
	var out [][]bool
	add := func(n int, is func(i int) bool) {
		if n < 2 || n == len(c.units) || len(out) == maxStarts {
			return
		}
		marks := make([]bool, len(c.units))
		for i := range c.units {
			marks[i] = is(i)
		}
		out = append(out, marks)
	}
	names := make(map[string]int) // number of units by name; 0 after the name was tried
	kinds := make(map[int]int)
	for i, u := range c.units {
		names[u.name]++
		kinds[c.kinds[i]]++
	}
	for i, u := range c.units {
		if n := names[u.name]; u.name != lineUnit && u.name != "li" {
			names[u.name] = 0
			add(n, func(j int) bool { return c.units[j].name == u.name })
		}
		if k := c.kinds[i]; k >= 0 && u.name != "li" {
			n := kinds[k]
			kinds[k] = 0
			add(n, func(j int) bool { return c.kinds[j] == k })
		}
	}
	return out
}

// splitAtMarks reads each marked unit with the units up to the next mark as a record. parted means that the page
// itself separates the records; then they need not repeat the same units. It returns an empty reading if the
// records are not regular.
func (c *sequence) splitAtMarks(starts []bool, parted bool) listReading {
	var r listReading
	var run []tagtree.Range
	open := -1
	end := func(i int) {
		if open >= 0 {
			run = append(run, tagtree.Range{Start: open, End: i})
		}
		open = -1
	}
	level := c.headingRank(max(slices.Index(starts, true), 0)) // rank of the first start
	for i := range c.units {
		switch {
		case starts[i]:
			end(i)
			open = i
		case c.headings[i] && c.headingRank(i) < level:
			end(i)
			if len(run) > 0 {
				r.runs, run = append(r.runs, run), nil
			}
		}
	}
	end(len(c.units))
	if len(run) > 0 {
		r.runs = append(r.runs, run)
	}
	c.trimLastRecords(&r)
	c.rateReading(&r)
	if !c.isRegular(r, parted) {
		return listReading{}
	}
	return r
}

// headingRank returns 1 to 6 for headings by level, 7 for bold lines and 8 for other units. A lower rank is above a
// higher one.
func (c *sequence) headingRank(i int) int {
	switch name := c.units[i].name; {
	case isHeadingName(name):
		return int(name[1] - '0')
	case c.headings[i]:
		return 7
	}
	return 8
}

// trimLastRecords ends the last record of each run before a unit that other records do not have, because it belongs to
// what follows the list.
func (c *sequence) trimLastRecords(r *listReading) {
	known := make(map[string]bool)
	longest := 0
	for _, run := range r.runs {
		for _, rec := range run[:len(run)-1] {
			longest = max(longest, rec.End-rec.Start)
			for _, u := range c.units[rec.Start:rec.End] {
				known[u.name] = true
			}
		}
	}
	for _, run := range r.runs {
		last := &run[len(run)-1]
		end := last.Start + 1
		for end < last.End && end-last.Start < max(longest, 1) && known[c.units[end].name] {
			end++
		}
		last.End = end
	}
}

// isRegular reports whether the records of a reading repeat. Most records must have several units. If all
// units have the same name, nearly all records must have the same kinds of units in the same order, unless
// the page separates them.
func (c *sequence) isRegular(r listReading, parted bool) bool {
	n, several, mixed := 0, 0, false
	patterns := make(map[string]int)
	best := 0
	var name string
	for rec := range r.records() {
		n++
		several += boolToInt(rec.End-rec.Start > 1)
		pattern := make([]byte, 0, 32)
		for i := rec.Start; i < rec.End; i++ {
			if name == "" {
				name = c.units[i].name
			}
			mixed = mixed || c.units[i].name != name
			if len(pattern) < 32 {
				pattern = append(pattern, byte(c.kinds[i]))
			}
		}
		patterns[string(pattern)]++
		best = max(best, patterns[string(pattern)])
	}
	if 2*several < n || n < 2 {
		return false
	}
	return parted || mixed || name == lineUnit || 10*best >= 8*n
}

// Limits on records in columns.
const (
	maxColumnRows = 6 // rows of a record
	maxColumns    = 24
)

// readColumns reads a container whose records are columns over several rows, such as a row of pictures above a
// row of names. These are the non-contiguous records of Liu, Grossman and Zhai 2003, section 3.3. The cells
// of each row must be alike and the rows must repeat. It returns nil if there are no such records.
func (f *regionFinder) readColumns(container *tagtree.Node, units []unit) *recordList {
	if len(units) < 2 || len(units[0].nodes) != 1 {
		return nil
	}
	rows := make([][]unit, len(units))
	for i, u := range units {
		if rows[i] = f.similarCells(u); rows[i] == nil {
			return nil
		}
	}
	for period := 2; period <= min(maxColumnRows, len(rows)); period++ {
		if len(rows)%period != 0 || !haveRepeatingRows(rows, period) {
			continue
		}
		l := &recordList{container: container, columns: true}
		for top := 0; top < len(rows); top += period {
			for column := range rows[top] {
				var nodes []*tagtree.Node
				for _, row := range rows[top : top+period] {
					nodes = append(nodes, row[column].nodes...)
				}
				l.records = append(l.records, tagtree.Range{Start: len(l.units), End: len(l.units) + 1})
				l.units = append(l.units, unit{nodes: nodes, facts: f.factsOf(nodes)})
			}
		}
		return l
	}
	return nil
}

// similarCells returns the cells of a row if they are alike, otherwise nil.
func (f *regionFinder) similarCells(row unit) []unit {
	if len(row.nodes) != 1 || row.name != "tr" && row.name != "div" || row.facts.heads > 0 {
		return nil
	}
	cells := f.unitsOf(row.nodes[0])
	if len(cells) < 2 || len(cells) > maxColumns {
		return nil
	}
	for _, c := range cells {
		if c.name != "td" && c.name != "div" || similarity(c.profile, cells[0].profile) < sameProfile {
			return nil
		}
	}
	return cells
}

// haveRepeatingRows reports whether rows repeat every period rows. The first two rows must differ, and the cells of the
// first row of a period must have a link or several texts or pictures. Otherwise it may be a row of data.
func haveRepeatingRows(rows [][]unit, period int) bool {
	for i, row := range rows {
		top := rows[i-i%period]
		if len(row) != len(top) {
			return false
		}
		if i >= period && similarity(row[0].profile, rows[i-period][0].profile) < sameProfile {
			return false
		}
		if i%period == 0 {
			for _, cell := range row {
				if cell.facts.links == 0 && cell.facts.leaves < 2 {
					return false
				}
			}
		}
	}
	return similarity(rows[0][0].profile, rows[1][0].profile) < sameProfile
}
