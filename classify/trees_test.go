package classify

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// testTrees are two outputs over three components: the first has a tree that
// asks twice, the second one that asks once.
func testTrees() Trees {
	return Trees{Inputs: 3, Base: []float64{0.5, -1}, Forest: [][][]Node{
		{{
			{Input: 0, Threshold: 1, Left: 1, Right: 2, Value: 0.125},
			{Input: -1, Value: -0.5},
			{Input: 2, Threshold: -2, Left: 3, Right: 4, Value: 0.75},
			{Input: -1, Value: 0.25},
			{Input: -1, Value: 2},
		}, {{Input: -1, Value: 4}}},
		{{
			{Input: 1, Threshold: 0, Left: 1, Right: 2, Value: 0},
			{Input: -1, Value: -8},
			{Input: -1, Value: 8},
		}},
	}}
}

func TestTreesDecide(t *testing.T) {
	trees, err := NewTrees(testTrees())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		x    []float32
		want []float64
	}{
		{[]float32{1, 0, 0}, []float64{4, -9}},        // 0.5 - 0.5 + 4; at a threshold to the left
		{[]float32{1.5, 0.1, -2}, []float64{4.75, 7}}, // 0.5 + 0.25 + 4
		{[]float32{2, -1, 0}, []float64{6.5, -9}},
	} {
		if diff := cmp.Diff(test.want, trees.Decide(test.x)); diff != "" {
			t.Errorf("Decide(%v) (-want +got):\n%s", test.x, diff)
		}
	}
	// From 0.125 over 0.75 to 2: component 0 moves it by 0.625, component 2 by 1.25.
	if diff := cmp.Diff([]float64{0.625, 0, 1.25}, trees.Contributions([]float32{2, 0, 0}, 0)); diff != "" {
		t.Errorf("Parts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]float64{1.25, 0, 1.75}, trees.Importance(0)); diff != "" {
		t.Errorf("Importance (-want +got):\n%s", diff)
	}
}

func TestNewTreesRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Trees){
		"no input":            func(t *Trees) { t.Inputs = 0 },
		"no output":           func(t *Trees) { t.Base, t.Forest = nil, nil },
		"a base too few":      func(t *Trees) { t.Base = t.Base[:1] },
		"a base not finite":   func(t *Trees) { t.Base[0] = math.NaN() },
		"no node":             func(t *Trees) { t.Forest[0][1] = nil },
		"too many nodes":      func(t *Trees) { t.Forest[0][1] = make([]Node, maxTreeNodes+1) },
		"an unknown input":    func(t *Trees) { t.Forest[0][0][2].Input = 3 },
		"a way back":          func(t *Trees) { t.Forest[0][0][2].Left = 0 },
		"a way to itself":     func(t *Trees) { t.Forest[0][0][2].Right = 2 },
		"a way out":           func(t *Trees) { t.Forest[0][0][2].Right = 5 },
		"two ways to a node":  func(t *Trees) { t.Forest[0][0][2].Right = 3 },
		"a value not finite":  func(t *Trees) { t.Forest[1][0][1].Value = float32(math.Inf(1)) },
		"a threshold too far": func(t *Trees) { t.Forest[1][0][0].Threshold = float32(math.NaN()) },
	} {
		trees := testTrees()
		spoil(&trees)
		if _, err := NewTrees(trees); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// stackModel is a CFP model of two stages.
func stackModel(t testing.TB) *Model { return passageModel(t) }

// passageModel is a CFP model of two stages that reads passages of so many terms.
func passageModel(t testing.TB, lengths ...int) *Model {
	t.Helper()
	m := testModel(t, TaskCFP)
	var docs []*features.Document
	for _, text := range texts {
		docs = append(docs, features.ReadText(text))
	}
	v, err := features.FitVectorizer(features.Options{Blocks: []string{features.Body, features.Structure}, Normalize: true}, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	trees := testTrees()
	v = v.WithPassages(lengths...)
	trees.Inputs = 1 + v.Size() - v.Terms() + passageValues*len(lengths)
	if len(lengths) > 0 { // the second stage uses the best passage of the first length
		trees.Forest[0][0][0].Input = int32(1 + v.Size() - v.Terms())
	}
	trees.Base, trees.Forest = trees.Base[:1], trees.Forest[:1]
	made, err := NewTrees(trees)
	if err != nil {
		t.Fatal(err)
	}
	linear := m.Classifier.(*Linear)
	stack := &Stack{Base: &Linear{Weights: [][]float64{linear.Weights[0][:v.Terms()]}, Bias: linear.Bias}, From: v.Terms(), Trees: made, Passages: len(lengths)}
	m.Vectorizer, m.Classifier = v, stack
	if m, err = NewModel(*m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestStackReadsWordsAndStructure(t *testing.T) {
	s := &Stack{Base: &Linear{Weights: [][]float64{{1, 2}}, Bias: []float64{0.5}}, From: 2, Trees: &Trees{Inputs: 4}}
	x := features.Vector{Index: []uint32{1, 2, 4}, Value: []float64{3, 7, 9}}
	if diff := cmp.Diff([]float32{6.5, 7, 0, 9}, s.TreeInputs(x)); diff != "" {
		t.Errorf("Dense (-want +got):\n%s", diff)
	}
}

func TestStackReadsPassages(t *testing.T) {
	s := &Stack{Base: &Linear{Weights: [][]float64{{1, 2}}, Bias: []float64{0.5}}, From: 2, Trees: &Trees{Inputs: 2 + 3*passageValues}, Passages: 3}
	x := features.Vector{Index: []uint32{0, 2}, Value: []float64{1, 7}, Passages: [][]features.Vector{
		{{Index: []uint32{0}, Value: []float64{2}}, {Index: []uint32{1}, Value: []float64{3}}, {}}, // 2.5, 6.5, 0.5
		{{Index: []uint32{1}, Value: []float64{-1}}},                                               // -1.5
	}}
	want := []float32{1.5, 7, 6.5, 2.5, 9.5 / 3, -1.5, noPassage, -1.5, noPassage, noPassage, 0}
	if diff := cmp.Diff(want, s.TreeInputs(x), cmpopts.EquateApprox(0, 1e-6)); diff != "" {
		t.Errorf("Dense (-want +got):\n%s", diff)
	}
}

// The effect of passages is assigned to the words of the classifier that reads them.
func TestStackExplainsPassages(t *testing.T) {
	m := passageModel(t, 2)
	s := m.Classifier.(*Stack)
	x := m.Vectorizer.Vector(features.ReadText(texts[0]))
	moved := s.Trees.Contributions(s.TreeInputs(x), 0)
	ofPassages := 0.0
	for _, part := range moved[len(moved)-passageValues:] {
		ofPassages += part
	}
	if ofPassages == 0 {
		t.Fatal("the trees do not read passages")
	}
	words := 0.0
	for _, p := range s.contributions(x, 1) {
		if p.component >= m.Vectorizer.Size() {
			t.Errorf("part of component %d of %d", p.component, m.Vectorizer.Size())
		}
		if p.component < s.From {
			words += math.Abs(p.weight)
		}
	}
	if most := math.Abs(moved[0] + ofPassages); words == 0 || words > most+1e-9 {
		t.Errorf("the words' parts are %v in size, page and passages move the trees by %v", words, most)
	}
	for _, p := range s.topParts(1) {
		if p.component >= m.Vectorizer.Size() {
			t.Errorf("top feature %d of %d", p.component, m.Vectorizer.Size())
		}
	}
}

func TestNewModelRefusesOtherPassages(t *testing.T) {
	for name, spoil := range map[string]func(m *Model, s *Stack){
		"a length too few":             func(_ *Model, s *Stack) { s.Passages-- },
		"a length too many":            func(_ *Model, s *Stack) { s.Passages++ },
		"a vectorizer of no passage":   func(m *Model, _ *Stack) { m.Vectorizer = m.Vectorizer.WithPassages() },
		"less than none":               func(_ *Model, s *Stack) { s.Passages = -1 },
		"more than any page has":       func(m *Model, s *Stack) { s.Passages = maxPassages + 1 },
		"trees that read no passage":   func(_ *Model, s *Stack) { s.Trees = stackModel(t).Classifier.(*Stack).Trees },
		"passages, and trees of a few": func(_ *Model, s *Stack) { s.Trees.Inputs = 1 },
	} {
		m := passageModel(t, 2, 60)
		stack := *m.Classifier.(*Stack)
		trees := *stack.Trees
		stack.Trees, m.Classifier = &trees, &stack
		spoil(m, &stack)
		if _, err := NewModel(*m); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestStackExplains(t *testing.T) {
	m := stackModel(t)
	d := features.ReadText(texts[0])
	s := m.Classifier.(*Stack)
	dense := s.TreeInputs(m.Vectorizer.Vector(d))
	moved := s.Trees.Contributions(dense, 0)
	var structure, words float64
	reasons := m.Explain(d, 1, 1000)
	for _, r := range reasons {
		if strings.HasPrefix(r.Term, features.Structure+":") {
			structure += r.Weight
		} else {
			words += math.Abs(r.Weight)
		}
	}
	want := 0.0
	for _, part := range moved[1:] {
		want += part
	}
	if math.Abs(structure-want) > 1e-6 {
		t.Errorf("the dense features sum to %v, the trees say %v", structure, want)
	}
	if most := math.Abs(moved[0]); words == 0 || words > most+1e-9 {
		t.Errorf("the words' parts are %v in size, their machine moves the trees by %v", words, most)
	}
	if len(reasons) == 0 || len(m.TopFeatures(1, 5)) != 5 {
		t.Errorf("%d reasons, %d top features", len(reasons), len(m.TopFeatures(1, 5)))
	}
}

// Words that nearly cancel each other are not strong reasons, and each keeps its sign.
func TestStackSharesWhatWordsMove(t *testing.T) {
	for _, test := range []struct {
		weights []float64
		bias    float64
		moved   float32 // by the classifier of words, whose decision is a little above 0 or less
		want    map[int]float64
	}{
		{[]float64{2, -1.999}, 0, 0.5, map[int]float64{0: 0.5 * 2 / 3.999, 1: -0.5 * 1.999 / 3.999}},
		{[]float64{1.999, -2}, 0, -0.5, map[int]float64{0: 0.5 * 1.999 / 3.999, 1: -0.5 * 2 / 3.999}},
		{[]float64{1, -1}, 2, 0.5, map[int]float64{0: 0.125, 1: -0.125}},
		{[]float64{2, -1}, 0, 0, map[int]float64{}},
		{[]float64{0, 0}, 0, 0.5, map[int]float64{}},
	} {
		trees, err := NewTrees(Trees{Inputs: 2, Base: []float64{0}, Forest: [][][]Node{{{
			{Input: 0, Left: 1, Right: 2}, {Input: -1, Value: test.moved}, {Input: -1, Value: test.moved},
		}}}})
		if err != nil {
			t.Fatal(err)
		}
		s := &Stack{Base: &Linear{Weights: [][]float64{test.weights}, Bias: []float64{test.bias}}, From: 2, Trees: trees}
		for class, sign := range []float64{-1, 1} {
			got := make(map[int]float64)
			for _, p := range s.contributions(features.Vector{Index: []uint32{0, 1}, Value: []float64{1, 1}}, class) {
				got[p.component] = sign * p.weight
			}
			if diff := cmp.Diff(test.want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
				t.Errorf("%v, class %d (-want +got):\n%s", test, class, diff)
			}
		}
	}
}

// A page that nothing is known of is not judged by the trees, see Model.Scores.
func TestStackHasNoReasonsForNothing(t *testing.T) {
	m := stackModel(t)
	d := new(features.Document)
	if got := m.Explain(d, 1, 10); got != nil {
		t.Errorf("reasons %v", got)
	}
}

func TestModelsOfAllKindsComeBack(t *testing.T) {
	kernel := testModel(t, TaskCFP)
	k, err := kernel.Classifier.(*Linear).Kernel()
	if err != nil {
		t.Fatal(err)
	}
	kernel.Classifier = k
	for name, m := range map[string]*Model{"stack": stackModel(t), "passages": passageModel(t, 2, 60), "kernel": kernel} {
		data := encode(t, m)
		back, err := ReadModel(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, text := range append(texts, "", "river papers") {
			d := features.ReadText(text)
			if diff := cmp.Diff(m.Scores(d), back.Scores(d)); diff != "" {
				t.Errorf("%s: scores of %q change (-want +got):\n%s", name, text, diff)
			}
		}
		if diff := cmp.Diff(data, encode(t, back)); diff != "" {
			t.Errorf("%s: written again, the bytes differ", name)
		}
	}
}

// Sizes announced by a file are checked before memory is allocated for them.
func TestDecodeTreesBoundsWhatIsAnnounced(t *testing.T) {
	le := binary.LittleEndian
	outputs := le.AppendUint16(le.AppendUint32(nil, 1), maxClasses+1)
	trees := appendFloat64(le.AppendUint16(le.AppendUint32(nil, 1), 1), 0)
	trees = append(le.AppendUint32(trees, maxTrees+1), make([]byte, 2*(maxTrees+1))...) // trees of no node
	for name, b := range map[string][]byte{"outputs": outputs, "trees": trees} {
		if _, err := (&byteReader{b: b}).readTrees(); err == nil || !strings.Contains(err.Error(), "at most") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

func FuzzDecodeClassifier(f *testing.F) {
	for _, m := range []*Model{testModel(f, TaskCFP), stackModel(f), passageModel(f, 2)} {
		b, err := encodeClassifier(m.Classifier)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := decodeClassifier(b)
		if err != nil {
			return
		}
		if s, ok := c.(*Stack); ok {
			if err := s.check(max(2, len(s.Base.Weights))); err != nil {
				return
			}
			for _, d := range s.Decide(features.Vector{Index: []uint32{0, uint32(s.From)}, Value: []float64{1, 1}}) {
				if math.IsNaN(d) {
					t.Errorf("decision value %v", d)
				}
			}
		}
	})
}

// TestTreesDecideAsAWalkDoes compares Decide with walks from the roots of random
// trees, of one to MaxLeaves leaves.
func TestTreesDecideAsAWalkDoes(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	trees := Trees{Inputs: 5, Base: []float64{0.5, -0.25, 3}, Forest: make([][][]Node, 3)}
	for range 60 {
		k := 2 * rng.IntN(2) // output 1 has no tree
		trees.Forest[k] = append(trees.Forest[k], randomTree(rng, 1+rng.IntN(MaxLeaves)))
	}
	made, err := NewTrees(trees)
	if err != nil {
		t.Fatal(err)
	}
	for range 500 {
		x := make([]float32, 5)
		for i := range x {
			x[i] = float32(rng.IntN(7)-3) / 2
		}
		want, parts := make([]float64, 3), make([]float64, 3)
		for k, forest := range trees.Forest {
			want[k], parts[k] = trees.Base[k], trees.Base[k]
			for _, part := range made.Contributions(x, k) {
				parts[k] += part
			}
			for _, tree := range forest {
				n := tree[0]
				parts[k] += float64(n.Value)
				for n.Input >= 0 {
					next := n.Right
					if x[n.Input] <= n.Threshold {
						next = n.Left
					}
					n = tree[next]
				}
				want[k] += float64(n.Value)
			}
		}
		if diff := cmp.Diff(want, made.Decide(x)); diff != "" {
			t.Fatalf("Decide(%v) (-want +got):\n%s", x, diff)
		}
		if diff := cmp.Diff(want, parts, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
			t.Fatalf("base, roots and Parts(%v) do not sum to the value (-want +got):\n%s", x, diff)
		}
	}
}

// randomTree splits leaves at random until there are enough.
func randomTree(rng *rand.Rand, leaves int) []Node {
	tree := []Node{{Input: -1, Value: rng.Float32()}}
	for open := []int32{0}; len(open) < leaves; {
		i := rng.IntN(len(open))
		at, left := open[i], int32(len(tree))
		tree[at].Input, tree[at].Threshold = int32(rng.IntN(5)), float32(rng.IntN(7)-3)/2
		tree[at].Left, tree[at].Right = left, left+1
		if rng.IntN(2) == 0 {
			tree[at].Left, tree[at].Right = left+1, left
		}
		tree = append(tree, Node{Input: -1, Value: rng.Float32()}, Node{Input: -1, Value: rng.Float32()})
		open[i] = left
		open = append(open, left+1)
	}
	return tree
}

// A model of features that this program does not make is whole, but refused.
func TestReadModelOfOtherFeatures(t *testing.T) {
	m := stackModel(t)
	data := encode(t, m)
	section, err := m.Vectorizer.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	data[bytes.Index(data, section)] = 99 // its version
	data = appendSum(data[:len(data)-sha256.Size])
	if _, err := ReadModel(bytes.NewReader(data)); !errors.Is(err, ErrIncompatible) || !strings.Contains(err.Error(), "train it again") {
		t.Errorf("error %v", err)
	}
}
