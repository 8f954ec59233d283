package extract

import (
	"regexp"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// maxEvent is the longest an event lasts; longer ranges are something else.
const maxEvent = 32 * 24 * time.Hour

var (
	heldWords = regexp.MustCompile(`(?i)\b(held|hosted|take[s]? place|taking place|takes? part|join us|se(?:e|eing) you|celebrar|realiza|statt(finden)?|findet|aura lieu|co-?located|in conjunction)\b`)
	hostDates = regexp.MustCompile(`(?i)\bconference\b`)
	mainDates = regexp.MustCompile(`(?i)\bmain\b`)
	otherYear = regexp.MustCompile(`(?i)\b(previous|past|last year|earlier|former)\b|\bproceedings of\b`)
)

// eventDays finds the days of the event, the block they are printed in, -1 for
// none, and their source. A single day in the title element settles which of
// the days of a range is meant: a workshop's in those of its conference.
func (p *page) eventDays(es []entry) (span, int, eventseer.Provenance, bool) {
	when, block, dated := p.eventDates(es)
	titled, ok := p.titleDates()
	if !dated {
		block = -1
	}
	if ok && (!dated || titled.from == titled.to && !titled.from.before(when.from) && !when.to.before(titled.to)) {
		return titled, block, eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "dates-in-title", Snippet: snippet(p.t.Title(), 0)}, true
	}
	if !dated {
		return span{}, -1, eventseer.Provenance{}, false
	}
	return when, block, p.source(block, 0, len(p.blocks[block].Text), "event-dates"), true
}

// eventDates finds the days of the event: the best of the page's dates by what
// is printed around them and where they stand.
func (p *page) eventDates(es []entry) (span, int, bool) {
	firstDeadline, last := len(p.blocks), day{}
	for _, e := range es {
		if !isDeadline(e.kind) {
			continue
		}
		firstDeadline = min(firstDeadline, e.date.block)
		if e.kind.Submits() && !e.date.struck && (last == day{} || last.before(e.date.from)) {
			last = e.date.from
		}
	}
	best, score := found{}, 0
	for _, e := range es {
		if s := p.eventScore(e, firstDeadline, last); s > score {
			best, score = e.date, s
		}
	}
	if score < minEventScore {
		return span{}, 0, false
	}
	if best.from == best.to && p.class != "workshop" {
		best = p.widen(best, es, firstDeadline, last)
	}
	sp := best.span
	if sp.from.year == 0 {
		y := p.year
		if y == 0 {
			return span{}, 0, false
		}
		sp.setYear(y)
	}
	if !sp.from.whole() || !sp.to.whole() {
		return span{}, 0, false
	}
	return sp, best.block, true
}

// atHouse matches the house an event is held at, beside its day.
var atHouse = regexp.MustCompile(`(?i)universit|college|institut|\bhall\b|hotel|大學|大学|学院|대학`)

// widen returns the range of days that holds a single day found to be the
// event's: the first day of a conference is often named alone.
func (p *page) widen(f found, es []entry, firstDeadline int, last day) found {
	for _, e := range es {
		d := e.date
		if d.from != d.to && !otherEvent(e.label) && !f.from.before(d.from) && !d.to.before(f.to) && p.eventScore(e, firstDeadline, last) >= minEventScore {
			return d
		}
	}
	return f
}

// titleDates reads the event's days from the title element.
func (p *page) titleDates() (span, bool) {
	for _, s := range dates(clip(p.t.Title(), maxTitleBlock), p.lang) {
		if s.from.day == 0 {
			continue
		}
		if s.from.year == 0 && p.year != 0 {
			s.setYear(p.year)
		}
		if s.from.whole() && s.to.whole() && s.to.time().Sub(s.from.time()) <= maxEvent {
			return s, true
		}
	}
	return span{}, false
}

const minEventScore = 5

// eventScore says how much a date looks like the event's own.
func (p *page) eventScore(e entry, firstDeadline int, lastDeadline day) int {
	d := e.date
	text := p.blocks[d.block].Text
	if d.struck || d.from.year != 0 && d.to.year != 0 && d.to.time().Sub(d.from.time()) > maxEvent {
		return 0
	}
	s := 0
	switch {
	case e.kind == eventDates && surelyEvent.MatchString(e.label):
		s += 6
	case e.kind == eventDates:
		s += 5
	case e.kind != "":
		s -= 7
	}
	if d.from != d.to {
		s += 3
	}
	if p.class == "workshop" && hostDates.MatchString(e.label) || mainDates.MatchString(e.label) && p.class != "conference" {
		s -= 2
	}
	if otherEvent(tail(e.label, 48)) {
		s -= 5
	}
	held := heldWords.MatchString(e.label)
	near := text
	if len(text) > maxLabel {
		near = text[len(clip(text, max(0, d.start-maxLabel/2))):len(clip(text, min(len(text), d.end+maxLabel/2)))]
	}
	if heldWords.MatchString(near) {
		s += 3
	}
	if d.block < firstDeadline && d.block < maxTop {
		s += 3
		if d.block < maxTop/3 {
			s++
		}
	}
	if nouns.MatchString(near) {
		s++
	}
	_, place := placeIn(near)
	if place = place || len(text) < maxHeading && (p.placeBeside(d.block) || d.block < maxTop/3 && (atHouse.MatchString(text) || p.knownCity(text) != "")); place {
		s += 2
	}
	if e.kind == "" && d.from == d.to && !place && !held {
		return 0 // any day at all
	}
	if otherYear.MatchString(near) {
		s -= 3
	}
	if strings.Contains(strings.ToLower(e.label), "tentative") {
		s -= 2
	}
	if p.year != 0 && d.from.year != 0 {
		switch off := d.to.year - p.year; {
		case off == 0:
			s++
		case e.kind == eventDates && (off == 1 || off == -1):
			s -= 2
		default:
			s -= 4
		}
	}
	if (lastDeadline != day{}) && d.from.year != 0 && lastDeadline.year != 0 {
		if lastDeadline.before(d.from) {
			s++
		} else {
			s -= 3
		}
	}
	return s
}

// maxTop is how many blocks make the top of a page, where the event presents
// itself.
const maxTop = 30

// placeBeside reports whether the block before or after i names a place.
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

// editionYear finds the year of the edition called for: in the title, the
// headings, then among the page's dates.
func (p *page) editionYear(title string) int {
	for _, s := range []string{title, p.t.Title()} {
		if y := onlyYear(years(s)); y != 0 {
			return y
		}
	}
	if y := commonYear(p.blocks[:min(maxTop, len(p.blocks))]); y != 0 {
		return y
	}
	return commonYear(p.blocks)
}

// settleYear corrects the edition's year by the deadlines: a title that names
// no year they lie in or before is of another edition.
func (p *page) settleYear(es []entry) {
	latest, near := 0, p.year == 0
	for _, e := range es {
		if y := e.date.to.year; isDeadline(e.kind) && y != 0 && e.kind != eventseer.OtherDeadline {
			latest = max(latest, y)
			near = near || y == p.year || y == p.year-1
		}
	}
	if !near && latest != 0 {
		p.year = latest
	}
}

// commonYear returns the year printed most often, the first of equals.
func commonYear(blocks []tagtree.Block) int {
	count := map[int]int{}
	best := 0
	for _, b := range blocks {
		for _, y := range years(b.Text) {
			count[y]++
			if count[y] > count[best] {
				best = y
			}
		}
	}
	return best
}
