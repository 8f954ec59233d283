package publish

import (
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// TestCancelledIsTold checks that a cancelled call is sent once to each reader who was notified of it or
// follows it, and to no others. It is not a new call.
func TestCancelledIsTold(t *testing.T) {
	w := newWorld(t)
	w.subscribe("told@x.example", eventseer.List{Query: "crawling"})
	star, _ := w.subscribe("star@x.example")
	w.subscribe("other@x.example", eventseer.List{Query: "boats"})
	star.Stars = []eventseer.EventID{"a-2027"}
	if err := w.SaveAccount(t.Context(), star); err != nil {
		t.Fatal(err)
	}
	e := call("a-2027", "Crawling", "2027-02-01")
	w.store.put(e, eventseer.Change{New: true, At: w.clock})
	w.until(noon.AddDate(0, 0, 1))
	w.publish()
	w.mail.taken()
	e.State = eventseer.Cancelled
	e.Sources = map[string]eventseer.Provenance{"state": {URL: e.URL, Snippet: "The workshop has been cancelled."}}
	off := eventseer.Change{At: w.clock, Fields: []eventseer.FieldChange{{Field: "state", New: "cancelled"}}}
	w.store.put(e, off)
	w.store.put(e, off)
	other := call("b-2027", "More crawling", "2027-02-01")
	other.State = eventseer.Cancelled
	w.store.put(other, eventseer.Change{New: true, At: w.clock})
	w.publish()
	if got := subjects(w.mail.taken()); len(got) != 1 || got[0] != "star@x.example 1 event cancelled or postponed" {
		t.Errorf("at once: %q", got)
	}
	for range 3 {
		w.clock = w.clock.Add(24 * time.Hour)
		w.publish()
	}
	letters := w.mail.taken()
	if got := subjects(letters); len(got) != 1 || !strings.HasPrefix(got[0], "told@x.example 1 event cancelled or postponed") {
		t.Fatalf("the days after: %q", got)
	}
	for _, want := range []string{"The workshop has been cancelled.", "the page says that it is cancelled"} {
		if !strings.Contains(letters[0].Text, want) || !strings.Contains(letters[0].HTML, want) {
			t.Errorf("no %q in the mail:\n%s", want, letters[0].Text)
		}
	}
	if strings.Contains(letters[0].Text, "More crawling") {
		t.Error("a call that was cancelled when it was found is told as new")
	}
}
