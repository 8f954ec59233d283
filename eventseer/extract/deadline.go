package extract

import (
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// maxDeadlines bounds the deadlines of one record.
const maxDeadlines = 100

// deadlines turns the labelled dates of a page into deadlines with years,
// tracks, zones and what they replace.
func (p *page) deadlines(es []entry, event date.Span) []eventseer.Deadline {
	es, c := p.deadlineContext(es, event)
	type key struct {
		kind  eventseer.DeadlineKind
		date  eventseer.Date
		track string
	}
	var out []eventseer.Deadline
	var named []string    // seasons of out
	seen := map[key]int{} // index in out
	days := map[eventseer.Date]bool{}
	for _, e := range p.judged(es, c) {
		if len(out) == maxDeadlines {
			break
		}
		d, season, ok := p.deadline(e, c)
		if !ok {
			continue
		}
		k := key{d.Kind, d.Date, d.Track}
		if n, ok := seen[k]; ok {
			repeated(&out[n], d)
			continue
		}
		if e.prose && days[d.Date] {
			continue
		}
		days[d.Date] = true
		seen[k] = len(out)
		out, named = append(out, d), append(named, season)
	}
	numberSeasons(out, named)
	slices.SortStableFunc(out, func(a, b eventseer.Deadline) int { return a.Source.Offset[0] - b.Source.Offset[0] })
	return out
}

// repeated adds to a deadline the data of its repetition on the page. It is the day it was moved
// from, and the hour if only the repetition prints one.
func repeated(d *eventseer.Deadline, again eventseer.Deadline) {
	if d.ExtendedFrom == "" {
		d.ExtendedFrom = again.ExtendedFrom
	}
	d.Firm = d.Firm || again.Firm
	if d.TZSource != eventseer.TZPrinted && again.TZSource == eventseer.TZPrinted {
		d.Instant, d.TZ, d.TZPrinted, d.TZSource = again.Instant, again.TZ, again.TZPrinted, again.TZSource
	}
}

// deadlineContext settles the kinds of entries, puts those of lists first, and returns
// what they have in common.
func (p *page) deadlineContext(es []entry, event date.Span) ([]entry, deadlineContext) {
	es = p.settleKinds(es)
	return listedFirst(es), deadlineContext{
		event: event, clock: pageClock(p), listed: listedKinds(es), calledFor: p.calledFor(es),
		firm: p.firmHeads(), tracks: labelTracks(es),
	}
}

// judged returns the entries with the kinds that the classifier gives their dates.
func (p *page) judged(es []entry, c deadlineContext) []entry {
	scores := make([]float64, len(kindClasses))
	var out []entry
	for _, j := range p.judge(es, c, judged.open) {
		if p.kindsBy == nil {
			j.entry.kind = j.ruled
		} else {
			j.entry.kind = j.settled(p.kindsBy, scores)
		}
		out = append(out, j.entry)
	}
	return out
}

// A deadlineContext is what the deadlines of one page have in common.
type deadlineContext struct {
	event     date.Span
	clock     clockNote
	listed    map[eventseer.DeadlineKind]bool
	calledFor eventseer.DeadlineKind
	firm      map[int]bool
	tracks    map[string]bool
}

// deadline makes a deadline of an entry, with the season that names its round. It returns false if
// the entry is not a deadline or has no year.
func (p *page) deadline(e entry, c deadlineContext) (d eventseer.Deadline, season string, ok bool) {
	if !isDeadline(e.kind) {
		return d, "", false
	}
	kind, call := p.callKind(e)
	e.kind = kind
	on, inferred, ok := p.resolve(e.date, e.kind, c.event)
	if !ok || c.event.From.Whole() && e.kind.TooLate(on.Time(), c.event.From.Time()) {
		return d, "", false
	}
	heading := p.heading(e.date.block)
	d = eventseer.Deadline{
		Kind: e.kind, Date: on.Date(), Track: p.track(e, c.tracks),
		Firm: p.isFirm(e, c.firm), ExtendedFrom: extendedFrom(e, on),
		Text:   printedText(p.blocks[e.date.block].Text, maxLabel),
		Source: p.source(e.date.block, e.date.Start, e.date.End, string(e.rule())),
	}
	if d.Track == "" {
		d.Track = call
	}
	d.Source.Inferred, d.Source.Confidence = inferred, shapeConfidence[e.rule()]
	d.Round, season = roundOf(e.label + " " + e.track + " " + heading)
	setZone(&d, on, e.around, c.clock)
	return d, season, true
}

// binds reports whether an entry is a deadline, and not one that running text
// repeats from a list.
func binds(e entry, listed map[eventseer.DeadlineKind]bool) bool {
	if e.kind == eventseer.OtherDeadline && !dueWords.MatchString(e.label) {
		return false
	}
	return isDeadline(e.kind) && !(e.prose && listed[e.kind] && !plainSpoken.MatchString(e.label))
}

// plainSpoken matches a label in running text that could not be plainer.
var plainSpoken = compile(`(?i)\b(submission deadline|deadline for (\w+ ){0,2}(submissions?|papers))\b[^.;:]{0,30}\b(is|will be)( on)?\W*$`)

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

// listedKinds returns the kinds of deadlines that are in lists or tables; running text that repeats
// them says nothing new and is read less surely.
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

var dueWords = compile(`(?i)deadline|schluss\b|frist|\bdue\b|\bopens?\b|close|until|before|by\b`)

// resolve returns the day a deadline falls on: the end of a range to hand
// something in, the start of any other.
func (p *page) resolve(f found, kind eventseer.DeadlineKind, event date.Span) (date.Day, string, bool) {
	sp, inferred, ok := p.withYear(f, kind, event)
	d := sp.From
	if kind.Submits() || kind == eventseer.Registration {
		d = sp.To
	}
	return d, inferred, ok && d.Whole()
}

// extendedFrom returns the latest earlier day of those a deadline replaces, else the
// first.
func extendedFrom(e entry, on date.Day) eventseer.Date {
	var first, last eventseer.Date
	for _, o := range e.old {
		sp := o.Span
		if sp.From.Year == 0 {
			sp.Closest(on)
		}
		d := sp.To
		if !d.Whole() || d == on {
			continue
		}
		if first == "" || d.Date() < first {
			first = d.Date()
		}
		if d.Before(on) && d.Date() > last {
			last = d.Date()
		}
	}
	if last != "" {
		return last
	}
	return first
}

// kindUnder corrects the kind of a label by the heading above it and by what the page calls for.
// "Deadline" under Posters is a poster deadline.
func (p *page) kindUnder(e entry, heading string, calledFor eventseer.DeadlineKind) eventseer.DeadlineKind {
	if e.kind != eventseer.Submission || !generic(e.label) {
		return e.kind
	}
	if sideline.MatchString(e.track) || sideline.MatchString(heading) {
		return eventseer.OtherDeadline
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

// sideline matches a heading over dates that are none of the call's own kinds.
var sideline = compile(`(?i)volunteer|travel (grant|fund|support|award|fellow)|scholarship|fellowship|stipend|bursar|\bmentor|accommodation|\bhotel|\bvisas?\b|sponsor|exhibit(s|or)|\bjobs?\b|vacanc`)
