package merge

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// TestStateOfEvents follows the state of an event on its pages: the page that reported it may withdraw it,
// pages that do not mention it cannot.
func TestStateOfEvents(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	read := func(url string, n int, s eventseer.State) eventseer.Event {
		e := eventseer.Event{URL: url, Title: "Conference on Crawling", Acronym: "ICX", Year: 2027, State: s, FirstSeen: day(n), LastSeen: day(n)}
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", TZ: "AoE"}}
		if s != "" {
			e.Sources = map[string]eventseer.Provenance{"state": {URL: url, Snippet: "The conference has been " + string(s) + "."}}
		}
		return e
	}
	home, other := "https://icx.example/2027/", "https://list.example/icx"
	e := read(home, 1, "")
	for n, step := range []struct {
		url      string
		say      eventseer.State
		want     eventseer.State
		changes  int
		evidence int
	}{
		{home, eventseer.Cancelled, eventseer.Cancelled, 1, 0}, {other, "", eventseer.Cancelled, 0, 0}, {home, eventseer.Cancelled, eventseer.Cancelled, 0, 0},
		{home, "", "", 1, 1}, {home, eventseer.Postponed, eventseer.Postponed, 1, 1},
	} {
		var fields []eventseer.FieldChange
		e, fields = Merge(e, read(step.url, 2+n, step.say))
		changes := 0
		for _, f := range fields {
			if f.Field == "state" {
				changes++
			}
		}
		evidence := 0
		for _, v := range e.Trail {
			if v.Field == "state" {
				evidence++
			}
		}
		if e.State != step.want || changes != step.changes || evidence != step.evidence || (e.State != "") != (e.Sources["state"].Snippet != "") {
			t.Errorf("step %d: %q with %d changes and %d pieces of evidence, want %+v", n, e.State, changes, evidence, step)
		}
		if _, open := eventseer.NextDeadline(e, day(1)); open == (e.State == eventseer.Cancelled) || (len(query.FactsOf(eventseer.Document{Event: e}).Due) > 0) != open {
			t.Errorf("step %d: %q and open: %t", n, e.State, open)
		}
	}
}
