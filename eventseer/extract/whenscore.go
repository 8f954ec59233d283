package extract

import (
	"regexp"
	"strings"
)

// minEventScore is what a date must reach to be trusted as the event's.
const minEventScore = 5

// maxTop is how many blocks make the top of a page, where the event presents
// itself.
const maxTop = 30

// callDates are the dates of the call, by which those of the event are judged.
type callDates struct {
	block int // of the first deadline
	last  day // to hand something in
}

func (p *page) callOf(es []entry) callDates {
	c := callDates{block: len(p.blocks)}
	for _, e := range es {
		if !isDeadline(e.kind) {
			continue
		}
		c.block = min(c.block, e.date.block)
		if e.kind.Submits() && !e.date.struck && (c.last == day{} || c.last.before(e.date.from)) {
			c.last = e.date.from
		}
	}
	return c
}

// A candidate is a date that may be the event's, with what several rules ask.
type candidate struct {
	entry
	class  string // of the event
	year   int    // of the edition, 0 for unknown
	call   callDates
	near   string // the text around the date
	placed bool   // a place stands in or beside it
}

// eventScore says how much a date looks like the event's own.
func (p *page) eventScore(e entry, c callDates) int {
	d := e.date
	if d.struck || d.from.year != 0 && d.to.year != 0 && d.to.time().Sub(d.from.time()) > maxEvent {
		return 0
	}
	near := p.near(d)
	x := candidate{entry: e, class: p.class, year: p.year, call: c, near: near, placed: p.placed(d.block, near)}
	if e.kind == "" && d.from == d.to && !x.placed && !heldWords.MatchString(e.label) {
		return 0 // any day at all
	}
	score := 0
	for _, r := range eventRules {
		if r.holds(x) {
			score += r.points
		}
	}
	return score
}

// eventRules are what speaks for the days of an event and what against them,
// with the points each is worth.
var eventRules = []struct {
	points int
	holds  func(candidate) bool
}{
	{5, func(x candidate) bool { return x.kind == eventDates }},
	{1, func(x candidate) bool { return x.kind == eventDates && surelyEvent.MatchString(x.label) }},
	{3, func(x candidate) bool { return x.date.from != x.date.to }},
	{3, func(x candidate) bool { return heldWords.MatchString(x.near) }},
	{3, func(x candidate) bool { return x.presents(maxTop) }},
	{1, func(x candidate) bool { return x.presents(maxTop / 3) }},
	{2, func(x candidate) bool { return x.placed }},
	{1, func(x candidate) bool { return nouns.MatchString(x.near) }},
	{1, func(x candidate) bool { return x.years() && x.off() == 0 }},
	{1, func(x candidate) bool { return x.ordered() && x.call.last.before(x.date.from) }},
	{-2, candidate.ofHost},
	{-2, func(x candidate) bool { return strings.Contains(strings.ToLower(x.label), "tentative") }},
	{-2, func(x candidate) bool { return x.years() && x.off() == 1 && x.kind == eventDates }},
	{-3, func(x candidate) bool { return x.ordered() && !x.call.last.before(x.date.from) }},
	{-3, func(x candidate) bool { return otherYear.MatchString(x.near) }},
	{-4, func(x candidate) bool { return x.years() && (x.off() > 1 || x.off() == 1 && x.kind != eventDates) }},
	{-5, func(x candidate) bool { return otherEvent(tail(x.label, 48)) }},
	{-7, func(x candidate) bool { return x.kind != "" && x.kind != eventDates }},
}

var (
	hostDates = regexp.MustCompile(`(?i)\bconference\b`)
	mainDates = regexp.MustCompile(`(?i)\bmain\b`)
	otherYear = regexp.MustCompile(`(?i)\b(previous|past|last year|earlier|former)\b|\bproceedings of\b`)
)

// ofHost reports whether the label speaks of the conference that a workshop is
// held at.
func (x candidate) ofHost() bool {
	return x.class == "workshop" && hostDates.MatchString(x.label) || x.class != "conference" && mainDates.MatchString(x.label)
}

// presents reports whether the date stands in the first top blocks, above the
// call's own dates.
func (x candidate) presents(top int) bool {
	return x.date.block < min(x.call.block, top)
}

// years reports whether the years of the date and the edition are known, off
// how many lie between them.
func (x candidate) years() bool { return x.year != 0 && x.date.from.year != 0 }

func (x candidate) off() int { return max(x.date.to.year-x.year, x.year-x.date.to.year) }

// ordered reports whether the date can be compared with the last deadline: an
// event is held after it.
func (x candidate) ordered() bool { return x.call.last.year != 0 && x.date.from.year != 0 }

// near returns the text around a date, the whole block if it is short.
func (p *page) near(d found) string {
	text := p.blocks[d.block].Text
	if len(text) <= maxLabel {
		return text
	}
	return text[len(clip(text, max(0, d.start-maxLabel/2))):len(clip(text, min(len(text), d.end+maxLabel/2)))]
}

// placed reports whether a place stands near a date or, where block i is
// short, beside it.
func (p *page) placed(i int, near string) bool {
	if _, ok := placeIn(near); ok {
		return true
	}
	text := p.blocks[i].Text
	return len(text) < maxHeading && (p.placeBeside(i) || i < maxTop/3 && p.knownCity(text) != "")
}

// placeBeside reports whether the blocks before or after i name a place.
func (p *page) placeBeside(i int) bool {
	for _, j := range []int{i - 1, i + 1, i - 2, i + 2} {
		if j >= 0 && j < len(p.blocks) && len(p.blocks[j].Text) <= maxPlaceBlock {
			if _, ok := placeIn(p.blocks[j].Text); ok {
				return true
			}
		}
	}
	return false
}
