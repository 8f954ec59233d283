package merge

import (
	"fmt"
	"strconv"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/google/go-cmp/cmp"
)

func TestMerge(t *testing.T) {
	tests := []struct {
		name string
		new  eventseer.Event
		want []eventseer.FieldChange
		to   func(*testing.T, eventseer.Event)
	}{
		{name: "the same page again", new: eventstest.Record(eventstest.Home, 1, nil)},
		{
			name: "the page corrects its place",
			new:  eventstest.Record(eventstest.Home, 1, func(e *eventseer.Event) { e.Location = &eventseer.Venue{City: "Oslo", Country: "Norway"} }),
			want: []eventseer.FieldChange{{Field: "location", Old: "Bergen, Norway", New: "Oslo, Norway"}},
		},
		{
			name: "a mirror that is no surer does not correct it",
			new: eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) {
				e.Location = &eventseer.Venue{City: "Oslo", Country: "Norway"}
				e.Title = "QUIET"
			}),
		},
		{
			name: "a surer page does",
			new:  eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.EventEnd, e.EventStart, e.Confidence = "2027-06-04", "2027-06-03", 0.9 }),
			want: []eventseer.FieldChange{{Field: "event_start", Old: "2027-06-01", New: "2027-06-03"}, {Field: "event_end", Old: "2027-06-02", New: "2027-06-04"}},
		},
		{
			name: "a gap is filled by any page",
			new:  eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.Publisher = "Example Press" }),
			want: []eventseer.FieldChange{{Field: "publisher", New: "Example Press"}},
		},
		{
			name: "an extension told by a mirror",
			new: eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) {
				e.Deadlines[0].Date, e.Deadlines[0].Text = "2027-02-15", "Papers due (extended!): 15 February 2027"
			}),
			want: []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2027-02-01", New: "2027-02-15"}},
			to: func(t *testing.T, e eventseer.Event) {
				if d := e.Deadlines[0]; d.ExtendedFrom != "2027-02-01" {
					t.Errorf("extended from %q", d.ExtendedFrom)
				}
			},
		},
		{
			name: "a mirror that missed an extension",
			new:  eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.Deadlines[0].Date = "2027-01-15" }),
		},
		{
			name: "lists are united",
			new:  eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.Topics = []string{"Valves", "pistons"} }),
			want: []eventseer.FieldChange{{Field: "topics", Old: "valves", New: "valves; pistons"}},
		},
		{
			name: "another kind of deadline is added",
			new: eventstest.Record(eventstest.Home, 1, func(e *eventseer.Event) {
				e.Deadlines[0].Kind, e.Deadlines[0].Date = eventseer.Notification, "2027-03-01"
			}),
			want: []eventseer.FieldChange{{Field: "deadlines.notification", New: "2027-03-01"}},
		},
		{
			name: "an older reading of the page",
			new:  eventstest.Record(eventstest.Home, -1, func(e *eventseer.Event) { e.Title = "Fourth Workshop on Loud Engines" }),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			old := eventstest.Record(eventstest.Home, 0, nil)
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
			if got.Pages[0] != eventstest.Home || got.URL != eventstest.Home {
				t.Errorf("pages %v of %s", got.Pages, got.URL)
			}
		})
	}
}

// TestMergeKeepsTheEnd merges a surer page that names only the first day into days with a last day,
// which stays. Any page may add a missing last day.
func TestMergeKeepsTheEnd(t *testing.T) {
	sure := eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.EventEnd, e.Confidence = "", 0.95 })
	if got, changes := Merge(eventstest.Record(eventstest.Home, 0, nil), sure); got.EventEnd != "2027-06-02" || len(changes) != 0 {
		t.Errorf("the end is %q, changes %v; want 2027-06-02 and none", got.EventEnd, changes)
	}
	unsure := eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.Confidence = 0.1 })
	open := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) { e.EventEnd = "" })
	if got, _ := Merge(open, unsure); got.EventEnd != "2027-06-02" {
		t.Errorf("the missing end is %q, want 2027-06-02 of another page", got.EventEnd)
	}
}

func TestMergeIsBounded(t *testing.T) {
	e := eventstest.Record(eventstest.Home, 0, nil)
	for i := range 50 {
		e, _ = Merge(e, eventstest.Record(eventstest.Home, i, func(e *eventseer.Event) {
			for j := range 20 {
				name := string(rune('a'+i%26)) + string(rune('a'+j)) + string(rune('a'+i/26))
				e.Topics = append(e.Topics, name)
				e.Committee = append(e.Committee, eventseer.Person{Name: name})
				e.Pages = append(e.Pages, name)
				e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.OtherDeadline, Track: name, Date: "2027-01-01"})
			}
		}))
	}
	if len(e.Topics) > eventseer.MaxTopics || len(e.Committee) > eventseer.MaxCommittee || len(e.Pages) > eventseer.MaxPages || len(e.Deadlines) > eventseer.MaxDeadlines {
		t.Errorf("%d topics, %d people, %d pages, %d deadlines", len(e.Topics), len(e.Committee), len(e.Pages), len(e.Deadlines))
	}
}

// TestMergeOther merges fields that an operator named. Values of a field stay together, the newer reading
// of a page replaces the older one, and fields that a record lacks stay.
func TestMergeOther(t *testing.T) {
	read := func(day int, other map[string][]string) eventseer.Event {
		return eventstest.Record(eventstest.Home, day, func(e *eventseer.Event) { e.Other = other })
	}
	first := map[string][]string{"chair": {"A. Lin", "B. Cole"}, "fee": {"300 euros"}}
	e, _ := Merge(read(0, nil), read(1, first))
	if diff := cmp.Diff(first, e.Other); diff != "" {
		t.Fatalf("first reading (-want +got):\n%s", diff)
	}
	if same, changes := Merge(e, read(1, first)); !cmp.Equal(same, e) || len(changes) > 0 {
		t.Errorf("the same record again changed %v:\n%s", changes, cmp.Diff(e, same))
	}
	moved, changes := Merge(e, read(2, map[string][]string{"fee": {"350 euros"}}))
	if diff := cmp.Diff(map[string][]string{"chair": {"A. Lin", "B. Cole"}, "fee": {"350 euros"}}, moved.Other); diff != "" {
		t.Errorf("second reading (-want +got):\n%s", diff)
	}
	want := []eventseer.FieldChange{{Field: "other.fee", Old: "300 euros", New: "350 euros"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if n := len(moved.Trail); n != 1 || moved.Trail[0].Field != "other.fee" || moved.Trail[0].Value != "300 euros" {
		t.Errorf("trail %+v", moved.Trail)
	}
	if e.Other["fee"][0] != "300 euros" || first["fee"][0] != "300 euros" {
		t.Error("Merge changed its arguments")
	}
	for n := range 2 * eventseer.MaxOther {
		e, _ = Merge(e, read(3+n, map[string][]string{fmt.Sprint("name", n): {"x"}}))
	}
	if len(e.Other) != eventseer.MaxOther {
		t.Errorf("%d fields, want %d", len(e.Other), eventseer.MaxOther)
	}
}

// TestMergeLeavesATrail checks that rejected and replaced values are kept, with their page and time.
func TestMergeLeavesATrail(t *testing.T) {
	e := eventstest.Record(eventstest.Home, 0, nil)
	e, _ = Merge(e, eventstest.Record(eventstest.Mirror, 1, func(e *eventseer.Event) { e.Location = &eventseer.Venue{City: "Oslo", Country: "Norway"} }))
	e, _ = Merge(e, eventstest.Record(eventstest.Home, 2, func(e *eventseer.Event) { e.Deadlines[0].Date = "2027-02-15" }))
	type entry struct {
		field, value, page string
		day                int
	}
	var got []entry
	for _, v := range e.Trail {
		got = append(got, entry{v.Field, v.Value, v.Source.URL, int(v.Seen.Sub(eventstest.Monday).Hours() / 24)})
	}
	want := []entry{{"deadlines.submission", "2027-02-01", eventstest.Home, 1}, {"location", "Oslo, Norway", eventstest.Mirror, 1}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(entry{})); diff != "" {
		t.Errorf("trail (-want +got):\n%s", diff)
	}
	if d := e.Deadlines[0]; d.Date != "2027-02-15" || d.ExtendedFrom != "2027-02-01" {
		t.Errorf("deadline %+v", d)
	}
	back, _ := Merge(e, eventstest.Record(eventstest.Home, 3, nil)) // a value that returns is no longer rejected
	for _, v := range back.Trail {
		if v.Field == "deadlines.submission" && v.Value == "2027-02-01" {
			t.Errorf("the value of now is in the trail: %+v", v)
		}
	}
	for i := range 3 * eventseer.MaxTrail {
		e, _ = Merge(e, eventstest.Record(eventstest.Home, 4+i, func(e *eventseer.Event) { e.Publisher = change.PrintYear(i + 1) }))
	}
	if len(e.Trail) != eventseer.MaxTrail {
		t.Errorf("a trail of %d", len(e.Trail))
	}
}

func TestMergeOfDeadlines(t *testing.T) {
	due := func(kind eventseer.DeadlineKind, track string, round int, days ...eventseer.Date) (ds []eventseer.Deadline) {
		for _, day := range days {
			ds = append(ds, eventseer.Deadline{Kind: kind, Track: track, Round: round, Date: day, Source: eventseer.Provenance{URL: eventstest.Home}})
		}
		return ds
	}
	tests := []struct {
		name     string
		old, new []eventseer.Deadline
		want     []string
	}{
		{"a page that does not name the track", due(eventseer.Submission, "", 0, "2027-02-01"), due(eventseer.Submission, "Papers", 0, "2027-02-01"), []string{"Papers 0 2027-02-01"}},
		{"nor the round", due(eventseer.Submission, "", 1, "2027-02-01"), due(eventseer.Submission, "", 0, "2027-02-01"), []string{" 1 2027-02-01"}},
		{"two tracks", due(eventseer.Submission, "Demos", 0, "2027-02-01"), due(eventseer.Submission, "Papers", 0, "2027-02-01"), []string{"Papers 0 2027-02-01", "Demos 0 2027-02-01"}},
		{"rounds that all move", due(eventseer.Submission, "", 0, "2027-01-01", "2027-03-01"), due(eventseer.Submission, "", 0, "2027-01-08", "2027-03-08"), []string{" 0 2027-01-08", " 0 2027-03-08"}},
		{"one taken back", due(eventseer.Submission, "", 0, "2027-01-01", "2027-03-01"), due(eventseer.Submission, "", 0, "2027-01-01"), []string{" 0 2027-01-01"}},
		{"another kind alone takes none back", due(eventseer.Submission, "", 0, "2027-01-01"), due(eventseer.Notification, "", 0, "2027-03-01"), []string{" 0 2027-01-01", " 0 2027-03-01"}},
	}
	for _, tt := range tests {
		old := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) { e.Deadlines = tt.old })
		e, _ := Merge(old, eventstest.Record(eventstest.Home, 1, func(e *eventseer.Event) { e.Deadlines = tt.new }))
		var got []string
		for _, d := range e.Deadlines {
			got = append(got, d.Track+" "+strconv.Itoa(d.Round)+" "+string(d.Date))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestUniteEditions(t *testing.T) {
	kept := eventstest.Record(eventstest.Home, 5, func(e *eventseer.Event) { e.ID, e.Publisher = "quiet-2027", "" })
	lost := eventstest.Record(eventstest.Mirror, 0, func(e *eventseer.Event) { e.ID, e.Publisher = "quiet-engines-2027", "Example Press" })
	got, changes := UniteEditions(kept, lost)
	if got.ID != kept.ID || got.URL != eventstest.Home || got.Pages[0] != eventstest.Home || len(got.Pages) != 2 || !got.FirstSeen.Equal(lost.FirstSeen) {
		t.Errorf("united: %+v", got)
	}
	if diff := cmp.Diff([]eventseer.FieldChange{{Field: "publisher", New: "Example Press"}}, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// Values of a related page fill gaps and do not replace those of a call, whichever
// comes first; but an extended deadline is one.
func TestMergeRelated(t *testing.T) {
	call := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) {
		e.Title, e.EventStart, e.EventEnd, e.Topics = "Conference on Quiet Engines", "2027-06-01", "2027-06-03", []string{"engines"}
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", Source: eventseer.Provenance{URL: eventstest.Home}}}
		e.Confidence, e.LastSeen = 0.5, eventstest.Monday
	})
	page := call
	page.URL = eventstest.Home + "welcome"
	page.Related, page.Pages = []string{page.URL}, nil
	page.EventStart, page.EventEnd, page.Publisher, page.Confidence = "2027-06-08", "2027-06-10", "Press", 0.9
	page.Topics = []string{"coffee"}
	page.Committee = []eventseer.Person{{Name: "Ann Example"}}
	page.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-22", Text: "New deadline: 22 January", Source: eventseer.Provenance{URL: page.URL}}}
	got, _ := Merge(call, page)
	if got.EventStart != "2027-06-01" || got.Publisher != "Press" || len(got.Committee) != 1 || len(got.Topics) != 1 {
		t.Errorf("merged %+v", got)
	}
	if d := got.Deadlines; len(d) != 1 || d[0].Date != "2027-01-22" || d[0].ExtendedFrom != "2027-01-15" {
		t.Errorf("deadlines %+v", d)
	}
	if diff := cmp.Diff([]string{page.URL}, got.Related); diff != "" || len(got.Pages) != 1 {
		t.Errorf("pages %v; related %s", got.Pages, diff)
	}
	second := call
	second.URL, second.Confidence = eventstest.Home+"cfp", 0.4
	if again, _ := Merge(got, second); again.EventStart != "2027-06-01" || len(again.Pages) != 2 || len(again.Related) != 1 {
		t.Errorf("with another call %+v", again)
	}
	turned := call
	turned.URL = page.URL
	if again, _ := Merge(got, turned); len(again.Pages) != 2 || len(again.Related) != 0 {
		t.Errorf("a page that turned out to be a call: %v, related %v", again.Pages, again.Related)
	}
}

func TestReconcile(t *testing.T) {
	extracted := eventstest.Record(eventstest.Home, 0, func(e *eventseer.Event) {
		e.EventStart, e.EventEnd, e.Topics, e.Publisher = "2027-06-01", "2027-06-03", []string{"menu", "engines"}, "Press"
		e.Sources = map[string]eventseer.Provenance{"event_start": {URL: eventstest.Home, Rule: "when"}}
	})
	wrapped := eventseer.Event{
		URL: eventstest.Home, Title: extracted.Title, EventStart: "2027-06-08", EventEnd: "2027-06-10", Topics: []string{"engines"},
		Sources: map[string]eventseer.Provenance{"event_start": {URL: eventstest.Home, Rule: eventseer.WrapperRule}, "topics": {URL: eventstest.Home, Rule: eventseer.WrapperRule}},
	}
	got := Reconcile(wrapped, extracted)
	if got.EventStart != "2027-06-08" || got.Sources["event_start"].Rule != eventseer.WrapperRule || len(got.Topics) != 1 || got.Publisher != "Press" || len(got.Pages) != 0 {
		t.Errorf("reconciled %+v", got)
	}
	if len(got.Trail) == 0 || got.Trail[0].Field != "event_end" && got.Trail[0].Field != "event_start" {
		t.Errorf("trail %+v", got.Trail)
	}
	if none := Reconcile(wrapped, eventseer.Event{}); none.EventStart != "2027-06-08" || none.URL != eventstest.Home {
		t.Errorf("without the extractor %+v", none)
	}
}

// TestPageCorrectsItsDeadline: a page that is read again says where and how it
// prints a deadline now.
func TestPageCorrectsItsDeadline(t *testing.T) {
	read := func(text, zone string, at int) eventseer.Event {
		return eventseer.Event{URL: "https://icx.example/", Title: "ICX 2027", LastSeen: eventstest.Monday, Deadlines: []eventseer.Deadline{{
			Kind: eventseer.Submission, Date: "2027-02-01", TZ: zone, Text: text, Source: eventseer.Provenance{URL: "https://icx.example/", Offset: [2]int{at, at + 5}},
		}}}
	}
	before, now := read("1 Feb, noon", "UTC", 10), read("1 Feb AoE", "AoE", 20)
	now.LastSeen = eventstest.Monday.AddDate(0, 0, 1)
	for range 2 {
		merged, _ := Merge(before, now)
		if got := merged.Deadlines; len(got) != 1 || got[0] != now.Deadlines[0] {
			t.Errorf("got %+v, want %+v", got, now.Deadlines)
		}
		before = merged
	}
}

// TestExtensionNeedsEvidence checks that a later day on another page is an extension only if a page says so,
// for the same call. Otherwise the better supported one is shown and the other kept.
func TestExtensionNeedsEvidence(t *testing.T) {
	const dates = "https://quiet.example/2027/dates.html"
	const list = "https://lists.example/pipermail/calls/2026-December/000017.html"
	due := func(url, day, text string, change func(*eventseer.Deadline)) eventseer.Event {
		return eventstest.Record(url, 0, func(e *eventseer.Event) {
			d := eventseer.Deadline{Kind: eventseer.Submission, Date: eventseer.Date(day), Text: text, Source: eventseer.Provenance{URL: url}}
			if change != nil {
				change(&d)
			}
			e.Deadlines = []eventseer.Deadline{d}
		})
	}
	for _, tt := range []struct {
		name string
		a, b eventseer.Event
		want []string // day<from
		lost string   // the day in the trail
	}{
		{"no word of an extension", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Papers: 15 February", nil), []string{"2027-02-15<"}, "2027-02-01"},
		{"words of one", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Papers: 15 February (extended)", nil), []string{"2027-02-15<2027-02-01"}, "2027-02-01"},
		{"an extended abstract is none", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Extended abstracts: 15 February", nil), []string{"2027-02-15<"}, "2027-02-01"},
		{"words beside another day of the text", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Papers: 15 February. Demos (extended): 1 March", nil), []string{"2027-02-15<"}, "2027-02-01"},
		{"words beside the day of several", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Demos: 1 March, papers (extended): 15 February, posters: 2 March", nil), []string{"2027-02-15<2027-02-01"}, "2027-02-01"},
		{"a subject behind several days", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(list, "2027-02-15", "Papers: 15 February. Notification: 1 March [Deadline extended]", nil), []string{"2027-02-15<2027-02-01"}, "2027-02-01"},
		{"a message that says so", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(list, "2027-02-15", "Deadline extended to 15 February", nil), []string{"2027-02-15<2027-02-01"}, "2027-02-01"},
		{"a message that does not", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(list, "2027-02-15", "Papers are due 15 February", nil), []string{"2027-02-01<"}, "2027-02-15"},
		{"a struck-out day of a third date", due(eventstest.Home, "2027-01-25", "Papers: 25 January", nil), due(dates, "2027-02-15", "15 February", func(d *eventseer.Deadline) { d.ExtendedFrom = "2027-02-01" }), []string{"2027-02-15<2027-02-01"}, "2027-01-25"},
		{"the page of another call", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due("https://quiet.example/2027/call-for-industry-papers.html", "2027-02-15", "Deadline extended to 15 February", nil), []string{"2027-02-01<", "2027-02-15<"}, ""},
		{"another track", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "Deadline extended", func(d *eventseer.Deadline) { d.Track = "Late-breaking results" }), []string{"2027-02-01<", "2027-02-15<"}, ""},
		{"a day that is inferred", due(eventstest.Home, "2027-02-01", "Papers: 1 February", nil), due(dates, "2027-02-15", "15 February", func(d *eventseer.Deadline) { d.Source.Inferred = "year from the event" }), []string{"2027-02-01<"}, "2027-02-15"},
	} {
		for _, turned := range []bool{false, true} {
			old, new := tt.a, tt.b
			if turned {
				old, new = tt.b, tt.a
			}
			e, _ := Merge(old, new)
			var got []string
			for _, d := range e.Deadlines {
				got = append(got, string(d.Date)+"<"+string(d.ExtendedFrom))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s, turned %v (-want +got):\n%s", tt.name, turned, diff)
			}
			lost := ""
			for _, v := range e.Trail {
				if v.Field == "deadlines.submission" {
					lost = v.Value
				}
			}
			if lost != tt.lost {
				t.Errorf("%s, turned %v: the trail has %q, want %q", tt.name, turned, lost, tt.lost)
			}
		}
	}
}
