package extract

import (
	"strings"

	"eventseer/features/tagtree"
)

// row returns the cells of the row that begins at block i, or nil where the
// row has a single cell, many, or cells of several blocks, as tables have that
// lay out a page.
func (r *peopleReader) row(i int) []int {
	b := r.blocks[i]
	if b.Table == 0 || b.Kind != tagtree.Cell && b.Kind != tagtree.HeadCell || len(b.Text) > maxPersonBlock {
		return nil
	}
	if i > 0 && r.blocks[i-1].Table == b.Table && r.blocks[i-1].Row == b.Row {
		return nil
	}
	cells := []int{i}
	for j := i + 1; j < len(r.blocks) && r.blocks[j].Table == b.Table && r.blocks[j].Row == b.Row; j++ {
		if r.blocks[j].Col == r.blocks[j-1].Col || len(cells) == maxRowCells || len(r.blocks[j].Text) > maxPersonBlock {
			return nil
		}
		cells = append(cells, j)
	}
	if len(cells) == 1 {
		return nil
	}
	return cells
}

// readRow reads a row: a role and those who have it, a person with institution
// and country in cells of their own, or several people.
func (r *peopleReader) readRow(cells []int) {
	role := ""
	named := false
	for _, i := range cells {
		text := withoutContacts(r.blocks[i].Text)
		if text == "" {
			continue
		}
		if isRoleName(text) && !named {
			role = roleOf(text)
			r.role, r.gap, r.since, r.level = role, 0, 0, 0
			continue
		}
		if r.role == "" {
			continue
		}
		if named && (r.isInstitutions(i) || isAffiliation(text)) {
			if e, ok := entryIn(text); !ok || e.Affiliation == "" || r.isInstitutions(i) {
				r.affiliate(text)
				continue
			}
		}
		if people := r.confirmed(peopleIn(text)); len(people) > 0 {
			r.add(i, r.role, people...)
			named = true
		} else if rl := inlineRole(text); rl != "" && named {
			last := &r.people[len(r.people)-1]
			last.Role = roleWithin(rl, last.Role)
		}
	}
	if !named && role == "" && r.role != "" {
		r.pass()
	}
}

// affiliate adds a cell to the institution of the last person.
func (r *peopleReader) affiliate(text string) {
	last := &r.people[len(r.people)-1]
	affiliation, role, _ := affiliationIn(text)
	if affiliation != "" && len(last.Affiliation)+len(affiliation) < maxPlaceBlock {
		if last.Affiliation != "" {
			last.Affiliation += ", "
		}
		last.Affiliation += affiliation
		last.Country = countryOf(last.Affiliation)
	}
	if role != "" {
		last.Role = roleWithin(role, last.Role)
	}
}

// affiliationColumns are the columns of one table that hold institutions.
type affiliationColumns struct {
	table   int
	columns map[int]int // by column: cells that are institutions less those that are people
}

// isInstitutions reports whether most cells in the column of cell i are
// institutions. A table is read once.
func (r *peopleReader) isInstitutions(i int) bool {
	table := r.blocks[i].Table
	if r.columns.table != table {
		r.columns = affiliationColumns{table: table, columns: map[int]int{}}
		for j := i; j < min(i+maxTableCells, len(r.blocks)) && r.blocks[j].Table == table; j++ {
			b := r.blocks[j]
			text := clip(b.Text, maxPersonBlock)
			name, _, _ := strings.Cut(text, ",")
			switch {
			case isAffiliation(text):
				r.columns.columns[b.Col]++
			case personName(strings.TrimSpace(name)):
				r.columns.columns[b.Col]--
			}
		}
	}
	return r.columns.columns[r.blocks[i].Col] > 0
}
