package eventseer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// record is a call as read from one page on one day.
func record(url string, day int, change func(*Event)) Event {
	e := Event{
		URL: url, Title: "Fourth Workshop on Quiet Engines", Acronym: "QUIET 2027", Kind: Workshop, Year: 2027,
		EventStart: "2027-06-01", EventEnd: "2027-06-02",
		Location:   &Venue{City: "Bergen", Country: "Norway", CountryCode: "NO"},
		Deadlines:  []Deadline{{Kind: Submission, Date: "2027-02-01", Source: Provenance{URL: url}}},
		Topics:     []string{"valves"},
		Confidence: 0.8, Pages: []string{url},
		FirstSeen: monday.AddDate(0, 0, day), LastSeen: monday.AddDate(0, 0, day),
	}
	if change != nil {
		change(&e)
	}
	return e
}

const home, mirror = "https://quiet.example/cfp", "https://list.example/quiet"

func TestMerge(t *testing.T) {
	tests := []struct {
		name string
		new  Event
		want []FieldChange
		to   func(*testing.T, Event)
	}{
		{name: "the same page again", new: record(home, 1, nil)},
		{
			name: "the page corrects its place",
			new:  record(home, 1, func(e *Event) { e.Location = &Venue{City: "Oslo", Country: "Norway"} }),
			want: []FieldChange{{"location", "Bergen, Norway", "Oslo, Norway"}},
		},
		{
			name: "a mirror that is no surer does not correct it",
			new:  record(mirror, 1, func(e *Event) { e.Location = &Venue{City: "Oslo", Country: "Norway"}; e.Title = "QUIET" }),
		},
		{
			name: "a surer page does",
			new:  record(mirror, 1, func(e *Event) { e.EventEnd, e.EventStart, e.Confidence = "2027-06-04", "2027-06-03", 0.9 }),
			want: []FieldChange{{"event_start", "2027-06-01", "2027-06-03"}, {"event_end", "2027-06-02", "2027-06-04"}},
		},
		{
			name: "a gap is filled by any page",
			new:  record(mirror, 1, func(e *Event) { e.Publisher = "Example Press" }),
			want: []FieldChange{{Field: "publisher", New: "Example Press"}},
		},
		{
			name: "an extension told by a mirror",
			new:  record(mirror, 1, func(e *Event) { e.Deadlines[0].Date = "2027-02-15" }),
			want: []FieldChange{{"deadlines.submission", "2027-02-01", "2027-02-15"}},
			to: func(t *testing.T, e Event) {
				if d := e.Deadlines[0]; d.ExtendedFrom != "2027-02-01" {
					t.Errorf("extended from %q", d.ExtendedFrom)
				}
			},
		},
		{
			name: "a mirror that missed an extension",
			new:  record(mirror, 1, func(e *Event) { e.Deadlines[0].Date = "2027-01-15" }),
		},
		{
			name: "lists are united",
			new:  record(mirror, 1, func(e *Event) { e.Topics = []string{"Valves", "pistons"} }),
			want: []FieldChange{{"topics", "valves", "valves; pistons"}},
		},
		{
			name: "another kind of deadline is added",
			new:  record(home, 1, func(e *Event) { e.Deadlines[0].Kind, e.Deadlines[0].Date = Notification, "2027-03-01" }),
			want: []FieldChange{{Field: "deadlines.notification", New: "2027-03-01"}},
		},
		{
			name: "an older reading of the page",
			new:  record(home, -1, func(e *Event) { e.Title = "Fourth Workshop on Loud Engines" }),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old := record(home, 0, nil)
			got, changes := Merge(old, tt.new)
			if diff := cmp.Diff(tt.want, changes); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
			if tt.to != nil {
				tt.to(t, got)
			}
			if _, again := Merge(got, tt.new); len(again) > 0 {
				t.Errorf("merged twice changes %v", again)
			}
			if got.Pages[0] != home || got.URL != home {
				t.Errorf("pages %v of %s", got.Pages, got.URL)
			}
		})
	}
}

// TestMergeKeepsTheEnd: a surer page that names only the first day of the same
// days takes no last day away, and any page may add one that is missing.
func TestMergeKeepsTheEnd(t *testing.T) {
	sure := record(mirror, 1, func(e *Event) { e.EventEnd, e.Confidence = "", 0.95 })
	if got, changes := Merge(record(home, 0, nil), sure); got.EventEnd != "2027-06-02" || len(changes) != 0 {
		t.Errorf("the end is %q, changes %v; want 2027-06-02 and none", got.EventEnd, changes)
	}
	unsure := record(mirror, 1, func(e *Event) { e.Confidence = 0.1 })
	open := record(home, 0, func(e *Event) { e.EventEnd = "" })
	if got, _ := Merge(open, unsure); got.EventEnd != "2027-06-02" {
		t.Errorf("the missing end is %q, want 2027-06-02 of another page", got.EventEnd)
	}
}

func TestMergeIsBounded(t *testing.T) {
	e := record(home, 0, nil)
	for i := range 50 {
		e, _ = Merge(e, record(home, i, func(e *Event) {
			for j := range 20 {
				name := string(rune('a'+i%26)) + string(rune('a'+j)) + string(rune('a'+i/26))
				e.Topics = append(e.Topics, name)
				e.Committee = append(e.Committee, Person{Name: name})
				e.Pages = append(e.Pages, name)
				e.Deadlines = append(e.Deadlines, Deadline{Kind: OtherDeadline, Track: name, Date: "2027-01-01"})
			}
		}))
	}
	if len(e.Topics) > MaxTopics || len(e.Committee) > MaxCommittee || len(e.Pages) > MaxPages || len(e.Deadlines) > MaxDeadlines {
		t.Errorf("%d topics, %d people, %d pages, %d deadlines", len(e.Topics), len(e.Committee), len(e.Pages), len(e.Deadlines))
	}
}

func TestDiffPairsTracks(t *testing.T) {
	old := []Deadline{{Kind: Submission, Track: "Demos", Date: "2027-01-01"}, {Kind: Submission, Track: "Papers", Date: "2027-01-01"}}
	new := []Deadline{{Kind: Submission, Track: "papers", Date: "2027-01-09", TZ: "AoE"}, {Kind: Submission, Track: "Demos", Date: "2027-01-01"}}
	want := []FieldChange{{"deadlines.submission[papers]", "2027-01-01", "2027-01-09 AoE"}}
	if diff := cmp.Diff(want, Diff(Event{Deadlines: old}, Event{Deadlines: new})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	gone := []FieldChange{{Field: "deadlines.submission[Papers]", Old: "2027-01-01"}}
	if diff := cmp.Diff(gone, Diff(Event{Deadlines: old}, Event{Deadlines: old[:1]})); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
