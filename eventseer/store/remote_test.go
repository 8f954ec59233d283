package store

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A remoteMessage is an event as a crawler has it.
type remoteMessage struct {
	from  string
	event eventseer.Event
}

// eventsOf returns all events of a store that has nothing broken.
func eventsOf(t *rapid.T, s *Store) (events []eventseer.Event) {
	t.Helper()
	for e, err := range s.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	for _, err := range s.Check() {
		t.Fatal(err)
	}
	return events
}

// Stores that read a log of events which keeps the last message of each have the same
// events, whichever earlier messages each of them saw, and however often.
func TestPutRemoteInAnyState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		open := func(name string) *Store {
			s, err := Open(filepath.Join(dir, name), Options{Now: func() time.Time { return day1 }})
			if err != nil {
				rt.Fatal(err)
			}
			s.db.NoSync = true
			rt.Cleanup(func() { _ = s.Close() })
			return s
		}
		crawlers := map[string]*Store{"w1": open("w1"), "w2": open("w2")}
		all, late := open("all"), open("late")
		take := func(s *Store, m remoteMessage) {
			if _, err := s.PutRemote(t.Context(), m.from, m.event, nil); err != nil {
				rt.Fatal(err)
			}
		}
		var log []remoteMessage
		unread := 0 // by late
		for step := range rapid.IntRange(2, 9).Draw(rt, "steps") {
			from := rapid.SampledFrom([]string{"w1", "w2"}).Draw(rt, "crawler")
			e := drawnReading(rt, from, day1.Add(time.Duration(step)*time.Hour))
			id, err := crawlers[from].Put(t.Context(), e, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if e, err = crawlers[from].Event(t.Context(), id); err != nil {
				rt.Fatal(err)
			}
			m := remoteMessage{from, e}
			take(all, m)
			for i, before := range log {
				if before.from == from && before.event.ID == id {
					log = append(log[:i:i], log[i+1:]...)
					if i < unread {
						unread--
					}
					break
				}
			}
			log = append(log, m)
			if rapid.IntRange(0, 3).Draw(rt, "read") == 0 {
				for _, m := range log[unread:] {
					take(late, m)
				}
				if unread = len(log) - rapid.IntRange(0, 1).Draw(rt, "again"); unread < 0 {
					unread = 0
				}
			}
		}
		for _, m := range log[unread:] {
			take(late, m)
		}
		if diff := cmp.Diff(eventsOf(rt, all), eventsOf(rt, late)); diff != "" {
			rt.Fatalf("events (-of all messages +of the last):\n%s", diff)
		}
	})
}

// drawnReading is a reading of a page of one of a few editions: on their own sites, each of one crawler,
// or of a list on the crawler's side of the web.
func drawnReading(rt *rapid.T, from string, at time.Time) eventseer.Event {
	e := call(rapid.IntRange(0, 2).Draw(rt, "edition"), at)
	switch rapid.IntRange(0, 2).Draw(rt, "page") {
	case 0:
		e.URL = "https://list." + from + ".example/" + e.Acronym
	case 1:
		e.URL += from
	default:
		e.URL = strings.Replace(e.URL, "example.org", from+".example", 1)
	}
	date := eventseer.Date(rapid.SampledFrom([]string{"2027-02-01", "2027-02-08", "2027-03-01"}).Draw(rt, "deadline"))
	e.Deadlines[0].Date, e.Deadlines[0].Instant = date, time.Time{}
	if rapid.Bool().Draw(rt, "with kind") {
		e.Kind = eventseer.Workshop
	}
	if rapid.Bool().Draw(rt, "with place") {
		e.Location = &eventseer.Venue{City: "Oslo", Country: "Norway"}
	}
	e.EventStart = "2027-06-01" // without days pages that differ are of one event in some states and not in others
	return e
}

// What a store read itself counts beside what others say, before and after.
func TestPutRemoteBesideOwn(t *testing.T) {
	s := newStore(t)
	own := call(0, day1)
	own.URL = "https://list.example/own"
	id := put(t, s, own)
	remote := call(0, day1.Add(time.Hour))
	remote.ID, remote.Topics = "sub-2027", []string{"Bridges"}
	for range 2 {
		if of, err := s.PutRemote(t.Context(), "w1", remote, nil); err != nil || of != id {
			t.Fatalf("went into %s, %v; want %s", of, err, id)
		}
	}
	own.LastSeen, own.Topics = day1.Add(2*time.Hour), []string{"Tunnels"}
	put(t, s, own)
	remote.LastSeen, remote.Topics = day1.Add(3*time.Hour), []string{"Roads"}
	if _, err := s.PutRemote(t.Context(), "w1", remote, nil); err != nil {
		t.Fatal(err)
	}
	e := event(t, s, id)
	if diff := cmp.Diff([]string{"Tunnels", "Roads"}, e.Topics); diff != "" {
		t.Errorf("topics (-want +got):\n%s", diff)
	}
	if again := event(t, s, "sub-2027"); again.ID != id {
		t.Errorf("sub-2027 leads to %s", again.ID)
	}
}
