package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// correctKinds returns the entries with kinds corrected by the other entries and the order of dates. For
// example, papers due again after the notification are final versions.
func (r *deadlineReader) correctKinds(es []entry) []entry {
	es = slices.Clone(es)
	if notified, ok := firstOf(es, eventseer.Notification); ok {
		r.findFinalVersions(es, notified)
	}
	correctLastSubmissions(es)
	r.correctFirstPapers(es)
	return es
}

// firstOf returns the earliest date of a kind that has a year and is in a list or table. ok is false if
// there is none.
func firstOf(es []entry, kind eventseer.DeadlineKind) (date.Day, bool) {
	var first date.Day
	for _, e := range es {
		if d := e.date.To; e.kind == kind && !e.prose && d.HasYear() && (!first.HasYear() || d.IsBefore(first)) {
			first = d
		}
	}
	return first, first.HasYear()
}

var (
	revision  = compilePattern(`(?i)\brevis(ed|ion)`)
	surelyNew = compilePattern(`(?i)\b(full|short|late|second|journal|demo|poster|late-breaking|third|challenge|student|industr\w+|workshops?|tutorials?|special|panels?)\b`)
	// ready matches a label that always means final versions.
	ready = compilePattern(`(?i)camera|ready|accepted|proceedings|version|cop(y|ies)\b|manuscript`)
)

// A contribution identifies a contribution with a deadline, as far as a list of dates distinguishes them.
type contribution struct {
	kind    eventseer.DeadlineKind
	head    int
	track   string
	generic bool
}

func (r *deadlineReader) contributionOf(e entry) contribution {
	return contribution{e.kind, r.head[e.date.block], e.track, isGenericLabel(e.label)}
}

// findFinalVersions finds the deadlines of final versions on a page that does not name them in a usual way.
// They are papers or revisions due after the notification, if the same contributions were due before it
// too. notified is the day of the first notification. es is modified.
func (r *deadlineReader) findFinalVersions(es []entry, notified date.Day) {
	named, papers, lastNotified := false, false, notified
	before := map[contribution]bool{}
	labels := map[string]bool{} // labels of contributions due before the notification
	for _, e := range es {
		if d := e.date.To; e.kind == eventseer.Notification && d.HasYear() && lastNotified.IsBefore(d) {
			lastNotified = d
		}
		named = named || e.kind == eventseer.CameraReady
		if papers = papers || e.kind.IsSubmission(); e.kind.IsSubmission() && !e.prose && e.date.To.HasYear() && e.date.To.IsBefore(notified) {
			before[r.contributionOf(e)] = true
			labels[dueLabelOf(e)] = true
		}
	}
	for k := range es {
		e := &es[k]
		switch {
		case e.prose || !e.date.From.HasYear():
		case e.kind == eventseer.CameraReady && !papers && e.date.To.IsBefore(notified) && !ready.MatchString(e.label):
			e.kind = eventseer.Submission
		case named || !notified.IsBefore(e.date.From):
		case e.kind == eventseer.OtherDeadline && revision.MatchString(e.label),
			before[r.contributionOf(*e)] && !round.MatchString(e.label) &&
				(!surelyNew.MatchString(e.label) || labels[dueLabelOf(*e)] && lastNotified.IsBefore(e.date.From)):
			e.kind = eventseer.CameraReady
		}
	}
}

// dueLabelOf returns the contribution that a label names, in the order of the label's words. It is "full
// paper" for both "Full Paper Submission Deadline" and "Full paper submission".
func dueLabelOf(e entry) string {
	words := strings.Fields(plainLabel(e.label))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return dueStops[w] || dayNouns[w] }), " ")
}

// correctLastSubmissions sets the kind of a "final submission deadline" to Submission if the page has
// neither a notification nor another submission. es is modified.
func correctLastSubmissions(es []entry) {
	for _, e := range es {
		if e.kind.IsSubmission() || e.kind == eventseer.Notification {
			return
		}
	}
	for k := range es {
		if e := &es[k]; e.kind == eventseer.CameraReady && lastSubmission.MatchString(e.label) && !ready.MatchString(e.label) {
			e.kind = eventseer.Submission
		}
	}
}

var lastSubmission = compilePattern(`(?i)\bfinal (paper )?submissions?\b`)

var fullPaper = compilePattern(`(?i)\bfull[- ]?(length )?(paper|manuscript|article|text)`)

// correctFirstPapers sets the kind of a submission deadline without a named contribution to Abstract. It
// does so if the text asks for abstracts and full papers are due later. es is modified.
func (r *deadlineReader) correctFirstPapers(es []entry) {
	full := date.Day{}
	for _, e := range es {
		switch {
		case e.kind == eventseer.Abstract && !e.prose:
			return
		case e.kind == eventseer.Submission && !e.prose && fullPaper.MatchString(e.label):
			full = e.date.To
		}
	}
	if !full.HasYear() {
		return
	}
	if abstracts, _ := r.countRequests(); abstracts == 0 {
		return
	}
	for k := range es {
		if e := &es[k]; e.kind == eventseer.Submission && isGenericLabel(e.label) && e.date.To.HasYear() && e.date.To.IsBefore(full) {
			e.kind = eventseer.Abstract
		}
	}
}
