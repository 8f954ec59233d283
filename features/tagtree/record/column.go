package record

import "eventseer/features/tagtree"

// Limits of records in columns.
const (
	maxColumnRows = 6 // rows of a record
	maxColumns    = 24
)

// columns reads a container whose records are columns over several rows, such as a row of
// pictures above a row of names (non-contiguous records, Liu, Grossman and Zhai 2003,
// section 3.3); nil where it is none. In each row the cells are alike, and the rows repeat.
func (f *regionFinder) columns(container *tagtree.Node, units []unit) *recordList {
	if len(units) < 2 || len(units[0].nodes) != 1 {
		return nil
	}
	rows := make([][]unit, len(units))
	for i, u := range units {
		if rows[i] = f.cells(u); rows[i] == nil {
			return nil
		}
	}
	for period := 2; period <= min(maxColumnRows, len(rows)); period++ {
		if len(rows)%period != 0 || !repeats(rows, period) {
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

// cells returns the cells of a row whose cells are alike, nil of others.
func (f *regionFinder) cells(row unit) []unit {
	if len(row.nodes) != 1 || row.name != "tr" && row.name != "div" || row.facts.heads > 0 {
		return nil
	}
	cells := f.units(row.nodes[0])
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

// repeats reports whether rows are the same every period rows, those within a period
// differ, and the first of them shows a picture or a link, so that it is no row of data.
func repeats(rows [][]unit, period int) bool {
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
