package engine

import (
	"math"

	"eventseer/classify"
	"eventseer/eventseer"
)

// The gate tells pages of one event, which give a record, from all others. A crawl
// keeps the calls for papers alone (Judgement.IsCFP); `extract` also reads the other
// pages of an event, its home, dates and committee, since they are merged into it.
// So whatever a crawl keeps passes.
//
// Two signals decide: the chance that the page is a call, and the chance that it is
// a call or of type cfp or conference, taken as if the two models knew nothing of
// each other. Extracted fields as further signals (deadlines, dates, place, topics,
// committee, acronym, kind) change no figure by more than it varies by fold. But
// the models doubt short plain texts, which they have hardly seen: event dates with
// two deadlines are believed at gateDated, where the page is no list of events, and
// in plain text the dates of a named conference, workshop, symposium or school.
//
// Weights of a logistic regression, non-calls of type conference counting a tenth,
// by cross-validation over groups with the cross-fitted models:
//
//	go test -tags measure -run TestFitGate -v ./cmd/eventseer/internal/engine
//
//	let through            at .55               at .40               at .70
//	1,716 other pages      .012 [.006, .019]    .021 [.012, .032]    .008 [.004, .014]
//	683 calls              .991 [.982, .999]    .994 [.988, .999]    .988 [.977, .997]
//	1,058 of conferences   .773 [.682, .848]    .822 [.738, .890]    .691 [.594, .782]
//	177 other mails        .034 [.011, .062]    .034 [.011, .062]    .034 [.011, .062]
//	71 calls by mail       .972 [.930, 1.00]    .986 [.958, 1.00]    .972 [.930, 1.00]
const (
	gateBias   = -0.80
	gateCall   = 0.25 // log odds of a call
	gateEither = 1.25 // log odds of a call or a page of an event

	gateThreshold = 0.55
	gateDated     = 0.03 // with event dates and gateDeadlines
	gateNamed     = 0.01 // with event dates of a named event in plain text
	GateDeadlines = 2
	gateList      = 0.15 // chance of a list of events, below which that holds
)

// EventChance is the probability that a page tells of one event.
func EventChance(said classify.Judgement) float64 {
	signals := gateSignals(said)
	return 1 / (1 + math.Exp(-(gateBias + gateCall*signals[0] + gateEither*signals[1])))
}

// gateSignals returns what the gate weighs.
func gateSignals(said classify.Judgement) [2]float64 {
	event := said.PageTypeScores["cfp"] + said.PageTypeScores["conference"]
	return [...]float64{logit(said.CFPScore), logit(1 - (1-said.CFPScore)*(1-event))}
}

// IsEventPage reports whether a page gives a record; e is what it says of itself,
// plain says that it has no markup.
func IsEventPage(said classify.Judgement, e eventseer.Event, plain bool) bool {
	return said.IsCFP || isEventChance(EventChance(said), gateThreshold, said, e, plain)
}

// isEventChance is the decision at a threshold, for pages that are no call.
func isEventChance(chance, threshold float64, said classify.Judgement, e eventseer.Event, plain bool) bool {
	dated := e.EventStart != "" && said.PageTypeScores["cfp_list"] < gateList
	named := plain && e.Kind != "" && e.Kind != eventseer.OtherKind && e.Kind != eventseer.SpecialIssue
	return chance >= threshold || dated && chance >= gateDated && len(e.Deadlines) >= GateDeadlines || dated && named && chance >= gateNamed
}

// logit is the log odds of a probability, as far from 0 and 1 as models are to be believed.
func logit(p float64) float64 {
	const sure = 1e-4
	return math.Log(max(p, sure) / max(1-p, sure))
}
