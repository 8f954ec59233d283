package extract

import (
	"slices"

	"eventseer/eventseer/extract/date"
	"eventseer/features/tagtree"
)

// placeRules names the forms of places, what each is worth and how sure it is:
// (right + 1) / (found + 2) on the 156 gold pages and 200 WikiCFP calls, by the
// rule in sources.location against the gold city.
var placeRules = [...]struct {
	name  string
	right float64
	worth float64
}{
	countryOnly:   {"country", .75, -1},
	cityInside:    {"city-of-university", .80, 0},
	cityLoose:     {"city-loose", .40, -1},
	cityBare:      {"city-known", .90, 1},
	cityShaped:    {"place", .81, 1},
	cityConfirmed: {"place-confirmed", .98, 2.5},
}

// againPoints is what it speaks for a place that the page names its city again.
const againPoints = .4

// placeEvidence is what speaks for a place to be the event's and what against
// it, with the points each is worth.
var placeEvidence = []struct {
	points float64
	holds  func(*placeCandidate) bool
}{
	{3, func(c *placeCandidate) bool { return c.dated() }},
	{2, func(c *placeCandidate) bool { return !c.dated() && c.datedBeside(1) }},
	{1, func(c *placeCandidate) bool { return !c.dated() && !c.datedBeside(1) && c.datedBeside(2) }},
	{2, func(c *placeCandidate) bool { return heldBefore.MatchString(c.before) }},
	{2, func(c *placeCandidate) bool { return c.labelled() }},
	{2, func(c *placeCandidate) bool { return c.block < 0 }},
	{.7, func(c *placeCandidate) bool { return c.alone() }},
	{1.5, func(c *placeCandidate) bool {
		return c.block >= 0 && c.block < maxTop && c.p.blocks[c.block].Kind == tagtree.Heading && c.p.blocks[c.block].Level <= 2
	}},
	{1, func(c *placeCandidate) bool {
		return c.block >= 0 && nouns.MatchString(c.text) && acronymInTitle(c.text) != ""
	}},
	{1, func(c *placeCandidate) bool { return c.block >= 0 && c.block < maxTop/3 }},
	{.5, func(c *placeCandidate) bool { return c.block >= 0 && c.block < maxTop }},
	{-1, func(c *placeCandidate) bool { return c.block > 4*maxTop }},
	{-1, func(c *placeCandidate) bool { return c.form <= cityBare && c.form != countryOnly && c.small }},
	{-2, func(c *placeCandidate) bool {
		return c.form < cityBare && !c.dated() && !heldBefore.MatchString(c.before)
	}},
	{-4, func(c *placeCandidate) bool { return c.ofPeople() }},
	{-4, func(c *placeCandidate) bool { return c.past() || c.otherEdition() }},
	{-4, func(c *placeCandidate) bool { return onTheWay.MatchString(c.before) || clockOf.MatchString(c.after) }},
	{-5, func(c *placeCandidate) bool { return publisherSeat.MatchString(c.before) }},
	{-3, func(c *placeCandidate) bool { return c.p.peopleHeading(c.block) }},
}

var (
	heldBefore    = compile(`(?i)\b(held|hosted|host|take[s]? place|taking place|join us|se(?:e|eing) you|welcome( you)? to|invite you to|come to|celebrar\p{L}*|realizar\p{L}*|statt(finden)?|findet|aura lieu|co-?located|in conjunction|meet(ing)? in|gather\w*|organi[sz]ed|located|to be in|venue|will be)\b`)
	pastPlace     = compile(`(?i)\b(previous|past|earlier|former|last year|history|series of|successful|followed by|first held|started in|since (19|20)\d\d|editions?|was held|were held|has been held|have been held|took place)\b`)
	thisTime      = compile(`(?i)\b(will (be|take)|is to be|takes place|this year|this edition|next edition|upcoming|forthcoming)\b`)
	publisherSeat = compile(`(?i)\b(springer|elsevier|kluwer|wiley|publish(er|ers|ed|ing)|verlag|press)\b[^.]{0,40}$`)
	onTheWay      = compile(`(?i)\b(flights?|airports?|km|miles|hours?|minutes|drive|train|bus|distance|far|south|north|east|west) (from|of|to|away)\b[^.]{0,30}$`)
	clockOf       = compile(`(?i)^\W*(local )?time\b`)
	peopleHeading = compile(`(?i)\b(committees?|chairs?|chairmen|organi[sz](ers?|ation)|organi[sz]ing|speakers?|keynotes?|board|team|contacts?|sponsors?|partners|previous|past|reviewers|members|history|people|comit[eé]|comiss[aã]o|news|accepted|programa?)\b|委员|委員`)
	houseBefore   = compile(`(?i)\b(univ(ersit\p{L}*)?|institut\p{L}*|college|department|dept|prof|dr|school of)\b[^.;]{0,60}$`)
	personMark    = compile(`(?i)\b(chairs?|committee|prof|dr|phd|professor|tel|fax|e-?mail|phone|p\.?o\.? box)\b|@`)
)

// dated reports whether the event's days stand in the block of the place.
func (c *placeCandidate) dated() bool {
	return c.block >= 0 && c.p.hasDays(c.block, c.dateBlock, c.from)
}

// alone reports whether a block holds little besides the place.
func (c *placeCandidate) alone() bool { return len(c.text)-(c.to-c.from) <= 5 }

// datedBeside reports whether the event's days stand n blocks before or behind
// a short block.
func (c *placeCandidate) datedBeside(n int) bool {
	return c.block >= 0 && len(c.text) <= maxPlaceBlock && (c.p.daysBeside(c.block, c.block-n, c.dateBlock) || c.p.daysBeside(c.block, c.block+n, c.dateBlock))
}

func (p *page) daysBeside(i, j, dateBlock int) bool {
	return j >= 0 && j < len(p.blocks) && len(p.blocks[j].Text) <= 2*maxPlaceBlock && p.sameRun(i, j) && p.hasDays(j, dateBlock, 0)
}

// hasDays reports whether block i holds the event's days, near byte at.
func (p *page) hasDays(i, dateBlock, at int) bool {
	if dateBlock < 0 || len(p.datesIn(dateBlock)) == 0 {
		return false
	}
	when := p.datesIn(dateBlock)
	for _, d := range p.datesIn(i) {
		if near := len(p.blocks[i].Text) <= 2*maxPlaceBlock || d.Start-at < placeWindow && at-d.End < placeWindow; !near {
			continue
		}
		for _, w := range when {
			if i == dateBlock || d.From.Day == w.From.Day && d.To == w.To && d.From != d.To {
				return true
			}
		}
	}
	return false
}

// labelled reports whether a label or heading says that a place follows.
func (c *placeCandidate) labelled() bool {
	if c.block < 0 {
		return false
	}
	if venueHeading.MatchString(clip(c.text, 20)) {
		return true
	}
	return c.block-c.p.head[c.block] <= 4 && venueHeading.MatchString(clip(c.p.heading(c.block), maxHeading)) || c.block > 0 && len(c.p.blocks[c.block-1].Text) < 20 && venueHeading.MatchString(c.p.blocks[c.block-1].Text)
}

// ofPeople reports whether the place is where somebody works.
func (c *placeCandidate) ofPeople() bool {
	switch {
	case c.block < 0 || c.dated() || heldBefore.MatchString(c.before):
		return false
	case len(c.text) > 2*maxPlaceBlock:
		return houseBefore.MatchString(c.before)
	}
	if personMark.MatchString(c.text) {
		return true
	}
	return !c.labelled() && (elsewhere.MatchString(c.before) || namesPerson(c.text)) && !c.datedBeside(1)
}

// past reports whether the words before the place speak of earlier editions.
func (c *placeCandidate) past() bool {
	all := pastPlace.FindAllStringIndex(c.before, -1)
	if len(all) == 0 {
		return false
	}
	now := thisTime.FindAllStringIndex(c.before, -1)
	return len(now) == 0 || now[len(now)-1][0] < all[len(all)-1][0]
}

// otherEdition reports whether a year stands beside the place that is not the
// edition's, and the edition's does not.
func (c *placeCandidate) otherEdition() bool {
	if c.p.year == 0 || c.block < 0 || c.dated() {
		return false
	}
	before, after := date.Years(c.before), date.Years(c.after)
	switch {
	case len(before) == 0 && len(after) == 0:
		return false
	case len(before) == 0:
		return !slices.Contains(after, c.p.year)
	}
	return before[len(before)-1] != c.p.year && !slices.Contains(after, c.p.year)
}

func (p *page) peopleHeading(i int) bool {
	return i >= maxTop/3 && peopleHeading.MatchString(clip(p.heading(i), maxHeading)) && !heldWords.MatchString(clip(p.blocks[i].Text, maxPlaceBlock))
}
