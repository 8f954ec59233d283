package exchange

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

var testNow = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// icx is a call with what records can hold: rounds, a track, an extension, a date without
// a zone, and people.
func icx() eventseer.Event {
	page := eventseer.Provenance{URL: "https://icx.example/2027/cfp", Rule: "label"}
	return eventseer.Event{
		ID: "icx-2027", URL: "https://icx.example/2027/cfp", Title: "22nd International Conference on Examples", Acronym: "ICX", Kind: eventseer.Conference, Year: 2027,
		Series: "icx", EventStart: "2027-06-01", EventEnd: "2027-06-04",
		Location: &eventseer.Venue{City: "Trondheim", Country: "Norway", CountryCode: "NO", Text: "Trondheim, Norway"},
		Deadlines: []eventseer.Deadline{
			{Kind: eventseer.Abstract, Date: "2027-01-08", Instant: time.Date(2027, 1, 9, 11, 59, 59, 0, time.UTC), TZ: "AoE", TZPrinted: "AoE", TZSource: eventseer.TZPrinted, Text: "Abstracts: January 8, 2027", Source: page},
			{Kind: eventseer.Submission, Round: 1, Date: "2027-01-15", Instant: time.Date(2027, 1, 16, 11, 59, 59, 0, time.UTC), TZ: "AoE", TZPrinted: "AoE", TZSource: eventseer.TZPage, ExtendedFrom: "2027-01-10", Text: "Papers: January 15, 2027 (extended)", Source: page},
			{Kind: eventseer.Submission, Round: 2, Date: "2027-02-15", Instant: time.Date(2027, 2, 15, 22, 59, 59, 0, time.UTC), TZ: "Europe/Berlin", TZPrinted: "CET", TZSource: eventseer.TZPrinted, Source: page},
			{Kind: eventseer.Submission, Track: "Résumé & Démos", Date: "2027-03-01", Source: page},
			{Kind: eventseer.Notification, Date: "2027-04-01", Source: page},
		},
		Topics:        []string{"web crawling", "digital libraries"},
		Committee:     []eventseer.Person{{Name: "Ada Example", Role: "program_chair"}},
		SubmissionURL: "https://submit.example/icx", Confidence: 0.9,
		Sources:   map[string]eventseer.Provenance{"title": page, "committee": page},
		FirstSeen: time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC), LastSeen: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC),
	}
}

// icxChanges are its history: found, one deadline moved twice, one withdrawn.
func icxChanges() []eventseer.Change {
	day := func(n int) time.Time { return time.Date(2026, 10, n, 8, 0, 0, 0, time.UTC) }
	return []eventseer.Change{
		{Seq: 3, Event: "icx-2027", At: day(1), New: true, Page: "https://icx.example/2027/cfp"},
		{Seq: 5, Event: "icx-2027", At: day(5), Fields: []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2027-01-05 AoE", New: "2027-01-10 AoE"}}},
		{Seq: 7, Event: "icx-2027", At: day(9), Fields: []eventseer.FieldChange{{Field: "deadlines.poster", Old: "2027-03-20 AoE"}}},
		{Seq: 9, Event: "icx-2027", At: day(20), Fields: []eventseer.FieldChange{
			{Field: "deadlines.submission", Old: "2027-01-10 AoE", New: "2027-01-15 AoE"}, {Field: "event_start", Old: "2027-05-25", New: "2027-06-01"},
		}, Kinds: []eventseer.ChangeKind{eventseer.DeadlineExtended}},
	}
}

func publication(entries ...eventseer.Entry) eventseer.Publication {
	return eventseer.Publication{
		Title: `Open calls: "web crawling"; digital, libraries`, Self: "https://seer.example/search.ics?q=web&style=x", Home: "https://seer.example/search?q=web",
		Base: "https://seer.example/", Entries: entries, Updated: time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC), Now: testNow, Refresh: 6 * time.Hour,
	}
}

func sample() eventseer.Publication {
	return publication(eventseer.Entry{Event: icx(), Changes: icxChanges(), Passage: "on web crawling & <search>"})
}

// evil are texts that break out of formats that do not guard against them.
var evil = []string{
	`<script>alert(1)</script>`, `"]]><!--`, "a\r\nBEGIN:VEVENT\r\nUID:x\r\nEND:VEVENT", "\x00\x01\x08\x0b\x1f\x7f\u0085\u2028\u2029", "\u202eevil\u2066",
	"=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", `\,;:"'` + "`", "</title><script>", "مؤتمر دولي", "👩‍👩‍👧‍👦🏳️‍🌈", "\ufffe\uffff\ufeff", "\xff\xfe\xc0", `\u0000 \n \" .`,
	"javascript:alert(1)", "data:text/html,<script>", "https://user:pass@evil.example/<\"> \\", "]]>", "{{.}}", "%0d%0aSet-Cookie: x", strings.Repeat("long title ", 1000), strings.Repeat("é", 5000),
}

// hostile is an event with one text in every field.
func hostile(s string) eventseer.Event {
	at := time.Date(2027, 1, 16, 11, 59, 59, 0, time.UTC)
	from := eventseer.Provenance{URL: s, Path: s, Rule: s, Inferred: s, Snippet: s}
	return eventseer.Event{
		ID: eventseer.EventID(s), URL: s, Title: s, Acronym: s, Kind: eventseer.Kind(s), Year: 2027, Series: s, Parent: s,
		EventStart: "2027-06-01", EventEnd: "2027-06-04", Location: &eventseer.Venue{City: s, Region: s, Country: s, CountryCode: s, Text: s},
		Deadlines: []eventseer.Deadline{
			{Kind: eventseer.DeadlineKind(s), Track: s, Round: -3, Date: "2027-01-15", Instant: at, TZ: s, TZPrinted: s, TZSource: eventseer.TZSource(s), ExtendedFrom: eventseer.Date(s), Text: s, Source: from},
			{Kind: eventseer.Submission, Track: s, Date: "2027-01-15", Instant: at, TZ: "AoE", Text: s, Source: from},
			{Kind: eventseer.Submission, Date: eventseer.Date(s), Text: s},
		},
		Topics: []string{s, s}, Committee: []eventseer.Person{{Name: s, Affiliation: s, Role: s}}, SubmissionURL: s, SubmissionSystem: s, Publisher: s,
		Warnings: []eventseer.Warning{{Rule: s, Text: s}}, Sources: map[string]eventseer.Provenance{s: from, "title": from}, Pages: []string{s}, Related: []string{s},
		Trail: []eventseer.Evidence{{Field: s, Value: s, Source: from}}, FirstSeen: at.AddDate(-1, 0, 0), LastSeen: at.AddDate(-1, 0, 0),
	}
}

func hostileEntry(s string) eventseer.Entry {
	c := eventseer.Change{
		Seq: 4, Event: eventseer.EventID(s), At: testNow.AddDate(0, -1, 0), Page: s,
		Fields: []eventseer.FieldChange{{Field: s, Old: s, New: s}, {Field: "deadlines." + s + "[" + s + "]", Old: "2027-01-01 " + s}, {Field: "event_start", Old: s, New: "2027-06-01"}},
		Kinds:  []eventseer.ChangeKind{eventseer.ChangeKind(s)},
	}
	return eventseer.Entry{Event: hostile(s), Changes: []eventseer.Change{c}, Change: &c, Passage: s}
}

// hostilePublication has all of them, and is called by one.
func hostilePublication() eventseer.Publication {
	p := publication()
	p.Title = strings.Join(evil[:10], " ")
	for _, s := range evil {
		p.Entries = append(p.Entries, hostileEntry(s))
	}
	return p
}

func written(t testing.TB, name string, p eventseer.Publication, options string) []byte {
	t.Helper()
	q, err := url.ParseQuery(options)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range Formats() {
		if f.Name == name {
			var b bytes.Buffer
			if err := f.Write(&b, p, q); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return b.Bytes()
		}
	}
	t.Fatalf("no format %s", name)
	return nil
}
