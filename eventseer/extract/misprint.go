package extract

import (
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// A blockMisprint is a misprint with its block.
type blockMisprint struct {
	date.Misprint
	block int
}

// dateWarnings returns warnings about impossible dates, and about dates of the record with a wrong weekday.
// The latter are kept with a lower confidence.
func (p *page) dateWarnings(e *eventseer.Event) []eventseer.Warning {
	var ws []eventseer.Warning
	for _, m := range p.misprints {
		ws = append(ws, eventseer.Warning{Rule: "no-such-date", Text: fmt.Sprintf("%q is not a possible date", p.blocks[m.block].Text[m.Start:m.End])})
	}
	at := map[int]*eventseer.Deadline{}
	for i := range e.Deadlines {
		at[e.Deadlines[i].Source.Offset[0]] = &e.Deadlines[i]
	}
	n := 0
	for _, f := range p.dates {
		d := at[p.blocks[f.block].Start+f.Start]
		if d == nil || n == date.MaxMisprints {
			continue
		}
		on, _ := d.Date.Time()
		if day := date.DayOf(on); day.Month == f.From.Month && day.Day == f.From.Day && !f.Weekday.IsWeekdayOf(day) {
			d.Source.Confidence *= weekdayOff
			n++
			ws = append(ws, eventseer.Warning{Rule: "weekday", Text: fmt.Sprintf("%s %q falls on a %s", time.Weekday(f.Weekday-1), p.printedDate(f), on.Weekday())})
		}
	}
	return ws
}

// weekdayOff is the factor for the confidence of a date with a wrong weekday. Either the date or the
// weekday is wrong. The gold pages contain too few to measure it.
const weekdayOff = 0.5

func (p *page) addMisprints(block int, ms []date.Misprint) {
	for _, m := range ms {
		if len(p.misprints) < date.MaxMisprints {
			p.misprints = append(p.misprints, blockMisprint{m, block})
		}
	}
}

// readWarnings returns a warning for each kind of date that was read uncertainly: day and month may be swapped,
// or the year is missing.
func (p *page) readWarnings() []eventseer.Warning {
	var ws []eventseer.Warning
	for _, d := range p.dates {
		if d.Either {
			ws = append(ws, eventseer.Warning{Rule: "ambiguous-date", Text: "day and month of " + p.printedDate(d) + " may be swapped"})
			break
		}
	}
	if len(p.open) > 0 {
		ws = append(ws, eventseer.Warning{Rule: "no-year", Text: "the page does not give the year of " + p.printedDate(p.open[0])})
	}
	return ws
}

// printedDate returns a date as the page prints it.
func (p *page) printedDate(d foundDate) string {
	return strings.TrimSpace(p.blocks[d.block].Text[d.Start:d.End])
}
