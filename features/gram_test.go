package features

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// "call" twice, "paper" and "owl" once; two runs of text.
func sampleDocument() *Document { return ReadText("call for papers\n\ncall owls") }

func TestNGrams(t *testing.T) {
	d := ReadText("call paper call paper owl")
	for n, want := range map[int][]string{
		0: {"body:call", "body:owl", "body:paper"},
		2: {"body:call", "body:call paper", "body:owl", "body:paper", "body:paper call", "body:paper owl"},
		3: {"body:call", "body:call paper", "body:call paper call", "body:call paper owl", "body:owl", "body:paper", "body:paper call", "body:paper call paper", "body:paper owl"},
	} {
		v := fit(t, Options{Blocks: []string{Body}, NGrams: n, Weights: Counts}, nil, d)
		if diff := cmp.Diff(want, componentsOf(v)); diff != "" {
			t.Errorf("%d-grams (-want +got):\n%s", n, diff)
		}
		if x := named(v, v.Vector(d))["body:call paper"]; n > 1 && x != 2 {
			t.Errorf("%d-grams: call paper stands %v times, want 2", n, x)
		}
	}
	// The runs of text end n-grams, addresses have none.
	v := fit(t, Options{Blocks: []string{URL}, NGrams: 3}, nil, Read(tree(t, "<p>x")))
	for _, name := range componentsOf(v) {
		if strings.Contains(name, " ") {
			t.Errorf("an address has %q", name)
		}
	}
}

// The weightings worked by hand, of one document of two. df is 2 for "call" and "owl" and 1 for
// "paper"; the most frequent term occurs twice.
func TestWeightings(t *testing.T) {
	docs := []*Document{sampleDocument(), ReadText("owl call")}
	both, one := math.Log(1+2./2), math.Log(1+2./1)
	for weights, want := range map[Weighting]map[string]float64{
		TFIDF:     {"body:call": both, "body:owl": both / 2, "body:paper": one / 2},
		Sublinear: {"body:call": (1 + math.Log(2)) * both, "body:owl": both, "body:paper": one},
		Binary:    {"body:call": 1, "body:owl": 1, "body:paper": 1},
		Counts:    {"body:call": 2, "body:owl": 1, "body:paper": 1},
	} {
		v := fit(t, Options{Blocks: []string{Body}, Weights: weights}, nil, docs...)
		if diff := cmp.Diff(want, named(v, v.Vector(docs[0])), cmp.Comparer(near6)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", weights, diff)
		}
	}
	if got := Weighting(9).String(); got != "weighting 9" || Sublinear.String() != "sublinear TF-IDF" {
		t.Errorf("weightings are called %q and %q", got, Sublinear)
	}
}

func TestChars(t *testing.T) {
	d := ReadText("owl, владел ox owl")
	v := fit(t, Options{Blocks: []string{Chars}, Weights: Counts}, nil, ReadText("owl ox"))
	want := map[string]float64{
		"chars:_ow": 2, "chars:owl": 2, "chars:wl_": 2, "chars:_owl": 2, "chars:owl_": 2, "chars:_owl_": 2,
		"chars:_ox": 1, "chars:ox_": 1, "chars:_ox_": 1,
	}
	if diff := cmp.Diff(want, named(v, v.Vector(d))); diff != "" {
		t.Errorf("characters (-want +got):\n%s", diff)
	}
	for _, gram := range d.Terms(Chars) {
		if n := len([]rune(gram)); n < minChars || n > maxChars || strings.Contains(gram, "\ufffd") {
			t.Errorf("%q has %d characters", gram, n)
		}
	}
	// The most frequent run counts most: wl_ occurs in owl and in bowl.
	two := ReadText("owl bowl")
	v = fit(t, Options{Blocks: []string{Chars}}, nil, two)
	got := named(v, v.Vector(two))
	if whole, half := got["chars:owl_"], got["chars:_owl"]; !near6(whole, math.Log(2)) || !near6(half, math.Log(2)/2) {
		t.Errorf("owl_ weighs %v and _owl %v, want log 2 and half of it", whole, half)
	}
}

// bags contain the same as the sequences.
func TestBags(t *testing.T) {
	d := Read(tree(t, benchTree(1)))
	for block, sequence := range d.sequence {
		want := make(map[int32]int32)
		for _, ix := range sequence {
			if ix >= 0 {
				want[ix]++
			}
		}
		got := make(map[int32]int32)
		for _, c := range d.bags[block] {
			got[c.term] += c.n
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("bag of %s (-want +got):\n%s", blockNames[block], diff)
		}
	}
}

// A vocabulary reads n-grams of a block as each gives them.
func FuzzVector(f *testing.F) {
	f.Add("call for papers on owls call", uint8(3))
	f.Add("請 論文 Zu\u0308rich don't", uint8(2))
	f.Fuzz(func(t *testing.T, s string, ngrams uint8) {
		d := ReadText(s)
		o := Options{Blocks: []string{Body, Chars}, Weights: Counts, NGrams: int(ngrams % (maxNGrams + 1))}
		v, err := FitVectorizer(o, nil, []*Document{d})
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[string]float64)
		for _, block := range []int{bodyBlock, charsBlock} {
			d.forEachTerm(block, o.NGrams, func(key []byte, n int) { want[fmt.Sprintf("%s:%s", blockNames[block], key)] += float64(n) })
		}
		if diff := cmp.Diff(want, named(v, v.Vector(d))); diff != "" {
			t.Errorf("vector of %q (-want +got):\n%s", s, diff)
		}
	})
}
