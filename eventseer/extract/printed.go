package extract

import (
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

var _ eventseer.DateReader = (*Extractor)(nil)

// Dates implements eventseer.DateReader. It returns each day with its label, and with its year if anything
// determines it, in document order. Dates that do not belong to the event, such as that of the page's last
// change, are left out.
func (x *Extractor) Dates(t *tagtree.Tree) []eventseer.PrintedDate {
	p := x.prepareReading(t, x.models())
	title, _ := p.names.readTitle()
	days := p.readDays(title)
	labels := labelsOf(days.entries)
	var out []eventseer.PrintedDate
	for _, d := range p.dates {
		e, labelled := labels[dateSpot{d.block, d.Start}]
		if labelled {
			e.kind = printedKind(e)
		}
		if d.From.Day == 0 || e.kind == noDeadline {
			continue
		}
		sp, _, _ := p.withInferredYear(d, e.kind, days.event)
		start := p.blocks[d.block].Start
		pd := eventseer.PrintedDate{
			Offset: [2]int{start + d.Start, start + d.End}, From: monthDay(sp.From), To: monthDay(sp.To), Struck: d.struck,
			Event: e.kind == eventDates || e.kind == "" && days.found && d.block == days.block && sp.From == days.event.From,
		}
		if labelled {
			pd.Struck, pd.Label, pd.Track = e.date.struck, cutToBytes(e.label, maxLabel), e.track
		}
		if !pd.Event && !isNotDeadline(e, sp, days.event) {
			pd.Kind = e.kind
		}
		out = append(out, pd)
	}
	slices.SortStableFunc(out, func(a, b eventseer.PrintedDate) int { return a.Offset[0] - b.Offset[0] })
	return out
}

// A dateSpot is the position of a date: its block and its first byte there.
type dateSpot struct{ block, start int }

// labelsOf returns the entry of each date. A date that is replaced has the label of the date that replaces
// it.
func labelsOf(entries []entry) map[dateSpot]entry {
	labels := map[dateSpot]entry{}
	for _, e := range entries {
		labels[dateSpot{e.date.block, e.date.Start}] = e
		for _, o := range e.replacedDates {
			o.struck = true
			labels[dateSpot{o.block, o.Start}] = entry{kind: e.kind, label: e.label, track: e.track, date: o}
		}
	}
	return labels
}

// printedKind returns the kind of a date. It also reads labels and columns that are too uncertain for a
// deadline but distinguish the dates of two versions of a page.
func printedKind(e entry) eventseer.DeadlineKind {
	if e.kind != "" || len(e.label) > maxShortLabel {
		return e.kind
	}
	if k := labelKind(e.label); k != "" {
		return k
	}
	return labelKind(e.track)
}

// monthDay returns a day in the format of a record, with the year 0000 if it is unknown.
func monthDay(d date.Day) eventseer.Date {
	if d.Year == 0 && d.IsValid() {
		return eventseer.Date(fmt.Sprintf("0000-%02d-%02d", d.Month, d.Day))
	}
	return d.Date()
}

// isNotDeadline reports whether a date is not a deadline although its label names one.
func isNotDeadline(e entry, sp, event date.Span) bool {
	return e.kind == eventseer.OtherDeadline && !dueWords.MatchString(e.label) ||
		event.From.HasYear() && sp.From.HasYear() && e.kind.IsTooLate(sp.From.Time(), event.From.Time())
}
