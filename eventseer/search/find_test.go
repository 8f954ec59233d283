package search

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// Any input either is an invalid query or gives the stated number of hits, each with positions that are in
// its texts.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		`a "b c" -d OR e title:"x" year:2027`, `-`, `the`, `“`, "crawling -web", `"web crawling"~5`, "crawlnig", "due<60d where:eu -rank:core",
		"it OR of the", `zurich OR "die prüfung"`, "2027 OR topic:web due>1d",
	} {
		f.Add(s)
	}
	x, err := Open("", Options{People: true})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = x.Close() })
	docs := map[eventseer.EventID]eventseer.Document{}
	for _, d := range rich() {
		docs[d.Event.ID] = d
	}
	if err := x.Update(f.Context(), rich()); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found, err := x.Find(t.Context(), eventseer.Query{Text: text, Now: now, Facets: true, Passages: true})
		var bad *query.Error
		if errors.As(err, &bad) {
			return
		}
		if err != nil || found.Total != len(found.Hits) {
			t.Fatalf("Find(%q): %d of %d hits, %v", text, len(found.Hits), found.Total, err)
		}
		for _, h := range found.Hits {
			for _, p := range h.Places {
				placeText(t, docs[h.ID], p) // panics outside of a text
			}
		}
		if found.Instead == "" {
			return
		}
		if again, err := x.Find(t.Context(), eventseer.Query{Text: found.Instead, Now: now}); err != nil || again.Total == 0 {
			t.Fatalf("instead of %q, %q finds %d, %v", text, found.Instead, again.Total, err)
		}
	})
}

// Searches continue while events change, and see each event once.
func TestFindWhileUpdating(t *testing.T) {
	x := enriched(t, Options{})
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				found, err := x.Find(t.Context(), eventseer.Query{Text: "crawling OR meeting", Now: now, Facets: true, Passages: true})
				if err != nil {
					t.Error(err)
					return
				}
				seen := map[eventseer.EventID]bool{}
				for _, h := range found.Hits {
					if seen[h.ID] {
						t.Errorf("%s is found twice", h.ID)
					}
					seen[h.ID] = true
				}
			}
		})
	}
	for n := range 60 {
		e := numbered(n % 7)
		e.Acronym = fmt.Sprintf("M%d", n)
		must(t, x.Update(t.Context(), documents([]eventseer.Event{e})))
		if got := find(t, x, eventseer.Query{Text: e.Acronym}); len(got) != 1 || got[0] != string(e.ID) {
			t.Errorf("right after the update %s finds %v", e.Acronym, got)
		}
	}
	close(done)
	readers.Wait()
	if got := find(t, x, eventseer.Query{Text: "meeting"}); len(got) != 7 {
		t.Errorf("found %v", got)
	}
}
