package eventseer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestValidate(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Event)
		want   []string
	}{
		{name: "nothing wrong"},
		{name: "year in the title", change: func(e *Event) { e.Title += " 2026" }, want: []string{"year-in-title"}},
		{name: "a month long", change: func(e *Event) { e.EventEnd = "2027-07-01" }, want: []string{"length"}},
		{name: "a school may last", change: func(e *Event) { e.EventEnd, e.Kind = "2027-07-01", SummerSchool }},
		{name: "end before start", change: func(e *Event) { e.EventEnd = "2027-05-01" }, want: []string{"end-before-start"}},
		{name: "three years before", change: func(e *Event) { e.Deadlines[0].Date = "2024-02-01" }, want: []string{"too-early"}},
		{name: "after the start", change: func(e *Event) { e.Deadlines[0].Date = "2027-08-01" }, want: []string{"deadline-after-start"}},
		{name: "papers for the proceedings may follow", change: func(e *Event) { e.Deadlines[0].Kind, e.Deadlines[0].Date = CameraReady, "2027-08-01" }},
		{name: "no such day", change: func(e *Event) { e.Deadlines[0].Date = "2027-02-31" }, want: []string{"impossible-date"}},
		{
			name: "decision before the deadline",
			change: func(e *Event) {
				e.Deadlines = append(e.Deadlines, Deadline{Kind: Notification, Date: "2027-01-01"})
			},
			want: []string{"deadline-order"},
		},
		{
			name: "but of another track",
			change: func(e *Event) {
				e.Deadlines = append(e.Deadlines, Deadline{Kind: Notification, Track: "Demos", Date: "2027-01-01"})
			},
		},
		{
			name: "two far apart",
			change: func(e *Event) {
				e.Deadlines = append(e.Deadlines, Deadline{Kind: Submission, Date: "2026-10-01"})
			},
			want: []string{"rounds"},
		},
	}
	for _, tt := range tests {
		e := record(home, 0, tt.change)
		got := Validate(e)
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
		if diff := cmp.Diff(got, Validate(got)); diff != "" {
			t.Errorf("%s: validated twice:\n%s", tt.name, diff)
		}
	}
}

func TestNextDeadline(t *testing.T) {
	e := record(home, 0, nil)
	e.Deadlines = []Deadline{
		{Kind: Notification, Date: "2026-12-01"},
		{Kind: Submission, Date: "2027-02-01"},
		{Kind: Abstract, Date: "2026-11-01"},
	}
	d, ok := NextDeadline(e, monday) // still 1 November anywhere on earth
	if !ok || d.Kind != Abstract {
		t.Errorf("next is %v %v", d, ok)
	}
	if d, ok = NextDeadline(e, monday.AddDate(0, 0, 1)); !ok || d.Kind != Submission {
		t.Errorf("next is %v %v", d, ok)
	}
	if _, ok = NextDeadline(e, monday.AddDate(1, 0, 0)); ok {
		t.Error("a deadline is open a year later")
	}
}
