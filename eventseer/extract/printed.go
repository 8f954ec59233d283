package extract

import (
	"fmt"
	"slices"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

var _ eventseer.DateReader = (*Extractor)(nil)

// Dates implements eventseer.DateReader: each day with the label it stands under, and
// with its year as far as anything tells it. Days of what is none of the event's matter,
// such as when the page was printed, are left out.
func (x *Extractor) Dates(t *tagtree.Tree) []eventseer.PrintedDate {
	p := read(t, x.now().Year()+MaxAhead)
	title, _ := p.title()
	p.year = p.editionYear(title)
	p.timeYears()
	p.fillYears()
	entries := p.entries()
	p.settleYear(entries)
	p.call = p.callOf(entries)
	when, whenBlock, _, dated := p.eventDays(entries, title)
	labels := labelsOf(entries)
	var out []eventseer.PrintedDate
	for _, d := range p.dates {
		e, labelled := labels[dateSpot{d.block, d.start}]
		if labelled {
			e.kind = printedKind(e)
		}
		if d.from.day == 0 || e.kind == noDeadline {
			continue
		}
		sp, _, _ := p.withYear(d, e.kind, when)
		start := p.blocks[d.block].Start
		pd := eventseer.PrintedDate{
			Offset: [2]int{start + d.start, start + d.end}, From: monthDay(sp.from), To: monthDay(sp.to), Struck: d.struck,
			Event: e.kind == eventDates || e.kind == "" && dated && d.block == whenBlock && sp.from == when.from,
		}
		if labelled {
			pd.Struck, pd.Label, pd.Track = e.date.struck, clip(e.label, maxLabel), e.track
		}
		if !pd.Event && !misnamed(e, sp, when) {
			pd.Kind = e.kind
		}
		out = append(out, pd)
	}
	slices.SortStableFunc(out, func(a, b eventseer.PrintedDate) int { return a.Offset[0] - b.Offset[0] })
	return out
}

// A dateSpot is where a date is printed: its block and its first byte there.
type dateSpot struct{ block, start int }

// labelsOf returns the entry of each date, that of one which another replaces with the
// label of that.
func labelsOf(entries []entry) map[dateSpot]entry {
	labels := map[dateSpot]entry{}
	for _, e := range entries {
		labels[dateSpot{e.date.block, e.date.start}] = e
		for _, o := range e.old {
			o.struck = true
			labels[dateSpot{o.block, o.start}] = entry{kind: e.kind, label: e.label, track: e.track, date: o}
		}
	}
	return labels
}

// printedKind returns what a date is for: also by a label or a column that is too weak to
// make a deadline of a date, but not to say of which of two versions' dates it is.
func printedKind(e entry) eventseer.DeadlineKind {
	if e.kind != "" || len(e.label) > maxShortLabel {
		return e.kind
	}
	if k := labelKind(e.label); k != "" {
		return k
	}
	return labelKind(e.track)
}

// monthDay returns a day as a record prints it, of an unknown year with the year 0000.
func monthDay(d day) eventseer.Date {
	if d.year == 0 && d.valid() {
		return eventseer.Date(fmt.Sprintf("0000-%02d-%02d", d.month, d.day))
	}
	return d.date()
}

// misnamed reports whether a date is no deadline though its label names one.
func misnamed(e entry, sp, event span) bool {
	return e.kind == eventseer.OtherDeadline && !dueWords.MatchString(e.label) ||
		event.from.whole() && sp.from.whole() && tooLate(e.kind, sp.from, event.from)
}
