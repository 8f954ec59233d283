package search

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/blevesearch/bleve/v2/search"
)

// Words and phrases have the same documents, scores, order and positions as with Bleve's searchers.
// That holds after any searches, puts and removals.
func TestFoundAsByBleve(t *testing.T) {
	x, events := changedIndex(t)
	r := rand.New(rand.NewPCG(3, 4))
	f := viewSearch{view: x.view, termCompiler: x.compiler(eventseer.Query{}), now: now}
	matched, ranked := 0, 0
	for range 600 {
		text := someQuery(r, events)
		parsed, err := query.Parse(text)
		must(t, err)
		n := f.splitQuery(parsed).words
		if n == nil || len(f.splitQuery(parsed).mixed) > 0 { // names of places are facts too
			continue
		}
		var want []scoredDocument
		must(t, f.run(t.Context(), bleveQuery(n), search.SearcherOptions{}, func(n uint32, m *search.DocumentMatch) bool {
			want = append(want, scoredDocument{document: n, score: m.Score})
			return true
		}))
		for range 2 { // found, then remembered
			got, err := f.matchQuery(t.Context(), parsed)
			must(t, err)
			var ranking []scoredDocument
			must(t, f.scoreSet(t.Context(), n, got, func(s scoredDocument) { ranking = append(ranking, s) }))
			if got.len() != len(want) {
				t.Fatalf("%s: %d documents, %d by Bleve", text, got.len(), len(want))
			}
			page, err := f.firstByRelevance(t.Context(), parsed, got, 30)
			must(t, err)
			samePlaces(t, &f, parsed, page)
			if slices.ContainsFunc(want, func(s scoredDocument) bool { return math.IsNaN(s.score) }) {
				continue // Bleve has no scores of years
			}
			sameRanking(t, text, ranking, want)
			ranked += sameOrder(t, &f, text, page, want)
		}
		if len(want) > 0 {
			matched++
		}
	}
	if matched < 200 || ranked < 1000 {
		t.Errorf("only %d queries found something, %d hits had scores that differ", matched, ranked)
	}
}

// changedIndex is an index in which events were put again and removed.
func changedIndex(t *testing.T) (*Index, []eventseer.Event) {
	t.Helper()
	x, err := Open("", Options{Synonyms: func(term string) []string {
		return map[string][]string{"learning": {"deep networks", "training"}}[term]
	}})
	must(t, err)
	t.Cleanup(func() { must(t, x.Close()) })
	events := eventstest.Events(11, 900, now)
	for part := range slices.Chunk(events, 300) {
		must(t, x.Update(t.Context(), eventDocuments(part)))
	}
	must(t, x.Update(t.Context(), eventDocuments(events[:50])))
	var gone []eventseer.EventID
	for _, e := range events[100:140] {
		gone = append(gone, e.ID)
	}
	must(t, applyBatch(x.index, false, nil, gone, 0))
	must(t, x.refreshView())
	return x, events
}

// nearly tells whether scores differ in the last bits of sums at most.
func nearly(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(a, b) }

func sameRanking(t *testing.T, text string, got, want []scoredDocument) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d documents have a score, %d by Bleve", text, len(got), len(want))
	}
	for i, w := range want {
		if got[i].document != w.document || !nearly(got[i].score, w.score) {
			t.Fatalf("%s: %v, by Bleve %v", text, got[i], w)
		}
	}
}

// sameOrder compares the first hits with the order by Bleve's scores: documents may only be exchanged if both
// have the same score. It returns how many hits it distinguished by their scores.
func sameOrder(t *testing.T, f *viewSearch, text string, got, want []scoredDocument) (apart int) {
	t.Helper()
	want = slices.Clone(want)
	slices.SortFunc(want, f.compareRelevance)
	for i, s := range got {
		if !nearly(s.score, want[i].score) {
			t.Fatalf("%s: hit %d is %v, by Bleve %v", text, i, s, want[i])
		}
		if i > 0 && !nearly(want[i].score, want[i-1].score) {
			apart++
		}
	}
	return apart
}

// samePlaces holds the places of hits against those of Bleve's locations.
func samePlaces(t *testing.T, f *viewSearch, x query.Expr, page []scoredDocument) {
	t.Helper()
	var nodes []searchNode
	for _, alternatives := range x.Clauses {
		for _, term := range alternatives {
			if !term.IsStop() {
				nodes = append(nodes, f.termNode(term))
			}
		}
	}
	if len(nodes) == 0 {
		return
	}
	want := map[uint32][]eventseer.WordPosition{}
	must(t, f.run(t.Context(), bleveQuery(anyOfNodes(nodes)), search.SearcherOptions{IncludeTermVectors: true}, func(n uint32, m *search.DocumentMatch) bool {
		want[n] = blevePlaces(m)
		return true
	}))
	hits := make([]eventseer.Hit, len(page))
	must(t, f.findPassages(t.Context(), x, false, page, hits))
	for i, s := range page {
		if !slices.Equal(hits[i].Places, want[s.document]) {
			t.Fatalf("%s: places %v, by Bleve %v", x, hits[i].Places, want[s.document])
		}
	}
}

// If a query has an acronym and a year, the edition of that year comes first, even if it is not the latest.
func TestYearCounts(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	var events []eventseer.Event
	for i, year := range []int{2025, 2026, 2027, 2028} {
		e := numbered(i)
		e.Acronym, e.Title, e.Year = "QUAX", "Symposium on Quaxology", year
		events = append(events, e)
	}
	must(t, x.Update(t.Context(), documents(events)))
	for i, e := range events {
		// Each year is in a single event, and the words are in all.
		got := find(t, x, eventseer.Query{Text: fmt.Sprintf("QUAX OR %d", e.Year)})
		if len(got) != 4 || got[0] != string(events[i].ID) {
			t.Errorf("QUAX OR %d finds %v", e.Year, got)
		}
		found, err := x.Find(t.Context(), eventseer.Query{Text: fmt.Sprintf("QUAX %d", e.Year), Now: now})
		must(t, err)
		if len(found.Hits) != 1 || !(found.Hits[0].Score > 0) {
			t.Errorf("QUAX %d finds %v", e.Year, found.Hits)
		}
	}
}

// Lists are walked as they are searched.
func TestWalker(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		in, list := map[uint32]bool{}, []uint32(nil)
		for d := range uint32(200) {
			if r.IntN(1+r.IntN(20)) == 0 {
				in[d], list = true, append(list, d)
			}
		}
		w := sortedSearcher{list: list}
		for d := range uint32(210) {
			if r.IntN(3) == 0 {
				if got := w.advanceTo(d); got != in[d] || got && w.list[w.at] != d {
					t.Fatalf("%d in %v: %t", d, list, got)
				}
			}
		}
	}
}

// The cache is bounded, and entries that are used repeatedly stay.
func TestPostingsForget(t *testing.T) {
	var m postings
	reads := 0
	for n := range 1000 {
		for _, key := range []wordKey{{"title", "often"}, {"clip", fmt.Sprint(n)}} {
			p, err := m.getOrRead(key, func() (*posting, error) {
				if key.text == "often" {
					reads++
				}
				return &posting{documentList: documentList{sorted: make([]uint32, 50_000)}}, nil
			})
			if err != nil || len(p.sorted) != 50_000 {
				t.Fatal(p, err)
			}
		}
	}
	kept := 0
	for _, p := range m.recent {
		kept += p.memoryBytes()
	}
	for _, p := range m.older {
		kept += p.memoryBytes()
	}
	if reads != 1 || kept > maxPostings+1<<20 || kept < maxPostings/4 {
		t.Errorf("read %d times, %d bytes are kept", reads, kept)
	}
}

func eventDocuments(events []eventseer.Event) (docs []eventseer.Document) {
	for _, e := range events {
		docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e)})
	}
	return docs
}

// someQuery searches for words of some event.
func someQuery(r *rand.Rand, events []eventseer.Event) string {
	var terms []string
	for range 1 + r.IntN(3) {
		e := events[r.IntN(len(events))]
		words := strings.Fields(e.Title + " " + strings.Join(e.Topics, " "))
		at := r.IntN(len(words))
		word := strings.Trim(words[at], `"():,-`)
		phrase := `"` + strings.NewReplacer(`"`, "").Replace(strings.Join(words[at:min(at+1+r.IntN(3), len(words))], " ")) + `"`
		terms = append(terms, []string{
			"learning", word, word, phrase, phrase, "title:" + word, "topic:" + phrase, e.Acronym, fmt.Sprint(e.Year), "clip:papers", "the", `"of the"`, "quxqux", word + "-" + word,
		}[r.IntN(14)])
	}
	return strings.Join(terms, []string{" ", " OR "}[r.IntN(2)])
}

// TestTextScores compares scores of words in texts, which are read only for the scored documents, with
// those of Bleve.
func TestTextScores(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	events := eventstest.Events(12, 400, now)
	for part := range slices.Chunk(events, 130) {
		docs := eventDocuments(part)
		for i := range docs {
			docs[i].Texts = eventstest.Texts(docs[i].Event)
		}
		must(t, x.Update(t.Context(), docs))
	}
	must(t, x.Update(t.Context(), eventDocuments(events[:20]))) // without texts now
	f := viewSearch{view: x.view, termCompiler: x.compiler(eventseer.Query{}), now: now}
	for _, words := range []string{"learning", "systems", "web", "deep learning", "quxqux"} {
		n := f.fieldWordsIn("text", query.Term{Text: words}, 1)
		var all []scoredDocument
		must(t, f.run(t.Context(), bleveQuery(n), search.SearcherOptions{}, func(d uint32, m *search.DocumentMatch) bool {
			all = append(all, scoredDocument{document: d, score: m.Score})
			return true
		}))
		if len(all) < 10 && words != "quxqux" {
			t.Errorf("%q is in %d texts", words, len(all))
		}
		for _, every := range []int{1, 3, 50} {
			of, want := newDocumentSet(len(f.rows)), []scoredDocument(nil)
			for i, s := range all {
				if i%every == 0 {
					want = append(want, s)
					of.add(s.document)
				}
			}
			var got []scoredDocument
			must(t, f.scoreSet(t.Context(), n, of, func(s scoredDocument) { got = append(got, s) }))
			sameRanking(t, words, got, want)
		}
	}
}

// TestDocumentLists compares lists in both forms with sets.
func TestDocumentLists(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	draw := func(n int) (documentSet, documentList) {
		s, one := newDocumentSet(n), 1+r.IntN(60)
		for d := range uint32(n) {
			if r.IntN(one) == 0 {
				s.add(d)
			}
		}
		return s, slices.Clone(s).toList(s.len())
	}
	toSet := func(n int, l documentList, of documentSet) documentSet {
		s := newDocumentSet(n)
		l.addTo(s, of)
		return s
	}
	dense := 0
	for range 500 {
		n := 1 + r.IntN(700)
		a, listA := draw(n)
		b, listB := draw(n)
		if listA.set != nil {
			dense++
		}
		if got := toSet(n, listA, a); !slices.Equal(got, a) {
			t.Fatalf("list %v, set %v", got, a)
		}
		if listA.isEmpty() != (a.len() == 0) {
			t.Fatalf("isEmpty is %t for %d documents", listA.isEmpty(), a.len())
		}
		w := listB.searcher()
		inB := slices.Collect(b.allDocuments)
		if listB.len() != len(inB) {
			t.Fatalf("%d documents, want %d", listB.len(), len(inB))
		}
		for d := range listA.all {
			if found := w.find(d); found != b.has(d) || found && inB[w.index(d)] != d {
				t.Fatalf("%d in %v: %t", d, listB, found)
			}
		}
		a.keepCommon(b)
		all := newDocumentSet(n)
		for i := range all {
			all[i] = ^uint64(0)
		}
		for _, got := range []documentSet{toSet(n, listA.common(listB), all), toSet(n, listA, b)} {
			if !slices.Equal(got, a) {
				t.Fatalf("common %v, want %v", got, a)
			}
		}
		first := r.IntN(200)
		shifted := newDocumentSet(n + first)
		shifted.addShifted(b, first)
		for d := range uint32(n + first) {
			if shifted.has(d) != (d >= uint32(first) && b.has(d-uint32(first))) {
				t.Fatalf("document %d of a set shifted by %d", d, first)
			}
		}
	}
	if dense < 50 || dense > 450 {
		t.Errorf("%d of 500 lists are sets; both forms are to be compared", dense)
	}
}
