package eventseer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// An imported record of any content becomes one that can be stored, shown and sent.
func TestBounded(t *testing.T) {
	long := strings.Repeat("ü", MaxText)
	source := Provenance{URL: long, Path: long, Rule: long, Inferred: long, Snippet: long}
	e := Event{
		URL: long, Title: long, Acronym: long, Series: long, Parent: long, Kind: Kind(long), EventStart: Date(long), EventEnd: Date(long),
		SubmissionURL: long, SubmissionSystem: long, Publisher: long, Location: &Venue{City: long, Region: long, Country: long, CountryCode: long, Text: long},
		Sources: map[string]Provenance{"title": source, long: source}, FirstSeen: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC), LastSeen: time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC),
	}
	for range 2000 {
		e.Topics, e.Pages, e.Related = append(e.Topics, long), append(e.Pages, long), append(e.Related, long)
		e.Committee = append(e.Committee, Person{long, long, long, long})
		e.Warnings, e.Trail = append(e.Warnings, Warning{long, long}), append(e.Trail, Evidence{long, long, source, e.LastSeen})
		e.Deadlines = append(e.Deadlines, Deadline{Kind: DeadlineKind(long), Track: long, Date: Date(long), TZ: long, Text: long, Source: source, Instant: e.LastSeen})
	}
	e.Other = map[string][]string{long: {"a"}, "a": nil}
	for n := range 100 {
		e.Other[fmt.Sprintf("name %d", n)] = slices.Repeat([]string{long}, 100)
	}
	before := len(e.Deadlines[0].Text)
	b := e.WithinLimits()
	text, err := json.Marshal(b)
	if err != nil || len(text) > 40<<20 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	for name, n := range map[string][2]int{
		"topics": {len(b.Topics), MaxTopics}, "pages": {len(b.Pages), MaxPages}, "related": {len(b.Related), MaxPages}, "committee": {len(b.Committee), MaxCommittee},
		"warnings": {len(b.Warnings), MaxWarnings}, "trail": {len(b.Trail), MaxTrail}, "deadlines": {len(b.Deadlines), MaxDeadlines}, "sources": {len(b.Sources), 1},
		"other": {len(b.Other), MaxOther}, "values of a name": {len(b.Other["name 0"]), MaxOtherValues}, "bytes of a value": {len(b.Other["name 0"][0]), MaxOtherText},
	} {
		if n[0] != n[1] {
			t.Errorf("%d %s, want %d", n[0], name, n[1])
		}
	}
	if !b.FirstSeen.IsZero() || !b.LastSeen.IsZero() || !b.Deadlines[0].Instant.IsZero() || len(b.Title) > MaxText || !utf8.ValidString(b.Title) {
		t.Errorf("not bounded: %v, %d bytes", b.FirstSeen, len(b.Title))
	}
	if len(e.Deadlines[0].Text) != before || len(e.Topics) != 2000 {
		t.Error("the record given was changed")
	}
	if diff := cmp.Diff(b, b.WithinLimits()); diff != "" {
		t.Errorf("bounded twice it is another: %s", diff)
	}
	plain := Event{URL: "https://a.example/", Title: "A", Topics: []string{}, LastSeen: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)}
	if diff := cmp.Diff(plain, plain.WithinLimits()); diff != "" {
		t.Errorf("a plain record is another: %s", diff)
	}
}

func TestRedact(t *testing.T) {
	for text, want := range map[string]string{
		"Send papers to ann.lee@lab.example by 3 May 2027.":      "Send papers to … by 3 May 2027.",
		"ann @ cs.lab.example, {bo,cy}@lab.example":              "…, …",
		"ann (at) lab (dot) example or bo[at]lab.example":        "… or …",
		"ann at lab dot example":                                 "…",
		"ann_at_lab.example, ann%40lab.example, ann＠lab.example": "…, …, …",
		"Tel.: +47 22 33 44 55, fax (022) 334 455":               "…, …",
		"models@run.time":               "models@run.time",
		"NLP @ ICX 2027":                "NLP @ ICX 2027",
		"Bees@ICX, held at icx.example": "Bees@ICX, held at icx.example",
		"UTC+02:00, 3 May 2027 (AoE)":   "UTC+02:00, 3 May 2027 (AoE)",
		"phone lines open 3 May":        "phone lines open 3 May",
	} {
		if got := Redact(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("ann@lab.example (at) dot +47 22 33 44 55")
	f.Add("\xff@\xfe.\x00")
	f.Fuzz(func(t *testing.T, s string) {
		got := Redact(s)
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Errorf("%q gives %q", s, got)
		}
	})
}
