package search

import (
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// TestOrders checks each order of facts pair by pair, and that pages of it are its parts.
func TestOrders(t *testing.T) {
	x, err := Open("", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	docs := map[eventseer.EventID]eventseer.Document{}
	var all []eventseer.Document
	for i, e := range eventstest.Events(1, 200, now) {
		e.FirstSeen = now.Add(-time.Duration(i*7919%200) * time.Hour)
		d := eventseer.Document{Event: e}
		if i%3 == 0 {
			d.Ranks = []eventseer.Rank{{System: "core", Value: []string{"A*", "A", "B", "C"}[i%4]}}
		}
		docs[e.ID], all = d, append(all, d)
	}
	if err := x.Update(t.Context(), all); err != nil {
		t.Fatal(err)
	}
	inOrder := map[eventseer.Order]func(a, b eventseer.Document) bool{
		eventseer.OrderAdded: func(a, b eventseer.Document) bool { return !a.Event.FirstSeen.Before(b.Event.FirstSeen) },
		eventseer.OrderRank: func(a, b eventseer.Document) bool {
			return bestRank(query.LatestRanks(a.Ranks)) <= bestRank(query.LatestRanks(b.Ranks))
		},
		eventseer.OrderEvent: func(a, b eventseer.Document) bool {
			at, aKnown := a.Event.EventStart.Time()
			bt, bKnown := b.Event.EventStart.Time()
			today := now.Truncate(24 * time.Hour)
			switch {
			case !aKnown || !bKnown:
				return !bKnown
			case at.Before(today) != bt.Before(today):
				return bt.Before(today)
			case at.Before(today):
				return !at.Before(bt)
			}
			return !bt.Before(at)
		},
	}
	for _, order := range eventseer.Orders() {
		q := eventseer.Query{Now: now, Order: order, Limit: 1000}
		found, err := x.Find(t.Context(), q)
		if err != nil || len(found.Hits) != len(docs) {
			t.Fatalf("%s: %d of %d, %v", order, len(found.Hits), len(docs), err)
		}
		for i := 1; i < len(found.Hits); i++ {
			a, b := docs[found.Hits[i-1].ID], docs[found.Hits[i].ID]
			if is := inOrder[order]; is != nil && !is(a, b) {
				t.Errorf("%s: %s stands before %s", order, a.Event.ID, b.Event.ID)
			}
		}
		q.From, q.Limit = 40, 30
		part, err := x.Find(t.Context(), q)
		if err != nil || !slices.EqualFunc(part.Hits, found.Hits[40:70], func(a, b eventseer.Hit) bool { return a.ID == b.ID }) {
			t.Errorf("%s: the second page is no part of all, %v", order, err)
		}
	}
}
