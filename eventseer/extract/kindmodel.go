package extract

import (
	"eventseer/classify"
	"eventseer/eventseer"
)

// kindClasses are what a date can be for: the kinds of deadlines, the event's own
// days, and nothing of the kind.
var kindClasses = []eventseer.DeadlineKind{
	noDeadline, eventDates, eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady, eventseer.Registration,
	eventseer.Rebuttal, eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.OtherDeadline,
}

// addOdds is how much likelier the classifier must find that a date is a deadline than
// that it is none where the rules see none; chosen on owners not learned from.
const addOdds = 3

// settled returns what a date is for: what the rules say, but a deadline where they see
// none and a classifier surely does. What the rules call a deadline it leaves alone: to
// correct or drop them by it lost more than it won. scores is room for its scores.
func (j judged) settled(m *classify.LogLinear, scores []float64) eventseer.DeadlineKind {
	if !j.open() {
		return j.ruled
	}
	m.Scores(j.terms, scores)
	classify.Softmax(scores)
	best, none := -1, 0.0
	for k, p := range scores {
		switch {
		case !scored(kindClasses[k]):
			none += p
		case best < 0 || p > scores[best]:
			best = k
		}
	}
	if scores[best] > addOdds*none {
		return kindClasses[best]
	}
	return j.ruled
}

// open reports whether the classifier may say what j is.
func (j judged) open() bool { return !scored(j.ruled) && !j.date.struck }

// scored reports whether a kind is that of a deadline proper.
func scored(k eventseer.DeadlineKind) bool { return isDeadline(k) && k != eventseer.OtherDeadline }
