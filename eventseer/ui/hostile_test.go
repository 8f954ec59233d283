package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

const script = `"><script>alert(1)</script><img src=x onerror=alert(1)><b style="x">{{.}}`

// hostileEvent has an attack in every field a page controls.
func hostileEvent() eventseer.Event {
	bad := eventseer.Provenance{URL: "javascript:alert(1)", Path: script, Rule: script, Inferred: script, Snippet: script + strings.Repeat("🎓", 500)}
	e := eventseer.Event{
		ID: "bad", URL: `javascript:alert("x")`, Title: script + strings.Repeat("very long ", 1000), Acronym: script + strings.Repeat("A", 200),
		Kind: script, Year: 2027, EventStart: script, EventEnd: script,
		Location:      &eventseer.Venue{City: script, Region: script, Country: script, CountryCode: script, Text: script},
		SubmissionURL: "data:text/html,<script>alert(1)</script>", Publisher: script,
		Parent: script, Warnings: []eventseer.Warning{{Rule: script, Text: script}, {Rule: script}},
		Sources: map[string]eventseer.Provenance{},
		Pages:   []string{"javascript:alert(1)", "https://x.example/" + script, "https://" + script, "//x.example/", "HTTP://Example.org/a?b=\"<c>"},
	}
	for _, key := range []string{"title", "acronym", "kind", "event_start", "event_end", "location", "topics", "submission_url", "publisher"} {
		e.Sources[key] = bad
	}
	for range 500 {
		e.Trail = append(e.Trail, eventseer.Evidence{Field: script, Value: script, Source: bad})
		e.Topics = append(e.Topics, script+"مؤتمر \u202Eevil")
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{
			Kind: script, Track: script, Date: "2027-02-31", Instant: now, TZ: script, TZPrinted: script, TZSource: script,
			ExtendedFrom: script, Text: script, Source: bad,
		}, eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-03-01", TZ: "../../etc/passwd", Instant: at("2027-03-01T12:00:00Z")})
	}
	return e
}

func TestHostile(t *testing.T) {
	w := &world{events: []eventseer.Event{hostileEvent()}}
	for range 100 {
		w.history = append(w.history, eventseer.Change{Event: "bad", Page: "javascript:alert(1)", Fields: []eventseer.FieldChange{
			{Field: script, Old: script, New: strings.Repeat("[", 5000)}, {Field: "topics", New: `["` + strings.Repeat("x", 5000) + `"]`},
		}})
	}
	h := w.handler()
	for _, path := range []string{"/", "/e/bad", "/search?q=" + "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
		doc := page(t, h, path, 200) // no script, no style, no handler, only good links
		if doc.Find("main img, main b").Length() != 0 {
			t.Errorf("GET %s: markup of a page became ours", path)
		}
		if n := get(t, h, path, 200).Body.Len(); n > 4*maxBytes {
			t.Errorf("GET %s: %d bytes", path, n)
		}
	}
	doc := page(t, h, "/e/bad", 200)
	wantText(t, doc, "h1", "alert(1)")
	wantText(t, doc, "main", "960 more dates, 440 more topics, 70 more changes, 470 more other values")
	get(t, h, "/api/v1/events/bad.json", 200)
}

func TestRightToLeft(t *testing.T) {
	e := fullEvent()
	e.ID, e.Title = "rtl", "المؤتمر الدولي 🎓"
	doc := page(t, (&world{events: []eventseer.Event{e}}).handler(), "/e/rtl", 200)
	wantText(t, doc, "h1 bdi", "المؤتمر الدولي 🎓")
}

func TestFormat(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{views.DaysText("2027-06-01", "2027-06-04"), "1–4 June 2027"}, {views.DaysText("2027-05-30", "2027-06-02"), "30 May – 2 June 2027"},
		{views.DaysText("2027-12-30", "2028-01-02"), "30 December 2027 – 2 January 2028"}, {views.DaysText("2027-06-01", ""), "1 June 2027"},
		{views.DaysText("", "2027-06-01"), ""}, {views.DaysText("2027-06-04", "2027-06-01"), "4 June 2027"},
		{views.WebLink("https://x.example/a b"), "https://x.example/a%20b"}, {views.WebLink("ftp://x.example/"), ""}, {views.WebLink("/etc/passwd"), ""},
		{views.WebLink("https:///no-host"), ""}, {views.WebLink("https://x.example/" + strings.Repeat("a", 3000)), ""},
		{views.Clip("äöü", 2), "äö…"}, {views.Clip("äöü", 3), "äöü"}, {views.Clip("", 0), ""},
		{views.NameOf(eventseer.Event{Acronym: "ICX'27", Year: 2027}).Short, "ICX'27"},
		{views.NameOf(eventseer.Event{Acronym: "ICX", Year: 2027}).Short, "ICX 2027"},
		{views.FieldName("event_start"), "event start"}, {views.FieldName("deadlines.submission"), "Submission"}, {views.FieldName("deadlines.poster[A]"), "Poster, A"},
		{views.VenueLine(&eventseer.Venue{Online: true}), "(online)"}, {views.VenueLine(&eventseer.Venue{Text: "a ship"}), "a ship"}, {views.VenueLine(nil), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}
