package extract

import (
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// maxEvent is the maximum duration of an event. Longer ranges are something else.
const maxEvent = 32 * 24 * time.Hour

// heldWords matches words which say that an event takes place.
var heldWords = compilePattern(`(?i)\b(held|hosted|take[s]? place|taking place|takes? part|join us|se(?:e|eing) you|co-?located|in conjunction|` +
	`celebrar\pL*|realiza\pL*|tendrá lugar|tiene lugar|se llevará a cabo|ocorrerá|acontecerá|terá lugar|statt(finden)?|findet|aura lieu|se (?:tiendra|déroulera)|` +
	`si (?:terrà|svolgerà)|avrà luogo|vindt plaats|plaatsvinden|äger rum|fin(?:der|ner) sted|järjestetään|odbędzie się|proběhne|uskuteční|koná|sa uskutoční|kerül sor|megrendez\pL*|` +
	`va avea loc|tindrà lloc|održat će se|düzenlen\pL*|gerçekleş\pL*|yapılacak\pL*|diselenggarakan|dilaksanakan|diễn ra|tổ chức)\b|` +
	`состоится|пройд[её]т|відбудеться|θα (?:πραγματοποιηθεί|διεξαχθεί|λάβει)|举行|举办|召开|舉行|舉辦|召開|開催|行われ|개최|열리`)

// heldLast matches verbs which say after a date that an event takes place, in languages with the verb last.
var heldLast = compilePattern(`(?i)举行|举办|召开|舉行|舉辦|召開|開催|行われ|개최|열리|düzenlen\pL*|gerçekleş\pL*|yapılacak\pL*`)

// textAfterDate returns the rest of the sentence after a date, at most maxHeading bytes.
func (r *dayReader) textAfterDate(d foundDate) string {
	return firstSentence(cutToBytes(r.blocks[d.block].Text[d.End:], maxHeading))
}

// A dayReader reads the days of an event from its page.
type dayReader struct {
	*page
	places *placeReader
}

// eventDays returns the days of the event, the index of their block and their source. Days in the title
// element are used only if the page has no others; the block is then -1. ok is false if there are none.
func (r *dayReader) eventDays(es []entry, title string) (date.Span, int, eventseer.Provenance, bool) {
	if x, score := bestDays(r.eventCandidates(es, title)); score > 0 {
		d := x.date
		src := r.provenanceOf(d.block, d.Start, d.End, "event-dates")
		src.Inferred, src.Confidence = d.inferred, daysConfidence
		return d.Span, d.block, src, true
	}
	if when, ok := r.titleDates(); ok {
		return when, -1, eventseer.Provenance{URL: r.url, Path: "html/head/title", Rule: "dates-in-title", Snippet: snippet(r.t.Title(), 0)}, true
	}
	return date.Span{}, -1, eventseer.Provenance{}, false
}

// eventDaysWithYear returns the days of a date that may be the event's with their years, and how a missing
// year was inferred. ok is false if the year is unknown.
func (r *dayReader) eventDaysWithYear(f foundDate) (date.Span, string, bool) {
	sp, from := f.Span, f.inferred
	switch {
	case sp.From.Year != 0:
	case r.year != 0:
		from = yearOfEdition
		sp.SetYear(r.year)
	default:
		return r.withInferredYear(f, eventDates, date.Span{})
	}
	return sp, from, sp.From.HasYear() && sp.To.HasYear()
}

// dueInTitle matches the text of a title before a day that is not the event's: "extended deadline", "submit
// by".
var dueInTitle = compilePattern(`(?i)\b(deadlines?|due|by|until|till|exten\w+)\b[^,;|]{0,16}$`)

// titleDates returns the event's days in the title element. ok is false if there are none.
func (r *dayReader) titleDates() (date.Span, bool) {
	title := cutToBytes(r.t.Title(), maxTitleBlock)
	for _, s := range date.Read(title, r.lang) {
		if s.From.Day == 0 || dueInTitle.MatchString(title[:s.Start]) {
			continue
		}
		if s.From.Year == 0 && r.year != 0 {
			s.SetYear(r.year)
		}
		if s.From.HasYear() && s.To.HasYear() && s.To.Time().Sub(s.From.Time()) <= maxEvent {
			return s, true
		}
	}
	return date.Span{}, false
}

// correctYear corrects the year of the edition by the deadlines. If none of them is in that year or the year
// before, the title is that of another edition and the last year of a deadline is used.
func (r *dayReader) correctYear(es []entry) {
	latest, near := 0, r.year == 0
	for _, e := range es {
		if y := e.date.To.Year; isDeadline(e.kind) && y != 0 && e.kind != eventseer.OtherDeadline {
			latest = max(latest, y)
			near = near || y == r.year || y == r.year-1
		}
	}
	if !near && latest != 0 {
		r.year = latest
	}
}

// editionNamed matches a short name with its year: "KITES 2027".
var editionNamed = compilePattern(`\b\p{Lu}[\p{L}\d]*\p{Lu}[\p{L}\d]*[ '’-]{0,2}(?:19|20)\d\d\b`)

var copyright = compilePattern(`(?i)©|\(c\) ?\d|copyright`)
