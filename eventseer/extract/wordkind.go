package extract

import (
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/wording"
)

// wordKind returns the kind of a date by the concepts of a label that is not English. It returns "" if they
// are not evidence for a kind. The rules are of no language: the words of each are in the glossary of package
// wording.
func wordKind(label string) eventseer.DeadlineKind {
	r := wording.ReadLabel(label)
	if !r.Foreign {
		return ""
	}
	return conceptKind(r)
}

const (
	handedInConcepts = wording.Abstract | wording.Paper | wording.Communication
	partConcepts     = wording.Poster | wording.Demo | wording.Workshops | wording.Tutorial | wording.Doctoral
	outcome          = wording.Accept | wording.Author | wording.Review
)

// conceptKind reports what the concepts of a label mean together.
func conceptKind(r wording.LabelMeaning) eventseer.DeadlineKind {
	s := r.All
	due := s.Has(wording.Send | wording.Due | wording.Until)
	things := s.Has(handedInConcepts | wording.Version | wording.Proposal)
	switch {
	case s&^(wording.And|wording.Until|wording.Author|wording.Open) == 0:
		return ""
	case s.Has(wording.Update) && !s.Has(wording.Send|wording.Register|handedInConcepts):
		return noDeadline
	case s.Has(wording.Session) && !due && !s.Has(handedInConcepts|wording.Register|wording.Tell):
		return eventDates
	case s.Has(wording.Open):
		if s.Has(wording.Event) && !s.Has(handedInConcepts|wording.Send|wording.Register|wording.Proposal) {
			return eventDates
		}
		return eventseer.OtherDeadline
	case s.Has(wording.Programme) && !s.Has(handedInConcepts|wording.Accept):
		return eventseer.OtherDeadline
	case saysNotified(r):
		return eventseer.Notification
	case s.Has(wording.Final) && (s.Has(wording.Version|handedInConcepts|wording.Accept|wording.Send) || !due) && !s.Has(wording.Register),
		s.Has(wording.Corrected) && (things || due),
		s.Has(wording.Version) && s.Has(wording.Accept),
		s.Has(wording.Accept) && s.Has(wording.Send) && things:
		return eventseer.CameraReady
	case s.Has(wording.Review) && !s.Has(wording.Send|wording.Accept):
		return eventseer.OtherDeadline
	case s.Has(wording.Accept) && !due:
		return eventseer.Notification
	case s.Has(wording.Register) && (s.Has(wording.Author) || !s.Has(handedInConcepts|partConcepts|wording.Proposal)):
		return eventseer.Registration
	}
	return submissionKindOf(r, due, things)
}

// saysNotified reports whether the concepts of a label say that authors are notified.
func saysNotified(r wording.LabelMeaning) bool {
	s := r.All
	if s.Has(wording.Communication) && s.Has(outcome) && !s.Has(wording.Due|wording.Until) {
		return true
	}
	return s.Has(wording.Tell) && !s.Has(wording.Register) && !(s.Has(wording.Send|wording.Due) && s.Has(wording.Paper|wording.Abstract) && !s.Has(wording.Accept|wording.Review|wording.Author))
}

// submissionKindOf reports what is handed in by a date whose label names no later step.
func submissionKindOf(r wording.LabelMeaning, due, things bool) eventseer.DeadlineKind {
	s := r.All
	switch {
	case s.Has(wording.Doctoral):
		return eventseer.Doctoral
	case s.Has(wording.Tutorial):
		return eventseer.TutorialProposal
	case s.Has(wording.Workshops), s.Has(wording.Proposal) && s.Has(wording.Event) && !s.Has(handedInConcepts):
		return eventseer.WorkshopProposal
	case s.Has(wording.Abstract) && s.Has(wording.Poster):
		return eventseer.Abstract
	case s.Has(wording.Poster):
		return eventseer.Poster
	case s.Has(wording.Demo):
		return eventseer.Demo
	case areJoinedByAnd(r, wording.Abstract, wording.Paper|wording.Communication):
		return eventseer.Submission
	case s.Has(wording.Abstract):
		return eventseer.Abstract
	case s.Has(wording.Event) && !due && !things, s.Has(wording.Event) && s.Has(wording.Held) && !s.Has(wording.Send):
		return eventDates
	case s.Has(wording.Pay):
		return eventseer.OtherDeadline
	case due, things:
		return eventseer.Submission
	}
	return ""
}

// areJoinedByAnd reports whether "and" alone is between a word for a and one for b.
func areJoinedByAnd(r wording.LabelMeaning, a, b wording.ConceptSet) bool {
	for i := 1; i+1 < len(r.Words); i++ {
		before, after := r.Words[i-1], r.Words[i+1]
		if r.Words[i] == wording.And && (before.Has(a) && after.Has(b) || before.Has(b) && after.Has(a)) {
			return true
		}
	}
	return false
}
