package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// A remoteMessage is an event as a crawler has it.
type remoteMessage struct {
	from  string
	event eventseer.Event
}

// eventsOf returns all events of a store.
func eventsOf(t *testing.T, s *Store) (events []eventseer.Event) {
	t.Helper()
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, e)
	}
	return events
}

// A log of events keeps the last message of each. Stores that read it have the same events,
// whichever earlier messages each of them saw, and however often.
func TestPutRemoteInAnyState(t *testing.T) {
	for seed := range uint64(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 29))
			crawlers := map[string]*Store{"w1": newStore(t), "w2": newStore(t)}
			all, late := newStore(t), newStore(t)
			take := func(s *Store, m remoteMessage) {
				if _, err := s.PutRemote(t.Context(), m.from, m.event, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
			var log []remoteMessage
			unread := 0 // by late
			for step := range 2 + rng.IntN(12) {
				from := []string{"w1", "w2"}[rng.IntN(2)]
				id := put(t, crawlers[from], someReading(rng, from, day1.Add(time.Duration(step)*time.Hour)))
				m := remoteMessage{from, event(t, crawlers[from], id)}
				take(all, m)
				if i := slices.IndexFunc(log, func(before remoteMessage) bool { return before.from == from && before.event.ID == id }); i >= 0 {
					log = slices.Delete(log, i, i+1)
					if i < unread {
						unread--
					}
				}
				log = append(log, m)
				if rng.IntN(4) == 0 {
					for _, m := range log[unread:] {
						take(late, m)
					}
					unread = len(log) - rng.IntN(2) // the last is read again, or not
				}
			}
			for _, m := range log[unread:] {
				take(late, m)
			}
			if diff := cmp.Diff(eventsOf(t, all), eventsOf(t, late)); diff != "" {
				t.Errorf("events (-of all messages +of the last):\n%s", diff)
			}
		})
	}
}

// someReading returns the record of a page of one of a few editions. The page is on their own site, possibly
// one that a single crawler reads, or a list in the crawler's part of the web.
func someReading(rng *rand.Rand, from string, at time.Time) eventseer.Event {
	e := call(rng.IntN(3), at)
	switch rng.IntN(3) {
	case 0:
		e.URL = "https://list." + from + ".example/" + e.Acronym
	case 1:
		e.URL += from
	default:
		e.URL = strings.Replace(e.URL, "example.org", from+".example", 1)
	}
	e.Deadlines[0].Date, e.Deadlines[0].Instant = []eventseer.Date{"2027-02-01", "2027-02-08", "2027-03-01"}[rng.IntN(3)], time.Time{}
	if rng.IntN(2) == 0 {
		e.Kind = eventseer.Workshop
	}
	if rng.IntN(2) == 0 {
		e.Location = &eventseer.Venue{City: "Oslo", Country: "Norway"}
	}
	e.EventStart = "2027-06-01" // without days, differing pages belong to one event in some states and not in others
	return e
}

// The records that a store has read itself count together with those of other stores, whichever came first.
func TestPutRemoteBesideOwn(t *testing.T) {
	s := newStore(t)
	own := call(0, day1)
	own.URL = "https://list.example/own"
	id := put(t, s, own)
	remote := call(0, day1.Add(time.Hour))
	remote.ID, remote.Topics = "sub-2027", []string{"Bridges"}
	for range 2 {
		if of, err := s.PutRemote(t.Context(), "w1", remote, nil, nil); err != nil || of != id {
			t.Fatalf("went into %s, %v; want %s", of, err, id)
		}
	}
	own.LastSeen, own.Topics = day1.Add(2*time.Hour), []string{"Tunnels"}
	put(t, s, own)
	remote.LastSeen, remote.Topics = day1.Add(3*time.Hour), []string{"Roads"}
	if _, err := s.PutRemote(t.Context(), "w1", remote, nil, nil); err != nil {
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
