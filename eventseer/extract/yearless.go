package extract

import (
	"net/mail"
	"regexp"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

// What Provenance.Inferred says of a year that is not printed with its date.
const (
	yearOfLine      = "year from its line"
	yearOfHeading   = "year from the heading above"
	yearOfNeighbour = "year from the dates beside it"
	yearOfEvent     = "year from the event's dates"
	yearOfWeekday   = "year from the weekday"
	yearOfOrder     = "year from the order of the dates"
	yearOfEdition   = "year from the edition"
	yearOfMail      = "year from the date of the mail"
)

// fillYears gives dates without a year the one that stands in their block or
// section, so that what remains open needs the event's own dates.
func (p *page) fillYears() {
	for i := range p.dates {
		d := &p.dates[i]
		if d.from.year != 0 || d.from.day == 0 {
			continue
		}
		if y := p.yearIn(p.blocks[d.block].Text); y != 0 {
			d.setYear(y)
			d.inferred = yearOfLine
		} else if y := p.yearIn(p.heading(d.block)); y != 0 && !namesEdition(p.blocks[p.head[d.block]]) {
			d.setYear(y)
			d.inferred = yearOfHeading
		}
	}
}

// withYear returns the days of a date with their years and, where a year is
// not printed with the date, what it follows from. It reports false when
// nothing on the page tells the year. The event's days are used as far as they
// are known.
func (p *page) withYear(f found, kind eventseer.DeadlineKind, event span) (span, string, bool) {
	if f.from.year != 0 {
		return f.span, f.inferred, true
	}
	sp, from := f.span, ""
	switch {
	case p.nearYear(&sp, f.block):
		from = yearOfNeighbour
	case event.to.whole():
		from = yearOfEvent
		sp.beforeEvent(event.to)
		if kind == eventseer.CameraReady && p.beforeHandIn(sp, event) {
			sp.setYear(sp.to.year + 1)
			from = yearOfOrder
		}
	case p.year != 0:
		from = yearOfEdition
		sp.setYear(p.year)
		if p.turnsAfter(f) {
			sp.setYear(p.year - 1)
			from = yearOfOrder
		}
	case p.sent.whole():
		from = yearOfMail
		sp.setYear(p.sent.year)
		if sp.to.before(p.sent) {
			sp.setYear(p.sent.year + 1)
		}
	default:
		p.open = append(p.open, f)
		return f.span, "", false
	}
	if y := weekdayYear(f, sp, event); y != 0 {
		sp.setYear(y)
		from = yearOfWeekday
	}
	return sp, from, sp.from.whole() && sp.to.whole()
}

// nearYear sets the year of a date by the nearest date of the same section
// that has one: the year that brings the two closest.
func (p *page) nearYear(sp *span, block int) bool {
	i := p.first[block]
	for n := 1; n < maxRun; n++ {
		for _, j := range []int{i + n, i - n} {
			if j < 0 || j >= len(p.dates) || p.dates[j].from.day == 0 || p.dates[j].from.year == 0 || p.head[p.dates[j].block] != p.head[block] {
				continue
			}
			sp.closest(p.dates[j].from)
			return true
		}
	}
	return false
}

// closest picks the year in which s lies closest to o.
func (s *span) closest(o day) {
	best, year := 0, 0
	for y := o.year - 1; y <= o.year+1; y++ {
		c := day{y, s.from.month, s.from.day}
		gap := c.time().Sub(o.time()).Hours()
		if g := int(max(gap, -gap)); year == 0 || g < best {
			best, year = g, y
		}
	}
	s.setYear(year)
	if s.from.year < year {
		s.from.year, s.to.year = year, year+1
	}
}

// beforeEvent picks the last year in which s lies before the event's end.
func (s *span) beforeEvent(end day) {
	s.setYear(end.year)
	if end.before(s.to) {
		s.setYear(end.year - 1)
	}
}

// beforeHandIn reports whether s lies before the last day to hand papers in,
// and in the year after it soon after the event: no final version is due
// before the first, but post-proceedings are printed after the event.
func (p *page) beforeHandIn(s span, event span) bool {
	last := span{from: p.call.last, to: p.call.last}
	if p.call.last == (day{}) {
		return false
	}
	if last.to.year == 0 {
		last.beforeEvent(event.to)
	}
	s.setYear(s.to.year + 1)
	gap := s.to.time().Sub(event.to.time())
	s.setYear(s.to.year - 1)
	return s.to.before(last.to) && gap < maxPostProceedings
}

// maxPostProceedings is how long after the event final versions may be due.
const maxPostProceedings = 180 * 24 * time.Hour

// turnsAfter reports whether a later date of the list that f stands in belongs
// to the next year: months go up in a list of dates, but for New Year.
func (p *page) turnsAfter(f found) bool {
	month := f.from.month
	for j := p.first[f.block]; j < len(p.dates) && j < p.first[f.block]+maxRun; j++ {
		d := p.dates[j]
		if p.head[d.block] != p.head[f.block] || d.from.year != 0 {
			break
		}
		if d.from.day == 0 || d.block == f.block && d.start <= f.start {
			continue
		}
		if month-d.from.month >= newYearGap {
			return true
		}
		month = d.from.month
	}
	return false
}

// newYearGap is by how many months a date goes back in a list only where New
// Year lies between.
const newYearGap = 6

// weekdayYear returns the year next to that of sp in which f falls on the
// weekday printed with it, where it does not in the year of sp; else 0. A date
// near the event stays before its end.
func weekdayYear(f found, sp, event span) int {
	if f.weekday == 0 || f.weekday.fits(sp.from) {
		return 0
	}
	for _, by := range []int{-1, 1} {
		s := sp
		s.setYear(sp.to.year + by)
		if s.from.whole() && f.weekday.fits(s.from) && !(event.to.whole() && event.to.before(s.from)) {
			return s.to.year
		}
	}
	return 0
}

// sentOn returns the day on which a mail was sent, by the Date field of its
// header.
func (p *page) sentOn() day {
	for _, b := range p.blocks[:min(len(p.blocks), maxTop)] {
		if !strings.HasPrefix(b.Path, "text/") {
			break
		}
		m := dateField.FindStringSubmatch(b.Text)
		if m == nil {
			continue
		}
		if at, err := mail.ParseDate(strings.TrimSpace(m[1])); err == nil {
			return dayOf(at)
		}
	}
	if p.t.Page != nil && strings.HasPrefix(p.url, "mid:") && !p.t.Page.FetchedAt.IsZero() {
		return dayOf(p.t.Page.FetchedAt)
	}
	return day{}
}

var dateField = compile(`(?i)^(?:date|sent):\s+(.{10,60})$`)

// isSentLine reports whether b is the field of a mail's header that holds p.sent.
func (p *page) isSentLine(b tagtree.Block) bool {
	return p.sent.whole() && dateField.MatchString(b.Text)
}

func dayOf(at time.Time) day { return day{at.Year(), int(at.Month()), at.Day()} }

// namesEdition reports whether a heading is an event's name, whose year is that of
// the edition and not of each date below: "3rd Workshop on Locks 2028".
func namesEdition(heading tagtree.Block) bool {
	return !ofDates.MatchString(heading.Text) && (heading.Level == 1 || nounClass(heading.Text) != "")
}

// ofDates matches a heading whose year is that of the dates below.
var ofDates = regexp.MustCompile(`(?i)date|deadline|schedule|timeline|calendar|submission|termin|fecha|prazo|échéance|日程|締切|일정`)
