package features

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// passageWords is a vectorizer of the body's words owl, bird and wren, which counts.
func passageWords(t testing.TB, lengths ...int) *Vectorizer {
	t.Helper()
	v := fit(t, Options{Blocks: []string{Body, Title}, Weights: Counts, MinDocs: 1}, nil, Read(tree(t, "<p>owl bird wren")))
	return v.WithPassages(lengths...)
}

func TestPassages(t *testing.T) {
	for _, test := range []struct {
		name, body string
		lengths    []int
		want       [][]map[string]float64
	}{
		{"none asked for", "owl bird", nil, nil},
		{"no term", "", []int{4}, [][]map[string]float64{nil}},
		{"shorter than a passage", "owl bird owl", []int{4}, [][]map[string]float64{{{"body:owl": 2, "body:bird": 1}}}},
		{"as long as one", "owl bird owl wren", []int{4}, [][]map[string]float64{{{"body:owl": 2, "body:bird": 1, "body:wren": 1}}}},
		{"they overlap by half, the last one ends with the body", "owl heron bird heron heron wren wren", []int{4}, [][]map[string]float64{
			{{"body:owl": 1, "body:bird": 1}, {"body:bird": 1, "body:wren": 1}, {"body:wren": 2}}}},
		{"one without a known word", "owl heron heron heron heron heron", []int{2}, [][]map[string]float64{
			{{"body:owl": 1}, {}, {}, {}, {}}}},
		{"of two lengths", "owl bird wren", []int{2, 1000}, [][]map[string]float64{
			{{"body:owl": 1, "body:bird": 1}, {"body:bird": 1, "body:wren": 1}},
			{{"body:owl": 1, "body:bird": 1, "body:wren": 1}}}},
	} {
		v := passageWords(t, test.lengths...)
		d := Read(tree(t, "<title>Owl</title><p>"+test.body))
		var got [][]map[string]float64
		for _, group := range v.Vector(d).Passages {
			var passages []map[string]float64
			for _, x := range group {
				passages = append(passages, named(v, x))
			}
			got = append(got, passages)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// A passage is as long as the page when it is the page: its weights are those of a body.
func TestPassageIsWeighedAsABody(t *testing.T) {
	d := Read(tree(t, "<p>owl owl owl bird bird wren"))
	for _, weights := range []Weighting{Counts, Binary, Sublinear} {
		v := fit(t, Options{Blocks: []string{Body}, Weights: weights, MinDocs: 1, Normalize: true}, nil, d, Read(tree(t, "<p>owl"))).WithPassages(100)
		x := v.Vector(d)
		if diff := cmp.Diff(named(v, x), named(v, x.Passages[0][0])); diff != "" {
			t.Errorf("weights %d (-body +passage):\n%s", weights, diff)
		}
	}
}

// A page of a million words has no more passages, nor longer ones, than the limits.
func TestPassagesAreBounded(t *testing.T) {
	v := passageWords(t, 1, maxPassageTerms)
	x := v.Vector(Read(tree(t, "<p>"+strings.Repeat("owl bird wren ", 300_000))))
	for g, group := range x.Passages {
		if len(group) == 0 || len(group) > maxPassages {
			t.Errorf("length %d: %d passages, at most %d", g, len(group), maxPassages)
		}
		for _, p := range group {
			sum := 0.0
			for _, n := range p.Value {
				sum += n
			}
			if limit := []int{1, maxPassageTerms}[g]; sum > float64(limit) {
				t.Fatalf("length %d: a passage of %v terms", g, sum)
			}
		}
	}
	for _, lengths := range [][]int{{0}, {-1}, {maxPassageTerms + 1}, {1, 2, 3, 4, 5}} {
		if err := (Options{Blocks: []string{Body}, Passages: lengths}).check(); err == nil || !strings.Contains(err.Error(), "passages") {
			t.Errorf("lengths %d: error %v", lengths, err)
		}
	}
}

// The counts that passages share are left as they were found.
func TestPassagesLeaveNoTrace(t *testing.T) {
	v := passageWords(t, 2, 3)
	d := Read(tree(t, "<p>owl bird wren owl"))
	first := v.Vector(d)
	v.Vector(Read(tree(t, "<p>wren wren wren")))
	if diff := cmp.Diff(first, v.Vector(d)); diff != "" {
		t.Errorf("a second time (-first +second):\n%s", diff)
	}
}

func BenchmarkVectorWithPassages(b *testing.B) {
	var docs []*Document
	for i := range 50 {
		docs = append(docs, Read(tree(b, benchTree(i))))
	}
	v := fit(b, DefaultOptions(), nil, docs...).WithPassages(60, 150, 300)
	b.ReportAllocs()
	for b.Loop() {
		v.Vector(docs[0])
	}
}
