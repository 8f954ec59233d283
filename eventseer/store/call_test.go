package store

import (
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestCallsOfAnEdition checks that the page of another call does not change the main call, in whatever order
// they come.
func TestCallsOfAnEdition(t *testing.T) {
	main := edition("ICX", 2027)
	main.Topics, main.SubmissionURL = []string{"Crawling"}, "https://submit.example/papers"
	main.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: main.URL}}}
	demos := demosOfICX()
	for _, order := range [][]eventseer.Event{{main, demos}, {demos, main}} {
		s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
		for _, e := range order {
			put(t, s, eventseer.OfCalls(e, ""))
		}
		if s.Len() != 1 {
			t.Fatalf("%d events, want one", s.Len())
		}
		for e, err := range s.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			calls := e.WithCalls().Calls
			if len(calls) != 2 || len(calls[0].Deadlines) != 1 || len(calls[1].Deadlines) != 1 {
				t.Fatalf("%+v, want two calls with a deadline each", calls)
			}
			if e.SubmissionURL != main.SubmissionURL || len(e.Topics) != 1 || e.Topics[0] != "Crawling" || e.Deadlines[0].Kind != eventseer.Submission {
				t.Errorf("on top: %s, %s, %+v, want what the main call says", e.SubmissionURL, e.Topics, e.Deadlines[0])
			}
			if c := calls[1]; c.Kind != eventseer.DemoCall || c.SubmissionURL != demos.SubmissionURL || len(c.Topics) != 1 || c.Topics[0] != "Prototypes" {
				t.Errorf("the call for demos: %+v", c)
			}
			if c := calls[0]; c.SubmissionURL != main.SubmissionURL || len(c.Topics) != 1 {
				t.Errorf("the main call: %+v", c)
			}
		}
		checkClean(t, s)
	}
}

// TestParent: a workshop is linked to the edition that it is held with, whichever is found
// first.
func TestParent(t *testing.T) {
	workshop := edition("QUIET", 2027)
	workshop.Parent = "ICX 2027"
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	id := put(t, s, workshop)
	put(t, s, edition("ICX", 2026))
	if e, err := s.Event(t.Context(), id); err != nil || e.ParentID != "" {
		t.Errorf("before its host is known: %q, %v", e.ParentID, err)
	}
	host := put(t, s, edition("ICX", 2027))
	e, err := s.Event(t.Context(), id)
	if err != nil || e.ParentID != host {
		t.Errorf("held with %q, %v, want %s", e.ParentID, err, host)
	}
}

// TestTwoEditionsInAYear: the editions of spring and of autumn stay apart, with their calls.
func TestTwoEditionsInAYear(t *testing.T) {
	spring, autumn := edition("ICX", 2027), edition("ICX", 2027)
	spring.EventStart, spring.EventEnd = "2027-03-01", "2027-03-03"
	autumn.EventStart, autumn.EventEnd = "2027-10-04", "2027-10-06"
	autumn.URL = "https://icx2027-autumn.example.org/"
	spring.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2026-11-01", Source: eventseer.Provenance{URL: spring.URL}}}
	autumn.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-06-01", Source: eventseer.Provenance{URL: autumn.URL}}}
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	a, b := put(t, s, eventseer.OfCalls(spring, "")), put(t, s, eventseer.OfCalls(autumn, ""))
	if a == b || len(event(t, s, a).Deadlines) != 1 || len(event(t, s, b).Deadlines) != 1 {
		t.Errorf("%s and %s with deadlines %v and %v, want two editions with one each", a, b, event(t, s, a).Deadlines, event(t, s, b).Deadlines)
	}
}
