package change

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const (
	// maxMove is the maximum extension of a deadline; a larger difference means another edition.
	maxMove = 120 * 24 * time.Hour
	// slip is the maximum change of a date that is a correction and not a postponement, for dates
	// other than deadlines.
	slip = 24 * time.Hour
	// maxRepeat bounds a line with a deadline that is not running text, in bytes.
	maxRepeat = 120
)

// A finding is a change that a differ has found.
type finding struct {
	ChangedLine
	move DeadlineMove // the moved deadline; otherwise zero
}

// findDateChanges finds the changes of the dates in pages and records.
func (d *differ) findDateChanges() {
	p := d.pairs
	for i := range p.old {
		j := p.olds[i].mate
		switch {
		case j >= 0:
			d.findPrintedMove(i, j)
		case !p.kept[p.olds[i].block]:
			d.findPrintedRemoval(i)
		}
	}
	d.addRecordDays()
	d.addRecordMoves()
	for j := range p.new {
		if p.news[j].mate < 0 && p.fresh[p.news[j].block] && !d.hasMoveTo(p.new[j].Day(), p.new[j].Kind) {
			d.findPrintedAddition(j)
		}
	}
	d.addRecordDeadlines()
}

func (d *differ) findPrintedMove(i, j int) {
	p := d.pairs
	o, n := p.old[i], p.new[j]
	ob, nb := p.olds[i].block, p.news[j].block
	if p.kept[ob] && !p.fresh[nb] {
		return // the year of the page was read differently
	}
	if sameDays(o, n) {
		if p.mateOf[ob] == nb && isSameDateReprinted(d.printedDate(o, false), d.printedDate(n, true), d.textAfterDate(o, false), d.textAfterDate(n, true)) {
			d.addChange(eventseer.DateCorrected, n.Label, d.printedDate(o, false), d.printedDate(n, true))
			d.markExplained(ob, nb)
		}
		return
	}
	kind := cmp.Or(n.Kind, o.Kind)
	if kind == "" && !o.Event && !n.Event && due.MatchString(d.newText(nb)) && !opening.MatchString(n.Label) {
		kind = eventseer.Submission
	}
	d.markExplained(ob, nb)
	d.restated[ob] = true
	d.addMovedDate(kind, o.Event || n.Event, cmp.Or(n.Label, o.Label), o, n, d.oldText(ob))
}

// addMovedDate decides the kind of a changed date. before is the text around the old one.
func (d *differ) addMovedDate(kind eventseer.DeadlineKind, event bool, label string, o, n eventseer.PrintedDate, before string) {
	from, to := o, n
	from.Kind, to.Kind = kind, kind
	if event {
		d.addChange(eventseer.DateCorrected, label, dateText(o), dateText(n))
		return
	}
	by := durationBetween(from.Day(), to.Day())
	move := DeadlineMove{Kind: cmp.Or(kind, eventseer.OtherDeadline), Old: from.Day(), New: to.Day()}
	f := finding{ChangedLine{Label: label, Old: string(move.Old), New: string(move.New)}, move}.withoutYearlessMove()
	switch {
	case by == 0:
		d.addChange(eventseer.DateCorrected, label, dateText(o), dateText(n))
		return
	case undecided.MatchString(before):
		f.Kind = eventseer.DeadlineAdded
	case !move.Old.IsYearless() && differOnlyInYear(move.Old, move.New):
		f.Kind = eventseer.DateCorrected
	case kind == "", opening.MatchString(label):
		d.loose = append(d.loose, f)
		return
	case by > maxMove:
		d.addFinding(f, eventseer.DateCorrected)
		f.Kind = eventseer.DeadlineAdded
	case by < 0:
		f.Kind = eventseer.DateCorrected
		d.earlier = append(d.earlier, f)
		return
	case by <= slip && !kind.IsSubmission():
		f.Kind = eventseer.DateCorrected
	default:
		f.Kind = eventseer.DeadlineExtended
	}
	d.addFinding(f, f.Kind)
}

// due matches a line about a submission deadline.
var due = wordPattern(`deadline|\bdue\b|\b(by|until|till|before|no later than)\b.{0,30}\d|(submissions?|submit|proposals?|papers|abstracts|calls?)\b.{0,60}\b(through|close[sd]?|ends?|window|period)\b|hand(ed)? in|abgabe|einreich|frist|date limite|fecha l[ií]mite|prazo|plazo|scadenza|截止|截稿|締切|마감|срок`)

// opening matches the label of a day from which something is possible.
var opening = wordPattern(`\b(opens?|opening|opened|starts?|begins?|beginning|available|online)\b|ouverture|apertura|abertura|beginn\b|开始|開始`)

// withoutYearlessMove returns the finding if its days have years, otherwise without the move.
func (f finding) withoutYearlessMove() finding {
	if f.move.Old.IsYearless() || f.move.New.IsYearless() {
		f.move = DeadlineMove{}
		f.Old, f.New = strings.TrimPrefix(f.Old, eventseer.Yearless+"-"), strings.TrimPrefix(f.New, eventseer.Yearless+"-")
	}
	return f
}

// differOnlyInYear reports whether two days differ only in their year.
func differOnlyInYear(a, b eventseer.Date) bool {
	return len(a) == len(b) && len(a) > 4 && a[4:] == b[4:] && a[:4] != b[:4]
}

func (d *differ) findPrintedRemoval(i int) {
	o := d.pairs.old[i]
	if d.newDays[o.Day()] || d.newDays[o.To] {
		return
	}
	block := d.pairs.olds[i].block
	d.markExplained(block, -1)
	if d.isHeadingGone(block) {
		return // with its whole section
	}
	f := finding{ChangedLine{Kind: eventseer.DateCorrected, Label: o.Label, Old: string(o.Day())}, DeadlineMove{Kind: o.Kind, Old: o.Day()}}.withoutYearlessMove()
	if o.Event {
		f.move, f.Old = DeadlineMove{}, dateText(o)
	}
	if o.Kind != "" || o.Event {
		d.gone = append(d.gone, f)
	}
}

// isHeadingGone reports whether the heading above an old block is gone.
func (d *differ) isHeadingGone(block int) bool { return d.goneHeads[d.oldHeads[block]] }

func (d *differ) findPrintedAddition(j int) {
	n := d.pairs.new[j]
	block := d.pairs.news[j].block
	if n.Kind == "" && !n.Event && len(d.newText(block)) <= maxRepeat && due.MatchString(d.newText(block)) {
		n.Kind = eventseer.Submission
	}
	if i, ok := d.ofNew[block]; ok && d.edits[i].old == "" && d.inNews[block] {
		return // the news have it
	}
	if n.Kind == "" || n.Event || n.Struck || d.repeatsOldDate(n.Day(), block) || d.reportsPastEvent(block) || isRegistrationDate(n.Kind, d.newText(block)) {
		d.markExplained(-1, block)
		return
	}
	d.addNewDeadline(n.Kind, n.Label, n.Day(), block)
}

// isDayUnchanged reports whether a new block and its old counterpart print the same day.
func (d *differ) isDayUnchanged(day eventseer.Date, block int) bool {
	i, ok := d.ofNew[block]
	return ok && slices.ContainsFunc(d.pairs.old, func(o eventseer.PrintedDate) bool {
		return (o.From == day || o.To == day) && blockAt(d.c.Old, o.Offset[0]) == d.edits[i].oldBlock
	})
}

// repeatsOldDate reports whether a new block is running text that repeats a date of the old version.
func (d *differ) repeatsOldDate(day eventseer.Date, block int) bool {
	return d.oldDays[day] && len(d.newText(block)) > maxRepeat
}

// reportsPastEvent reports whether a new block is about something that took place.
func (d *differ) reportsPastEvent(block int) bool {
	text := d.newText(block)
	return d.inNews[block] || tookPlace.MatchString(text) || priced.MatchString(text)
}

// isRegistrationDate reports whether a text is about registration dates and not a deadline.
func isRegistrationDate(kind eventseer.DeadlineKind, text string) bool {
	return kind == eventseer.Registration && len(text) > maxHeadLine
}

var tookPlace = wordPattern(`\b(unveiled|uploaded|launched|winners?|information|(now|is|are) available)\b`)

// addNewDeadline decides the kind of a deadline that the old version does not have.
func (d *differ) addNewDeadline(kind eventseer.DeadlineKind, label string, day eventseer.Date, block int) {
	f := finding{ChangedLine{Kind: eventseer.DeadlineAdded, Label: label, New: string(day)}, DeadlineMove{Kind: kind, New: day}}.withoutYearlessMove()
	d.markExplained(-1, block)
	if block >= 0 && (extensionNotice.MatchString(d.newText(block)) || extensionNotice.MatchString(d.heads[block])) {
		f.Kind = eventseer.DeadlineExtended
	}
	d.addFinding(f, f.Kind)
}

// addRecordMoves adds differences between the two records that a changed block confirms.
func (d *differ) addRecordMoves() {
	pairs, gone, _ := PairDeadlines(d.old.Event.Deadlines, d.new.Event.Deadlines)
	for _, p := range pairs {
		o, n := p.Old, p.New
		known := func(m DeadlineMove) bool { return m.Old == o.Date && m.New == n.Date }
		if o.Date == n.Date || !d.isInChangedBlock(o.Source, n.Source) || d.hasMove(known) {
			continue
		}
		if d.hasMoveFrom(o.Date, n.Kind) || d.hasMoveTo(n.Date, n.Kind) {
			continue // the page shows its replacement
		}
		before := ""
		if b := blockAt(d.c.Old, o.Source.Offset[0]); b >= 0 {
			before = d.oldText(b)
		}
		d.addMovedDate(n.Kind, false, labelOf(n), eventseer.PrintedDate{From: o.Date, To: o.Date}, eventseer.PrintedDate{From: n.Date, To: n.Date}, before)
	}
	for _, o := range gone {
		b := blockAt(d.c.Old, o.Source.Offset[0])
		if b < 0 || d.pairs.same[b] || d.newDays[o.Date] || d.hasMoveFrom(o.Date, "") || d.isHeadingGone(b) {
			continue
		}
		d.gone = append(d.gone, finding{ChangedLine{Kind: eventseer.DateCorrected, Label: labelOf(o), Old: string(o.Date)}, DeadlineMove{Kind: o.Kind, Old: o.Date}})
	}
}

// addRecordDeadlines adds the deadlines that are only in the new record.
func (d *differ) addRecordDeadlines() {
	_, _, added := PairDeadlines(d.old.Event.Deadlines, d.new.Event.Deadlines)
	for _, n := range added {
		b := blockAt(d.c.New, n.Source.Offset[0])
		if b < 0 || !d.pairs.fresh[b] || d.isDayUnchanged(n.Date, b) || d.repeatsOldDate(n.Date, b) || d.reportsPastEvent(b) || d.hasMoveTo(n.Date, "") || isRegistrationDate(n.Kind, d.newText(b)) {
			continue
		}
		d.addNewDeadline(n.Kind, labelOf(n), n.Date, b)
	}
}

// addRecordDays adds a difference in the days of the event between the two records, if a changed block
// confirms it.
func (d *differ) addRecordDays() {
	o, n := d.old.Event, d.new.Event
	if o.EventStart == "" || n.EventStart == "" || o.EventStart == n.EventStart && o.EventEnd == n.EventEnd || d.hasKind(eventseer.DateCorrected) {
		return
	}
	if d.isInChangedBlock(o.Sources["event_start"], n.Sources["event_start"]) {
		from, to := eventseer.PrintedDate{From: o.EventStart, To: o.EventEnd}, eventseer.PrintedDate{From: n.EventStart, To: n.EventEnd}
		d.addChange(eventseer.DateCorrected, "", dateText(from), dateText(to))
	}
}

func labelOf(d eventseer.Deadline) string {
	return strings.TrimSpace(d.Track + " " + strings.ReplaceAll(string(d.Kind), "_", " "))
}

// isInChangedBlock reports whether one of two readings is in a block that changed.
func (d *differ) isInChangedBlock(old, new eventseer.Provenance) bool {
	o, n := blockAt(d.c.Old, old.Offset[0]), blockAt(d.c.New, new.Offset[0])
	return o >= 0 && !d.pairs.same[o] || n >= 0 && d.pairs.fresh[n]
}

func (d *differ) hasMove(match func(DeadlineMove) bool) bool {
	in := func(fs []finding) bool {
		return slices.ContainsFunc(fs, func(f finding) bool { return match(f.move) })
	}
	return in(d.found) || in(d.earlier) || in(d.loose) || in(d.gone)
}

func (d *differ) hasMoveFrom(old eventseer.Date, kind eventseer.DeadlineKind) bool {
	return d.hasMove(func(m DeadlineMove) bool { return m.Old == old && (kind == "" || m.Kind == kind) })
}

func (d *differ) hasMoveTo(new eventseer.Date, kind eventseer.DeadlineKind) bool {
	return d.hasMove(func(m DeadlineMove) bool { return m.New == new && (kind == "" || m.Kind == kind) })
}

// isSameDateReprinted reports whether the same date is printed with more or other details. Details are a
// year, another day of a range, or an hour. a and b are the dates as printed, after is the text after a,
// behind the text after b.
func isSameDateReprinted(a, b, after, behind string) bool {
	if haveDifferentNumbers(a, b) {
		return true
	}
	x, y := clockTime.FindString(after), clockTime.FindString(behind)
	return y != "" && !strings.EqualFold(x, y)
}

// haveDifferentNumbers reports whether two dates contain different numbers, or different ordinal suffixes
// if both have one.
func haveDifferentNumbers(a, b string) bool {
	x, y := dateNumber.FindAllStringSubmatch(a, -1), dateNumber.FindAllStringSubmatch(b, -1)
	if len(x) != len(y) {
		return true
	}
	for i := range x {
		if x[i][1] != y[i][1] || x[i][2] != "" && y[i][2] != "" && !strings.EqualFold(x[i][2], y[i][2]) {
			return true
		}
	}
	return false
}

var (
	dateNumber = regexp.MustCompile(`0*(\d+)(?i:(st|nd|rd|th)\b)?`)
	clockTime  = wordPattern(`\b\d{1,2}([:.]\d\d)? ?[ap]\.?m\b|\b\d{1,2}[:.h]\d\d\b|\b(noon|midnight|mitternacht|minuit|medianoche)\b`)
)

func dateText(d eventseer.PrintedDate) string {
	if d.From == d.To {
		return string(d.From)
	}
	return string(d.From) + ".." + string(d.To)
}
