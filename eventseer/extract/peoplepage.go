package extract

import (
	"slices"
	"strings"

	"eventseer/eventseer/block"
	"eventseer/eventseer/extract/person"
	"eventseer/features/tagtree"
)

// duties are the roles that roles names, in the order of their numbers in the model of
// people; 0 is for none.
var duties = []string{"", "keynote", "steering", "program_chair", "general_chair", "pc_member", "organizer", "other"}

// Where people are looked for.
const (
	leastPeople  = 0.03 // probability that a block names people
	leastHeading = 0.2  // that its heading does
	menuPeople   = 0.5  // the same of a block of navigation
	dutyReach    = 40   // blocks behind one that names a role
)

// dutyOf returns the number of the role in the event that a text names, 0 for none.
func dutyOf(s string) uint8 {
	return uint8(slices.Index(duties, roleOf(s)))
}

func namesPeople(s *block.Scores) float32 { return s[block.Committee] + s[block.Speakers] }

// peopleBlocks returns the blocks of the page, with a text where people are looked for: in those
// likely to name some, those under such a heading, and those that name a role or
// stand soon behind one that does.
func (p *page) peopleBlocks() []person.Block {
	blocks := make([]person.Block, len(p.blocks))
	last, open := -dutyReach, false
	for i := range p.blocks {
		b := &blocks[i]
		b.Block = p.blocks[i]
		if i < len(p.roles) {
			b.Scores = p.roles[i]
		}
		likely := namesPeople(&b.Scores)
		text := clip(b.Block.Text, maxPeopleBlock)
		b.Duty = dutyOf(clip(text, maxRole))
		if p.menu[i] && likely < menuPeople && (b.Duty == 0 || !strings.ContainsAny(text, ":：")) {
			b.Duty = 0
			continue
		}
		if b.Duty > 0 {
			last = i
		}
		if b.Kind == tagtree.Heading {
			open = likely >= leastHeading
		}
		if open || likely >= leastPeople || i-last < dutyReach {
			b.Text = withoutContacts(text)
		}
	}
	return blocks
}
