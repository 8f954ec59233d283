package extract

import (
	"regexp"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// maxEvent is the longest an event lasts; longer ranges are something else.
const maxEvent = 32 * 24 * time.Hour

// heldWords say that an event takes place.
var heldWords = regexp.MustCompile(`(?i)\b(held|hosted|take[s]? place|taking place|takes? part|join us|se(?:e|eing) you|celebrar|realiza|statt(finden)?|findet|aura lieu|co-?located|in conjunction)\b`)

// eventDays finds the days of the event, the block they are printed in, -1 for
// none, and their source; the title element's days only where the page prints
// no others.
func (p *page) eventDays(es []entry) (span, int, eventseer.Provenance, bool) {
	if when, block, ok := p.eventDates(es); ok {
		return when, block, p.source(block, 0, len(p.blocks[block].Text), "event-dates"), true
	}
	if when, ok := p.titleDates(); ok {
		return when, -1, eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "dates-in-title", Snippet: snippet(p.t.Title(), 0)}, true
	}
	return span{}, -1, eventseer.Provenance{}, false
}

// eventDates finds the days of the event: the best of the page's dates by what
// is printed around them and where they stand.
func (p *page) eventDates(es []entry) (span, int, bool) {
	c := p.callOf(es)
	best, score := found{}, minEventScore-1
	for _, e := range es {
		if s := p.eventScore(e, c); s > score {
			best, score = e.date, s
		}
	}
	if score < minEventScore {
		return span{}, 0, false
	}
	if best.from == best.to {
		best = p.widen(best, es, c)
	}
	sp := best.span
	if sp.from.year == 0 && p.year != 0 {
		sp.setYear(p.year)
	}
	return sp, best.block, sp.from.whole() && sp.to.whole()
}

// widen returns the range of days that holds a single day found to be the
// event's: the first day of a conference is often named alone.
func (p *page) widen(f found, es []entry, c callDates) found {
	for _, e := range es {
		d := e.date
		if d.from != d.to && !otherEvent(e.label) && !f.from.before(d.from) && !d.to.before(f.to) && p.eventScore(e, c) >= minEventScore {
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
