package extract

import (
	"net/mail"
	"regexp"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

// The values of Provenance.Inferred for a year that is not printed with its date.
const (
	yearOfLine      = "year from its line"
	yearOfHeading   = "year from the heading above"
	yearOfSameDay   = "year from the same day elsewhere"
	yearOfNeighbour = "year from the dates beside it"
	yearOfEvent     = "year from the event's dates"
	yearOfWeekday   = "year from the weekday"
	yearOfOrder     = "year from the order of the dates"
	yearOfEdition   = "year from the edition"
	yearOfMail      = "year from the date of the mail"
)

// fillYears sets the missing years of dates from a year in their block or heading.
func (p *page) fillYears() {
	for i := range p.dates {
		d := &p.dates[i]
		if d.From.Year != 0 || d.From.Day == 0 {
			continue
		}
		if y := p.yearIn(p.blocks[d.block].Text); y != 0 {
			d.SetYear(y)
			d.inferred = yearOfLine
		} else if y := p.yearIn(p.headingAbove(d.block)); y != 0 && !namesEdition(p.blocks[p.head[d.block]]) {
			d.SetYear(y)
			d.inferred = yearOfHeading
		}
	}
}

// withInferredYear returns the days of a date with their years, and how a missing year was inferred. event are the
// event's days as far as they are known. ok is false if nothing on the page determines the year; the date
// is then added to p.open.
func (p *page) withInferredYear(f foundDate, kind eventseer.DeadlineKind, event date.Span) (date.Span, string, bool) {
	if f.From.Year != 0 {
		return f.Span, f.inferred, true
	}
	sp, from := f.Span, ""
	switch {
	case p.yearPrintedElsewhere(f, event) != 0:
		from = yearOfSameDay
		sp.SetYear(p.yearPrintedElsewhere(f, event))
	case p.setYearOfNearest(&sp, f.block):
		from = yearOfNeighbour
	case event.To.HasYear():
		from = yearOfEvent
		sp.SetLastYearBefore(event.To)
		if kind == eventseer.CameraReady && p.beforeLastSubmission(sp, event) {
			sp.SetYear(sp.To.Year + 1)
			from = yearOfOrder
		}
	case p.year != 0:
		from = yearOfEdition
		sp.SetYear(p.year)
		if p.isFollowedByNewYear(f) {
			sp.SetYear(p.year - 1)
			from = yearOfOrder
		}
	case p.sent.HasYear():
		from = yearOfMail
		sp.SetYear(p.sent.Year)
		if sp.To.IsBefore(p.sent) {
			sp.SetYear(p.sent.Year + 1)
		}
	default:
		p.open = append(p.open, f)
		return f.Span, "", false
	}
	if y := weekdayYear(f, sp, event); y != 0 {
		sp.SetYear(y)
		from = yearOfWeekday
	}
	return sp, from, sp.From.HasYear() && sp.To.HasYear()
}

// yearPrintedElsewhere returns the year printed elsewhere on the page with the same day and month as f. It
// returns 0 if there is none or several. A year more than maxNotice before the event or after it belongs to
// another edition and counts as none.
func (p *page) yearPrintedElsewhere(f foundDate, event date.Span) int {
	year := 0
	for _, d := range p.dates {
		if d.From.Year == 0 || d.inferred != "" || d.From.Month != f.From.Month || d.From.Day != f.From.Day || d.To.Month != f.To.Month || d.To.Day != f.To.Day {
			continue
		}
		if year != 0 && d.From.Year != year {
			return 0
		}
		year = d.From.Year
	}
	if event.To.HasYear() && (year < event.From.Year-maxNotice || year > event.To.Year) {
		return 0
	}
	return year
}

// maxNotice is the maximum number of years from a day of a call to the event.
const maxNotice = 2

// setYearOfNearest sets the year of a date so that it is closest to the nearest date with a year in the same
// section. It reports whether there is such a date.
func (p *page) setYearOfNearest(sp *date.Span, block int) bool {
	i := p.first[block]
	for n := 1; n < maxRun; n++ {
		for _, j := range []int{i + n, i - n} {
			if j < 0 || j >= len(p.dates) || p.dates[j].From.Day == 0 || p.dates[j].From.Year == 0 || p.head[p.dates[j].block] != p.head[block] {
				continue
			}
			sp.SetClosestYear(p.dates[j].From)
			return true
		}
	}
	return false
}

// beforeLastSubmission reports whether s is before the last submission deadline, but soon after the event
// with its year increased by one. Final versions are not due before submissions, but those of
// post-proceedings may be due after the event.
func (p *page) beforeLastSubmission(s date.Span, event date.Span) bool {
	last := date.Span{From: p.call.last, To: p.call.last}
	if p.call.last == (date.Day{}) {
		return false
	}
	if last.To.Year == 0 {
		last.SetLastYearBefore(event.To)
	}
	s.SetYear(s.To.Year + 1)
	gap := s.To.Time().Sub(event.To.Time())
	s.SetYear(s.To.Year - 1)
	return s.To.IsBefore(last.To) && gap < maxPostProceedings
}

// maxPostProceedings is the maximum time from the event to the deadline of final versions.
const maxPostProceedings = 180 * 24 * time.Hour

// isFollowedByNewYear reports whether a later date in the list of f belongs to the next year. Months ascend in a
// list of dates, except at New Year.
func (p *page) isFollowedByNewYear(f foundDate) bool {
	month := f.From.Month
	for j := p.first[f.block]; j < len(p.dates) && j < p.first[f.block]+maxRun; j++ {
		d := p.dates[j]
		if p.head[d.block] != p.head[f.block] || d.From.Year != 0 {
			break
		}
		if d.From.Day == 0 || d.block == f.block && d.Start <= f.Start {
			continue
		}
		if month-d.From.Month >= newYearGap {
			return true
		}
		month = d.From.Month
	}
	return false
}

// newYearGap is a number of months. If a date in a list is that much before the previous one, New Year is
// between them.
const newYearGap = 6

// weekdayYear returns the year before or after that of sp in which f is on its printed weekday. It returns
// 0 if the weekday fits the year of sp or neither of the others. A date must not move past the end of the
// event.
func weekdayYear(f foundDate, sp, event date.Span) int {
	if f.Weekday == 0 || f.Weekday.IsWeekdayOf(sp.From) {
		return 0
	}
	for _, by := range []int{-1, 1} {
		s := sp
		s.SetYear(sp.To.Year + by)
		if s.From.HasYear() && f.Weekday.IsWeekdayOf(s.From) && !(event.To.HasYear() && event.To.IsBefore(s.From)) {
			return s.To.Year
		}
	}
	return 0
}

// mailDay returns the day on which a mail was sent, from the Date field of its header or the time it was
// fetched. It is zero for a page that is not a mail.
func (p *page) mailDay() date.Day {
	for _, b := range p.blocks[:min(len(p.blocks), maxTop)] {
		if !strings.HasPrefix(b.Path, "text/") {
			break
		}
		m := dateField.FindStringSubmatch(b.Text)
		if m == nil {
			continue
		}
		if at, err := mail.ParseDate(strings.TrimSpace(m[1])); err == nil {
			return date.DayOf(at)
		}
	}
	if p.t.Page != nil && strings.HasPrefix(p.url, "mid:") && !p.t.Page.FetchedAt.IsZero() {
		return date.DayOf(p.t.Page.FetchedAt)
	}
	return date.Day{}
}

var dateField = compilePattern(`(?i)^(?:date|sent):\s+(.{10,60})$`)

// isMailDateLine reports whether b is the field of a mail's header with its date.
func (p *page) isMailDateLine(b tagtree.Block) bool {
	return p.sent.HasYear() && dateField.MatchString(b.Text)
}

// namesEdition reports whether a heading is the name of an event, such as "3rd Workshop on Locks 2028". Its
// year is then that of the edition and not that of each date below.
func namesEdition(heading tagtree.Block) bool {
	return !ofDates.MatchString(heading.Text) && (heading.Level == 1 || nounClass(heading.Text) != "")
}

// ofDates matches a heading whose year is that of the dates below it.
var ofDates = regexp.MustCompile(`(?i)date|deadline|schedule|timeline|calendar|submission|termin|fecha|prazo|échéance|日程|締切|일정`)
