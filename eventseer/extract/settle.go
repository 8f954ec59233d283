package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
)

// settleKinds corrects the kinds that labels give by the page's other calls and the order of the
// dates. A second round of papers after the notification is that of the final versions.
func (p *page) settleKinds(es []entry) []entry {
	es = slices.Clone(es)
	if notified, ok := firstOf(es, eventseer.Notification); ok {
		p.settleFinals(es, notified)
	}
	settleLastSubmissions(es)
	p.settleFirstPapers(es)
	return es
}

// firstOf returns the earliest date of a kind that stands with its year in a
// list or table.
func firstOf(es []entry, kind eventseer.DeadlineKind) (date.Day, bool) {
	var first date.Day
	for _, e := range es {
		if d := e.date.To; e.kind == kind && !e.prose && d.Whole() && (!first.Whole() || d.Before(first)) {
			first = d
		}
	}
	return first, first.Whole()
}

var (
	revision  = compile(`(?i)\brevis(ed|ion)`)
	surelyNew = compile(`(?i)\b(full|short|late|second|journal|demo|poster|late-breaking|third|challenge|student|industr\w+|workshops?|tutorials?|special|panels?)\b`)
	// ready matches a label that can only mean final versions.
	ready = compile(`(?i)camera|ready|accepted|proceedings|version|cop(y|ies)\b|manuscript`)
)

// A handedIn is what something is handed in for, as far as one list of dates
// tells such things apart.
type handedIn struct {
	kind    eventseer.DeadlineKind
	head    int
	track   string
	generic bool
}

func (p *page) handedIn(e entry) handedIn {
	return handedIn{e.kind, p.head[e.date.block], e.track, generic(e.label)}
}

// settleFinals finds the final versions of a page that does not use one of their usual names. They
// are papers or revisions due after the notification, if the same was due before it.
func (p *page) settleFinals(es []entry, notified date.Day) {
	named, papers, lastNotified := false, false, notified
	before := map[handedIn]bool{}
	labels := map[string]bool{} // of what is handed in before the notification
	for _, e := range es {
		if d := e.date.To; e.kind == eventseer.Notification && d.Whole() && lastNotified.Before(d) {
			lastNotified = d
		}
		named = named || e.kind == eventseer.CameraReady
		if papers = papers || e.kind.Submits(); e.kind.Submits() && !e.prose && e.date.To.Whole() && e.date.To.Before(notified) {
			before[p.handedIn(e)] = true
			labels[dueLabelOf(e)] = true
		}
	}
	for k := range es {
		e := &es[k]
		switch {
		case e.prose || !e.date.From.Whole():
		case e.kind == eventseer.CameraReady && !papers && e.date.To.Before(notified) && !ready.MatchString(e.label):
			e.kind = eventseer.Submission
		case named || !notified.Before(e.date.From):
		case e.kind == eventseer.OtherDeadline && revision.MatchString(e.label),
			before[p.handedIn(*e)] && !round.MatchString(e.label) &&
				(!surelyNew.MatchString(e.label) || labels[dueLabelOf(*e)] && lastNotified.Before(e.date.From)):
			e.kind = eventseer.CameraReady
		}
	}
}

// dueLabelOf returns the thing due according to a label, in the label's order of words. It is "full
// paper" for both "Full Paper Submission Deadline" and "Full paper submission".
func dueLabelOf(e entry) string {
	words := strings.Fields(plainLabel(e.label))
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return dueStops[w] || dayNouns[w] }), " ")
}

// settleLastSubmissions reads the "final submission deadline" of a page that
// tells of no notification and no earlier submission as that of the papers.
func settleLastSubmissions(es []entry) {
	for _, e := range es {
		if e.kind.Submits() || e.kind == eventseer.Notification {
			return
		}
	}
	for k := range es {
		if e := &es[k]; e.kind == eventseer.CameraReady && lastSubmission.MatchString(e.label) && !ready.MatchString(e.label) {
			e.kind = eventseer.Submission
		}
	}
}

var lastSubmission = compile(`(?i)\bfinal (paper )?submissions?\b`)

var fullPaper = compile(`(?i)\bfull[- ]?(length )?(paper|manuscript|article|text)`)

// settleFirstPapers reads a deadline without a named subject as that of abstracts. It does so if
// the text asks for abstracts and full papers are due later.
func (p *page) settleFirstPapers(es []entry) {
	full := date.Day{}
	for _, e := range es {
		switch {
		case e.kind == eventseer.Abstract && !e.prose:
			return
		case e.kind == eventseer.Submission && !e.prose && fullPaper.MatchString(e.label):
			full = e.date.To
		}
	}
	if !full.Whole() {
		return
	}
	if abstracts, _ := p.countAsked(); abstracts == 0 {
		return
	}
	for k := range es {
		if e := &es[k]; e.kind == eventseer.Submission && generic(e.label) && e.date.To.Whole() && e.date.To.Before(full) {
			e.kind = eventseer.Abstract
		}
	}
}
