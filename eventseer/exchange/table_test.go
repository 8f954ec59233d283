package exchange

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestCSV(t *testing.T) {
	p := hostilePublication()
	p.Entries = append(p.Entries, sample().Entries...)
	rows, err := csv.NewReader(bytes.NewReader(written(t, "csv", p, ""))).ReadAll() // demands as many cells in each row
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != len(p.Entries)+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, row := range rows {
		for i, cell := range row {
			if strings.TrimLeft(cell, "=+-@\t\r|%＝＋－＠") != cell || strings.ContainsAny(cell, "\r\n\x00") {
				t.Errorf("cell %s is %q", rows[0][i], cell)
			}
		}
	}
	last := rows[len(rows)-1]
	for i, want := range map[int]string{0: "icx-2027", 9: "2027-01-09T11:59:59Z", 10: "abstract", 15: "on site", 16: "AoE", 18: "web crawling; digital libraries"} {
		if last[i] != want {
			t.Errorf("%s is %q, want %q", rows[0][i], last[i], want)
		}
	}
}

func TestRecords(t *testing.T) {
	p := hostilePublication()
	p.Entries = append(p.Entries, sample().Entries...)
	var all struct {
		Events []eventseer.Event
		Total  int
	}
	if err := json.Unmarshal(written(t, "json", p, ""), &all); err != nil || all.Total != len(p.Entries) || len(all.Events) != all.Total {
		t.Errorf("json: %v, %d of %d", err, len(all.Events), all.Total)
	}
	n := 0
	for line := range bytes.Lines(written(t, "jsonl", p, "")) {
		var e eventseer.Event
		if err := json.Unmarshal(line, &e); err != nil || e.Committee != nil || e.Sources["committee"] != (eventseer.Provenance{}) {
			t.Errorf("line %d: %v, %v", n, err, e.Committee)
		}
		n++
	}
	if n != len(p.Entries) {
		t.Errorf("%d lines", n)
	}
	if e := icx(); len(WithoutPeople(e).Committee) != 0 || len(e.Committee) != 1 || len(e.Sources) != 2 {
		t.Error("Public changed the event itself")
	}
}

func TestJSONLD(t *testing.T) {
	text, ok := JSONLD(icx(), icxChanges(), "https://seer.example/e/icx-2027")
	if !ok {
		t.Fatal("no markup")
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"@context": "https://schema.org", "@type": "Event", "name": "22nd International Conference on Examples", "startDate": "2027-06-01", "endDate": "2027-06-04",
		"previousStartDate": "2027-05-25", "eventStatus": "https://schema.org/EventRescheduled", "url": "https://seer.example/e/icx-2027",
		"eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
		"location":            "map[@type:Place address:map[@type:PostalAddress addressCountry:NO addressLocality:Trondheim] name:Trondheim, Norway]",
	} {
		if fmt.Sprint(got[name]) != want {
			t.Errorf("%s is %v, want %s", name, got[name], want)
		}
	}
	if _, ok := got["organizer"]; ok {
		t.Error("an organizer nobody named")
	}
}

func TestJSONLDPlace(t *testing.T) {
	for _, test := range []struct {
		venue *eventseer.Venue
		mode  string // "" of no markup
		kinds string
	}{
		{nil, "", ""}, {&eventseer.Venue{}, "", ""}, {&eventseer.Venue{Text: "to be announced"}, "", ""},
		{&eventseer.Venue{Online: true}, "Online", "VirtualLocation"}, {&eventseer.Venue{City: "Oslo"}, "Offline", "Place"},
		{&eventseer.Venue{City: "Oslo", Online: true, Hybrid: true}, "Mixed", "PlaceVirtualLocation"}, {&eventseer.Venue{Hybrid: true, Online: true}, "", ""},
	} {
		e := icx()
		e.Location = test.venue
		text, ok := JSONLD(e, nil, "")
		if ok != (test.mode != "") || ok && !bytes.Contains(text, []byte("/"+test.mode+"EventAttendanceMode")) {
			t.Errorf("%+v: %v %s", test.venue, ok, text)
		}
		kinds := ""
		for _, k := range []string{"Place", "VirtualLocation"} {
			if bytes.Contains(text, []byte(`"@type":"`+k+`"`)) {
				kinds += k
			}
		}
		if kinds != test.kinds {
			t.Errorf("%+v: locations %s, want %s", test.venue, kinds, test.kinds)
		}
	}
	e := icx()
	if e.EventStart = "2027-13-01"; e.Location == nil {
		t.Fatal()
	}
	if _, ok := JSONLD(e, nil, ""); ok {
		t.Error("markup without a day")
	}
}

// Markup may stand in a script element.
func TestHostileJSONLD(t *testing.T) {
	n := 0
	for _, s := range evil {
		text, ok := JSONLD(hostile(s), hostileEntry(s).Changes, s)
		if !ok {
			continue
		}
		n++
		if bytes.ContainsAny(text, "<>&\u2028\u2029\n\r") || !json.Valid(text) {
			t.Errorf("%s", text)
		}
	}
	if n == 0 {
		t.Error("no markup at all")
	}
	if !json.Valid(written(t, "jsonld", hostilePublication(), "")) {
		t.Error("the graph is no JSON")
	}
}

// turtleTokens cuts Turtle into tokens as its grammar does for what we write.
func turtleTokens(t testing.TB, s string) (tokens []string) {
	t.Helper()
	for s != "" {
		end := 1
		switch c := s[0]; {
		case c == ' ' || c == '\n':
			s = s[1:]
			continue
		case c == '<':
			end = strings.IndexByte(s, '>') + 1
			if end == 0 || strings.ContainsAny(s[1:end-1], "<\"{}|^`\\ \n") {
				t.Fatalf("IRI at %.80q", s)
			}
		case c == '"':
			for end < len(s) && s[end] != '"' {
				if s[end] == '\n' || s[end] == '\r' {
					t.Fatalf("line end in literal at %.80q", s)
				}
				if s[end] == '\\' {
					if end++; end >= len(s) || !strings.ContainsRune(`tbnrf"'\`, rune(s[end])) {
						t.Fatalf("escape at %.80q", s)
					}
				}
				end++
			}
			end++
		case strings.ContainsRune(";.[]^", rune(c)):
		default:
			end = strings.IndexAny(s, " \n")
			if end < 0 {
				end = len(s)
			}
		}
		tokens, s = append(tokens, s[:end]), s[end:]
	}
	return tokens
}

func TestTurtle(t *testing.T) {
	p := hostilePublication()
	p.Entries = append(p.Entries, sample().Entries...)
	events, open := 0, 0
	for _, token := range turtleTokens(t, string(written(t, "ttl", p, ""))) {
		switch token {
		case "schema:Event":
			events++
		case "[":
			open++
		case "]":
			open--
		case ".":
			if open != 0 {
				t.Fatal("a statement ends inside of brackets")
			}
		}
	}
	if events != len(p.Entries) {
		t.Errorf("%d events, want %d", events, len(p.Entries))
	}
}

func TestNext(t *testing.T) {
	got := string(written(t, "txt", sample(), ""))
	if want := "8 Jan 2027, 23:59 AoE  in 47 days  ICX 2027  abstract  Trondheim, Norway  https://seer.example/e/icx-2027\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p := hostilePublication()
	for range 30 {
		p.Entries = append(p.Entries, p.Entries[:len(evil)]...)
	}
	listed := 0 // the others have no name that can be one
	for _, e := range p.Entries {
		if len(e.Event.SubmissionDeadlines()) > 0 {
			listed++
		}
	}
	text := string(written(t, "txt", p, ""))
	if strings.ContainsFunc(text, func(r rune) bool { return r != '\n' && !isPublishable(r) }) {
		t.Error("control characters for a terminal")
	}
	if n := strings.Count(text, "\n"); n != maxNext+1 || !strings.Contains(text, fmt.Sprintf("and %d more", listed-maxNext)) {
		t.Errorf("%d lines of %d", n, listed)
	}
}

func TestOPML(t *testing.T) {
	text := written(t, "opml", sample(), "")
	checkXML(t, text)
	feeds, left, err := ReadOPML(text)
	if err != nil || left != 0 || len(feeds) != 3 || feeds[0].URL != "https://seer.example/search.atom?q=web&style=x" || feeds[0].Home != "https://seer.example/search?q=web" {
		t.Errorf("%v, %d, %v", feeds, left, err)
	}
	var b bytes.Buffer
	var all []Feed
	for _, s := range evil {
		all = append(all, Feed{Title: s, URL: "https://feeds.example/" + fmt.Sprint(len(all)), Home: s})
	}
	if err := WriteOPML(&b, evil[0], all); err != nil {
		t.Fatal(err)
	}
	checkXML(t, b.Bytes())
	if again, _, err := ReadOPML(b.Bytes()); err != nil || len(again) != len(all) {
		t.Errorf("%d feeds, want %d: %v", len(again), len(all), err)
	}
	nested := `<?xml version="1.0" encoding="ISO-8859-1"?><opml><body><outline text="a"><outline text="b" xmlUrl="http://a.example/f"/><outline text="c" xmlURL="javascript:1"/></outline><outline url="http://b.example/" /></body></opml>`
	if feeds, left, err = ReadOPML([]byte(nested)); err != nil || left != 1 || len(feeds) != 2 || feeds[0].Title != "b" {
		t.Errorf("%v, %d, %v", feeds, left, err)
	}
	for _, bad := range []string{"", "<html></html>", "<opml>" + strings.Repeat("<outline>", 100), "no xml", "<opml"} {
		if feeds, _, err := ReadOPML([]byte(bad)); err == nil {
			t.Errorf("%.20q gives %v and no error", bad, feeds)
		}
	}
}

func FuzzReadOPML(f *testing.F) {
	f.Add([]byte(`<opml version="2.0"><body><outline text="x" xmlUrl="https://a.example/feed"/></body></opml>`))
	f.Fuzz(func(t *testing.T, text []byte) {
		feeds, _, _ := ReadOPML(text)
		for _, x := range feeds {
			if webURL(x.URL) == "" || x.Title != singleLine(x.Title, maxName+1) {
				t.Errorf("%+v", x)
			}
		}
	})
}

// The same publication gives the same bytes, also when its entries come one by one.
func TestDeterminism(t *testing.T) {
	p := hostilePublication()
	p.Entries = append(p.Entries, sample().Entries...)
	for _, f := range Formats() {
		first := written(t, f.Name, p, "")
		for range 3 {
			if !bytes.Equal(first, written(t, f.Name, p, "")) {
				t.Fatalf("%s differs from time to time", f.Name)
			}
		}
		if f.Ending != "."+f.Name || f.ContentType == "" || f.Describe == "" {
			t.Errorf("format %+v", f)
		}
	}
	err := Write(io.Discard, "doc", p, nil, func(func(eventseer.Entry) bool) {})
	if err == nil {
		t.Error("a format that there is not")
	}
}

type full struct{ room int }

var errFull = errors.New("disk full")

func (f *full) Write(p []byte) (int, error) {
	if len(p) > f.room {
		return 0, errFull
	}
	f.room -= len(p)
	return len(p), nil
}

// A disk that is full is reported by every format.
func TestWriteFails(t *testing.T) {
	for _, f := range Formats() {
		for _, room := range []int{0, 1000} {
			p := sample()
			for range 200 {
				p.Entries = append(p.Entries, p.Entries[0])
			}
			if f.Name == "opml" {
				room = 0
			}
			if err := f.Write(&full{room}, p, nil); !errors.Is(err, errFull) {
				t.Errorf("%s: error %v", f.Name, err)
			}
		}
	}
}

// TestWithoutOther publishes an event with a field that the operator named, which may name people.
func TestWithoutOther(t *testing.T) {
	e := icx()
	e.Other = map[string][]string{"chair": {"Ada Bo"}}
	e.Sources = map[string]eventseer.Provenance{"other.chair": {Snippet: "Ada Bo"}, "title": {}}
	e.Trail = []eventseer.Evidence{{Field: "other.chair", Value: "Cy Bo"}, {Field: "title", Value: "X"}}
	got := WithoutPeople(e)
	if len(got.Other) > 0 || len(got.Sources) != 1 || len(got.Trail) != 1 || got.Trail[0].Field != "title" {
		t.Errorf("published with %v, %v, %v", got.Other, got.Sources, got.Trail)
	}
	if len(e.Other) != 1 || len(e.Sources) != 2 || len(e.Trail) != 2 {
		t.Error("WithoutPeople changed its argument")
	}
	change := eventseer.Change{Fields: []eventseer.FieldChange{{Field: "other.chair", New: "Ada Bo"}, {Field: "publisher", New: "Press"}}}
	text := itemHTML(eventseer.Entry{Event: e, Change: &change}, eventseer.Publication{})
	if strings.Contains(text, "Ada Bo") || !strings.Contains(text, "Press") {
		t.Errorf("item %s", text)
	}
}
