package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/features/tagtree"
)

// duties are the roles that roles names, in the order of their numbers in the model of
// people; 0 is for none.
var duties = []string{"", "keynote", "steering", "program_chair", "general_chair", "pc_member", "organizer", "other"}

// Where people are looked for.
const (
	leastPeople  = 0.03 // probability that a block names people
	leastHeading = 0.2  // that its heading does
	menuPeople   = 0.5  // the same of a block of navigation
	dutyReach    = 40   // blocks after one that names a role, more if they repeat
)

// dutyOf returns the number of the role in the event that a text names, 0 for none.
func dutyOf(s string) uint8 {
	return uint8(slices.Index(duties, roleOf(s)))
}

func namesPeople(s *block.Scores) float32 { return s[block.Committee] + s[block.Speakers] }

// newPeoplePage finds the possible names of a page.
func newPeoplePage(blocks []person.Block) *person.Page {
	p := person.NewPage(blocks, dutyOf)
	p.Institution = isOrgWord
	return p
}

// inlineEdge marks an edge in the text of a block, which holds no other white space than
// spaces.
const inlineEdge = '\f'

// peopleText returns the text of block i without contacts, and where elements within it
// begin or end.
func (p *page) peopleText(i int, text string) (string, []int32) {
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

// peopleBlocks returns the blocks of the page, with a text if people are searched in it. These are
// those likely to name some, those under such a heading or one that names a role, those that name a
// role or stand soon after one that does or in the list that begins there, and long ones that name
// a role somewhere.
func (p *page) peopleBlocks() []person.Block {
	blocks := make([]person.Block, len(p.blocks))
	last, open, reached := -dutyReach, false, false
	for i := range p.blocks {
		b := &blocks[i]
		b.Block = p.blocks[i]
		if i < len(p.roles) {
			b.Scores = p.roles[i]
		}
		likely := namesPeople(&b.Scores)
		text := clip(b.Block.Text, maxPeopleBlock)
		b.Duty = dutyOf(clip(text, maxRole))
		behindLabel := i > 0 && last == i-1 && strings.HasSuffix(p.blocks[last].Text, ":")
		if p.menu[i] && likely < menuPeople && !behindLabel && (b.Duty == 0 || !strings.ContainsAny(text, ":：")) {
			b.Duty, reached = 0, false
			continue
		}
		if b.Duty > 0 {
			last = i
		}
		if b.Kind == tagtree.Heading {
			open = likely >= leastHeading || b.Duty > 0
		}
		reached = i-last < dutyReach || reached && person.Repeats(blocks, i)
		if open || likely >= leastPeople || reached || len(text) > maxRole && namesRole(text) {
			b.Text, b.Edges = p.peopleText(i, text)
		}
	}
	return blocks
}
