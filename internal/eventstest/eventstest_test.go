package eventstest

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"

	"github.com/google/go-cmp/cmp"
)

var now = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

func TestEvents(t *testing.T) {
	const n = 5000
	events := Events(7, n, now)
	if diff := cmp.Diff(events, Events(7, n, now)); diff != "" {
		t.Errorf("the same seed gives others:\n%s", diff)
	}
	ids := map[eventseer.EventID]bool{}
	open, extended, clips := 0, 0, 0
	for _, e := range events {
		if ids[e.ID] {
			t.Errorf("%s comes twice", e.ID)
		}
		ids[e.ID] = true
		if got := series.Of(e); got != e.Series {
			t.Errorf("%s: series %q, want %q", e.ID, e.Series, got)
		}
		if e.FirstSeen.After(now) || e.LastSeen.After(now) || e.LastSeen.Before(e.FirstSeen) {
			t.Errorf("%s: seen %v to %v", e.ID, e.FirstSeen, e.LastSeen)
		}
		if _, ok := eventseer.NextDeadline(e, now); ok {
			open++
		}
		for _, d := range e.Deadlines {
			if d.ExtendedFrom != "" {
				extended++
			}
			if _, ok := d.Date.Time(); !ok || d.Text == "" {
				t.Errorf("%s: deadline %+v", e.ID, d)
			}
		}
		for _, c := range Clips(e) {
			clips++
			if c.Event != e.ID || c.Summary == "" || len([]rune(c.Summary)) > eventseer.MaxSnippet {
				t.Errorf("%s: clip %+v", e.ID, c)
			}
		}
	}
	if open < n/10 || open > n/2 || extended < n/20 || clips < n {
		t.Errorf("%d open, %d extended, %d clips", open, extended, clips)
	}
}

func TestSeries(t *testing.T) {
	of := map[string]bool{}
	for _, e := range Events(7, 5*ranked, now) {
		of[e.Series] = true
	}
	for _, s := range Series(7) {
		if !of[s.ID] || len(s.Ranks) == 0 || len(s.Rates) == 0 {
			t.Errorf("series %+v", s)
		}
	}
}

func TestLists(t *testing.T) {
	for _, l := range Lists(7, 1000) {
		x, err := query.Parse(l.Query)
		if err != nil || len(x.Clauses) == 0 || len(x.Clauses[0]) != 5 {
			t.Errorf("list %q: %v", l.Query, err)
		}
	}
}

func BenchmarkEvents(b *testing.B) {
	for i := 0; b.Loop(); i++ {
		event(7, i, now)
	}
}
