package extract

import (
	"regexp"
	"slices"
	"strings"

	"eventseer/eventseer"
)

// maxDeadlines bounds the deadlines of one record.
const maxDeadlines = 100

// deadlines turns the labelled dates of a page into deadlines with years,
// tracks, zones and what they replace.
func (p *page) deadlines(es []entry, event span) []eventseer.Deadline {
	zoneName, zonePrinted := pageZone(p)
	calledFor := p.calledFor(es)
	var out []eventseer.Deadline
	type key struct {
		kind  eventseer.DeadlineKind
		date  eventseer.Date
		track string
	}
	seen := map[key]int{} // index in out
	days := map[eventseer.Date]bool{}
	listed := listedKinds(es)
	for _, e := range listedFirst(es) {
		if !binds(e, listed) || len(out) == maxDeadlines {
			continue
		}
		on, ok := p.resolve(e.date, e.kind, event)
		if !ok || event.from.whole() && !on.before(event.from) && beforeStart(e.kind) {
			continue
		}
		heading := p.heading(e.date.block)
		d := eventseer.Deadline{
			Kind: p.kindUnder(e, heading, calledFor), Date: on.date(), Track: p.track(e),
			Text:   clip(strings.TrimSpace(p.blocks[e.date.block].Text), maxLabel),
			Source: p.source(e.date.block, e.date.start, e.date.end, "label"),
		}
		d.Round = roundOf(e.label + " " + e.track + " " + heading)
		d.ExtendedFrom = extendedFrom(e, on)
		setZone(&d, on, e.around, zoneName, zonePrinted)
		k := key{d.Kind, d.Date, d.Track}
		if n, ok := seen[k]; ok && out[n].ExtendedFrom == "" {
			out[n].ExtendedFrom = d.ExtendedFrom
		}
		if _, ok := seen[k]; ok || e.prose && days[d.Date] {
			continue
		}
		days[d.Date] = true
		seen[k] = len(out)
		out = append(out, d)
	}
	slices.SortStableFunc(out, func(a, b eventseer.Deadline) int { return a.Source.Offset[0] - b.Source.Offset[0] })
	return out
}

// binds reports whether an entry is a deadline, and not one that running text
// repeats from a list.
func binds(e entry, listed map[eventseer.DeadlineKind]bool) bool {
	if e.kind == eventseer.OtherDeadline && !dueWords.MatchString(e.label) {
		return false
	}
	return isDeadline(e.kind) && !(e.prose && listed[e.kind])
}

// listedFirst puts the dates of lists and tables before those of running text.
func listedFirst(es []entry) []entry {
	es = slices.Clone(es)
	slices.SortStableFunc(es, func(a, b entry) int {
		switch {
		case a.prose == b.prose:
			return 0
		case b.prose:
			return -1
		}
		return 1
	})
	return es
}

// listedKinds returns the kinds of deadlines that stand in lists or tables;
// running text that repeats them says nothing new and is read less surely.
func listedKinds(es []entry) map[eventseer.DeadlineKind]bool {
	m := map[eventseer.DeadlineKind]bool{}
	for _, e := range es {
		if !e.prose {
			m[e.kind] = true
		}
	}
	return m
}

func isDeadline(k eventseer.DeadlineKind) bool {
	return k != "" && k != eventDates && k != noDeadline
}

// beforeStart reports whether a deadline of this kind lies before the event.
func beforeStart(k eventseer.DeadlineKind) bool {
	return k.Submits() || k == eventseer.Notification || k == eventseer.Rebuttal
}

var dueWords = regexp.MustCompile(`(?i)deadline|\bdue\b|\bopens?\b|close|until|before|by\b`)

// resolve returns the day a deadline falls on: the end of a range to hand
// something in, the start of any other.
func (p *page) resolve(f found, kind eventseer.DeadlineKind, event span) (day, bool) {
	sp := f.span
	if sp.from.year == 0 {
		switch {
		case p.nearYear(&f):
			sp = f.span
		case event.to.whole():
			sp.beforeEvent(event.to)
		case p.year != 0:
			sp.setYear(p.year)
		default:
			return day{}, false
		}
	}
	d := sp.from
	if kind.Submits() || kind == eventseer.Registration {
		d = sp.to
	}
	return d, d.whole()
}

// extendedFrom returns the first of the dates a deadline replaces.
func extendedFrom(e entry, on day) eventseer.Date {
	for _, o := range e.old {
		sp := o.span
		if sp.from.year == 0 {
			sp.closest(on)
		}
		if d := sp.to; d.whole() && d != on {
			return d.date()
		}
	}
	return ""
}

// kindUnder corrects the kind a label gives by the heading above it and by
// what the page calls for: "Deadline" under Posters is a poster deadline.
func (p *page) kindUnder(e entry, heading string, calledFor eventseer.DeadlineKind) eventseer.DeadlineKind {
	if e.kind != eventseer.Submission || !generic(e.label) {
		return e.kind
	}
	for _, s := range []string{e.track, heading} {
		switch k := labelKind(s); k {
		case eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Abstract:
			return k
		}
	}
	if calledFor != "" {
		return calledFor
	}
	return e.kind
}

var calls = regexp.MustCompile(`(?i)\bcall for ((?:\w+ )?(abstracts?|posters?|demos?|demonstrations|(workshop|symposi\w+|panel|tutorial)s?( proposals)?))\b|\b(abstract|poster) submissions?\b`)

// calledFor returns what a page with no paper deadline calls for by its title
// or headings, or "".
func (p *page) calledFor(es []entry) eventseer.DeadlineKind {
	for _, e := range es {
		if e.kind == eventseer.Submission && !generic(e.label) {
			return ""
		}
	}
	texts := []string{p.t.Title()}
	for i, b := range p.blocks {
		if i < 2*maxTop && isHeading(b) {
			texts = append(texts, b.Text)
		}
	}
	for _, s := range texts {
		if m := calls.FindString(clip(s, maxLabel)); m != "" {
			switch k := labelKind(m); k {
			case eventseer.Abstract, eventseer.Poster, eventseer.Demo, eventseer.WorkshopProposal, eventseer.TutorialProposal:
				return k
			}
		}
	}
	return ""
}

// plainHeading matches a heading that names no track.
var plainHeading = regexp.MustCompile(`(?i)dates|deadline|schedule|timeline|submission|call for|important|instructions|guidelines|overview|about|home|news|conference|workshop|symposium|welcome|fechas|datas|termine|日期|日程|일정`)

const maxTrack = 80

// track names the part of the event a deadline belongs to, or "".
func (p *page) track(e entry) string {
	t := strings.TrimSpace(e.track)
	if h := p.head[e.date.block]; t == "" && h >= 0 {
		if head := p.blocks[h]; head.Level != 1 && !plainHeading.MatchString(head.Text) && acronymInTitle(head.Text) == "" {
			t = head.Text
		}
	}
	if len(t) > maxTrack || !says(t) || round.MatchString(t) {
		return ""
	}
	return strings.Trim(t, " :-–")
}

// roundOf reads "Round 2", "second round" or "fall deadline"; 0 for none.
func roundOf(s string) int {
	m := round.FindStringSubmatch(clip(s, maxLabel))
	if m == nil {
		return 0
	}
	switch strings.ToLower(m[1] + m[2]) {
	case "1", "i", "one", "first", "1st", "spring", "winter":
		return 1
	case "2", "ii", "two", "second", "2nd", "summer", "fall", "autumn":
		return 2
	case "3", "iii", "three", "third", "3rd":
		return 3
	case "4", "fourth", "4th":
		return 4
	}
	return 0
}
