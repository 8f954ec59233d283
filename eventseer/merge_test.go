package eventseer

import (
	"strconv"
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

// TestMergeLeavesATrail: what lost and what was replaced stays, with its page
// and time.
func TestMergeLeavesATrail(t *testing.T) {
	e := record(home, 0, nil)
	e, _ = Merge(e, record(mirror, 1, func(e *Event) { e.Location = &Venue{City: "Oslo", Country: "Norway"} }))
	e, _ = Merge(e, record(home, 2, func(e *Event) { e.Deadlines[0].Date = "2027-02-15" }))
	type entry struct {
		field, value, page string
		day                int
	}
	var got []entry
	for _, v := range e.Trail {
		got = append(got, entry{v.Field, v.Value, v.Source.URL, int(v.Seen.Sub(monday).Hours() / 24)})
	}
	want := []entry{{"deadlines.submission", "2027-02-01", home, 1}, {"location", "Oslo, Norway", mirror, 1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
	if d := e.Deadlines[0]; d.Date != "2027-02-15" || d.ExtendedFrom != "2027-02-01" {
		t.Errorf("deadline %+v", d)
	}
	back, _ := Merge(e, record(home, 3, nil)) // what comes back is no longer lost
	for _, v := range back.Trail {
		if v.Field == "deadlines.submission" && v.Value == "2027-02-01" {
			t.Errorf("the value of now is in the trail: %+v", v)
		}
	}
	for i := range 3 * MaxTrail {
		e, _ = Merge(e, record(home, 4+i, func(e *Event) { e.Publisher = number(i + 1) }))
	}
	if len(e.Trail) != MaxTrail {
		t.Errorf("a trail of %d", len(e.Trail))
	}
}

func TestMergeOfDeadlines(t *testing.T) {
	due := func(kind DeadlineKind, track string, round int, days ...Date) (ds []Deadline) {
		for _, day := range days {
			ds = append(ds, Deadline{Kind: kind, Track: track, Round: round, Date: day, Source: Provenance{URL: home}})
		}
		return ds
	}
	tests := []struct {
		name     string
		old, new []Deadline
		want     []string
	}{
		{"a page that does not name the track", due(Submission, "", 0, "2027-02-01"), due(Submission, "Papers", 0, "2027-02-01"), []string{"Papers 0 2027-02-01"}},
		{"nor the round", due(Submission, "", 1, "2027-02-01"), due(Submission, "", 0, "2027-02-01"), []string{" 1 2027-02-01"}},
		{"two tracks", due(Submission, "Demos", 0, "2027-02-01"), due(Submission, "Papers", 0, "2027-02-01"), []string{"Demos 0 2027-02-01", "Papers 0 2027-02-01"}},
		{"rounds that all move", due(Submission, "", 0, "2027-01-01", "2027-03-01"), due(Submission, "", 0, "2027-01-08", "2027-03-08"), []string{" 0 2027-01-08", " 0 2027-03-08"}},
		{"one taken back", due(Submission, "", 0, "2027-01-01", "2027-03-01"), due(Submission, "", 0, "2027-01-01"), []string{" 0 2027-01-01"}},
		{"another kind alone takes none back", due(Submission, "", 0, "2027-01-01"), due(Notification, "", 0, "2027-03-01"), []string{" 0 2027-01-01", " 0 2027-03-01"}},
	}
	for _, tt := range tests {
		old := record(home, 0, func(e *Event) { e.Deadlines = tt.old })
		e, _ := Merge(old, record(home, 1, func(e *Event) { e.Deadlines = tt.new }))
		var got []string
		for _, d := range e.Deadlines {
			got = append(got, d.Track+" "+strconv.Itoa(d.Round)+" "+string(d.Date))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUnite(t *testing.T) {
	kept := record(home, 5, func(e *Event) { e.ID, e.Publisher = "quiet-2027", "" })
	lost := record(mirror, 0, func(e *Event) { e.ID, e.Publisher = "quiet-engines-2027", "Example Press" })
	got, changes := Unite(kept, lost)
	if got.ID != kept.ID || got.URL != home || got.Pages[0] != home || len(got.Pages) != 2 || !got.FirstSeen.Equal(lost.FirstSeen) {
		t.Errorf("united: %+v", got)
	}
	if diff := cmp.Diff([]FieldChange{{Field: "publisher", New: "Example Press"}}, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}
