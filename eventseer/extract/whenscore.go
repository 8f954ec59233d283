package extract

import (
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree"
)

// maxTop is the number of blocks at the top of a page, where the event is presented.
const maxTop = 30

// maxDayCandidates is the maximum number of dates that are ranked. A page with more lists the dates of many
// events.
const maxDayCandidates = 150

// callDates are data of the call's deadlines for ranking the event's days.
type callDates struct {
	block int      // index of the block of the first deadline
	last  date.Day // last day for submissions; zero for none
}

func (r *dayReader) callDatesOf(es []entry) callDates {
	c := callDates{block: len(r.blocks)}
	for _, e := range es {
		if !isDeadline(e.kind) {
			continue
		}
		c.block = min(c.block, e.date.block)
		if e.kind.IsSubmission() && !e.date.struck && (c.last == date.Day{} || c.last.IsBefore(e.date.From)) {
			c.last = e.date.From
		}
	}
	return c
}

// A candidate is a date that may be the event's, with the data for its features. The date has its years.
type candidate struct {
	entry
	class         string // class of the event, see nounClass
	atHost        bool   // the title says that the event is held at another one
	year          int    // year of the edition, 0 if unknown
	titled        bool   // the title contains that year
	call          callDates
	kindOf        tagtree.Kind
	near          string // text around the date
	before        string // text before the date
	section       string // text of the heading above
	nearPlace     bool   // a place is near the date or beside its block
	nearAcronym   bool   // the event's acronym is near the date
	short         bool   // the block is a line
	inTitle       bool   // the title element contains the same days
	insideAnother bool   // is inside the range of another candidate
	aroundAnother bool   // is a range around another candidate labelled as the event's days
	plain         bool   // is in plain text
}

// eventCandidates returns the dates that may be the event's, at most maxDayCandidates. title is the event's
// name.
func (r *dayReader) eventCandidates(es []entry, title string) []candidate {
	var xs []candidate
	key := r.called.Acronym.Text
	journal := kindOf(r.page, title) == eventseer.SpecialIssue
	inTitle, _ := r.titleDates()
	for _, e := range es {
		sp, from, ok := r.eventDaysWithYear(e.date)
		if len(xs) == maxDayCandidates {
			break
		}
		if !ok || e.date.struck || sp.To.Time().Sub(sp.From.Time()) > maxEvent {
			continue
		}
		d, text := e.date, r.blocks[e.date.block].Text
		x := candidate{
			entry: e, class: r.class, atHost: hostTitle.MatchString(title), year: r.year, titled: r.year != 0 && onlyYear(date.Years(title)) == r.year, call: r.call,
			kindOf: r.blocks[d.block].Kind, near: r.textAround(d), before: lastBytes(text[:d.Start], maxLabel/4),
			section: cutToBytes(r.headingAbove(d.block), maxLabel), short: len(text) <= maxShortLabel,
			plain:   strings.HasPrefix(r.blocks[d.block].Path, "text/"),
			inTitle: inTitle.From == sp.From && inTitle.To == sp.To,
		}
		if n := len(xs); n > 0 && r.continuesRange(xs[n-1], x, sp) {
			xs[n-1].date.To, xs[n-1].kind = sp.To, eventDates
			continue
		}
		x.nearPlace = r.placeNear(d.block, x.near)
		x.nearAcronym = key != "" && (strings.Contains(x.near, key) || d.block > 0 && strings.Contains(cutToBytes(r.blocks[d.block-1].Text, maxLabel), key))
		x.date.From, x.date.To, x.date.inferred = sp.From, sp.To, from
		if !r.isExcluded(x, journal) {
			xs = append(xs, x)
		}
	}
	xs = withoutHostDays(xs)
	compareCandidates(xs)
	return xs
}

// withoutHostDays returns the candidates of a workshop without the days of the event that it is held with. These
// are shortly before or after days labelled "workshop date" or the like. Of five pages of gold, work sites and
// WikiCFP with both, the labelled days are right on four.
func withoutHostDays(xs []candidate) []candidate {
	var own []candidate
	for _, x := range xs {
		if x.class == "workshop" && x.isLabelledOwnDays() {
			own = append(own, x)
		}
	}
	return slices.DeleteFunc(xs, func(x candidate) bool {
		return !x.isLabelledOwnDays() && slices.ContainsFunc(own, func(o candidate) bool {
			return o.date.Span != x.date.Span && x.date.From.Time().Sub(o.date.From.Time()).Abs() <= hostWeek
		})
	})
}

// isExcluded reports whether a date cannot be the event's, whatever its features. journal means that the
// event is a special issue.
func (r *dayReader) isExcluded(x candidate, journal bool) bool {
	d := x.date
	first := r.datesIn(d.block)[0]
	switch {
	case first.Start < d.Start && isAboutOtherEvent(lastBytes(x.label, maxShortLabel)):
		return true // such as "on 3 June, co-located with ICX, 2 to 5 June"
	case x.titled && x.yearsFromEdition() > 1, d.To.Year < x.year && r.call.last.HasYear() && d.To.IsBefore(r.call.last):
		return true // belongs to another edition
	case x.kind == eventDates:
		return false
	case journal || !x.isRange() && dueBefore.MatchString(x.before):
		return true
	}
	return x.kind == "" && !x.isRange() && !x.nearPlace && !heldWords.MatchString(x.label) && !heldLast.MatchString(r.textAfterDate(d)) && !eventStarts.MatchString(x.label) // a day without any evidence
}

// continuesRange reports whether the days sp of y continue those of x, which are printed just before.
// Examples: "30 September and 1 October", "Conference starts 3 June, ends 5 June".
func (r *dayReader) continuesRange(x, y candidate, sp date.Span) bool {
	if !x.date.To.IsBefore(sp.From) || sp.To.Time().Sub(x.date.From.Time()) > maxEvent {
		return false
	}
	if a, b := x.date, y.date; a.block == b.block {
		link := r.blocks[a.block].Text[a.End:b.Start]
		return daysLink.MatchString(link) && a.To.Time().AddDate(0, 0, 1).Equal(sp.From.Time())
	}
	return y.date.block-x.date.block <= maxCellBlocks && eventStarts.MatchString(x.label) && eventEnds.MatchString(y.label)
}

var (
	daysLink    = compilePattern(`(?i)^[\s,]*(and|&|und|et|y|e)?[\s,]*(the )?$`)
	eventStarts = compilePattern(`(?i)^\W*(the )?(main )?(conference|workshop|symposium|congress|event|meeting|summit|school|tagung|konferenz|congreso) (start|begin|open|first day|beginn|inicio)`)
	eventEnds   = compilePattern(`(?i)\b(end|close|closing|conclu|last day|ende|fin|término)`)
)

// compareCandidates sets within and covers of each candidate.
func compareCandidates(xs []candidate) {
	for i := range xs {
		a := &xs[i]
		for _, b := range xs {
			same := a.date.From == b.date.From && a.date.To == b.date.To
			inB := !a.date.From.IsBefore(b.date.From) && !b.date.To.IsBefore(a.date.To)
			aroundB := !b.date.From.IsBefore(a.date.From) && !a.date.To.IsBefore(b.date.To)
			a.insideAnother = a.insideAnother || inB && !same
			a.aroundAnother = a.aroundAnother || aroundB && !same && b.kind == eventDates
		}
	}
}

// hostWeek is the maximum time between the starts of a workshop and of the event that it is held with.
const hostWeek = 7 * 24 * time.Hour

// isLabelledOwnDays reports whether the label names days of the event's class. An example is "Workshop date:" on
// the page of a workshop.
func (x candidate) isLabelledOwnDays() bool {
	return x.kind == eventDates && surelyEvent.MatchString(x.label) && x.namesOwnClass()
}

// hostTitle matches the title of an event that is held at another event.
var hostTitle = compilePattern(`(?i)@|\bat (the )?\p{Lu}[\p{L}\d]+[- ]?(\d{4}|['’]\d\d)|\b(conjunction|co-?located)\b`)

// eventFeatures are the features of candidates for the event's days. Their weights are learned, see
// eventWeights.
var eventFeatures = []feature[candidate]{
	{"candidate", indicator(func(candidate) bool { return true })},
	{"candidate in plain text", indicator(func(x candidate) bool { return x.plain })},
	{"label: event", indicator(func(x candidate) bool { return x.kind == eventDates })},
	{"label: surely event", indicator(func(x candidate) bool { return x.kind == eventDates && surelyEvent.MatchString(x.label) })},
	{"label: none", indicator(func(x candidate) bool { return x.kind == "" })},
	{"label: deadline", indicator(func(x candidate) bool { return isDeadline(x.kind) })},
	{"label: hand in", indicator(func(x candidate) bool { return x.kind.IsSubmission() })},
	{"label: no date of a call", indicator(func(x candidate) bool { return x.kind == noDeadline })},
	{"label: empty", indicator(func(x candidate) bool { return !containsWord(x.label) })},
	{"label: tentative", indicator(func(x candidate) bool { return tentative.MatchString(x.near) })},
	{"label: other event", indicator(func(x candidate) bool { return isAboutOtherEvent(lastBytes(x.label, 48)) })},
	{"label: host", indicator(candidate.isOfHost)},
	{"label: part", indicator(func(x candidate) bool { return partDates.MatchString(x.label) && !x.namesOwnClass() })},
	{"label: own class", indicator(candidate.namesOwnClass)},
	{"part before", indicator(func(x candidate) bool { return partDates.MatchString(x.sentenceBefore()) && !x.namesOwnClass() })},
	{"host before", indicator(func(x candidate) bool {
		return x.class == "workshop" && hostDates.MatchString(x.sentenceBefore()) || x.class != "conference" && mainDates.MatchString(x.sentenceBefore())
	})},
	{"range", indicator(candidate.isRange)},
	{"range of a workshop", indicator(func(x candidate) bool { return x.isRange() && x.class == "workshop" })},
	{"range of a workshop, over three days", indicator(func(x candidate) bool { return x.class == "workshop" && x.countDays() > 3 })},
	{"day of a conference", indicator(func(x candidate) bool { return !x.isRange() && x.class == "conference" })},
	{"held", indicator(func(x candidate) bool { return heldWords.MatchString(x.near) })},
	{"top", indicator(func(x candidate) bool { return x.isInTop(maxTop) })},
	{"top third", indicator(func(x candidate) bool { return x.isInTop(maxTop / 3) })},
	{"top line", indicator(func(x candidate) bool { return x.isInTop(maxTop/3) && x.short })},
	{"heading", indicator(func(x candidate) bool { return x.kindOf == tagtree.Heading })},
	{"place", indicator(func(x candidate) bool { return x.nearPlace })},
	{"noun", indicator(func(x candidate) bool { return nouns.MatchString(x.near) })},
	{"acronym", indicator(func(x candidate) bool { return x.nearAcronym })},
	{"title element", indicator(func(x candidate) bool { return x.inTitle })},
	{"within a range", indicator(func(x candidate) bool { return x.insideAnother })},
	{"around it, workshop", indicator(func(x candidate) bool { return x.aroundAnother && x.class == "workshop" })},
	{"year of the edition", indicator(func(x candidate) bool { return x.year != 0 && x.yearsFromEdition() == 0 })},
	{"year before the edition", indicator(func(x candidate) bool { return x.year != 0 && x.date.To.Year == x.year-1 })},
	{"year after the edition", indicator(func(x candidate) bool { return x.year != 0 && x.date.To.Year == x.year+1 })},
	{"after the last deadline", indicator(func(x candidate) bool { return x.hasLastSubmission() && x.call.last.IsBefore(x.date.From) })},
	{"before the last deadline", indicator(func(x candidate) bool { return x.hasLastSubmission() && !x.call.last.IsBefore(x.date.From) })},
	{"other edition", indicator(func(x candidate) bool { return otherYear.MatchString(x.near) })},
	{"other event before", indicator(func(x candidate) bool { return isAboutOtherEvent(x.before) })},
	{"at another event", indicator(func(x candidate) bool { return x.atHost && x.isRange() })},
	{"section: other", indicator(func(x candidate) bool { return otherSection.MatchString(x.section) })},
	{"section: dates", indicator(func(x candidate) bool { return datesHeading.MatchString(x.section) })},
	{"time of day", indicator(func(x candidate) bool { return date.HasClock(x.entry.around) && !hours.MatchString(x.near) })},
}

var (
	// dueBefore matches text before a day which shows that it is the last day for something, or the day of
	// a letter.
	dueBefore = compilePattern(`(?i)\b(by|before|until|till|later than|due( on)?|deadline( is| of)?)\W*(\pL+day,? )?$|\bdear (colleagues?|sirs?|all|friends|authors?)\b[^.]{0,20}$`)
	// hours matches a range of hours of a day.
	hours        = compilePattern(`(?i)\b\d{1,2}([:.]\d\d)? ?([ap]\.?m\.?)? ?(-|–|to|until) ?\d{1,2}([:.]\d\d| ?[ap]\.?m)`)
	tentative    = compilePattern(`(?i)\btentative|\bto be (confirmed|announced|decided)|\btb[acd]\b`)
	hostDates    = compilePattern(`(?i)\b(conference|congress)\b`)
	mainDates    = compilePattern(`(?i)\bmain\b`)
	partDates    = compilePattern(`(?i)\b(pre-?conference|post-?conference|tutorials?|workshops?|doctoral|ph\.?d|excursion|banquet|reception|dinner|tour|hackathon|exhibition|keynote|satellite|training|short course|school)\b`)
	otherYear    = compilePattern(`(?i)\b(previous|past|last year|earlier|former)\b|\bproceedings of\b`)
	otherSection = compilePattern(`(?i)\b(previous|past|earlier|former|history|archives?|editions|related|other|upcoming|news|updates?|registration|travel|visa|hotel|accommodation|co-?located|program(me)?|schedule at)\b`)
)

// isOfHost reports whether the label is about the conference at which a workshop is held.
func (x candidate) isOfHost() bool {
	return x.class == "workshop" && hostDates.MatchString(x.label) || x.class != "conference" && mainDates.MatchString(x.label)
}

// namesOwnClass reports whether the label names the class of the event itself.
func (x candidate) namesOwnClass() bool {
	return x.class != "" && strings.EqualFold(nounClass(lastBytes(x.label, maxHeading)), x.class)
}

// sentenceBefore returns the part of the sentence before the date.
func (x candidate) sentenceBefore() string { return lastSentence(x.before) }

func (x candidate) isRange() bool { return x.date.From != x.date.To }

func (x candidate) countDays() int {
	return int(x.date.To.Time().Sub(x.date.From.Time()).Hours()/24) + 1
}

// isInTop reports whether the date is in the first top blocks and before the first deadline.
func (x candidate) isInTop(top int) bool {
	return x.date.block < min(x.call.block, top)
}

// yearsFromEdition returns the number of years between the date and the edition.
func (x candidate) yearsFromEdition() int { return max(x.date.To.Year-x.year, x.year-x.date.To.Year) }

// hasLastSubmission reports whether a last day for submissions is known, after which an event is held.
func (x candidate) hasLastSubmission() bool { return x.call.last != (date.Day{}) }

// textAround returns the text around a date, which is the whole block if it is short.
func (r *dayReader) textAround(d foundDate) string {
	text := r.blocks[d.block].Text
	if len(text) <= maxLabel {
		return text
	}
	return text[len(cutToBytes(text, max(0, d.Start-maxLabel/2))):len(cutToBytes(text, min(len(text), d.End+maxLabel/2)))]
}

// placeNear reports whether near, the text around a date, contains a place or, if block i is short, a block
// beside it does.
func (r *dayReader) placeNear(i int, near string) bool {
	if namesPlace(near) {
		return true
	}
	text := r.blocks[i].Text
	return len(text) < maxHeading && (r.placeInAdjacentBlock(i) || i < maxTop/3 && r.places.knownCity(text) != "")
}

// placeInAdjacentBlock reports whether one of the two blocks before or after block i names a place.
func (r *dayReader) placeInAdjacentBlock(i int) bool {
	for _, j := range []int{i - 1, i + 1, i - 2, i + 2} {
		if j >= 0 && j < len(r.blocks) && len(r.blocks[j].Text) <= maxPlaceBlock && namesPlace(r.blocks[j].Text) {
			return true
		}
	}
	return false
}
