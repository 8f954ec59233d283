package eventseer

import (
	"testing"
	"time"
)

// TestStateOfEvents follows what pages say of an event: who said so may take it back, others
// who say nothing do not.
func TestStateOfEvents(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	read := func(url string, n int, s State) Event {
		e := Event{URL: url, Title: "Conference on Crawling", Acronym: "ICX", Year: 2027, State: s, FirstSeen: day(n), LastSeen: day(n)}
		e.Deadlines = []Deadline{{Kind: Submission, Date: "2027-01-15", TZ: "AoE"}}
		if s != "" {
			e.Sources = map[string]Provenance{"state": {URL: url, Snippet: "The conference has been " + string(s) + "."}}
		}
		return e
	}
	home, other := "https://icx.example/2027/", "https://list.example/icx"
	e := read(home, 1, "")
	for n, step := range []struct {
		url      string
		say      State
		want     State
		changes  int
		evidence int
	}{
		{home, Cancelled, Cancelled, 1, 0}, {other, "", Cancelled, 0, 0}, {home, Cancelled, Cancelled, 0, 0},
		{home, "", "", 1, 1}, {home, Postponed, Postponed, 1, 1},
	} {
		var fields []FieldChange
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
		if _, open := NextDeadline(e, day(1)); open == (e.State == Cancelled) || (len(FactsOf(Document{Event: e}).Due) > 0) != open {
			t.Errorf("step %d: %q and open: %t", n, e.State, open)
		}
	}
}
