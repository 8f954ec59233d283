package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/google/go-cmp/cmp"
)

// rich are the documents of calls with clips and ranks.
func rich() []eventseer.Document {
	docs := documents(calls)
	docs[0].Ranks = []eventseer.Rank{{System: "core", Value: "A*", Year: 2023}, {System: "core", Value: "B", Year: 2018}}
	docs[1].Ranks = []eventseer.Rank{{System: "core", Value: "B", Year: 2023}, {System: "ccf", Value: "C"}}
	docs[0].Clips = []eventseer.Clip{{Summary: "Nothing of note."}, {Summary: "Die Prüfung of harvesting robots, and robots again."}}
	docs[0].Event.EventStart, docs[1].Event.EventStart = "2027-06-01", "2027-06-20"
	docs[2].Event.EventStart = "2026-03-01"
	docs[1].Event.Topics = append(docs[1].Event.Topics, "WEB archives")
	docs[0].Event.Committee = []eventseer.Person{{Name: "Ágnes Példa"}}
	docs[0].Changed = now.AddDate(0, 0, -3)
	return docs
}

func enriched(t *testing.T, o Options) *Index {
	t.Helper()
	x, err := Open("", o)
	must(t, err)
	t.Cleanup(func() { _ = x.Close() })
	must(t, x.Update(t.Context(), rich()))
	return x
}

// printFacets prints facets in lines.
func printFacets(facets []eventseer.Facet) string {
	var b strings.Builder
	for _, f := range facets {
		fmt.Fprintf(&b, "%s", f.Name)
		for _, v := range f.Values {
			fmt.Fprintf(&b, " | %d %s %s", v.Count, v.Value, v.Term)
		}
		if f.Other > 0 {
			fmt.Fprintf(&b, " | other %d", f.Other)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestFacets(t *testing.T) {
	x := enriched(t, Options{})
	found, err := x.Find(t.Context(), eventseer.Query{Now: now, Facets: true})
	must(t, err)
	const want = `topic | 2 Web archives topic:"Web archives" | 1 Crawling with focus topic:"Crawling with focus" | 1 E-learning topic:E-learning | 1 Focused crawling topic:"Focused crawling" | 1 Text topic:Text
kind | 1 Conference kind:conference | 1 Special issue kind:special_issue | 1 Symposium kind:symposium | 1 Workshop kind:workshop
country | 1 South Korea country:KR | 1 Switzerland country:CH
where | 1 Asia where:asia | 1 Europe where:europe
mode | 1 Online mode:online | 1 In person mode:onsite
rank | 1 CCF C rank:ccf=C | 1 CORE A* rank:core=A* | 1 CORE B rank:core=B
month | 2 June 2027 month:2027-06 | other 1
due | 1 within 30 days due<30d | 2 within 60 days due<60d | 2 within 90 days due<90d
`
	if diff := cmp.Diff(want, printFacets(found.Facets)); diff != "" {
		t.Errorf("facets (-want +got):\n%s", diff)
	}
}

// The term of each value of a facet finds as many events as the facet counted. Of topics it may
// find more, as their words are stemmed.
func TestFacetTerms(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { _ = x.Close() }()
	events := eventstest.Events(3, 2000, now)
	ranks := map[string][]eventseer.Rank{}
	for _, s := range eventstest.Series(3) {
		ranks[s.ID] = s.Ranks
	}
	docs := documents(events)
	for i := range docs {
		docs[i].Ranks = ranks[docs[i].Event.Series]
	}
	must(t, x.Update(t.Context(), docs))
	for _, q := range []eventseer.Query{{Now: now, Facets: true}, {OpenAt: now, ByDeadline: true, Facets: true}, {Text: "learning OR networks -where:online", OpenAt: now, Facets: true}} {
		found, err := x.Find(t.Context(), q)
		must(t, err)
		names := []string{"topic", "kind", "country", "where", "mode", "rank", "month", "due"}
		if len(found.Facets) != len(names) {
			t.Errorf("facets %s", printFacets(found.Facets))
		}
		for i, f := range found.Facets {
			if f.Name != names[i] {
				t.Errorf("facet %d is %s", i, f.Name)
			}
			for _, v := range f.Values {
				narrow := q
				expr, err := query.Parse(q.Text)
				must(t, err)
				expr, err = expr.With(v.Term)
				must(t, err)
				narrow.Text = expr.String()
				got, err := x.Find(t.Context(), narrow)
				must(t, err)
				if got.Total != v.Count && (f.Name != "topic" || got.Total < v.Count) {
					t.Errorf("%q finds %d, the facet %s counted %d", narrow.Text, got.Total, f.Name, v.Count)
				}
			}
		}
	}
}

// Apart from words, the index finds the events that fulfil the terms of a query.
func TestAgreesWithFacts(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { _ = x.Close() }()
	docs := documents(eventstest.Events(5, 1500, now))
	for i := range docs {
		if i%3 == 0 {
			docs[i].Ranks = []eventseer.Rank{{System: "core", Value: []string{"A*", "A", "B", "C"}[i%4], Year: 2023}}
		}
		docs[i].Changed = now.AddDate(0, 0, -i%90)
	}
	must(t, x.Update(t.Context(), docs))
	for _, text := range []string{
		"due<60d", "due>30d", "due>=2027-02-01", "due<2026-06-01", "start<2027-06-01", "start:2027-05", "where:eu", `where:"new york"`,
		"country:us", "city:paulo", "rank:core>=A", "rank:core=B,C", "new<30d", "changed<7d", "has:extension", "has:rank", "year>=2027",
		"month:2027-06", "kind:workshop", "where:online", "where:onsite", "due:2027-03",
	} {
		expr, err := query.Parse(text)
		must(t, err)
		test := expr.Clauses[0][0].FactTest(now)
		want := 0
		for _, d := range docs {
			if facts := query.FactsOf(d); test(&facts) {
				want++
			}
		}
		for asked := range 3 { // the third time it is remembered
			found, err := x.Find(t.Context(), eventseer.Query{Text: text, Now: now})
			must(t, err)
			if found.Total != want || want == 0 {
				t.Errorf("%s finds %d, the facts say %d (asked %d times before)", text, found.Total, want, 2*asked)
			}
			not, err := x.Find(t.Context(), eventseer.Query{Text: "-" + text, Now: now})
			must(t, err)
			if not.Total != len(docs)-want {
				t.Errorf("-%s finds %d, the facts say %d (asked %d times before)", text, not.Total, len(docs)-want, 2*asked+1)
			}
		}
	}
}

func TestNothing(t *testing.T) {
	x, err := Open("", Options{Now: func() time.Time { return now }})
	must(t, err)
	for _, q := range []eventseer.Query{{Facets: true, Passages: true}, {Text: "crawling", Facets: true, Passages: true}, {Text: "due<7d", ByDeadline: true}} {
		found, err := x.Find(t.Context(), q)
		if diff := cmp.Diff(eventseer.Found{}, found); err != nil || diff != "" {
			t.Errorf("an empty index finds %v, %v", found, err)
		}
	}
	must(t, x.Close())
	must(t, x.Close())
	if _, err := x.Find(t.Context(), eventseer.Query{}); err == nil {
		t.Error("a closed index finds")
	}
	if err := x.Update(t.Context(), rich()); err == nil {
		t.Error("a closed index is updated")
	}
}

// A topic is found, and counted, in whatever way calls print it.
func TestTopicVariants(t *testing.T) {
	printed := []string{"Natural Language Processing (NLP)", "NLP for hospitals", "natural-language processing", "Processing of natural language", "Natural history"}
	var docs []eventseer.Document
	for n, p := range printed {
		docs = append(docs, eventseer.Document{Event: eventseer.Event{ID: eventseer.EventID(fmt.Sprintf("e%d", n)), Title: "Meeting", Topics: []string{p}}})
	}
	x, err := Open("", Options{})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	must(t, x.Update(t.Context(), docs))
	for _, asked := range []string{"topic:NLP", `topic:"natural language processing"`, `topic:"Natural-Language Processing"`} {
		found, err := x.Find(t.Context(), eventseer.Query{Text: asked, Facets: true})
		if err != nil || found.Total != 4 {
			t.Errorf("%s: %d events, %v; want 4", asked, found.Total, err)
		}
		i := slices.IndexFunc(found.Facets, func(f eventseer.Facet) bool { return f.Name == "topic" })
		if i < 0 || found.Facets[i].Values[0].Value != "Natural language processing" || found.Facets[i].Values[0].Count != 4 || len(found.Facets[i].Values) > maxFacetValues {
			t.Errorf("%s: facets %+v", asked, found.Facets)
		}
	}
	if found, err := x.Find(t.Context(), eventseer.Query{Text: "-topic:nlp"}); err != nil || found.Total != 1 {
		t.Errorf("without the topic: %d events, %v; want 1", found.Total, err)
	}
}

// Values of a facet that a query chooses from are counted without that choice, so that one more can
// be chosen. The other facets are those of the events found.
func TestFacetsOfAChoice(t *testing.T) {
	x := enriched(t, Options{})
	facet := func(text, name string) string {
		found, err := x.Find(t.Context(), eventseer.Query{Text: text, Now: now, Facets: true})
		must(t, err)
		for _, f := range found.Facets {
			if f.Name == name {
				return strings.TrimSpace(printFacets([]eventseer.Facet{f}))
			}
		}
		return ""
	}
	all := facet("", "kind")
	if strings.Count(all, "|") < 2 {
		t.Fatalf("kinds: %s", all)
	}
	for text, want := range map[string]string{"kind:workshop": all, "kind:workshop OR kind:conference": all, "kind:workshop due<9999d": facet("due<9999d", "kind"), "country:KR": facet("country:KR", "kind")} {
		if got := facet(text, "kind"); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	if got, want := facet("year<9999 mode:onsite", "mode"), facet("year<9999", "mode"); got != want {
		t.Errorf("modes: %s, want %s", got, want)
	}
	if got := facet("country:KR", "where"); got != `where | 1 Asia where:asia` {
		t.Errorf("parts of the world of a country: %s", got)
	}
}
