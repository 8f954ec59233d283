package merge

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// TestSuperseded checks that a day that another page reports as moved is not a deadline any more. The number
// of days of its kind does not matter.
func TestSuperseded(t *testing.T) {
	due := func(page string, ds ...eventseer.Deadline) eventseer.Event {
		for i := range ds {
			ds[i].Source.URL = page
		}
		return eventstest.Record(page, 0, func(e *eventseer.Event) { e.Deadlines = ds })
	}
	day := func(date eventseer.Date, text string, track string) eventseer.Deadline {
		return eventseer.Deadline{Kind: eventseer.Submission, Date: date, Text: text, Track: track}
	}
	const a, b = "https://lists.example/pipermail/calls/2026-December/1.html", "https://lists.example/pipermail/calls/2027-January/2.html"
	first := due(a, day("2027-01-10", "Papers: 10 January", ""), day("2027-03-01", "Workshop papers: 1 March", ""))
	for _, tt := range []struct {
		name  string
		later eventseer.Event
		want  []eventseer.Date
		from  eventseer.Date // of the day of 20 January
	}{
		{"said to be moved", due(b, day("2027-01-20", "Extended deadline: 20 January", "")), []eventseer.Date{"2027-01-20", "2027-03-01"}, "2027-01-10"},
		{"without a word of it", due(b, day("2027-01-20", "Papers: 20 January", "")), []eventseer.Date{"2027-01-10", "2027-01-20", "2027-03-01"}, ""},
		{"of a track", due(b, day("2027-01-20", "Extended deadline: 20 January", "short papers")), []eventseer.Date{"2027-01-10", "2027-01-20", "2027-03-01"}, ""},
		{"two days it may have moved to", due(b, day("2027-01-16", "Extended: 16 January", ""), day("2027-01-20", "Extended: 20 January", ""), day("2027-02-20", "Talks: 20 February", "")), []eventseer.Date{"2027-01-16", "2027-01-20", "2027-02-20", "2027-03-01"}, ""},
	} {
		for _, order := range [][2]eventseer.Event{{first, tt.later}, {tt.later, first}} {
			got, _ := Merge(order[0], order[1])
			var days []eventseer.Date
			for _, d := range got.Deadlines {
				days = append(days, d.Date)
				if d.Date == "2027-01-20" && d.ExtendedFrom != tt.from {
					t.Errorf("%s: moved from %q, want %q", tt.name, d.ExtendedFrom, tt.from)
				}
			}
			if len(days) != len(tt.want) {
				t.Errorf("%s: %v, want %v", tt.name, days, tt.want)
			}
			again, changes := Merge(got, order[1])
			if len(changes) > 0 || len(again.Deadlines) != len(got.Deadlines) {
				t.Errorf("%s: merged again it changes %v", tt.name, changes)
			}
		}
	}
}

// TestLaterMessage checks that a later message moves a deadline to a later day without saying so. It must not move
// it back.
func TestLaterMessage(t *testing.T) {
	due := func(page string, sent, day eventseer.Date) eventseer.Event {
		d := eventseer.Deadline{Kind: eventseer.Submission, Date: day, Text: "Papers: " + string(day), Source: eventseer.Provenance{URL: page, Sent: sent}}
		return eventstest.Record(page, 0, func(e *eventseer.Event) { e.Deadlines = []eventseer.Deadline{d} })
	}
	const a, b = "https://lists.example/pipermail/calls/2026-December/1.html", "https://lists.example/pipermail/calls/2027-January/2.html"
	first := due(a, "2026-12-03", "2027-01-10")
	for _, tt := range []struct {
		name  string
		later eventseer.Event
		want  eventseer.Date
	}{
		{"a later day", due(b, "2027-01-08", "2027-01-20"), "2027-01-20"},
		{"the same day", due(b, "2027-01-08", "2027-01-10"), "2027-01-10"},
		{"a day months later", due(b, "2027-01-08", "2027-05-20"), ""},
	} {
		for _, order := range [][2]eventseer.Event{{first, tt.later}, {tt.later, first}} {
			got, _ := Merge(order[0], order[1])
			if tt.want != "" && (len(got.Deadlines) != 1 || got.Deadlines[0].Date != tt.want || got.Deadlines[0].ExtendedFrom != "") {
				t.Errorf("%s: %v, want %s", tt.name, got.Deadlines, tt.want)
			}
			if last := got.Deadlines[len(got.Deadlines)-1]; tt.want == "" && last.ExtendedFrom != "" {
				t.Errorf("%s: %s is said to be extended", tt.name, last)
			}
		}
	}
	extended := due(a, "2026-12-03", "2027-01-20")
	extended.Deadlines[0].Text = "Extended deadline: 20 January 2027"
	repeated := due(b, "2027-01-08", "2027-01-10")
	for _, order := range [][2]eventseer.Event{{extended, repeated}, {repeated, extended}} {
		if got, _ := Merge(order[0], order[1]); len(got.Deadlines) != 1 || got.Deadlines[0].Date != "2027-01-20" {
			t.Errorf("an earlier day in a later message: %v", got.Deadlines)
		}
	}
}
