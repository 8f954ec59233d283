package extract

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Limits on the people read from a page.
const (
	maxPeople      = 1_000
	maxPersonBlock = 400    // bytes read as the affiliation of a person
	maxPeopleBlock = 16_000 // bytes of a block that are searched for people
)

// leastPerson is the minimum probability of a name. It gave the best F1 on sites whose owners the model was
// trained without.
const leastPerson = 0.5

// readCommittee returns the people with a role in the event, at most maxPeople, and a source that covers all
// blocks they were read from. A model separates them from other text and from people without a role. E-mail
// addresses are never kept. Without a model there are none.
func readCommittee(p *placeReader, model *person.Model) ([]eventseer.Person, eventseer.Provenance) {
	if model == nil {
		return nil, eventseer.Provenance{}
	}
	r := peopleReader{placeReader: p, model: model, seen: map[string]bool{}, last: -1, lastPerson: -1}
	r.blocks = peopleBlocks(p.page)
	r.found = slices.DeleteFunc(model.People(newPeoplePage(r.blocks), leastPerson), func(f person.Person) bool {
		return r.isNoPerson(f.Name) || beginsWithInstitutionEnd(r.blocks[f.Block].Text[f.To:]) || isIdeograph(firstRune(f.Name)) && isOnlyRole(r.blocks[f.Block].Text)
	})
	if len(r.found) == 0 {
		return nil, eventseer.Provenance{}
	}
	first, last := r.found[0].Block, r.found[len(r.found)-1].Block
	r.readAllBlocks()
	src := p.provenanceOf(first, 0, len(p.blocks[first].Text), "people-list")
	end := p.blocks[last]
	src.Offset[1] = end.Start + len(end.Text)
	src.Confidence = r.confidence()
	return r.people, src
}

// isOnlyRole reports whether a text in Chinese characters consists of the name of a role.
func isOnlyRole(s string) bool {
	return len(s) <= maxName && !strings.ContainsAny(s, " ,，、:：(（[；;") && roleOf(s) != ""
}

// isNoPerson reports whether a possible name of a person is that of a role, an institution or a place.
func (r *peopleReader) isNoPerson(name string) bool {
	if roleOf(name) != "" || slices.ContainsFunc(strings.FieldsFunc(name, isNotLetter), isInstitutionKind) {
		return true
	}
	return !hasGivenName(name) && (isOrganization(name) || r.isCity(name) || countryNamed(name) != "")
}

// beginsWithInstitutionEnd reports whether the text after a possible name shows that it is part of an institution's
// name. It begins with a word such as "University", after which no word follows.
func beginsWithInstitutionEnd(behind string) bool {
	rest, ok := strings.CutPrefix(cutToBytes(behind, maxName), " ")
	if !ok {
		return false
	}
	n := strings.IndexFunc(rest, isNotLetter)
	if n < 0 {
		n = len(rest)
	}
	next := firstRune(strings.TrimLeft(rest[n:], " "))
	return isInstitutionKind(rest[:n]) && !unicode.IsLetter(next)
}

// A peopleReader reads the blocks of a page in order and assigns roles and affiliations to people.
type peopleReader struct {
	*placeReader
	model  *person.Model // recognises names of people
	blocks []person.Block
	found  []person.Person // people that are not read yet, in document order
	people []eventseer.Person
	right  float64 // sum of the probabilities of people
	seen   map[string]bool
	section
	outer      section // section around the current table
	row        string  // role of the current table row, "" for none
	last       int     // last block that belongs to a person; -1 for none
	lastPerson int     // index of the person whose affiliation or role may follow, -1 for none
	since      int     // number of people since the last role
}

// A section is a part of the page for which a role is given.
type section struct {
	role  string
	level int // level of the heading with the role; 0 if it is not a heading
	table int // table to which the role is limited; 0 for none
}

// confidence returns the calibrated mean probability that one of the people is right.
func (r *peopleReader) confidence() float64 {
	mean := r.right / float64(max(len(r.people), 1))
	if r.model.Calibration == nil {
		return mean
	}
	return r.model.Calibration.Probability(logOdds(mean))
}

func (r *peopleReader) readAllBlocks() {
	for i := range r.blocks {
		if len(r.found) == 0 && i > r.last+maxTrail {
			return
		}
		b := &r.blocks[i]
		if b.Table != r.table && r.table != 0 { // the table has ended
			r.section, r.outer = r.outer, section{}
		}
		if i > 0 && (b.Table == 0 || b.Row != r.blocks[i-1].Row || b.Table != r.blocks[i-1].Table) {
			r.row = ""
		}
		n := 0
		for n < len(r.found) && r.found[n].Block == i {
			n++
		}
		switch {
		case n > 0:
			if b.Kind == tagtree.Heading && b.Level <= r.level {
				r.section = section{}
			}
			r.readPeopleOfBlock(i, r.found[:n])
			r.found = r.found[n:]
		case b.EventRole > 0 && b.Text != "" && len(b.Block.Text) <= maxRoleBlock:
			r.readRole(i)
		case b.Kind == tagtree.Heading && (r.level == 0 || b.Level <= r.level), r.isAboutOtherThings(i):
			r.section, r.lastPerson = section{}, -1
		default:
			r.readAffiliation(i)
		}
	}
}

// maxRoleBlock is the maximum length, in bytes, of a block that names a role for the blocks after it.
const maxRoleBlock = 100

// isAboutOtherThings reports whether block i is about something other than people.
func (r *peopleReader) isAboutOtherThings(i int) bool {
	if r.last >= 0 && i-r.last <= 2 {
		return false // a single block between people
	}
	s := &r.blocks[i].Scores
	switch best := s.Best(); best {
	case block.Dates, block.Topics, block.Instructions, block.Programme, block.Fees, block.Venue, block.News, block.Footer:
		return s[best] >= 0.5
	}
	return false
}

// readRole reads a block that names a role. It is the role of the previous person, or of the people after
// the block.
func (r *peopleReader) readRole(i int) {
	b := &r.blocks[i]
	role := eventRoles[b.EventRole]
	if b.Kind != tagtree.Heading && r.roleOfPrevious(i) {
		last := &r.people[r.lastPerson]
		last.Role = roleInList(roleOrChair(b.Block.Text, role), last.Role)
		r.last, r.lastPerson, r.since = i, -1, 0
		return
	}
	r.lastPerson, r.since = -1, 0
	switch {
	case b.Table > 0:
		r.row = role
		if r.table == 0 {
			r.outer = r.section
		}
		r.section = section{role: role, table: b.Table}
	case b.Kind == tagtree.Heading:
		r.section = section{role: role, level: b.Level}
	default:
		r.section = section{role: role, level: r.level}
	}
}

func roleOrChair(text, role string) string {
	if bareChair.MatchString(strings.TrimSpace(text)) {
		return chair
	}
	return role
}

// maxTrail is the maximum number of blocks about one person.
const maxTrail = 6

// roleOfPrevious reports whether the role at block i belongs to the previous person, as on cards with "name,
// institution, role". Otherwise it belongs to the people after it.
func (r *peopleReader) roleOfPrevious(i int) bool {
	if r.lastPerson < 0 || r.since != 1 && r.blocks[i].Table == 0 || i-r.last > 2 {
		return false
	}
	if t := r.blocks[i].Table; t > 0 {
		return r.blocks[r.last].Table == t && r.blocks[r.last].Row == r.blocks[i].Row
	}
	if r.level == 0 || r.role == "" {
		return false
	}
	named := false
	for j, k := i+1, 0; j < min(i+maxTrail, len(r.blocks)); j++ {
		for k < len(r.found) && r.found[k].Block < j {
			k++
		}
		switch {
		case k < len(r.found) && r.found[k].Block == j:
			if named {
				return false
			}
			named = true
		case r.blocks[j].EventRole > 0 && len(r.blocks[j].Block.Text) <= maxRoleBlock:
			return named
		case r.blocks[j].Kind == tagtree.Heading:
			return !named
		}
	}
	return !named
}

// readPeopleOfBlock reads the people of block i. The text from a name to the next one is the affiliation and role
// of that person; a label before a name is its role.
func (r *peopleReader) readPeopleOfBlock(i int, found []person.Person) {
	text := r.blocks[i].Text
	label, from := "", 0
	for n, f := range found {
		between := text[from:f.From]
		if k := lastSentenceStart(between); k >= 0 {
			label, between = "", between[k:]
		}
		if role, ok := roleInLabel(between); ok {
			label = role
		} else if len(between) <= maxRole {
			if role := roleOf(between); role != "" { // such as "is organised by"
				label = role
			}
		}
		end := len(text)
		if n+1 < len(found) {
			end = found[n+1].From
		}
		from = f.To
		q := eventseer.Person{Name: f.Name}
		var role string
		q.Affiliation, role = affiliationAfter(text[f.To:end])
		q.Country = countryOf(q.Affiliation)
		given := r.role
		switch {
		case label != "":
			given = label
		case r.row != "":
			given = r.row
		}
		if role == "" {
			q.Role = given
		} else {
			q.Role = roleInList(role, given)
		}
		if q.Role == "" {
			q.Role = "other"
		}
		r.addPerson(i, q, f.Right)
	}
	if len(found) > 1 {
		r.lastPerson = -1
	}
}

// lastSentenceStart returns the byte after the last sentence that ends in s, or -1 for none.
func lastSentenceStart(s string) int {
	for k := len(s); k > 0; {
		if k = strings.LastIndex(s[:k], ". "); k >= 0 && (endsSentence(s, k) || person.EndsAfterShortWord(s, k)) {
			return k + 1
		}
	}
	return -1
}

func (r *peopleReader) addPerson(i int, q eventseer.Person, right float64) {
	r.last, r.lastPerson = i, -1
	r.since++
	name := strings.ToLower(q.Name)
	if key := name + "\x00" + q.Role; r.seen[key] || len(r.people) >= maxPeople || q.Role == "other" && r.seen[name] {
		return
	} else {
		r.seen[key], r.seen[name] = true, true
	}
	r.people = append(r.people, q)
	r.right += right
	r.lastPerson = len(r.people) - 1
}

// roleInLabel returns the role that the text before a name assigns to it. It is a label before a colon, or only
// the name of a role. ok is false if there is none.
func roleInLabel(s string) (string, bool) {
	if k := strings.LastIndexAny(s, ";•|)"); k >= 0 {
		s = s[k+1:]
	}
	if k := strings.LastIndexAny(s, ":："); k >= 0 {
		s = s[:k]
		if role := roleOf(s); role != "" {
			return roleOrChair(s, role), true
		}
		return "", strings.TrimSpace(s) != ""
	}
	s = strings.Trim(honorific.ReplaceAllString(strings.TrimSpace(s), ""), " ,-–—.(")
	if isRoleName(s) {
		return roleOrChair(s, roleOf(s)), true
	}
	return "", false
}

// affiliationAfter returns the affiliation and role in the text between a name and the next one.
func affiliationAfter(s string) (affiliation, role string) {
	s = cutToBytes(s, maxPersonBlock)
	s = strings.TrimLeft(postnominal.ReplaceAllString(s, " "), " .*†‡")
	if s == "" {
		return "", ""
	}
	first, n := utf8.DecodeRuneInString(s)
	switch {
	case strings.ContainsRune("([（［-–—:：,，/·", first):
	case strings.HasPrefix(s, "from ") || strings.HasPrefix(s, "at "):
	case unicode.IsUpper(first) && isOrganization(s):
		s = " - " + s
	default:
		return "", ""
	}
	if strings.ContainsRune(",，-–—:：", first) {
		if next := firstRune(strings.TrimLeft(s[n:], " ")); unicode.IsLower(next) && !strings.HasPrefix(strings.TrimLeft(s[n:], " "), "chair") {
			return "", ""
		}
	}
	if k := strings.IndexAny(s, ";；•|\n"); k >= 0 {
		s = s[:k]
	}
	if k := strings.Index(s, ". "); k >= 0 && endsSentence(s, k) {
		s = s[:k]
	}
	s = strings.TrimRight(s, " ,")
	for _, and := range []string{" and", " &", " und", " et", " y", " e"} {
		s = strings.TrimSuffix(s, and)
	}
	affiliation, role, _ = affiliationIn(honorificEnd.ReplaceAllString(s, ""))
	return affiliation, role
}

// readAffiliation reads block i as affiliation or role of the previous person. It must be a cell of the same
// row, the description of a term, or the name of an institution.
func (r *peopleReader) readAffiliation(i int) {
	if r.lastPerson < 0 || r.lastPerson >= len(r.people) {
		return
	}
	b, before := &r.blocks[i], &r.blocks[r.last]
	text := withoutContacts(cutToBytes(b.Block.Text, maxPersonBlock))
	row := b.Table > 0 && b.Table == before.Table && b.Row == before.Row
	last := &r.people[r.lastPerson]
	switch {
	case len(b.Block.Text) > maxPlaceBlock || !row && (i != r.last+1 || b.Kind == tagtree.Heading):
		r.lastPerson = -1
		return
	case row && inlineRole(text) != "":
		last.Role = roleInList(inlineRole(text), last.Role)
	case row && last.Affiliation != "":
		if c := cleanAffiliation(text); c != "" && len(last.Affiliation)+len(c) < maxPlaceBlock {
			last.Affiliation += ", " + c
		}
	case last.Affiliation == "" && (row || b.Kind == tagtree.Definition || isAffiliation(text)):
		var role string
		last.Affiliation, role, _ = affiliationIn(text)
		if role != "" {
			last.Role = roleInList(role, last.Role)
		}
	default:
		r.lastPerson = -1
		return
	}
	last.Country = countryOf(last.Affiliation)
	r.last = i
}

// chair is the role of a person printed as "(chair)" without naming the committee.
const chair = "chair"

// roleInList returns the role of a person with a role of their own in a list with another role. For
// example, a chair in the program committee is a program chair.
func roleInList(role, list string) string {
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
