package query

import (
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

func TestReadDates(t *testing.T) {
	now := time.Date(2026, 12, 10, 9, 0, 0, 0, time.UTC) // a Thursday
	for text, want := range map[string]string{
		"crawling next month": "crawling due:2027-01", "this Month": "due:2026-12", "closing this week": "due<2026-12-14", "next week web": "due>=2026-12-14 due<2026-12-21 web",
		"web in June": "web month:2027-06", "in december": "month:2026-12", "in may 2028": "month:2028-05", "due tomorrow": "due:2026-12-11", "today": "due:2026-12-10",
		`"next month" web`: `"next month" web`, "title:today": "title:today", "maybe in mayfield": "maybe in mayfield", "nextmonth": "nextmonth", "": "",
	} {
		got, read := ReadDates(text, now)
		if got != want || (got != text) != (len(read) > 0) {
			t.Errorf("ReadDates(%q) = %q, %v, want %q", text, got, read, want)
		}
		if _, err := Parse(got); err != nil {
			t.Errorf("%q: %v", got, err)
		}
	}
}

// Names of places find the place, whatever name its record uses.
func TestPlacesAsWords(t *testing.T) {
	doc := func(v eventseer.Venue) eventseer.Document {
		return eventseer.Document{Event: eventseer.Event{ID: "a", Title: "Data workshop", Location: &v}}
	}
	oslo, boston, lyon := doc(eventseer.Venue{City: "Oslo", CountryCode: "NO"}), doc(eventseer.Venue{City: "Boston", Country: "USA"}), doc(eventseer.Venue{City: "Lyon", Country: "France"})
	for text, want := range map[string][]bool{
		"europe": {true, false, true}, "data Europe": {true, false, true}, "web europe": {false, false, false}, "north america": {false, true, false}, "data North America": {false, true, false},
		"european union": {false, false, true}, "EU": {false, false, true}, "Norway": {true, false, false}, "asia OR norway": {true, false, false}, "-europe": {true, true, true},
		"title:europe": {false, false, false}, "online": {false, false, false}, `"north america"`: {false, true, false}, "usa": {false, true, false},
	} {
		x, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range []eventseer.Document{oslo, boston, lyon} {
			c := NewCompiler()
			p := c.CompileQuery(x, Options{})
			if got := p.Matches(c.Read(d, false), time.Time{}); got != want[i] {
				t.Errorf("%q in %v: %v", text, d.Event.Location, got)
			}
		}
	}
	if x, _ := Parse("data mining in south america today"); !slices.EqualFunc(x.RelevantClauses()[2], []Term{{Text: "south america"}, {Text: "south america"}}, func(a, b Term) bool { return a.Text == b.Text }) {
		t.Errorf("clauses %v", x.RelevantClauses())
	}
}
