//go:build measure

package ui

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// TestEventHeights prints the heights of the pages of all events of a store on a phone of 390 px.
// EVENTSEER_STORE is a copy that is not open elsewhere. The median is to be at most 2,500 px.
func TestEventHeights(t *testing.T) {
	path := os.Getenv("EVENTSEER_STORE")
	if path == "" {
		t.Skip("EVENTSEER_STORE names no store")
	}
	st, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	index, err := search.Open("", search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	if err := search.Sync(t.Context(), st, index); err != nil {
		t.Fatal(err)
	}
	found, err := index.Find(t.Context(), eventseer.Query{Limit: 200})
	if err != nil {
		t.Fatal(err)
	}
	b := openBrowser(t, newUI(Options{Store: st, Index: index, Series: st, Recent: st, Now: time.Now, Version: "1.2"}))
	b.See(browsertest.PhoneLight)
	var heights []int
	for _, h := range found.Hits {
		b.Go("/e/" + string(h.ID))
		height := browsertest.Evaluate[int](b, `document.documentElement.scrollHeight`)
		t.Logf("%5d px %s", height, h.ID)
		heights = append(heights, height)
	}
	slices.Sort(heights)
	median := heights[len(heights)/2]
	t.Logf("%d events: median %d px, 90 of 100 below %d px, highest %d px", len(heights), median, heights[len(heights)*9/10], heights[len(heights)-1])
	if median > 2500 {
		t.Errorf("the median is %d px, want at most 2500", median)
	}
}
