package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/blevesearch/bleve/v2/search"
)

// withText is bleveQuery for events with texts.
func withText(n searchNode) searchNode {
	switch n := n.(type) {
	case anyOfNodes:
		return anyOfNodes(withTexts(n))
	case allOfNodes:
		return allOfNodes(withTexts(n))
	case textOrFields:
		return anyOfNodes{withText(n.fields), n.text}
	}
	return n
}

func withTexts(nodes []searchNode) (out []searchNode) {
	for _, n := range nodes {
		out = append(out, withText(n))
	}
	return out
}

// TestTextPhrases compares what searches with phrases in texts find with what Bleve finds. Each search
// uses what earlier ones looked for, among all events or the open ones, with a year or further words.
func TestTextPhrases(t *testing.T) {
	x, err := Open("", Options{Same: func(term string) []string {
		for _, names := range [][]string{{"deep learning", "neural networks"}, {"data mining", "machine learning", "web search"}} {
			if slices.Contains(names, term) {
				return names
			}
		}
		return nil
	}})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	events := eventstest.Events(13, 600, now)
	for part := range slices.Chunk(events, 170) {
		docs := eventDocuments(part)
		for i := range docs {
			if docs[i].Texts = eventstest.Texts(docs[i].Event); i%3 == 0 { // of two pages
				text := docs[i].Texts[0].Text
				docs[i].Texts = []eventseer.PageText{{Text: text[:len(text)/2]}, {Text: text[len(text)/2:]}}
			}
		}
		must(t, x.Update(t.Context(), docs))
	}
	must(t, x.Update(t.Context(), eventDocuments(events[:20]))) // without texts now
	var words []string
	for _, e := range events[20:60] {
		words = append(words, strings.Fields(eventstest.Texts(e)[0].Text)...)
	}
	r := rand.New(rand.NewPCG(9, 10))
	one := func() string {
		for {
			if w := strings.Trim(words[r.IntN(len(words))], `"():,-.#`); w != "" {
				return w
			}
		}
	}
	draw := func() string {
		at := r.IntN(len(words) - 3)
		two := `"` + strings.NewReplacer(`"`, "", "\n", " ").Replace(strings.Join(words[at:at+2], " ")) + `"`
		return []string{two, two, two + " " + one(), two + " OR " + one(), "deep learning", "machine learning", "neural networks " + one(), two + fmt.Sprint(" ", 2024+r.IntN(5))}[r.IntN(8)]
	}
	some, inTexts := 0, 0
	f := viewSearch{view: x.view, termCompiler: x.compiler(eventseer.Query{}), now: now}
	for range 300 {
		text := draw()
		parsed, err := query.Parse(text)
		must(t, err)
		parsed = parsed.WithNames(func(words string) bool { return f.same(words) != nil })
		p := f.splitQuery(parsed)
		if p.words == nil || len(p.mixed) > 0 {
			continue
		}
		if f.openAt = now.AddDate(0, r.IntN(12), 0); r.IntN(2) == 0 {
			f.openAt = now.AddDate(-100, 0, 0)
		}
		want := newDocumentSet(len(f.rows))
		must(t, f.run(t.Context(), bleveQuery(withText(p.words)), search.SearcherOptions{}, func(d uint32, _ *search.DocumentMatch) bool {
			want.add(d)
			return true
		}))
		f.removeClosed(want)
		for range 2 { // found, then remembered
			got, err := f.matchQuery(t.Context(), parsed)
			must(t, err)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: %d documents, %d by Bleve", text, got.len(), want.len())
			}
			fields, err := f.documentsOf(t.Context(), nodeWithoutTexts(p.words), got)
			must(t, err)
			some, inTexts = some+int(bitOf(got.len() > 0)), inTexts+int(bitOf(fields.len() < got.len()))
		}
	}
	if some < 200 || inTexts < 100 {
		t.Errorf("%d searches found something, %d something in texts only", some, inTexts)
	}
}

// TestDamagedText reads a frequent word of an index whose segments have more documents than the view.
func TestDamagedText(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	var docs []eventseer.Document
	for i := range 200 {
		docs = append(docs, withPage(fmt.Sprint("e", i), "Conference", "Spillways"))
	}
	must(t, x.Update(t.Context(), docs))
	f := viewSearch{view: &view{reader: x.view.reader, rows: x.view.rows[:100]}, termCompiler: x.compiler(eventseer.Query{})}
	_, err = f.documentsOf(t.Context(), f.fieldWordsIn("text", query.Term{Text: "spillways"}, 1), newDocumentSet(100))
	if err == nil || !strings.Contains(err.Error(), "delete its folder") {
		t.Errorf("error %v, want one that says what to do", err)
	}
}
