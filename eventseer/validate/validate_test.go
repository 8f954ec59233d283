package validate

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*eventseer.Event)
		want   []string
	}{
		{name: "nothing wrong"},
		{name: "year in the title", change: func(e *eventseer.Event) { e.Title += " 2026" }, want: []string{"year-in-title"}},
		{name: "year in the acronym", change: func(e *eventseer.Event) { e.Acronym = "QUIET 2026" }, want: []string{"year-in-title"}},
		{name: "a month long", change: func(e *eventseer.Event) { e.EventEnd = "2027-07-01" }, want: []string{"length"}},
		{name: "a school may last", change: func(e *eventseer.Event) { e.EventEnd, e.Kind = "2027-07-01", eventseer.SummerSchool }},
		{name: "end before start", change: func(e *eventseer.Event) { e.EventEnd = "2027-05-01" }, want: []string{"end-before-start"}},
		{name: "three years before", change: func(e *eventseer.Event) { e.Deadlines[0].Date = "2024-02-01" }, want: []string{"too-early"}},
		{name: "after the start", change: func(e *eventseer.Event) { e.Deadlines[0].Date = "2027-08-01" }, want: []string{"deadline-after-start"}},
		{
			name: "papers for the proceedings may follow",
			change: func(e *eventseer.Event) {
				e.Deadlines[0] = eventseer.Deadline{Kind: eventseer.CameraReady, Date: "2027-08-01", Text: "Papers for the post-proceedings: 1 August 2027"}
			},
		},
		{
			name: "but must say so",
			change: func(e *eventseer.Event) {
				e.Deadlines[0] = eventseer.Deadline{Kind: eventseer.CameraReady, Date: "2027-08-01"}
			},
			want: []string{"camera-ready-after-start"},
		},
		{name: "moved to an earlier day", change: func(e *eventseer.Event) { e.Deadlines[0].ExtendedFrom = "2027-03-01" }, want: []string{"extension"}},
		{
			name: "decided on the day of the deadline",
			change: func(e *eventseer.Event) {
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Notification, Date: "2027-02-01"})
			},
			want: []string{"deadline-order"},
		},
		{
			name: "abstracts may be due with the papers",
			change: func(e *eventseer.Event) {
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Abstract, Date: "2027-02-01"})
			},
		},
		{
			name: "rounds without numbers",
			change: func(e *eventseer.Event) {
				e.Deadlines = []eventseer.Deadline{
					{Kind: eventseer.Submission, Date: "2026-12-01"}, {Kind: eventseer.Notification, Date: "2027-01-10"},
					{Kind: eventseer.Submission, Date: "2027-02-01"}, {Kind: eventseer.Notification, Date: "2027-03-10"},
				}
			},
		},
		{
			name:   "a copy with a new title",
			change: func(e *eventseer.Event) { e.Title, e.Acronym = "Fifth Workshop on Quiet Engines 2028", "QUIET 2028" },
			want:   []string{"stale"},
		},
		{
			name: "a copy without days",
			change: func(e *eventseer.Event) {
				e.Acronym, e.EventStart, e.EventEnd, e.Deadlines[0].Date = "QUIET 2029", "", "", "2027-02-01"
			},
			want: []string{"stale"},
		},
		{
			name: "day and month the other way round",
			change: func(e *eventseer.Event) {
				e.EventStart, e.EventEnd = "2027-08-20", "2027-08-22"
				e.Deadlines = []eventseer.Deadline{
					{Kind: eventseer.Submission, Date: "2027-10-02", Text: "Papers: 02/10/2027"},
					{Kind: eventseer.Notification, Date: "2027-05-20", Text: "Decisions: 20.05.2027"},
				}
			},
			want: []string{"deadline-order", "deadline-after-start", "day-and-month"},
		},
		{name: "no such day", change: func(e *eventseer.Event) { e.Deadlines[0].Date = "2027-02-31" }, want: []string{"no-such-day"}},
		{
			name: "decision before the deadline",
			change: func(e *eventseer.Event) {
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Notification, Date: "2027-01-01"})
			},
			want: []string{"deadline-order"},
		},
		{
			name: "but of another track",
			change: func(e *eventseer.Event) {
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Notification, Track: "Demos", Date: "2027-01-01"})
			},
		},
		{
			name: "two far apart",
			change: func(e *eventseer.Event) {
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Submission, Date: "2026-10-01"})
			},
			want: []string{"rounds"},
		},
	}
	for _, tt := range tests {
		e := eventstest.Record(eventstest.Home, 0, tt.change)
		got := Event(e)
		var rules []string
		for _, w := range got.Warnings {
			rules = append(rules, w.Rule)
		}
		if diff := cmp.Diff(tt.want, rules); diff != "" {
			t.Errorf("%s: rules (-want +got):\n%s", tt.name, diff)
		}
		if lower := got.Confidence < e.Confidence; lower != (len(tt.want) > 0) {
			t.Errorf("%s: confidence %v from %v", tt.name, got.Confidence, e.Confidence)
		}
		if diff := cmp.Diff(got, Event(got)); diff != "" {
			t.Errorf("%s: validated twice:\n%s", tt.name, diff)
		}
	}
}

func TestValidateAgainst(t *testing.T) {
	before := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) {
		e.ID = "quiet-2027"
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Notification, Date: "2027-04-01"})
	})
	next := func(change func(*eventseer.Event)) eventseer.Event {
		e := before
		e.Acronym, e.Year, e.EventStart, e.EventEnd = "QUIET 2028", 2028, "2028-06-01", "2028-06-02"
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2028-02-01"}, {Kind: eventseer.Notification, Date: "2028-04-01"}}
		if change != nil {
			change(&e)
		}
		return e
	}
	tests := []struct {
		name   string
		change func(*eventseer.Event)
		want   bool
	}{
		{"all dates a year later", nil, true},
		{"one date anew", func(e *eventseer.Event) { e.Deadlines[0].Date = "2028-02-07" }, false},
		{"too few to tell", func(e *eventseer.Event) { e.Deadlines = e.Deadlines[:1] }, false},
		{"other kinds", func(e *eventseer.Event) { e.Deadlines[0].Kind = eventseer.Abstract }, false},
	}
	for _, tt := range tests {
		e := next(tt.change)
		got := CompareWithPrevious(e, before)
		if warned := len(got.Warnings) == 1; warned != tt.want || got.Confidence < e.Confidence != tt.want {
			t.Errorf("%s: warnings %v, confidence %v", tt.name, got.Warnings, got.Confidence)
		}
		if diff := cmp.Diff(got, CompareWithPrevious(Event(got), before)); diff != "" {
			t.Errorf("%s: validated twice:\n%s", tt.name, diff)
		}
	}
}
