package extract

import (
	"bytes"
	_ "embed"
	"math"
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

// minLead is by how much, as the logarithm of the ratio of their probabilities, the
// classifier must prefer a kind to that of the rules. It was chosen on owners not
// learned from.
const minLead = 1

// settled returns what a date is for: what the rules say, unless a classifier says
// otherwise and is surer by minLead. scores is room for its scores.
func (j judged) settled(m *classify.LogLinear, scores []float64) eventseer.DeadlineKind {
	m.Scores(j.terms, scores)
	classify.Softmax(scores)
	best, ruled, nothing := 0, 0.0, 0.0
	for k, p := range scores {
		if p > scores[best] {
			best = k
		}
		if kindClasses[k] == j.ruled {
			ruled = p
		}
		if !scored(kindClasses[k]) {
			nothing += p
		}
	}
	kind := kindClasses[best]
	if !scored(j.ruled) {
		ruled = nothing
	}
	if nothing > scores[best] {
		kind = noDeadline
		scores[best] = nothing
	}
	if !scored(kind) && !scored(j.ruled) || math.Log(scores[best]/(ruled+tiny)) < minLead {
		return j.ruled
	}
	return kind
}

const tiny = 1e-9

// scored reports whether a kind is that of a deadline proper.
func scored(k eventseer.DeadlineKind) bool { return isDeadline(k) && k != eventseer.OtherDeadline }
