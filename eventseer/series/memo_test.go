package series

import (
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// memoRecord is a record with all fields that Of reads.
func memoRecord() eventseer.Event {
	return eventseer.Event{
		Acronym: "ICX 27", Title: "4th Conference on Hidden Pumps, Trondheim 2027", Parent: "PumpWeek", Kind: eventseer.Workshop, Year: 2027,
		URL: "https://icx.example/2027/", Pages: []string{"https://icx.example/2027/call"}, Topics: []string{"pumps"},
		Location: &eventseer.Venue{City: "Trondheim", Country: "Norway"},
	}
}

// TestMemoKey changes one field after the other.
func TestMemoKey(t *testing.T) {
	seen := map[[32]byte]string{seriesCacheKey(memoRecord()): "unchanged"}
	for name, change := range map[string]func(*eventseer.Event){
		"acronym": func(e *eventseer.Event) { e.Acronym = "ICX" },
		"title":   func(e *eventseer.Event) { e.Title = "4th Conference on Valves" },
		"parent":  func(e *eventseer.Event) { e.Parent = "" },
		"kind":    func(e *eventseer.Event) { e.Kind = eventseer.Conference },
		"year":    func(e *eventseer.Event) { e.Year = 2028 },
		"address": func(e *eventseer.Event) { e.URL = "https://icx.example/2028/" },
		"page":    func(e *eventseer.Event) { e.Pages = nil },
		"topics":  func(e *eventseer.Event) { e.Topics = []string{"pumps", "valves"} },
		"joined":  func(e *eventseer.Event) { e.Pages, e.Topics = []string{e.Pages[0], "pumps"}, nil },
		"city":    func(e *eventseer.Event) { e.Location = &eventseer.Venue{City: "Bergen", Country: "Norway"} },
		"place":   func(e *eventseer.Event) { e.Location = nil },
	} {
		e := memoRecord()
		change(&e)
		if other, ok := seen[seriesCacheKey(e)]; ok {
			t.Errorf("another %s has the key of %s", name, other)
		}
		seen[seriesCacheKey(e)] = name
	}
}

// TestMemoAtOnce asks one table from several goroutines, more than it remembers.
func TestMemoAtOnce(t *testing.T) {
	table := NewTable([]eventseer.Series{{ID: "icx", Acronym: "ICX", Name: "Conference on Hidden Pumps"}})
	for i := range maxMemo {
		table.cache.cachedOrFound([32]byte{byte(i), byte(i >> 8), 1}, func() string { return "full" })
	}
	var all [2][]string
	var wg sync.WaitGroup
	for k := range all {
		wg.Go(func() {
			for i := range 60 {
				e := memoRecord()
				e.Acronym = fmt.Sprint("ICX", i/2)
				all[k] = append(all[k], table.Of(e))
			}
		})
	}
	wg.Wait()
	var want []string
	for i := range 60 {
		e := memoRecord()
		e.Acronym = fmt.Sprint("ICX", i/2)
		want = append(want, table.findSeriesOf(e))
	}
	if !reflect.DeepEqual(all[0], want) || !reflect.DeepEqual(all[1], want) {
		t.Errorf("remembered %q and %q, found %q", all[0], all[1], want)
	}
	if n := len(table.cache.known); n > 60 {
		t.Errorf("%d records are remembered, a full memo forgets", n)
	}
}
