package eventseer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	instant := time.Date(2027, 1, 15, 23, 59, 0, 0, time.FixedZone("", 2*60*60))
	for _, tt := range []struct {
		d    Deadline
		want time.Time
	}{
		{Deadline{Date: "2027-01-15", Instant: instant}, instant},
		{Deadline{Date: "2027-01-15"}, time.Date(2027, 1, 16, 11, 59, 59, 0, time.UTC)},
		{Deadline{Date: "soon"}, time.Time{}},
	} {
		if got := tt.d.Moment(); !got.Equal(tt.want) || got.Location() != time.UTC {
			t.Errorf("Moment of %+v = %v, want %v", tt.d, got, tt.want)
		}
	}
}

func TestZone(t *testing.T) {
	now := time.Date(2027, 1, 10, 9, 0, 0, 0, time.UTC)
	for tz, want := range map[string]string{
		"AoE": "-1200", "+02:00": "+0200", "UTC+3": "+0300", "UTC-05:30": "-0530", "UTC": "+0000", "Europe/Oslo": "+0100", "Etc/GMT+12": "-1200",
	} {
		if zone := Zone(tz); zone == nil || now.In(zone).Format("-0700") != want {
			t.Errorf("Zone(%q) = %v, want %s", tz, zone, want)
		}
	}
	for _, tz := range []string{"", "Local", "Nowhere/City", "../passwd", "UTC+15", "+99:00"} {
		if zone := Zone(tz); zone != nil {
			t.Errorf("Zone(%q) = %v", tz, zone)
		}
	}
}

func TestNextDeadline(t *testing.T) {
	monday := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
	e := Event{Deadlines: []Deadline{
		{Kind: Notification, Date: "2026-12-01"},
		{Kind: Submission, Date: "2027-02-01"},
		{Kind: Abstract, Date: "2026-11-01"},
	}}
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

func TestMostlyOneYear(t *testing.T) {
	for _, test := range []struct {
		text string
		want bool
	}{
		{"", false},
		{"7 Mayıs 2027, 2027 2027 2026 2027", true},
		{"2027 2027 2027 2027", false},                              // too few
		{"2027 2027 2027 2027 2027 2014 2009", false},               // a list of publications
		{"20271 12027 2027x 2027 2027 2027 99999999999 2027", true}, // numbers of other lengths do not count
	} {
		if got := MostlyOneYear(test.text); got != test.want {
			t.Errorf("%q: %t", test.text, got)
		}
	}
}

// TestAfterDecisions compares the days that are counted by call and round with a search among all deadlines.
func TestAfterDecisions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []DeadlineKind{Abstract, Submission, Notification, Poster}
	for range 2000 {
		var ds []Deadline
		for range r.IntN(8) {
			ds = append(ds, Deadline{Kind: kinds[r.IntN(len(kinds))], Round: r.IntN(3), Date: Date(fmt.Sprintf("2027-01-%02d", 1+r.IntN(9)))})
		}
		days := newDecisionDays(ds)
		for _, d := range ds {
			same := func(o Deadline) bool {
				return o.Call() == d.Call() && (o.Round == d.Round || o.Round == 0 || d.Round == 0)
			}
			var last Date
			for _, o := range ds {
				if o.Kind == Notification && same(o) {
					last = max(last, o.Date)
				}
			}
			want := last != "" && d.Date > last && slices.ContainsFunc(ds, func(o Deadline) bool { return o.Kind == d.Kind && same(o) && o.Date <= last })
			if got := days.isBefore(d); got != want {
				t.Fatalf("%s of %v: %t, want %t", d, ds, got, want)
			}
		}
	}
}
