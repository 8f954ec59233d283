package search

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/google/go-cmp/cmp"
)

func TestFindMore(t *testing.T) {
	x := enriched(t, Options{})
	for _, tt := range []struct {
		text string
		want []string
	}{
		{"clip:robot", []string{"icx-2027"}}, {"robots", []string{"icx-2027"}}, {"prufung", []string{"icx-2027"}}, {"Prüfung", []string{"icx-2027"}},
		{`"conference crawling"~3`, []string{"icx-2027"}}, {`"crawling conference"~3`, []string{"icx-2027"}}, {`"conference crawling"~2`, []string{}},
		{`"robots harvesting"~1`, []string{"icx-2027"}}, {`topic:"focus crawling"~2`, []string{"icx-2027", "wsx-2027"}}, {`title:"focus crawling"~2`, []string{}},
		{`"web focused"~50`, []string{}}, // in two topics
		{`-"focus crawling"~2`, []string{"it-2028", "si-2027"}},
		{"rank:core>=A", []string{"icx-2027"}}, {"rank:core:A*,B", []string{"icx-2027", "wsx-2027"}}, {"rank:core", []string{"icx-2027", "wsx-2027"}},
		{"rank:core>=A OR teaching", []string{"icx-2027", "it-2028"}}, {"-rank:core crawling", []string{"si-2027"}},
		{"where:asia OR kind:symposium", []string{"it-2028", "wsx-2027"}}, {"due<30d", []string{"wsx-2027"}}, {"due>30d", []string{"icx-2027"}},
		{"changed<7d", []string{"icx-2027"}}, {"id:it-2028", []string{"it-2028"}}, {"year>2027", []string{"it-2028"}},
		{"the where:europe", []string{"icx-2027"}}, {"person:agnes", []string{}}, {"agnes", []string{}},
		{`place:seoul`, []string{"wsx-2027"}}, {`"south korea"`, []string{"wsx-2027"}},
	} {
		got := find(t, x, eventseer.Query{Text: tt.text, Now: now})
		slices.Sort(got)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("Find(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestPeople(t *testing.T) {
	x := enriched(t, Options{People: true})
	if got := find(t, x, eventseer.Query{Text: "person:agnes"}); !slices.Equal(got, []string{"icx-2027"}) {
		t.Errorf("found %v", got)
	}
	if got := find(t, x, eventseer.Query{Text: "agnes"}); len(got) != 0 {
		t.Errorf("found %v without person:", got)
	}
}

func TestSynonyms(t *testing.T) {
	x := enriched(t, Options{Synonyms: func(term string) []string {
		if strings.EqualFold(term, "spidering") {
			return []string{"focused crawling", "harvesting"}
		}
		return nil
	}})
	if got := find(t, x, eventseer.Query{Text: "spidering"}); !slices.Equal(got, []string{"icx-2027"}) {
		t.Errorf("found %v", got)
	}
}

// The offsets of passages are those of the words in the texts as they are.
func TestPassages(t *testing.T) {
	x := enriched(t, Options{})
	docs := map[eventseer.EventID]eventseer.Document{}
	for _, d := range rich() {
		docs[d.Event.ID] = d
	}
	for _, tt := range []struct {
		text string
		want []string // of the first hit: field, part and text
	}{
		{"crawling -web", []string{"title 0 crawling"}},
		{`"focused crawling" zurich prüfung`, []string{"topic 0 Focused", "topic 0 crawling", "place 0 Zürich", "clip 1 Prüfung"}},
		{"ICX archives robots", []string{"acronym 0 ICX", "topic 1 archives", "clip 1 robots", "clip 1 robots"}},
		{`"harvesting robots"~4 where:europe`, []string{"clip 1 harvesting", "clip 1 robots", "clip 1 robots"}},
		{"the informatics", []string{"title 0 Informatics"}},
		{"kind:symposium", nil},
	} {
		found, err := x.Find(t.Context(), eventseer.Query{Text: tt.text, Passages: true, Now: now})
		must(t, err)
		if len(found.Hits) == 0 {
			t.Errorf("%q finds nothing", tt.text)
			continue
		}
		var got []string
		for _, p := range found.Hits[0].Places {
			got = append(got, placeText(t, docs[found.Hits[0].ID], p))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q of %s (-want +got):\n%s", tt.text, found.Hits[0].ID, diff)
		}
	}
}

func placeText(t *testing.T, d eventseer.Document, p eventseer.WordPosition) string {
	t.Helper()
	text := ""
	switch p.Field {
	case "title":
		text = d.Event.Title
	case "acronym":
		text = d.Event.Acronym
	case "topic":
		text = d.Event.Topics[p.Part]
	case "place":
		text = d.Event.Location.String()
	case "clip":
		text = d.Clips[p.Part].Summary
	}
	return p.Field + " " + string(rune('0'+p.Part)) + " " + text[p.Offset[0]:p.Offset[1]]
}

func TestPlacesAreFew(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { _ = x.Close() }()
	must(t, x.Update(t.Context(), []eventseer.Document{{
		Event: eventseer.Event{ID: "x", Title: "Engines"}, Clips: []eventseer.Clip{{Summary: strings.Repeat("engine ", 50)}},
	}}))
	found, err := x.Find(t.Context(), eventseer.Query{Text: "engine", Passages: true})
	must(t, err)
	if places := found.Hits[0].Places; len(places) != eventseer.MaxPlaces || places[0].Field != "title" {
		t.Errorf("places %v", places)
	}
}

func TestInstead(t *testing.T) {
	x := enriched(t, Options{})
	for _, tt := range []struct{ text, want string }{
		{"crawlnig", "crawling"}, {"informatcis teaching", "informatics teaching"}, {`"focussed crawling"`, `"focused crawling"`},
		{"crawlnig -mining", "crawling -mining"}, {"ICZ", "icx"}, {"crawlnig where:europe", "crawling where:europe"},
		{"crawlnig where:africa", ""}, {"zzzzzzz", ""}, {"crawling teaching", ""}, {"qq", ""}, {"where:africa", ""}, {"crawlnig OR minning", "crawling OR mining"},
	} {
		found, err := x.Find(t.Context(), eventseer.Query{Text: tt.text, Now: now})
		if err != nil || found.Total != 0 || found.Instead != tt.want {
			t.Errorf("instead of %q: %q, %d found, %v; want %q", tt.text, found.Instead, found.Total, err, tt.want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"", "", 0}, {"abc", "", 3}, {"abc", "acb", 1}, {"crawler", "crawlers", 1}, {"kitten", "sitting", 3}, {"naïve", "naive", 1}} {
		if got := text.EditDistance(tt.a, tt.b, 9); got != tt.want {
			t.Errorf("distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzDecodeRow(f *testing.F) {
	for _, d := range rich() {
		f.Add(encodeRow(d))
	}
	f.Fuzz(func(t *testing.T, stored []byte) {
		if r, err := decodeRow([]byte("id"), stored, newSymbols()); (r == nil) == (err == nil) {
			t.Fatalf("row %v, error %v", r, err)
		}
	})
}

// Everything stored about an event is read again unchanged.
func TestRow(t *testing.T) {
	for _, d := range rich() {
		r, err := decodeRow([]byte(d.Event.ID), encodeRow(d), newSymbols())
		must(t, err)
		if diff := cmp.Diff(query.FactsOf(d), r.facts); diff != "" {
			t.Errorf("%s (-want +got):\n%s", d.Event.ID, diff)
		}
	}
}
