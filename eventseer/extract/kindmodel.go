package extract

import (
	"math"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
)

// kindClasses are the possible kinds of a date: the kinds of deadlines, the event's own days, and none of
// these.
var kindClasses = []eventseer.DeadlineKind{
	noDeadline, eventDates, eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady, eventseer.Registration,
	eventseer.Rebuttal, eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.OtherDeadline,
}

// How much likelier the classifier must find one reading of a date than another to override the
// rules. The readings are a deadline where rules see none, another kind of deadline, or none where
// they see one. They were chosen on the dates of datasets/dates.tsv, by models trained without their
// owners: the rules were written with the pages of gold and of the work sites in view, so that these
// show the rules too good. A deadline of the rules is dropped only at higher odds, so that no row of a
// regular table is lost (doc/decisions/060).
const (
	addOdds    = 1.5
	changeOdds = 2
	dropOdds   = 4
)

// kindCurve gives the probability that the kind of a deadline is correct, by the log odds that the classifier
// gives this kind. TestTrainKinds fits it to pages of owners that the classifier was not trained on.
var kindCurve = classify.Platt{A: -0.512, B: -0.484}

// kindConfidence returns the probability that a kind is correct, in steps of 0.01. share is the probability that
// the classifier gives it. Without a share it returns 0, which means that it was not measured.
func kindConfidence(share float64) float64 {
	if share == 0 {
		return 0
	}
	return math.Round(100*kindCurve.Probability(logOdds(share))) / 100
}

// decidedKind returns the kind of a date: the one that the rules give, unless the classifier contradicts them
// with enough certainty. It also returns the probability that the classifier gives this kind; it is 0 if the
// classifier was not used. scores is room for its scores.
func (j judgedDate) decidedKind(m *classify.LogLinear, scores []float64) (eventseer.DeadlineKind, float64) {
	if !j.isUndecided() {
		return j.ruled, 0
	}
	m.Scores(j.terms, scores)
	classify.Softmax(scores)
	best, none, ruled := -1, 0.0, 0.0
	for k, p := range scores {
		if kindClasses[k] == j.ruled {
			ruled = p
		}
		switch {
		case !isScoredKind(kindClasses[k]):
			none += p
		case best < 0 || p > scores[best]:
			best = k
		}
	}
	switch {
	case !isScoredKind(j.ruled):
		if scores[best] > addOdds*none {
			return kindClasses[best], scores[best]
		}
	case none > scores[best] && none > dropOdds*ruled:
		return noDeadline, none
	case scores[best] > none && scores[best] > changeOdds*ruled:
		return kindClasses[best], scores[best]
	}
	return j.ruled, ruled
}

// isUndecided reports whether the classifier may say what j is.
func (j judgedDate) isUndecided() bool { return !j.date.struck }

// isScoredKind reports whether a kind is that of a deadline proper.
func isScoredKind(k eventseer.DeadlineKind) bool {
	return isDeadline(k) && k != eventseer.OtherDeadline
}
