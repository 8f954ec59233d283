package publish

import (
	"slices"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/match"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// tellState tells that an event is cancelled or postponed, or on again, to all whom it was
// told and who follow it: to these at once, to the others by the rhythm of their list.
func (s *Service) tellState(tx *bbolt.Tx, e eventseer.Event, c eventseer.Change) (int, error) {
	at := slices.IndexFunc(c.Fields, func(f eventseer.FieldChange) bool { return f.Field == "state" })
	if at < 0 || c.New || c.Fields[at].New != string(e.State) {
		return 0, nil
	}
	now := s.now()
	i := newItem(eventseer.StateChanged, e, now)
	i.Source, i.Why = sourceOf(e, c), []string{stateWords(e.State)}
	i.Passage, _ = match.CutPassage(message.CleanLine(e.Sources["state"].Snippet, match.MaxPassage), nil)
	what := "state " + string(e.State) + " " + c.At.UTC().Format("2006-01-02")
	return tellKnowing(tx, e.ID, func(a *account, lists []string, starred bool) (int, error) {
		return s.tellOnce(tx, a, i, what, lists, starred, now)
	})
}

func stateWords(state eventseer.State) string {
	switch state {
	case eventseer.Cancelled:
		return "the page says that it is cancelled"
	case eventseer.Postponed:
		return "the page says that it is postponed"
	}
	return "the page no longer says that it is cancelled or postponed"
}
