package store

import (
	"fmt"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
)

// TestMemo checks that the stored record counts, not the former one, and that the cache is bounded.
func TestMemo(t *testing.T) {
	var m recordCache
	record := func(title string) []byte {
		data, err := encodeRecord(eventseer.Event{ID: "icx-2027", Title: title, Acronym: "ICX", Year: 2027})
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	pumps, valves := "Workshop on Pumps", "Workshop on Valves"
	of := match.NewEventKey(eventseer.Event{Title: pumps, Year: 2027})
	first, err := m.cachedEventKey("icx-2027", record(pumps))
	if err != nil || first.id != "icx-2027" {
		t.Fatal(first, err)
	}
	if again, err := m.cachedEventKey("icx-2027", record(pumps)); err != nil || again.EventKey != first.EventKey {
		t.Error("the same record is read again", err)
	}
	changed, err := m.cachedEventKey("icx-2027", record(valves))
	if err != nil || changed.Similarity(of) >= first.Similarity(of) {
		t.Error("compared as it was before it was changed", err)
	}
	for n := range 3 * maxMemo {
		if _, err := m.cachedEventKey(fmt.Sprint(n), record(pumps)); err != nil {
			t.Fatal(err)
		}
	}
	if len(m.now) > maxMemo || len(m.before) > maxMemo {
		t.Errorf("%d and %d are kept", len(m.now), len(m.before))
	}
	if _, err := m.cachedEventKey("broken", []byte("\x01{")); err == nil {
		t.Error("a broken record is compared")
	}
}
