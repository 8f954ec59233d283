package search

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"

	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"pgregory.net/rapid"
)

// The words of random documents and queries. There are few, so that queries find something, with
// words of one stem, stop words, accents, numbers and words of several parts.
var (
	randomWords = strings.Fields(`web webs crawling crawler crawled mining data-mining data archive archives café cafe zürich zurich
		engine engines self-driving the of in it no and to what cannot 2026 2027 2028 learning learn K-12 C++ O'Brien straße Ørsted peer-to-peer 検索 search`)
	randomPlaces = []eventseer.Venue{
		{City: "Zürich", Country: "Switzerland", CountryCode: "CH"}, {City: "Bergen", Country: "Norway", CountryCode: "NO", Text: "Bergen, in Norway"},
		{City: "New York", Region: "New York", Country: "USA", CountryCode: "US", Hybrid: true}, {Online: true, Text: "online, no travel"},
		{City: "Ørsted", Country: "Denmark", CountryCode: "DK", Text: "the Café of Ørsted"},
	}
	randomFacts = strings.Fields(`kind:workshop kind:conference year:2027 year>=2027 year<2027 due<60d due>30d due<2027-02-01 due:2027-03 start<2027-06-01
		month:2027-06 new<30d changed<7d where:eu where:online where:norway country:NO city:york rank:core>=A rank:core has:extension has:rank
		has:deadline has:parent id:e7 series:web -`)
	wordFields = []string{"title", "acronym", "topic", "place", "clip", "text", "person"}
)

func randomDocument(r *rand.Rand, n int) eventseer.Document {
	words := func(least, most int) string {
		var all []string
		for range least + r.IntN(most-least+1) {
			all = append(all, randomWords[r.IntN(len(randomWords))])
		}
		return strings.Join(all, " ")
	}
	day := func(from, days int) eventseer.Date {
		return eventseer.Date(now.AddDate(0, 0, from+r.IntN(days)).Format(time.DateOnly))
	}
	e := eventseer.Event{
		ID: eventseer.EventID(fmt.Sprintf("e%d", n)), Title: words(1, 6), Acronym: words(0, 2), FirstSeen: now.AddDate(0, 0, -r.IntN(60)),
		Kind: []eventseer.Kind{eventseer.Conference, eventseer.Workshop, ""}[r.IntN(3)], Year: []int{0, 2026, 2027, 2028}[r.IntN(4)],
	}
	for range r.IntN(4) {
		e.Topics = append(e.Topics, words(1, 3))
	}
	for range r.IntN(3) {
		e.Committee = append(e.Committee, eventseer.Person{Name: words(1, 2)})
		e.Deadlines = append(e.Deadlines, deadline(eventseer.Submission, string(day(-60, 160))))
	}
	if len(e.Deadlines) > 0 && r.IntN(2) == 0 {
		e.Deadlines[0].ExtendedFrom = day(-90, 30)
	}
	if r.IntN(3) > 0 {
		v := randomPlaces[r.IntN(len(randomPlaces))]
		e.Location = &v
		e.EventStart = day(0, 300)
	}
	if r.IntN(4) == 0 {
		e.Parent = words(1, 2)
	}
	d := eventseer.Document{Event: e}
	for range r.IntN(3) {
		d.Clips = append(d.Clips, eventseer.Clip{Summary: words(3, 12)})
	}
	for range r.IntN(3) {
		d.Texts = append(d.Texts, eventseer.PageText{Text: words(10, 60)})
	}
	if r.IntN(3) == 0 {
		d.Ranks = []eventseer.Rank{{System: "core", Value: []string{"A*", "A", "B"}[r.IntN(3)], Year: 2023}}
	}
	if r.IntN(3) == 0 {
		d.Changed = now.AddDate(0, 0, -r.IntN(20))
	}
	return d
}

// drawTerm draws a term: a word, a phrase, words near each other, those of one field, a fact.
func drawTerm(t *rapid.T) string {
	word := func() string { return rapid.SampledFrom(randomWords).Draw(t, "word") }
	phrase := func() string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(randomWords), 1, 4).Draw(t, "phrase"), " ")
	}
	field := ""
	if rapid.IntRange(0, 2).Draw(t, "in a field") == 0 {
		field = rapid.SampledFrom(wordFields).Draw(t, "field") + ":"
	}
	switch rapid.IntRange(0, 5).Draw(t, "sort") {
	case 0, 1:
		return field + word()
	case 2:
		return field + `"` + phrase() + `"`
	case 3:
		return fmt.Sprintf(`%s"%s"~%d`, field, phrase(), rapid.IntRange(1, 6).Draw(t, "near"))
	}
	fact := rapid.SampledFrom(randomFacts).Draw(t, "fact")
	if fact == "-" {
		return word()
	}
	return fact
}

func drawQuery(t *rapid.T) query.Expr {
	var parts []string
	for range rapid.IntRange(0, 3).Draw(t, "clauses") {
		var terms []string
		for range rapid.IntRange(1, 3).Draw(t, "terms") {
			terms = append(terms, drawTerm(t))
		}
		parts = append(parts, strings.Join(terms, " OR "))
	}
	for range rapid.IntRange(0, 2).Draw(t, "excluded") {
		parts = append(parts, "-"+drawTerm(t))
	}
	text := strings.Join(parts, " ")
	x, err := query.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return x
}

// TestSearchFindsWhatTheEvaluatorDoes compares the index and the evaluator on random queries and
// documents. Both must find the same, also when a query is written in an equivalent way.
func TestSearchFindsWhatTheEvaluatorDoes(t *testing.T) {
	for seed, people := range []bool{false, true} {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		var docs []eventseer.Document
		for n := range 80 {
			docs = append(docs, randomDocument(r, n))
		}
		x, err := Open("", Options{Now: func() time.Time { return now }, People: people})
		must(t, err)
		must(t, x.Update(t.Context(), docs))
		c := corpus{x, docs, people}
		finds := 0
		rapid.Check(t, func(t *rapid.T) { finds += c.check(t, drawQuery(t)) })
		rapid.Check(t, c.checkSets)
		if finds == 0 {
			t.Error("nothing is ever found")
		}
		must(t, x.Close())
	}
}

// A corpus is random documents with their index.
type corpus struct {
	index  *Index
	docs   []eventseer.Document
	people bool
}

// found returns the ids that the index finds, in order.
func (c corpus) found(t *rapid.T, text string) (ids []string) {
	found, err := c.index.Find(t.Context(), eventseer.Query{Text: text, Now: now, Limit: maxLimit})
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	for _, h := range found.Hits {
		ids = append(ids, string(h.ID))
	}
	slices.Sort(ids)
	return ids
}

// matching returns for each query the ids of the documents that match by the evaluator.
func (c corpus) matching(queries []query.Expr) [][]string {
	compiler := query.NewCompiler()
	var programs []*query.Program
	for _, x := range queries {
		programs = append(programs, compiler.CompileQuery(x, query.Options{}))
	}
	ids := make([][]string, len(queries))
	for _, d := range c.docs {
		words := compiler.Read(d, c.people)
		for i, p := range programs {
			if p.Matches(words, now) {
				ids[i] = append(ids[i], string(d.Event.ID))
			}
		}
	}
	for i := range ids {
		slices.Sort(ids[i])
	}
	return ids
}

// check holds a query and others that mean the same against the documents, and returns
// how many fit.
func (c corpus) check(t *rapid.T, x query.Expr) int {
	same := []query.Expr{x, shuffled(t, x), repeated(x)}
	evaluated := c.matching(same)
	want := evaluated[0]
	for i, y := range same {
		if got := c.found(t, y.String()); !slices.Equal(got, want) {
			t.Fatalf("%q as %q: the index finds %v, the evaluator %v: %s", x, y, got, want, c.show(got, want))
		}
		if got := evaluated[i]; !slices.Equal(got, want) {
			t.Fatalf("%q as %q: the evaluator finds %v, before %v", x, y, got, want)
		}
	}
	return len(want)
}

// show prints the first document that one of two has and the other not.
func (c corpus) show(a, b []string) string {
	for _, d := range c.docs {
		if id := string(d.Event.ID); slices.Contains(a, id) != slices.Contains(b, id) {
			return fmt.Sprintf("%q %q %q %+v %v %v", d.Event.Title, d.Event.Acronym, d.Event.Topics, d.Event.Location, d.Clips, d.Event.Committee)
		}
	}
	return ""
}

func shuffled(t *rapid.T, x query.Expr) (out query.Expr) {
	for _, alternatives := range rapid.Permutation(x.Clauses).Draw(t, "clauses") {
		out.Clauses = append(out.Clauses, rapid.Permutation(alternatives).Draw(t, "alternatives"))
	}
	out.Excluded = rapid.Permutation(x.Excluded).Draw(t, "excluded")
	return out
}

// repeated is a query with its last clause, the first term of each clause, and the exclusions twice.
func repeated(x query.Expr) (out query.Expr) {
	for _, alternatives := range x.Clauses {
		out.Clauses = append(out.Clauses, append(slices.Clone(alternatives), alternatives[0]))
	}
	if n := len(x.Clauses); n > 0 {
		out.Clauses = append(out.Clauses, x.Clauses[n-1])
	}
	out.Excluded = slices.Concat(x.Excluded, x.Excluded)
	return out
}

// checkSets checks two terms against the documents. AND finds the intersection, OR the union, and NOT the
// complement, also when negated again. Stop words are ignored in a query with other words.
func (c corpus) checkSets(t *rapid.T) {
	a, b := drawTerm(t), drawTerm(t)
	for _, term := range []string{a, b} {
		if x, err := query.Parse(term); err != nil || x.Clauses[0][0].IsStop() {
			return
		}
	}
	inA, inB, all := setOf(c.found(t, a)), setOf(c.found(t, b)), setOf(c.found(t, ""))
	for text, want := range map[string]func(id string) bool{
		a + " " + b:               func(id string) bool { return inA[id] && inB[id] },
		b + " AND " + a:           func(id string) bool { return inA[id] && inB[id] },
		a + " OR " + b:            func(id string) bool { return inA[id] || inB[id] },
		b + " OR " + a:            func(id string) bool { return inA[id] || inB[id] },
		a + " -" + b:              func(id string) bool { return inA[id] && !inB[id] },
		"-" + b + " -" + a:        func(id string) bool { return !inA[id] && !inB[id] },
		"-" + a:                   func(id string) bool { return !inA[id] },
		a + " -" + b + " -" + b:   func(id string) bool { return inA[id] && !inB[id] },
		a + " OR " + b + " -" + a: func(id string) bool { return inB[id] && !inA[id] },
	} {
		got := setOf(c.found(t, text))
		for id := range all {
			if got[id] != want(id) {
				t.Fatalf("%q: %s is found: %v; %q finds it: %v, %q: %v", text, id, got[id], a, inA[id], b, inB[id])
			}
		}
	}
	without := setOf(c.found(t, "-"+a)) // matches of "not without a" contain a
	if !maps.Equal(inA, setOf(slices.DeleteFunc(c.found(t, ""), func(id string) bool { return without[id] }))) {
		t.Fatalf("-%s is not the opposite of %s", a, a)
	}
}

func setOf(ids []string) map[string]bool {
	set := map[string]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// The index leaves out the stop words that Bleve knows; an apostrophe ends a word.
func TestStopWords(t *testing.T) {
	n := 0
	for line := range strings.Lines(string(en.EnglishStopWords)) {
		line, _, _ = strings.Cut(line, "|")
		if word := strings.TrimSpace(line); word != "" && !strings.Contains(word, "'") {
			n++
			if !query.IsStopWord(word) {
				t.Errorf("%q is a word", word)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d stop words", n)
	}
}
