package extract

import (
	"bytes"
	_ "embed"
	"sync"

	"eventseer/classify"
	"eventseer/eventseer"
)

// kindClasses are what a date can be for: the kinds of deadlines, the event's own
// days, and nothing of the kind.
var kindClasses = []eventseer.DeadlineKind{
	noDeadline, eventDates, eventseer.Abstract, eventseer.Submission, eventseer.Notification, eventseer.CameraReady, eventseer.Registration,
	eventseer.Rebuttal, eventseer.WorkshopProposal, eventseer.TutorialProposal, eventseer.Poster, eventseer.Demo, eventseer.Doctoral, eventseer.OtherDeadline,
}

// kindFile holds the weights of the classifier of dates, which TestLearnKinds writes.
//
//go:embed kinds.model
var kindFile []byte

// kindModel returns the classifier of dates.
var kindModel = sync.OnceValue(func() *classify.LogLinear {
	if len(kindFile) == 0 {
		return nil // while it is learned
	}
	m, err := classify.ReadLogLinear(bytes.NewReader(kindFile))
	if err != nil {
		panic(err) // it is part of the program
	}
	return m
})

// By how much, as the ratio of their probabilities, the classifier must prefer what it
// says to what the rules say; chosen on owners not learned from.
const (
	addOdds  = 3 // to see a deadline where they see none
	dropOdds = 8 // to see none where they see one
)

// settled returns what a date is for: what the rules say, unless a classifier is much
// surer that it is a deadline where they see none, or none where they see one. Of
// two kinds of deadlines the rules tell better which it is. scores is room for the
// classifier's scores.
func (j judged) settled(m *classify.LogLinear, scores []float64) eventseer.DeadlineKind {
	m.Scores(j.terms, scores)
	classify.Softmax(scores)
	best, ruled, none := -1, 0.0, 0.0
	for k, p := range scores {
		switch {
		case !scored(kindClasses[k]):
			none += p
		case best < 0 || p > scores[best]:
			best = k
		}
		if kindClasses[k] == j.ruled {
			ruled = p
		}
	}
	switch {
	case scored(j.ruled) && none > dropOdds*ruled && none > scores[best]:
		return noDeadline
	case !scored(j.ruled) && !j.date.struck && scores[best] > addOdds*none:
		return kindClasses[best]
	}
	return j.ruled
}

// scored reports whether a kind is that of a deadline proper.
func scored(k eventseer.DeadlineKind) bool { return isDeadline(k) && k != eventseer.OtherDeadline }
