package store

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/eventseer/series"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// model is the store as a list that is searched from end to end.
type model struct {
	events  []eventseer.Event
	last    map[string]eventseer.Event // URL and title → record read last
	changes int
}

func (m *model) put(e eventseer.Event) {
	bare := e
	bare.FirstSeen, bare.LastSeen = time.Time{}, time.Time{}
	page := e.URL + " " + e.Acronym
	old, known := m.last[page]
	same := known && cmp.Equal(old, bare)
	m.last[page] = bare
	for i := range m.events {
		at := &m.events[i]
		if !sameEdition(*at, e) {
			continue
		}
		if !same {
			merged, fields := merge.Merge(*at, e)
			merged.ID = at.ID
			if *at = merged; len(fields) > 0 {
				m.changes++
			}
		}
		if at.LastSeen.Before(e.LastSeen) {
			at.LastSeen = e.LastSeen
		}
		return
	}
	e.ID, e.Pages = series.MakeID(e), []string{e.URL}
	m.events = append(m.events, e)
	m.changes++
}

func TestAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		path := filepath.Join(t.TempDir(), "store.db")
		s, err := Open(path, Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		s.db.NoSync = true
		m := model{last: map[string]eventseer.Event{}}
		for step := range rapid.IntRange(1, 12).Draw(rt, "steps") {
			e := call(rapid.IntRange(0, 3).Draw(rt, "edition"), day1.Add(time.Duration(step)*time.Hour))
			if rapid.Bool().Draw(rt, "on a list") {
				e.URL = "https://list.example.net/" + e.Acronym
			}
			date := eventseer.Date(rapid.SampledFrom([]string{"2027-02-01", "2027-02-08", "2027-03-01"}).Draw(rt, "deadline"))
			e.Deadlines[0].Date, e.Deadlines[0].Instant = date, time.Time{}
			if _, err := s.Put(t.Context(), e, nil); err != nil {
				rt.Fatal(err)
			}
			m.put(e)
			if rapid.IntRange(0, 9).Draw(rt, "reopen") == 0 {
				if err := s.Close(); err != nil {
					rt.Fatal(err)
				}
				if s, err = Open(path, Options{}); err != nil {
					rt.Fatal(err)
				}
				s.db.NoSync = true
			}
		}
		compare(rt, s, m)
	})
}

func compare(t *rapid.T, s *Store, m model) {
	want := map[eventseer.EventID]eventseer.Event{}
	for _, e := range m.events {
		want[e.ID] = e
	}
	got := map[eventseer.EventID]eventseer.Event{}
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		got[e.ID] = e
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("events (-model +store):\n%s", diff)
	}
	if s.Len() != len(want) {
		t.Fatalf("Len = %d, want %d", s.Len(), len(want))
	}
	changes := 0
	for _, err := range s.Outbox(t.Context(), 0) {
		if changes++; err != nil {
			t.Fatal(err)
		}
	}
	if changes != m.changes {
		t.Fatalf("%d changes, the model made %d", changes, m.changes)
	}
	if last, err := s.LastChange(t.Context()); err != nil || last != uint64(changes) {
		t.Fatalf("the last of %d changes is %d, %v", changes, last, err)
	}
	for _, err := range s.Check() {
		t.Fatal(err)
	}
}

// A reader of the outbox cannot be ahead of it, one of another log may be anywhere.
func TestCheckMarks(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	for _, reader := range []string{eventseer.OtherLog + "x", "x"} {
		if err := s.SetReaderPosition(t.Context(), reader, 7); err != nil {
			t.Fatal(err)
		}
	}
	if bad := s.Check(); len(bad) != 1 || !strings.Contains(bad[0].Error(), "read position of x is 7") {
		t.Errorf("check reports %v", bad)
	}
}

func sameEdition(a, b eventseer.Event) bool {
	return match.LearnedScore(match.NewEventKey(a), match.NewEventKey(b)) >= 0
}
