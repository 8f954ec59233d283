package features

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func reference(t testing.TB, table string) *DocumentFrequencies {
	t.Helper()
	ref, err := ReadDocumentFrequencies(strings.NewReader(table))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func fit(t testing.TB, o Options, ref *DocumentFrequencies, docs ...*Document) *Vectorizer {
	t.Helper()
	v, err := FitVectorizer(o, ref, docs)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// named returns a vector as a map from component names to values.
func named(v *Vectorizer, x Vector) map[string]float64 {
	m := make(map[string]float64)
	for i, ix := range x.Index {
		m[v.Name(int(ix))] = x.Value[i]
	}
	return m
}

func near6(a, b float64) bool { return math.Abs(a-b) < 1e-6 }

func tree(t testing.TB, markup string) *tagtree.Tree {
	t.Helper()
	return treeAt(t, "http://www.owls2026.example.org/~chair/CallForPapers/2026/cfp.html", markup)
}

func treeAt(t testing.TB, url, markup string) *tagtree.Tree {
	t.Helper()
	tr, err := tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(markup)})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// The weights of paper 002, section 3.1.1, worked by hand. "owl" occurs three times, the maximum,
// and "flight" twice. "moon" is in no reference document and is dropped, though a word as frequent
// as that would count as the maximum.
func TestThesisWeights(t *testing.T) {
	ref := reference(t, "#N 1000\nowl\t10\nflight\t100\nnight\t1000\n")
	v := fit(t, ThesisOptions(), ref)
	got := named(v, v.Vector(ReadText("The owls and an Owl's flight, of OWL flights by night; moon")))
	want := map[string]float64{
		"body:owl":    3.0 / 3 * math.Log(1000.0/10),
		"body:flight": 2.0 / 3 * math.Log(1000.0/100),
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(near6)); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}
	got = named(v, v.Vector(ReadText("moon moon moon moon flight")))
	if w := math.Log(10) / 4; !near6(got["body:flight"], w) {
		t.Errorf("flight beside four moons weighs %v, want %v", got["body:flight"], w)
	}
}

func TestFortyHighest(t *testing.T) {
	var table, text strings.Builder
	table.WriteString("#N 100\n")
	for i := range 60 {
		w := "q" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + "x"
		fmt.Fprintf(&table, "%s\t%d\n", w, 2+i/3) // groups of three tie
		fmt.Fprintf(&text, "%s ", w)
	}
	v := fit(t, ThesisOptions(), reference(t, table.String()))
	x := v.Vector(ReadText(text.String()))
	if x.Len() != 40 {
		t.Fatalf("%d components, want 40", x.Len())
	}
	for i, ix := range x.Index {
		if int(ix) != i {
			t.Fatalf("component %d is %s, want the first forty terms: equal ones are taken by name", i, v.Name(int(ix)))
		}
	}
}

func TestStopWords(t *testing.T) {
	if len(stopWords) < 400 {
		t.Errorf("%d stop words, want at least 400", len(stopWords))
	}
	for _, w := range []string{"and", "by", "or", "at", "don't", "we're", "among"} {
		if !stopWords[w] {
			t.Errorf("%q is no stop word", w)
		}
	}
	for _, w := range []string{"call", "paper", "papers", "submit", "deadline", "workshop", "page", "topic"} {
		if stopWords[w] {
			t.Errorf("%q is a stop word", w)
		}
	}
	// Words are looked up as written, before they are stemmed.
	got := ReadText("Others don’t submit; submissions, submitted and SUBMITTING doing").Terms(Body)
	if diff := cmp.Diff([]string{"submiss", "submit"}, got); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
}

func TestTokens(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"letters only", "web2.0 is x86-64", []string{"web"}},
		{"hyphen, slash, underscore", "camera-ready and/or call_for_papers", []string{"call", "camera", "paper", "readi"}},
		{"possessive", "the conference's chairs' chair’s", []string{"chair", "confer"}},
		{"not English", "Universität Zürich, Москва", []string{"universitat", "zurich", "москв"}},
		{"combining mark", "Zu\u0308rich", []string{"zurich"}},
		{"too long", strings.Repeat("owl", 20), nil},
		{"nothing", " 12 .. ' ''", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, ReadText(tt.text).Terms(Body)); diff != "" {
				t.Errorf("terms of %q (-want +got):\n%s", tt.text, diff)
			}
		})
	}
}

func TestBlocksOfAPage(t *testing.T) {
	d := Read(tree(t, `<title>Owl Workshop</title><nav><a href="/songs">Songs</a></nav><h1>Calls</h1><p>Papers on the flight of <a href="/owl.html">owls</a>
		<p><a href="/moon.html">Moonlight</a> by`), "An owl night", "songs, songs")
	want := map[string][]string{
		Title: {"owl", "workshop"}, Headings: {"call"}, Menu: {"moonlight", "song"}, Body: {"call", "flight", "moonlight", "owl", "paper", "song"},
		URL:     {"#year", "call", "cfp", "chair", "exampl", "html", "org", "owl", "paper", "~"},
		Anchors: {"night", "owl", "song"}, Structure: nil, "no block": nil,
	}
	for block, terms := range want {
		if diff := cmp.Diff(terms, d.Terms(block)); diff != "" {
			t.Errorf("terms of %s (-want +got):\n%s", block, diff)
		}
	}
	numbered := Read(treeAt(t, "http://a.example.org/cfp-2026-12.html", "<p>x"))
	if diff := cmp.Diff([]string{"#number", "#year", "cfp", "exampl", "html", "org"}, numbered.Terms(URL)); diff != "" {
		t.Errorf("terms of a URL with numbers (-want +got):\n%s", diff)
	}
}

// Terms of the texts of links do not run on from one into the next.
func TestAnchors(t *testing.T) {
	page := tree(t, "<p>x")
	d := Read(page, "owl", "", "call", "paper moon")
	v := fit(t, Options{Blocks: []string{Anchors}, NGrams: 2}, nil, d)
	if diff := cmp.Diff([]string{"anchors:call", "anchors:moon", "anchors:owl", "anchors:paper", "anchors:paper moon"}, componentsOf(v)); diff != "" {
		t.Errorf("vocabulary (-want +got):\n%s", diff)
	}
	if x := v.Vector(Read(page)); x.Len() != 0 {
		t.Errorf("a page that nothing is known to link to has %v", named(v, x))
	}
	many := Read(page, slices.Repeat([]string{"owl call"}, maxTokens)...)
	if n := len(many.sequence[anchorsBlock]); n > maxTokens {
		t.Errorf("%d tokens kept of anchors, want at most %d", n, maxTokens)
	}
}

// componentsOf returns the names of all components.
func componentsOf(v *Vectorizer) []string {
	var names []string
	for i := range v.Size() {
		names = append(names, v.Name(i))
	}
	return names
}

func TestNamespacesBigramsAndLengths(t *testing.T) {
	docs := []*Document{
		Read(tree(t, "<title>Owl call</title><p>Call for papers</p><p>owls")),
		Read(tree(t, "<title>Owl</title><p>paper owls")),
	}
	o := Options{Blocks: []string{Title, Body}, NGrams: 2, Weights: Sublinear, Normalize: true}
	v := fit(t, o, nil, docs...)
	want := []string{"body:call", "body:call paper", "body:owl", "body:paper", "body:paper owl", "title:call", "title:owl", "title:owl call"}
	if diff := cmp.Diff(want, componentsOf(v)); diff != "" {
		t.Errorf("vocabulary (-want +got):\n%s", diff)
	}
	sums := make(map[string]float64)
	for name, x := range named(v, v.Vector(docs[0])) {
		block, _, _ := strings.Cut(name, ":")
		sums[block] += x * x
	}
	if diff := cmp.Diff(map[string]float64{"body": 1, "title": 1}, sums, cmp.Comparer(near6)); diff != "" {
		t.Errorf("squared lengths (-want +got):\n%s", diff)
	}
	o.MinDocs, o.MaxTerms = 2, 2
	if v = fit(t, o, nil, docs...); v.Size() != 2 || v.Name(0) != "body:owl" || v.Name(1) != "body:paper" {
		t.Errorf("kept %q, %q of %d, want the two most frequent, first ones first", v.Name(0), v.Name(1), v.Size())
	}
}

func TestPhrasesRunOverLineEnds(t *testing.T) {
	docs := []*Document{
		ReadText("Call for\npapers"),
		Read(tree(t, "<pre>Call for\n papers</pre>")),
		Read(tree(t, "<ul><li>Call for<li>papers</ul>")),
	}
	for i, want := range []int{3, 3, 2} {
		if v := fit(t, Options{Blocks: []string{Body}, NGrams: 2}, nil, docs[i]); v.Size() != want {
			t.Errorf("document %d gives %d terms, want %d", i, v.Size(), want)
		}
	}
}

func TestSelect(t *testing.T) {
	d := ReadText("call owl paper")
	v := fit(t, Options{Blocks: []string{Body, Structure}}, nil, d)
	w := v.Select(func(i int) bool { return v.Name(i) != "body:owl" })
	if w.Size() != v.Size()-1 || w.Name(0) != "body:call" || w.Name(1) != "body:paper" || w.Name(2) != v.Name(3) {
		t.Errorf("%d of %d components, first %q, %q", w.Size(), v.Size(), w.Name(0), w.Name(1))
	}
	want, got := named(v, v.Vector(d)), named(w, w.Vector(d))
	delete(want, "body:owl")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("vector (-want +got):\n%s", diff)
	}
}

func TestFitErrors(t *testing.T) {
	ref := reference(t, "#N 2\nowl\t1\n")
	doc := []*Document{ReadText("owl")}
	tests := []struct {
		name string
		o    Options
		ref  *DocumentFrequencies
		docs []*Document
	}{
		{"no blocks", Options{}, ref, doc},
		{"unknown block", Options{Blocks: []string{"tail"}}, ref, doc},
		{"block twice", Options{Blocks: []string{Body, Body}}, ref, doc},
		{"no reference", ThesisOptions(), nil, doc},
		{"no documents", DefaultOptions(), nil, nil},
		{"negative", Options{Blocks: []string{Body}, Keep: -1}, nil, doc},
		{"bigrams of a reference", Options{Blocks: []string{Body}, NGrams: 2, Reference: true}, ref, doc},
		{"characters of a reference", Options{Blocks: []string{Chars}, Reference: true}, ref, doc},
		{"4-grams", Options{Blocks: []string{Body}, NGrams: 4}, ref, doc},
		{"unknown weights", Options{Blocks: []string{Body}, Weights: 4}, ref, doc},
	}
	for _, tt := range tests {
		if _, err := FitVectorizer(tt.o, tt.ref, tt.docs); err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
}

func TestReadDocumentFrequencies(t *testing.T) {
	ref := reference(t, "#N 3\na\t1\nb\t3\n")
	if ref.n != 3 || len(ref.terms) != 2 || ref.df["b"] != 3 || ref.df["c"] != 0 {
		t.Errorf("got %+v", ref)
	}
	for _, bad := range []string{"", "a\t1\n", "#N 0\n", "#N 3\na", "#N 3\na\t4", "#N 3\na\t0", "#N 3\na\t1\na\t1", "#N 3\n\t1",
		"#N 3\n" + strings.Repeat("a", 2000) + "\t1", "#N 3\n" + strings.Repeat("a", 300) + "\t1", "#N 3\n\xff\t1"} {
		if _, err := ReadDocumentFrequencies(strings.NewReader(bad)); err == nil {
			t.Errorf("no error for %.30q", bad)
		}
	}
}

// Documents, their order, and the lexicon's state have no effect on bytes.
func TestDeterminism(t *testing.T) {
	var docs []*Document
	for i := range 50 {
		docs = append(docs, Read(tree(t, fmt.Sprintf("<title>Page %c</title><p>owls call %c%c paper moon %d May 2026", 'a'+i%7, 'p'+i%3, 'q'+i%5, i))))
	}
	o := DefaultOptions()
	o.MinDocs = 1
	first, _ := fit(t, o, nil, docs...).AppendBinary(nil)
	slices.Reverse(docs)
	v := fit(t, o, nil, docs...)
	second, _ := v.AppendBinary(nil)
	if !bytes.Equal(first, second) {
		t.Error("the order of documents changes the vectorizer")
	}
	for range 5 {
		if diff := cmp.Diff(v.Vector(docs[0]), v.Vector(docs[0])); diff != "" {
			t.Fatalf("vector differs:\n%s", diff)
		}
	}
}

func TestTokensAreBounded(t *testing.T) {
	d := ReadText(strings.Repeat("owl ", maxTokens+100))
	if n := len(d.sequence[bodyBlock]); n > maxTokens {
		t.Errorf("%d tokens kept, want at most %d", n, maxTokens)
	}
	d = Read(treeAt(t, "http://a.example.org/"+strings.Repeat("owl/", 500), "<p>x"))
	if n := len(d.sequence[urlBlock]); n > maxURLTokens+3 {
		t.Errorf("%d tokens of a URL kept, want about %d", n, maxURLTokens)
	}
}

func TestLexiconIsSafeAndTransparent(t *testing.T) {
	done := make(chan bool)
	for range 4 {
		go func() {
			defer func() { done <- true }()
			for i := range 5_000 {
				s := fmt.Sprintf("papers%dx", i)
				if w := known.lookUp([]byte(s), english); w.text != s || w.term != Stem(s) {
					t.Errorf("look(%q) = %+v", s, w)
				}
			}
		}()
	}
	for range 4 {
		<-done
	}
}
