package template

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

// shapeFrom reads a shape from its text.
func shapeFrom(t testing.TB, text string) *Shape {
	t.Helper()
	var s Shape
	if err := s.UnmarshalText([]byte(text)); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return &s
}

// shapeOf returns the shape of markup.
func shapeOf(t testing.TB, markup string) *Shape {
	t.Helper()
	tree, err := tagtree.Parse(tagtreetest.Page(markup, "text/html; charset=utf-8"))
	if err != nil {
		t.Fatal(err)
	}
	return NewShape(tree.Outline())
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		edits      int
	}{
		{"equal", "body(h1(#) p(#))", "body(h1(#) p(#))", 0},
		{"root", "body(p(#))", "div(p(#))", 6},
		{"one more", "body(h1(#) p(#))", "body(h1(#) p(#) ul(li(#)))", 3},
		{"deeper", "body(div(p(#)))", "body(div(p(# b(#))))", 2},
		{"in between", "body(h1 p ul)", "body(h1 table p ul)", 1},
		{"order is kept", "body(h1 p)", "body(p h1)", 2},
		{"no node without its parent", "body(p(#))", "body(div(p(#)))", 5},
		{"the nearer sibling", "body(p(a b c) p(d))", "body(p(d))", 4},
	} {
		a, b := shapeFrom(t, c.a), shapeFrom(t, c.b)
		want := float64(c.edits) / float64(a.root.size+b.root.size)
		for _, got := range []float64{a.Distance(b), b.Distance(a)} {
			if got != want {
				t.Errorf("%s: Distance(%s, %s) = %v, want %v", c.name, c.a, c.b, got, want)
			}
		}
	}
}

func TestDistanceOfOutlines(t *testing.T) {
	list := func(items int) *tagtree.Node {
		tree, err := tagtree.Parse(tagtreetest.Page("<h1>Owls</h1><ul>"+strings.Repeat("<li><b>Owl</b> of the night", items)+"</ul>", "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		return tree.Outline()
	}
	if d := NewShape(list(2)).Distance(NewShape(list(90))); d != 0 {
		t.Errorf("lists of 2 and of 90 items are %v apart, want 0", d)
	}
}

// slowDistance is Selkow's recurrence without any of the shortcuts.
func slowDistance(a, b *shapeNode) int {
	if a.label != b.label {
		return a.size + b.size
	}
	table := make([][]int, len(a.children)+1)
	for i := range table {
		table[i] = make([]int, len(b.children)+1)
		for j := range table[i] {
			switch {
			case i > 0 && j > 0:
				x, y := a.children[i-1], b.children[j-1]
				table[i][j] = min(table[i-1][j]+x.size, table[i][j-1]+y.size, table[i-1][j-1]+slowDistance(x, y))
			case i > 0:
				table[i][j] = table[i-1][j] + a.children[i-1].size
			case j > 0:
				table[i][j] = table[i][j-1] + b.children[j-1].size
			}
		}
	}
	return table[len(a.children)][len(b.children)]
}

func randomShape(rng *rand.Rand, depth int) *shapeNode {
	var children []*shapeNode
	if depth > 0 {
		for range rng.IntN(4) {
			children = append(children, randomShape(rng, depth-1))
		}
	}
	return newShapeNode(string("pqr"[rng.IntN(3)]), children)
}

func TestDistanceIsSelkows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		a, b := newShapeNode("body", []*shapeNode{randomShape(rng, 4)}), newShapeNode("body", []*shapeNode{randomShape(rng, 4)})
		want := float64(slowDistance(a, b)) / float64(a.size+b.size)
		s, o := newShape(a), newShape(b)
		if got := s.Distance(o); got != want {
			t.Fatalf("%s and %s: %v, want %v", a.appendText(nil), b.appendText(nil), got, want)
		}
		if bound := s.minDistance(o); bound > want {
			t.Fatalf("%s and %s: at least %v, but %v", a.appendText(nil), b.appendText(nil), bound, want)
		}
	}
}

func TestSiblingsMatch(t *testing.T) {
	for _, c := range []struct{ name, markup, want string }{
		{"equal", "<ul><li>owl<li>bat<li>bee</ul>", "ul(li(#))"},
		{"the biggest stays", "<p><i>owl</i> a <a href=x>b</a></p><p><i>bat</i> <a href=x>by</a> <b>night</b></p>", "p(i(#) a(#) b(#))"},
		{"interleaved", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "dl(dt(#) dd(#))"},
		{"too far apart", "<div>owl</div><div><p>a<ul><li>b</ul><h2>c</h2></div>", "div(#) div(p(#) ul(li(#)) h2(#))"},
		{"classes", `<p class="lead x">a</p><p class=note12>b</p><p class=note7>c</p>`, "p.lead(#) p.note(#)"},
		{"numbers of elements", "<h1>a</h1><h2>b</h2>", "h1(#) h2(#)"},
	} {
		got, err := shapeOf(t, c.markup).MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff("html(head body("+c.want+"))", string(got)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestShapeLimits feeds pages that are as dear as they can be.
func TestShapeLimits(t *testing.T) {
	var wide, mixed strings.Builder
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 60_000 {
		fmt.Fprintf(&wide, "<p class=%c%c>x</p>", 'a'+i%26, 'a'+i/26%26)
		fmt.Fprintf(&mixed, "<%s>", []string{"div", "/div", "section", "/section", "p", "ul", "li", "/ul"}[rng.IntN(8)])
	}
	deep := strings.Repeat("<div><p>a</p>", 350)
	shapes := []*Shape{shapeOf(t, wide.String()), shapeOf(t, mixed.String()), shapeOf(t, deep)}
	for i, s := range shapes {
		if s.root.size > maxShapeNodes {
			t.Errorf("shape %d has %d nodes", i, s.root.size)
		}
		for j, o := range shapes {
			if d := s.Distance(o); math.IsNaN(d) || d < 0 || d > 1 || (d == 0) != (i == j) {
				t.Errorf("distance of %d and %d: %v", i, j, d)
			}
		}
		text, err := s.MarshalText()
		if err != nil || shapeFrom(t, string(text)).root.hash != s.root.hash {
			t.Errorf("shape %d is not read as it was written: %v", i, err)
		}
	}
}

// TestDistanceGivesUp checks that two pages that differ everywhere cost no more than
// maxPairs, and that their distance is then too great rather than too small.
func TestDistanceGivesUp(t *testing.T) {
	tower := func(tag string) *shapeNode {
		n := newShapeNode(tag, nil)
		for range 5 {
			n = newShapeNode("div", []*shapeNode{n, newShapeNode("p", []*shapeNode{n})})
		}
		return n
	}
	a, b := tower("a"), tower("b")
	exact, short := normalizedDistance(a, b, maxPairs), normalizedDistance(a, b, 10)
	if short < exact || short > 1 {
		t.Errorf("with 10 pairs %v, with all %v", short, exact)
	}
}

func FuzzShapeText(f *testing.F) {
	f.Add([]byte("body(h1(#) p.lead(# b(#)))"))
	f.Add([]byte("a("))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Shape
		if s.UnmarshalText(text) != nil {
			return
		}
		again, err := s.MarshalText()
		if err != nil || string(again) != string(text) {
			t.Errorf("%q came back as %q: %v", text, again, err)
		}
	})
}
