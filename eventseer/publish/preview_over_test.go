package publish

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestPreviewLeavesOutClosedCalls finds two past editions besides an open call. No list gets them, and no
// preview shows them.
func TestPreviewLeavesOutClosedCalls(t *testing.T) {
	w := newWorld(t)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	w.open(func(o *Options) { o.Index = allIndex{store: w.store} })
	a, _ := w.subscribe("ann@x.example")
	l, err := w.SaveList(t.Context(), eventseer.List{Account: a.ID, Query: "crawling", Rhythm: eventseer.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	begin := w.clock
	for id, days := range map[string]int{"cr-2025": -600, "cr-2026": -200, "cr-2027": 60} {
		due := eventseer.Date(w.clock.AddDate(0, 0, days).Format("2006-01-02"))
		w.store.put(eventseer.Event{
			ID: eventseer.EventID(id), Title: "Crawling", FirstSeen: w.clock, LastSeen: w.clock,
			Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: due}},
		}, eventseer.Change{New: true, At: w.clock})
	}
	w.publish()
	p, err := w.PreviewSince(t.Context(), l, begin)
	if err != nil {
		t.Fatal(err)
	}
	if told := w.broughtEvents(l); p.Total != 1 || len(told) != 1 || p.Items[0].Event != "cr-2027" {
		t.Errorf("%d calls in the preview, %q were told", p.Total, told)
	}
}
