package curate

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

var at = time.Date(2026, 11, 3, 9, 0, 0, 0, time.UTC)

// A value that is set is printed as it was given, and set again it changes nothing.
func TestSet(t *testing.T) {
	e := eventseer.Event{URL: "https://icx.example.org/", Title: "ICX", Deadlines: []eventseer.Deadline{
		{Kind: eventseer.Submission, Date: "2027-01-10"}, {Kind: eventseer.Submission, Track: "Posters", Round: 2, Date: "2027-02-10"},
	}}
	for name, value := range map[string]string{
		"title": "Conference on X", "acronym": "ICX", "kind": "workshop", "year": "2027", "event_start": "2027-06-01", "event_end": "2027-06-04",
		"location": "Trondheim, Norway", "topics": "proofs; semantics", "homepage": "https://icx.example.org/2027", "submission_url": "https://submit.example/icx",
		"publisher": "A Press", "parent": "ICY 2027", "series": "icx", "state": "postponed",
		"deadlines.submission": "2027-01-22 AoE", "deadlines.submission[Posters]": "2027-02-12 Europe/Oslo", "deadlines.submission[Posters]@2": "2027-02-13",
		"deadlines.notification": "2027-03-01 +02:00",
	} {
		out, err := Set(e, name, value)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got, _ := FieldValue(out, name); got != value || out.Sources[name].Rule != eventseer.EditorRule {
			t.Errorf("%s is %q by %q, want %q by an editor", name, got, out.Sources[name].Rule, value)
		}
		again, err := Set(out, name, value)
		if diff := cmp.Diff(out, again); err != nil || diff != "" {
			t.Errorf("%s set again: %v\n%s", name, err, diff)
		}
		empty, err := Set(out, name, "")
		if got, _ := FieldValue(empty, name); err != nil || got != "" {
			t.Errorf("%s cleared is %q, %v", name, got, err)
		}
	}
	if len(e.Sources) != 0 || e.Deadlines[0].Date != "2027-01-10" {
		t.Error("Set changed the event it was given")
	}
}

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ field, value, say string }{
		{"colour", "blue", "the fields are title, acronym"},
		{"kind", "party", "it must be one of conference"},
		{"year", "1066", "it must be 1950 to 2100"},
		{"year", "next", "it must be 1950 to 2100"},
		{"event_start", "2027-02-30", "not a day of the calendar"},
		{"event_start", "9999-01-01", "the year must be"},
		{"location", "Nowhere, Atlantis", `"Atlantis" is not a country`},
		{"location", "a, b, c, Norway", "has 4 parts"},
		{"homepage", "javascript:alert(1)", "is not an address"},
		{"title", "two\nlines", "control characters or invalid UTF-8"},
		{"title", strings.Repeat("x", eventseer.MaxCorrectionText+1), "longer than 1000"},
		{"topics", manyTopics(), "at most"},
		{"deadlines.party", "2027-01-01", "there is no deadline"},
		{"deadlines.submission", "2027-01-01 Middle/Earth", "is not a time zone"},
		{"deadlines.submission", "soon", "not a day of the calendar"},
	} {
		if _, err := Set(eventseer.Event{}, c.field, c.value); !errors.Is(err, ErrBad) || !strings.Contains(err.Error(), c.say) {
			t.Errorf("%s=%.40q: %v, want %q", c.field, c.value, err, c.say)
		}
	}
	e := eventseer.Event{Year: 2027, EventStart: "2027-06-01", EventEnd: "2027-06-03"}
	for field, value := range map[string]string{"event_end": "2027-05-01", "year": "2025"} {
		if _, err := SetChecked(e, field, value); !errors.Is(err, ErrBad) {
			t.Errorf("%s=%s: %v", field, value, err)
		}
	}
}

func manyTopics() string {
	var b strings.Builder
	for n := range eventseer.MaxTopics + 1 {
		_, _ = fmt.Fprintf(&b, "t%d;", n)
	}
	return b.String()
}

// Corrections count in the order of their IDs, whichever they are given in, and those undone
// do not.
func TestApply(t *testing.T) {
	edit := func(hour int, value string) eventseer.Correction {
		c, err := New(eventseer.Correction{Kind: eventseer.EditCorrection, Event: "icx-2027", Field: "title", Value: value, Who: "ann", At: at.Add(time.Duration(hour) * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first, second := edit(0, "First"), edit(1, "Second")
	for _, order := range [][]eventseer.Correction{{first, second}, {second, first}} {
		if got := Apply(eventseer.Event{Title: "Read"}, order).Title; got != "Second" {
			t.Errorf("title is %q", got)
		}
	}
	undone := second
	undone.Undone = &eventseer.Undo{Who: "bob", At: at}
	if got := Apply(eventseer.Event{Title: "Read"}, []eventseer.Correction{first, MergeUndo(second, undone)}).Title; got != "First" {
		t.Errorf("title is %q after an undo", got)
	}
	other := undone
	other.Undone = &eventseer.Undo{Who: "cid", At: at.Add(time.Minute)}
	if a, b := MergeUndo(undone, other), MergeUndo(other, undone); a.Undone.Who != "bob" || b.Undone.Who != "bob" {
		t.Errorf("undone by %s and %s, the first was bob", a.Undone.Who, b.Undone.Who)
	}
}

func TestCheck(t *testing.T) {
	good, err := New(eventseer.Correction{Kind: eventseer.HideCorrection, Event: "icx-2027", Who: "ann\x00", Why: "spam", At: at})
	if err != nil || good.Who != "ann" && strings.ContainsRune(good.Who, 0) {
		t.Fatalf("%v, %q", err, good.Who)
	}
	for name, spoil := range map[string]func(*eventseer.Correction){
		"another time":  func(c *eventseer.Correction) { c.At = c.At.Add(time.Second) },
		"no editor":     func(c *eventseer.Correction) { c.Who = "" },
		"no event":      func(c *eventseer.Correction) { c.Event = "" },
		"no such kind":  func(c *eventseer.Correction) { c.Kind = "burn" },
		"one event":     func(c *eventseer.Correction) { c.Kind, c.Other = eventseer.MergeCorrection, c.Event },
		"no pages":      func(c *eventseer.Correction) { c.Kind, c.Other = eventseer.SplitCorrection, "x" },
		"a long page":   func(c *eventseer.Correction) { c.Page = strings.Repeat("x", maxAddress+1) },
		"no text":       func(c *eventseer.Correction) { c.Why = "\xff" },
		"a bad field":   func(c *eventseer.Correction) { c.Kind, c.Field = eventseer.EditCorrection, "colour" },
		"a key's break": func(c *eventseer.Correction) { c.Event = "a\x00b" },
	} {
		c := good
		if spoil(&c); !errors.Is(Check(c), ErrBad) {
			t.Errorf("%s: %v", name, Check(c))
		}
	}
}

func TestConflicts(t *testing.T) {
	said := func(field, value, page string) eventseer.Evidence {
		return eventseer.Evidence{Field: field, Value: value, Source: eventseer.Provenance{URL: page}}
	}
	const home, dates, list = "https://icx.example.org/", "https://icx.example.org/dates", "https://list.example.net/7"
	e := eventseer.Event{
		ID: "icx-2027", URL: home, Pages: []string{home, list}, Related: []string{dates}, Title: "X", EventStart: "2027-06-01",
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-22", ExtendedFrom: "2027-01-15", Source: eventseer.Provenance{URL: home}}},
		Sources:   map[string]eventseer.Provenance{"event_start": {URL: home}},
		Trail: []eventseer.Evidence{
			said("title", "Other", list),                               // names are spelled in many ways
			said("event_start", "2027-06-09", list),                    // it said so once
			said("event_start", "2027-06-02", list),                    // a conflict
			said("event_start", "2027-05-01", home),                    // the page says another day now
			said("event_start", "2027-07-01", "https://gone.example/"), // no page of the event
			said("deadlines.submission", "2027-01-15 AoE", list),       // it was extended
			said("deadlines.submission", "2027-01-22 AoE", dates),      // the same day
			said("deadlines.submission", "2027-01-29", dates),          // a conflict
		},
	}
	want := []PageConflict{
		{"deadlines.submission", "2027-01-22", "2027-01-29", dates}, {"event_start", "2027-06-01", "2027-06-02", list},
	}
	if diff := cmp.Diff(want, Conflicts(e)); diff != "" {
		t.Errorf("conflicts (-want +got):\n%s", diff)
	}
	pinned, err := Set(e, "event_start", "2027-06-01")
	if err != nil || len(Conflicts(pinned)) != 1 {
		t.Errorf("%v, %v of a pinned day", Conflicts(pinned), err)
	}
}

func TestSummarize(t *testing.T) {
	c := func(n int, kind eventseer.CorrectionKind, event, field string) eventseer.Correction {
		return eventseer.Correction{ID: fmt.Sprint(n), Kind: kind, Event: eventseer.EventID(event), Field: field}
	}
	undone := c(6, eventseer.EditCorrection, "c", "title")
	undone.Undone = &eventseer.Undo{Who: "bob"}
	got := Summarize([]eventseer.Correction{
		c(2, eventseer.PinCorrection, "a", "title"), // after it was corrected: it was wrong
		c(1, eventseer.EditCorrection, "a", "title"), c(3, eventseer.PinCorrection, "b", "title"),
		c(4, eventseer.PinCorrection, "a", "deadlines.submission"), c(5, eventseer.HideCorrection, "b", ""), undone,
	})
	if got.Corrections != 5 || got.Undone != 1 || len(got.Fields) != 2 {
		t.Fatalf("%+v", got)
	}
	if f := got.Fields[1]; f.Field != "title" || f.Looked != 2 || f.Right != 1 || f.Low < 0.09 || f.Low > 0.1 || f.High < 0.9 || f.High > 0.91 {
		t.Errorf("title: %+v", f)
	}
	if f := got.Fields[0]; f.Field != "deadlines" || f.Looked != 1 || f.Right != 1 || f.High != 1 {
		t.Errorf("deadlines: %+v", f)
	}
}

// TestSample checks that the sample is about one event in 20. Its main fields stay open until an
// editor has pinned or corrected them, and only its events count for it.
func TestSample(t *testing.T) {
	var drawn []eventseer.EventID
	for i := range 2000 {
		if id := eventseer.EventID(fmt.Sprintf("conf-%d", i)); IsSampled(id) {
			drawn = append(drawn, id)
		}
	}
	if len(drawn) < 70 || len(drawn) > 130 {
		t.Fatalf("%d of 2000 events are of the sample", len(drawn))
	}
	e := eventseer.Event{ID: drawn[0], Title: "Conference on Hedges", EventStart: "2027-05-01", Deadlines: []eventseer.Deadline{
		{Kind: eventseer.Notification, Date: "2027-03-01"}, {Kind: eventseer.Submission, Date: "2027-01-01"},
	}}
	names := func(e eventseer.Event) (out []string) {
		for _, f := range UncheckedFields(e) {
			out = append(out, f.Field)
		}
		return out
	}
	if diff := cmp.Diff([]string{"title", "event_start", "deadlines.submission"}, names(e)); diff != "" {
		t.Errorf("fields to check (-want +got):\n%s", diff)
	}
	checked, err := Set(e, "title", e.Title)
	if err != nil {
		t.Fatal(err)
	}
	if checked, err = Set(checked, "deadlines.submission", "2027-01-02"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"event_start"}, names(checked)); diff != "" {
		t.Errorf("fields to check of one with corrections (-want +got):\n%s", diff)
	}
	other := eventseer.EventID("conf-0")
	for i := 0; IsSampled(other); i++ {
		other = eventseer.EventID(fmt.Sprintf("conf-%d", i))
	}
	got := Summarize([]eventseer.Correction{
		{ID: "1", Kind: eventseer.PinCorrection, Event: drawn[0], Field: "title"}, {ID: "2", Kind: eventseer.EditCorrection, Event: drawn[1], Field: "title"},
		{ID: "3", Kind: eventseer.PinCorrection, Event: other, Field: "title"},
	})
	if f := got.Fields[0]; f.Looked != 3 || f.Right != 2 || f.Sample == nil || f.Sample.Looked != 2 || f.Sample.Right != 1 {
		t.Errorf("title: %+v", f)
	}
}
