package extract

import (
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// maxEvent is the longest an event lasts; longer ranges are something else.
const maxEvent = 32 * 24 * time.Hour

// heldWords say that an event takes place.
var heldWords = compile(`(?i)\b(held|hosted|take[s]? place|taking place|takes? part|join us|se(?:e|eing) you|co-?located|in conjunction|` +
	`celebrar\pL*|realiza\pL*|tendrá lugar|tiene lugar|se llevará a cabo|ocorrerá|acontecerá|terá lugar|statt(finden)?|findet|aura lieu|se (?:tiendra|déroulera)|` +
	`si (?:terrà|svolgerà)|avrà luogo|vindt plaats|plaatsvinden|äger rum|fin(?:der|ner) sted|järjestetään|odbędzie się|proběhne|uskuteční|koná|sa uskutoční|kerül sor|megrendez\pL*|` +
	`va avea loc|tindrà lloc|održat će se|düzenlen\pL*|gerçekleş\pL*|yapılacak\pL*|diselenggarakan|dilaksanakan|diễn ra|tổ chức)\b|` +
	`состоится|пройд[её]т|відбудеться|θα (?:πραγματοποιηθεί|διεξαχθεί|λάβει)|举行|举办|召开|舉行|舉辦|召開|開催|行われ|개최|열리`)

// heldLast matches what says behind a date that an event takes place, in languages with the verb last.
var heldLast = compile(`(?i)举行|举办|召开|舉行|舉辦|召開|開催|行われ|개최|열리|düzenlen\pL*|gerçekleş\pL*|yapılacak\pL*`)

// heldBehind returns what the sentence of a date says after it: in some languages that the event is
// held.
func (p *page) heldBehind(d found) string {
	return firstSentence(clip(p.blocks[d.block].Text[d.End:], maxHeading))
}

// eventDays returns the days of the event, the block they are printed in, -1 without one, and their
// source. The title element's days are used only if the page prints no others.
func (p *page) eventDays(es []entry, title string) (date.Span, int, eventseer.Provenance, bool) {
	if x, score := bestDays(p.eventCandidates(es, title)); score > 0 {
		d := x.date
		src := p.source(d.block, d.Start, d.End, "event-dates")
		src.Inferred, src.Confidence = d.inferred, daysConfidence
		return d.Span, d.block, src, true
	}
	if when, ok := p.titleDates(); ok {
		return when, -1, eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "dates-in-title", Snippet: snippet(p.t.Title(), 0)}, true
	}
	return date.Span{}, -1, eventseer.Provenance{}, false
}

// eventYear returns the days of a date that may be the event's with their
// years, and what a year that is not printed follows from.
func (p *page) eventYear(f found) (date.Span, string, bool) {
	sp, from := f.Span, f.inferred
	switch {
	case sp.From.Year != 0:
	case p.year != 0:
		from = yearOfEdition
		sp.SetYear(p.year)
	default:
		return p.withYear(f, eventDates, date.Span{})
	}
	return sp, from, sp.From.Whole() && sp.To.Whole()
}

// dueInTitle matches the end of what a title says before a day that is no event's:
// "extended deadline", "submit by".
var dueInTitle = compile(`(?i)\b(deadlines?|due|by|until|till|exten\w+)\b[^,;|]{0,16}$`)

// titleDates reads the event's days from the title element.
func (p *page) titleDates() (date.Span, bool) {
	title := clip(p.t.Title(), maxTitleBlock)
	for _, s := range date.Read(title, p.lang) {
		if s.From.Day == 0 || dueInTitle.MatchString(title[:s.Start]) {
			continue
		}
		if s.From.Year == 0 && p.year != 0 {
			s.SetYear(p.year)
		}
		if s.From.Whole() && s.To.Whole() && s.To.Time().Sub(s.From.Time()) <= maxEvent {
			return s, true
		}
	}
	return date.Span{}, false
}

// editionYear finds the year of the edition called for: in the title, the
// headings, then among the page's dates.
func (p *page) editionYear(title string) int {
	for _, s := range []string{title, p.t.Title()} {
		if y := p.yearIn(s); y != 0 {
			return y
		}
	}
	if y := p.commonYear(min(maxTop, len(p.blocks))); y != 0 {
		return y
	}
	return p.commonYear(len(p.blocks))
}

// settleYear corrects the edition's year by the deadlines: a title that names
// no year they lie in or before is of another edition.
func (p *page) settleYear(es []entry) {
	latest, near := 0, p.year == 0
	for _, e := range es {
		if y := e.date.To.Year; isDeadline(e.kind) && y != 0 && e.kind != eventseer.OtherDeadline {
			latest = max(latest, y)
			near = near || y == p.year || y == p.year-1
		}
	}
	if !near && latest != 0 {
		p.year = latest
	}
}

// commonYear returns the year printed most often in the first n blocks, the first of equals. It counts years
// in dates, lines and headings, after a short name, and beside a copyright sign. A number in running text may
// be anything else; a mail's own date does not count.
func (p *page) commonYear(n int) int {
	count := map[int]int{}
	best := 0
	add := func(y int) {
		if y == 0 || y > p.last {
			return
		}
		if count[y]++; count[y] > count[best] {
			best = y
		}
	}
	for i, b := range p.blocks[:n] {
		switch {
		case p.isSentLine(b):
		case len(b.Text) <= maxProse || copyright.MatchString(b.Text):
			for _, y := range date.Years(b.Text) {
				add(y)
			}
		default:
			for _, d := range p.datesIn(i) {
				if d.inferred == "" {
					add(d.From.Year)
				}
			}
			for _, m := range editionNamed.FindAllString(clip(b.Text, maxBlockBytes), maxLabels) {
				add(onlyYear(date.Years(m)))
			}
		}
	}
	return best
}

// editionNamed matches a short name with its year: "KITES 2027".
var editionNamed = compile(`\b\p{Lu}[\p{L}\d]*\p{Lu}[\p{L}\d]*[ '’-]{0,2}(?:19|20)\d\d\b`)

var copyright = compile(`(?i)©|\(c\) ?\d|copyright`)
