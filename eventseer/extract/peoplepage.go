package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/features/tagtree"
)

// eventRoles are the roles by their number in the model of people. Number 0 means no role.
var eventRoles = []string{"", "keynote", "steering", "program_chair", "general_chair", "pc_member", "organizer", "other"}

// Limits that decide which blocks are searched for people.
const (
	leastPeople    = 0.03 // minimum probability that a block names people
	leastHeading   = 0.2  // minimum probability of its heading
	menuPeople     = 0.5  // minimum probability of a block of navigation
	eventRoleReach = 40   // maximum blocks after one that names a role; more in a list
)

// eventRoleOf returns the number in duties of the role that a text names, or 0 for none.
func eventRoleOf(s string) uint8 {
	return uint8(slices.Index(eventRoles, roleOf(s)))
}

func namesPeople(s *block.Scores) float32 { return s[block.Committee] + s[block.Speakers] }

// newPeoplePage finds the possible names of people in blocks.
func newPeoplePage(blocks []person.Block) *person.Page {
	p := person.NewPage(blocks, eventRoleOf)
	p.Institution = isOrgWord
	return p
}

// inlineEdge marks the edge of an element in the text of a block. Such a text contains no white space other
// than spaces.
const inlineEdge = '\f'

// peopleText returns the text of block i without contact data, and the bytes at which elements inside it
// begin or end.
func peopleText(p *page, i int, text string) (string, []int32) {
	b := &p.blocks[i]
	edges := p.t.InlineEdges(b.Start, b.Start+len(text))
	if len(edges) == 0 {
		return withoutContacts(text), nil
	}
	var s strings.Builder
	from := 0
	for _, at := range edges {
		k := int(at) - b.Start
		s.WriteString(text[from:k])
		s.WriteByte(inlineEdge)
		from = k
	}
	s.WriteString(text[from:])
	marked := withoutContacts(s.String())
	s.Reset()
	var out []int32
	for k := 0; ; {
		n := strings.IndexByte(marked[k:], inlineEdge)
		if n < 0 {
			s.WriteString(marked[k:])
			return s.String(), out
		}
		s.WriteString(marked[k : k+n])
		k += n + 1
		out = append(out, int32(s.Len()))
	}
}

// peopleBlocks returns the blocks of the page for reading people. A block has a text only if people are
// searched in it. This is the case if it probably names people, is below a heading that does or that names
// a role, or contains the name of a role. It is also the case for up to eventRoleReach blocks after one that
// names a role, and for the rest of a list that begins there.
func peopleBlocks(p *page) []person.Block {
	blocks := make([]person.Block, len(p.blocks))
	last, open, reached := -eventRoleReach, false, false
	for i := range p.blocks {
		b := &blocks[i]
		b.Block = p.blocks[i]
		if i < len(p.roles) {
			b.Scores = p.roles[i]
		}
		likely := namesPeople(&b.Scores)
		text := cutToBytes(b.Block.Text, maxPeopleBlock)
		b.EventRole = eventRoleOf(cutToBytes(text, maxRole))
		behindLabel := i > 0 && last == i-1 && strings.HasSuffix(p.blocks[last].Text, ":")
		if p.menu[i] && likely < menuPeople && !behindLabel && (b.EventRole == 0 || !strings.ContainsAny(text, ":：")) {
			b.EventRole, reached = 0, false
			continue
		}
		if b.EventRole > 0 {
			last = i
		}
		if b.Kind == tagtree.Heading {
			open = likely >= leastHeading || b.EventRole > 0
		}
		reached = i-last < eventRoleReach || reached && person.IsRepetition(blocks, i)
		if open || likely >= leastPeople || reached || len(text) > maxRole && namesRole(text) {
			b.Text, b.Edges = peopleText(p, i, text)
		}
	}
	return blocks
}
