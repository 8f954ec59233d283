package extract

import (
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// Bounds on the people a page may name.
const (
	maxPeople      = 1_000
	maxPersonBlock = 400    // bytes of a block read as one person
	maxPeopleBlock = 16_000 // bytes of a block read as a list of people
	maxPersonGap   = 4      // blocks without a person that end a committee
	maxRowCells    = 8      // cells of a row read as one person or several
	maxTableCells  = 4_000  // cells of a table by which its columns are told
)

// committee reads the people named under headings such as Program Committee,
// behind labels such as "General Chair:", and beside their roles. E-mail
// addresses are never kept. The provenance spans all blocks people were read
// from.
func (p *page) committee() ([]eventseer.Person, eventseer.Provenance) {
	r := peopleReader{page: p, seen: map[string]bool{}}
	for i := 0; i < len(p.blocks) && len(r.people) < maxPeople; {
		if p.menu[i] {
			i++
			continue
		}
		i = r.read(i)
	}
	if len(r.people) == 0 {
		return nil, eventseer.Provenance{}
	}
	src := p.source(r.first, 0, len(p.blocks[r.first].Text), "people-list")
	src.Offset[1] = p.blocks[r.last].Start + len(p.blocks[r.last].Text)
	src.Confidence = peopleRight
	return r.people, src
}

// peopleRight is the share of names read that are gold's
// (tools/score_extract.py, precision of committee).
const peopleRight = 0.94

// A peopleReader walks over the blocks of a page.
type peopleReader struct {
	*page
	people      []eventseer.Person
	first, last int // blocks people were read from
	seen        map[string]bool
	role        string // of those named now, "" for none
	level       int    // of the heading that gave the role, 0 for none
	since       int    // people since the role was given
	gap         int    // blocks since the last person
	columns     affiliationColumns
	common      map[string]bool // words the page writes in lower case, see hasCommonWord
}

func (r *peopleReader) add(block int, role string, people ...personEntry) {
	for _, e := range people {
		if e.Role == "" {
			e.Role = role
		} else {
			e.Role = roleWithin(e.Role, role)
		}
		key := strings.ToLower(e.Name) + "\x00" + e.Role
		if r.seen[key] || len(r.people) >= maxPeople {
			continue
		}
		if len(r.people) == 0 {
			r.first = block
		}
		r.last = max(r.last, block)
		r.seen[key] = true
		r.people = append(r.people, e.Person)
	}
	if len(people) > 0 {
		r.gap = 0
		r.since += len(people)
	}
}

// addList adds the people of a text.
func (r *peopleReader) addList(i int, role, text string) {
	r.add(i, role, r.confirmed(peopleIn(withoutContacts(text)))...)
}

// read reads block i, or the row of a table that it begins, and returns the
// next block to read.
func (r *peopleReader) read(i int) int {
	if cells := r.row(i); cells != nil {
		r.readRow(cells)
		return cells[len(cells)-1] + 1
	}
	text := clip(r.blocks[i].Text, maxPeopleBlock)
	label, rest, _ := strings.Cut(text, ":")
	labelled := len(label) <= maxHeading && says(rest) && roleOf(label) != ""
	switch {
	case r.givesRole(i):
		r.readTitle(i, text, labelled)
	case labelled:
		r.addList(i, roleOf(label), rest)
	case r.role != "":
		r.readBlock(i, text)
	default:
		if e, ok := r.beside(text); ok {
			r.add(i, "", e)
		}
	}
	return i + 1
}

// givesRole reports whether block i stands above those it gives a role: every
// heading ends the list before it.
func (r *peopleReader) givesRole(i int) bool {
	b := r.blocks[i]
	if b.Kind == tagtree.Heading {
		return true
	}
	if len(b.Text) > maxHeading || strings.Contains(b.Text, ",") || roleOf(b.Text) == "" {
		return false
	}
	if b.Kind != tagtree.Item {
		return true
	}
	if !isRoleName(b.Text) || i+1 >= len(r.blocks) {
		return false
	}
	_, ok := entryIn(withoutContacts(clip(r.blocks[i+1].Text, maxPersonBlock)))
	return ok
}

// readTitle reads a heading or the bare name of a role.
func (r *peopleReader) readTitle(i int, text string, labelled bool) {
	b := r.blocks[i]
	if e, ok := r.beside(text); ok {
		r.add(i, r.role, e)
		return
	}
	role := roleOf(text)
	if role == "" && r.role != "" {
		if e, ok := entryIn(withoutContacts(clip(text, maxPersonBlock))); ok {
			r.add(i, r.role, e)
			return
		}
		if b.Level > r.level && r.level > 0 && !sectionWords.MatchString(text) {
			r.pass()
			return
		}
	}
	if b.Kind != tagtree.Heading && r.trails(i) {
		r.people[len(r.people)-1].Role = role
		r.since = 0
		return
	}
	if labelled {
		label, rest, _ := strings.Cut(text, ":")
		r.addList(i, roleOf(label), rest)
	}
	r.role, r.gap, r.since = role, 0, 0
	if b.Kind == tagtree.Heading {
		r.level = b.Level
	}
}

// maxTrail bounds how far ahead trails looks, in blocks.
const maxTrail = 6

// trails reports whether the role at block i is of the one person named
// before, as on cards "name, institution, role", and not of those behind it.
func (r *peopleReader) trails(i int) bool {
	if r.since != 1 || r.level == 0 || r.role == "" || i-r.last > 2 || len(r.people) == 0 {
		return false
	}
	named := false
	for j := i + 1; j < min(i+maxTrail, len(r.blocks)); j++ {
		text := r.blocks[j].Text
		if isRoleName(text) {
			return named
		}
		if _, ok := entryIn(withoutContacts(clip(text, maxPersonBlock))); ok {
			if named {
				return false
			}
			named = true
		} else if r.blocks[j].Kind == tagtree.Heading {
			break
		}
	}
	return !named
}

// readBlock reads people of the role above, or where the last of them works.
func (r *peopleReader) readBlock(i int, text string) {
	if r.isAffiliation(i, text) {
		return
	}
	role := r.role
	if label, rest, ok := strings.Cut(text, ":"); ok && isDuty(label) {
		role, text = "organizer", rest
	}
	if people := r.confirmed(peopleIn(withoutContacts(text))); len(people) > 0 {
		r.add(i, role, people...)
		return
	}
	r.pass()
}

// confirmed drops people no part of whose name is known as one where it holds
// a word that the page also writes in lower case, or is a place.
func (r *peopleReader) confirmed(people []personEntry) []personEntry {
	kept := people[:0]
	for _, e := range people {
		if !e.doubtful || !r.hasCommonWord(e.Name) && !r.isPlace(e) {
			kept = append(kept, e)
		}
	}
	return kept
}

// isPlace reports whether what was read as a person is a line of an address,
// "Yorktown Heights, New York, USA".
func (r *peopleReader) isPlace(e personEntry) bool {
	first, more, _ := strings.Cut(e.Affiliation, ",")
	return r.isCity(e.Name) || more != "" && countryNamed(strings.TrimSpace(first)) != ""
}

// hasCommonWord reports whether a word of four letters or more of a name
// occurs in lower case on the page, or ends as no name does.
func (r *peopleReader) hasCommonWord(name string) bool {
	if r.common == nil {
		r.common = lowerWords(r.t.Text())
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(name), notLetter) {
		if len(w) >= 4 && !particles[w] && (r.common[w] || abstractNoun.MatchString(w)) {
			return true
		}
	}
	return false
}

// abstractNoun matches words that by their endings are no names.
var abstractNoun = compile(`(?:tions?|ments?|ologi?e?[ys]?|ware|ness|[ai]bility|\p{L}{5}ings?|istics?|\p{L}{3}ences?|ization)$`)

// maxCommon bounds the words in lower case that are told of a page.
const maxCommon = 50_000

// lowerWords returns the words of four letters or more that a text writes in
// lower case, without those of addresses.
func lowerWords(s string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(s) {
		if strings.ContainsAny(w, "@/.:_") && !strings.HasSuffix(w, ".") && !strings.HasSuffix(w, ":") {
			continue
		}
		w = strings.Trim(w, ",.;:()[]'\"!?")
		if len(w) >= 4 && w[0] >= 'a' && w[0] <= 'z' && len(m) < maxCommon {
			m[w] = true
		}
	}
	return m
}

// isAffiliation takes block i for the institution of the person named in the
// block before it, if it reads as one.
func (r *peopleReader) isAffiliation(i int, text string) bool {
	if len(r.people) == 0 || r.last != i-1 || r.since == 0 || !isAffiliation(text) {
		return false
	}
	last := &r.people[len(r.people)-1]
	if last.Affiliation != "" {
		return false
	}
	if e, ok := entryIn(withoutContacts(text)); ok && e.Affiliation != "" {
		return false
	}
	affiliation, role, _ := affiliationIn(withoutContacts(text))
	last.Affiliation, last.Country = affiliation, countryOf(affiliation)
	if role != "" {
		last.Role = roleWithin(role, last.Role)
	}
	r.last = i
	return true
}

// pass counts a block without people; too many end the committee.
func (r *peopleReader) pass() {
	if r.gap++; r.gap > maxPersonGap {
		r.role, r.level = "", 0
	}
}

// beside reads one person with a role of its own, "Jane Roe (General Chair)".
func (r *peopleReader) beside(text string) (personEntry, bool) {
	if len(text) > maxPlaceBlock || !strings.ContainsAny(text, ",(-–") || roleOf(text) == "" {
		return personEntry{}, false
	}
	e, ok := entryIn(withoutContacts(text))
	return e, ok && e.Role != ""
}

// chair is the role of somebody printed as "(chair)" with no word of what.
const chair = "chair"

// roleWithin is the role of somebody with a role of their own in a list: a
// chair of the program committee is a program chair.
func roleWithin(role, list string) string {
	switch {
	case role != chair:
		return role
	case list == "pc_member":
		return "program_chair"
	case list == "":
		return "organizer"
	}
	return list
}
