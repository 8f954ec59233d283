package merge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// callPages are addresses of pages of one edition, each with the call it announces.
var callPages = []string{"cfp.html", "submit.html", "call-for-demos.html", "demo-track.html", "posters.html", "industry-track.html"}

// TestOrderOfCalls checks that the pages of an edition's calls give the same calls in any order. The event
// has the values of the main call. A day of one call is in no other, and does not count as a differing value
// of another.
func TestOrderOfCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := make([]eventseer.Event, rapid.IntRange(2, 5).Draw(t, "pages"))
		main := false
		for i, n := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(callPages)-1), len(pages), len(pages), rapid.ID[int]).Draw(t, "names") {
			url := "https://quiet.example/2027/" + callPages[n]
			main = main || eventseer.PageCallKind(url) == eventseer.MainCall
			pages[i] = eventseer.OfCalls(eventstest.Record(url, 0, func(e *eventseer.Event) {
				e.Topics, e.Deadlines = nil, []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(fmt.Sprintf("2027-02-%02d", 10+n)), Source: eventseer.Provenance{URL: url}}}
				if rapid.Bool().Draw(t, "topics") {
					e.Topics = []string{"Topic of " + callPages[n]}
				}
				if e.SubmissionURL = ""; rapid.Bool().Draw(t, "address") {
					e.SubmissionURL = "https://submit.example/" + callPages[n]
				}
			}), "")
		}
		join := func(pages []eventseer.Event) eventseer.Event {
			e := pages[0]
			for _, p := range pages[1:] {
				e, _ = Merge(e, p)
			}
			return e
		}
		one, other := join(pages), join(rapid.Permutation(pages).Draw(t, "order"))
		type values struct {
			Submission string
			Topics     map[string]bool
			Calls      []string
		}
		of := func(e eventseer.Event) values {
			v := values{Topics: map[string]bool{}, Submission: e.SubmissionURL}
			for _, topic := range e.Topics {
				v.Topics[topic] = true
			}
			for _, c := range e.WithCalls().Calls {
				line := c.Name() + " " + c.SubmissionURL + fmt.Sprint(len(c.Topics), len(c.Pages))
				for _, d := range c.Deadlines {
					line += " " + d.Field() + string(d.Date)
				}
				v.Calls = append(v.Calls, line)
			}
			return v
		}
		if diff := cmp.Diff(of(one), of(other)); diff != "" {
			t.Fatalf("in another order:\n%s", diff)
		}
		if main && one.SubmissionURL != "" && eventseer.PageCallKind(one.SubmissionURL) != eventseer.MainCall {
			t.Fatalf("papers are handed in at %s", one.SubmissionURL)
		}
		for _, v := range one.Trail {
			if strings.HasPrefix(v.Field, "deadlines.") && eventseer.PageCallKind(v.Source.URL) != kindOf(v) {
				t.Fatalf("%+v is said otherwise of another call", v)
			}
		}
		again, fields := Merge(one, pages[0])
		if diff := cmp.Diff(of(one), of(again)); diff != "" || len(fields) > 0 {
			t.Fatalf("merged again %v:\n%s", fields, diff)
		}
	})
}

// kindOf is the kind of call that a field of the trail is of.
func kindOf(v eventseer.Evidence) eventseer.CallKind {
	kind, track, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(v.Field, "deadlines."), "]"), "[")
	return eventseer.Deadline{Kind: eventseer.DeadlineKind(kind), Track: track, Source: v.Source}.Call()
}

// TestTracksOfCalls: spellings of a track are one, and so are its names before and after a
// page was changed.
func TestTracksOfCalls(t *testing.T) {
	due := func(track string, day eventseer.Date) eventseer.Deadline {
		return eventseer.Deadline{Kind: eventseer.Submission, Track: track, Date: day, Source: eventseer.Provenance{URL: eventstest.Home}}
	}
	for _, tt := range []struct {
		name     string
		old, new []eventseer.Deadline
		want     []string
	}{
		{"another spelling", []eventseer.Deadline{due("Short Papers", "2027-02-01")}, []eventseer.Deadline{due("short-paper track", "2027-02-08")}, []string{"Short Papers 2027-02-08"}},
		{"the main track", []eventseer.Deadline{due("Research Papers", "2027-02-01")}, []eventseer.Deadline{due("Main track", "2027-02-08")}, []string{"Research Papers 2027-02-08"}},
		{"another name", []eventseer.Deadline{due("Visions", "2027-02-01")}, []eventseer.Deadline{due("New ideas", "2027-02-01")}, []string{"New ideas 2027-02-01"}},
		{
			"two tracks of one day", []eventseer.Deadline{due("Visions", "2027-02-01")}, []eventseer.Deadline{due("New ideas", "2027-02-01"), due("Visions", "2027-02-01")},
			[]string{"New ideas 2027-02-01", "Visions 2027-02-01"},
		},
	} {
		old := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) { e.Deadlines = tt.old })
		e, _ := Merge(old, eventstest.Record(eventstest.Home, 1, func(e *eventseer.Event) { e.Deadlines = tt.new }))
		var got []string
		for _, d := range e.Deadlines {
			got = append(got, d.Track+" "+string(d.Date))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestCallTakenBack: a page that announces another call than before leaves none of that.
func TestCallTakenBack(t *testing.T) {
	url := "https://quiet.example/2027/call.html"
	read := func(n int, heading string) eventseer.Event {
		return eventseer.OfCalls(eventstest.Record(url, n, func(e *eventseer.Event) { e.Deadlines = nil }), heading)
	}
	e, _ := Merge(read(0, "Call for demos"), read(1, "Call for papers"))
	if len(e.Calls) != 1 || e.Calls[0].Kind != eventseer.MainCall {
		t.Errorf("%+v, want the main call", e.Calls)
	}
}
