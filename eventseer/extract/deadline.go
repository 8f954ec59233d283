package extract

import (
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// maxDeadlines is the maximum number of deadlines per record.
const maxDeadlines = 100

// A deadlineReader reads the labels of dates and the deadlines of a page.
type deadlineReader struct {
	*page
	calls         []eventseer.CallKind // by block: call of its section, see readSectionCalls
	classifier    *classify.LogLinear  // of dates; nil leaves them to the rules
	onlyDates     map[int]bool         // cache of isOnlyDates by block
	blocksByLabel map[string][]int     // label before a date → blocks with it; nil before isTrack needs it
}

// readDeadlines returns the deadlines among the labelled dates of a page, with years, tracks, zones and
// previous dates, in document order. event are the days of the event.
func (r *deadlineReader) readDeadlines(es []entry, event date.Span) []eventseer.Deadline {
	es, c := r.prepareDeadlines(es, event)
	type key struct {
		kind  eventseer.DeadlineKind
		date  eventseer.Date
		track string
	}
	var out []eventseer.Deadline
	var named []string    // seasons of the deadlines in out
	seen := map[key]int{} // deadline → index in out
	days := map[eventseer.Date]bool{}
	for _, e := range r.assignKinds(es, c) {
		if len(out) == maxDeadlines {
			break
		}
		d, season, ok := r.deadlineOf(e, c)
		if !ok {
			continue
		}
		k := key{d.Kind, d.Date, d.Track}
		if n, ok := seen[k]; ok {
			mergeRepetition(&out[n], d)
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

// mergeRepetition completes a deadline by its repetition on the page. It adds the previous date, that the
// deadline is firm, and the hour and zone if only the repetition prints a zone. If only the repetition, a
// line, announces that the submission was extended, it becomes the text and source of the deadline.
func mergeRepetition(d *eventseer.Deadline, again eventseer.Deadline) {
	if d.Kind.IsSubmission() && len(again.Text) <= maxHeading && saysExtended(again.Text) && !saysExtended(d.Text) {
		d.Text, d.Source = again.Text, again.Source
	}
	if d.ExtendedFrom == "" {
		d.ExtendedFrom = again.ExtendedFrom
	}
	d.Firm = d.Firm || again.Firm
	if d.TZSource != eventseer.TZPrinted && again.TZSource == eventseer.TZPrinted {
		d.Instant, d.TZ, d.TZPrinted, d.TZSource = again.Instant, again.TZ, again.TZPrinted, again.TZSource
	}
}

// prepareDeadlines corrects the kinds of entries, sorts those of lists before those of running text, and
// returns the data that all deadlines share.
func (r *deadlineReader) prepareDeadlines(es []entry, event date.Span) ([]entry, deadlineContext) {
	es = r.correctKinds(es)
	return listedFirst(es), deadlineContext{
		event: event, clock: timeNoteOfPage(r.page), listed: listedKinds(es), calledFor: r.contributionCalledFor(es),
		noExtensionHeadings: r.noExtensionHeadings(), tracks: labelTracks(es),
	}
}

// assignKinds returns the entries with the kinds that the rules and the classifier assign.
func (r *deadlineReader) assignKinds(es []entry, c deadlineContext) []entry {
	scores := make([]float64, len(kindClasses))
	var out []entry
	for _, j := range r.judgeDates(es, c, judgedDate.isUndecided) {
		if r.classifier == nil {
			j.entry.kind = j.ruled
		} else {
			share := 0.0
			j.entry.kind, share = j.decidedKind(r.classifier, scores)
			j.entry.confidence = kindConfidence(share)
		}
		out = append(out, j.entry)
	}
	return out
}

// A deadlineContext is the data that the deadlines of one page share.
type deadlineContext struct {
	event               date.Span
	clock               timeNote
	listed              map[eventseer.DeadlineKind]bool
	calledFor           eventseer.DeadlineKind
	noExtensionHeadings map[int]bool
	tracks              map[string]bool
}

// deadlineOf returns the deadline of an entry, and the season that names its round or "". ok is false if the
// entry is not a deadline, has no year, or is after the event.
func (r *deadlineReader) deadlineOf(e entry, c deadlineContext) (d eventseer.Deadline, season string, ok bool) {
	if !isDeadline(e.kind) {
		return d, "", false
	}
	kind, call := r.callKind(e)
	e.kind = kind
	on, inferred, ok := r.dayOfDeadline(e.date, e.kind, c.event)
	if !ok || c.event.From.HasYear() && e.kind.IsTooLate(on.Time(), c.event.From.Time()) {
		return d, "", false
	}
	heading := r.headingAbove(e.date.block)
	d = eventseer.Deadline{
		Kind: e.kind, Date: on.Date(), Track: r.trackOf(e, c.tracks),
		Firm: r.rulesOutExtension(e, c.noExtensionHeadings), ExtendedFrom: extendedFrom(e, on),
		Text:   printedText(r.textOf(e), maxLabel),
		Source: r.provenanceOf(e.date.block, e.date.Start, e.date.End, string(e.labelShape())),
	}
	if d.Track == "" {
		d.Track = call
	}
	d.Source.Inferred, d.Source.Confidence = inferred, e.confidence
	d.Round, season = roundOf(e.label + " " + e.track + " " + heading)
	setDeadlineZone(&d, on, e.around, c.clock)
	return d, season, true
}

// textOf returns the text of the block of an entry. If the heading above or a label in another block announces the
// extension of a submission, it is put before the text, because dates of several pages are compared by their texts.
func (r *deadlineReader) textOf(e entry) string {
	text := r.blocks[e.date.block].Text
	if !e.kind.IsSubmission() || saysExtended(text) {
		return text
	}
	for _, before := range []string{r.headingAbove(e.date.block), e.label} {
		if saysExtended(before) {
			if half := len(before) / 2; before[:half] == before[half+len(before)%2:] {
				before = before[:half] // the label of a line below another one has it twice
			}
			return before + " " + text
		}
	}
	return text
}

// isOwnDeadline reports whether an entry is a deadline, except one in running text that only repeats an entry of a
// list.
func isOwnDeadline(e entry, listed map[eventseer.DeadlineKind]bool) bool {
	if e.kind == eventseer.OtherDeadline && !dueWords.MatchString(e.label) {
		return false
	}
	return isDeadline(e.kind) && !(e.prose && listed[e.kind] && !unambiguousLabel.MatchString(e.label))
}

// unambiguousLabel matches an unambiguous label of a deadline in running text.
var unambiguousLabel = compilePattern(`(?i)\b(submission deadline|deadline for (\w+ ){0,2}(submissions?|papers))\b[^.;:]{0,30}\b(is|will be)( on)?\W*$`)

// listedFirst returns the entries of lists and tables, followed by those of running text.
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

// listedKinds returns the kinds of deadlines in lists and tables. Running text about the same kinds repeats
// them, and is read less reliably.
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

var dueWords = compilePattern(`(?i)deadline|schluss\b|frist|\bdue\b|\bopens?\b|close|until|before|by\b`)

// dayOfDeadline returns the day of a deadline: the last day of a range for a submission or registration, the
// first day for any other kind. It also says how a missing year was inferred.
func (r *deadlineReader) dayOfDeadline(f foundDate, kind eventseer.DeadlineKind, event date.Span) (date.Day, string, bool) {
	sp, inferred, ok := r.withInferredYear(f, kind, event)
	d := sp.From
	if kind.IsSubmission() || kind == eventseer.Registration {
		d = sp.To
	}
	return d, inferred, ok && d.HasYear()
}

// extendedFrom returns the previous date of a deadline on day on: the latest of its old dates before on. If
// none is before on, it returns the first one; "" for none.
func extendedFrom(e entry, on date.Day) eventseer.Date {
	var first, last eventseer.Date
	for _, o := range e.replacedDates {
		sp := o.Span
		if sp.From.Year == 0 {
			sp.SetClosestYear(on)
		}
		d := sp.To
		if !d.HasYear() || d == on {
			continue
		}
		if first == "" || d.Date() < first {
			first = d.Date()
		}
		if d.IsBefore(on) && d.Date() > last {
			last = d.Date()
		}
	}
	if last != "" {
		return last
	}
	return first
}

// kindUnder returns the kind of an entry, corrected by its heading and by what the page calls for if the
// label is generic. "Deadline" under "Posters" is a poster deadline.
func (r *deadlineReader) kindUnder(e entry, heading string, calledFor eventseer.DeadlineKind) eventseer.DeadlineKind {
	if e.kind != eventseer.Submission || !isGenericLabel(e.label) {
		return e.kind
	}
	if otherThingHeading.MatchString(e.track) || otherThingHeading.MatchString(heading) {
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

// otherThingHeading matches a heading above dates of other things than contributions, such as grants or hotels.
var otherThingHeading = compilePattern(`(?i)volunteer|travel (grant|fund|support|award|fellow)|scholarship|fellowship|stipend|bursar|\bmentor|accommodation|\bhotel|\bvisas?\b|sponsor|exhibit(s|or)|\bjobs?\b|vacanc`)
