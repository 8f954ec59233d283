package report

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func drawn(t *testing.T, markup string, bouras bool) (*tagtree.Tree, *tagtree.Analysis, []*box, int) {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "http://a.example/", Body: []byte("<html>" + markup), Header: http.Header{"Content-Type": {"text/html"}}})
	if err != nil {
		t.Skip(err)
	}
	a := tree.Analysis()
	if bouras {
		a = tagtree.AnalyzeBouras(tree, tagtree.BourasOptions{ThrIV: 100, ThrHV: 1})
	}
	var areas []reportedArea
	for i, area := range NewPage(tree, a).Areas {
		areas = append(areas, reportedArea{Number: i + 1, Area: area})
	}
	boxes, left := drawPage(tree, a, areas)
	return tree, a, boxes, left
}

// outline writes boxes as a line each, indented.
func outline(boxes []*box, depth int) string {
	var b strings.Builder
	for _, x := range boxes {
		b.WriteString(strings.Repeat("  ", depth) + x.Class)
		if x.Area != nil {
			fmt.Fprintf(&b, " %d %s %v", x.Area.Number, x.Area.Kind, x.Area.Continued)
		}
		if x.Grow > 0 {
			fmt.Fprintf(&b, " grow %d", x.Grow)
		}
		b.WriteString(strings.TrimRight(" "+x.Text, " ") + "\n" + outline(x.Boxes, depth+1))
	}
	return b.String()
}

func TestDrawPage(t *testing.T) {
	// The paper's areas nest: the outer one continues after the inner.
	_, _, boxes, _ := drawn(t, `<div>The text before the table belongs to the outer area.<table><tr><td>Few words.<td>A cell with much more text in it</table>
		The text behind the table belongs to the outer area.</div>`, true)
	want := `
  area 1 informational false
    text The text before the table belongs to the outer area.
  area 2 informational false
    row
      cell grow 2
        text Few words.
      cell grow 5
        text A cell with much more text in it
  area 1 informational true
    text The text behind the table belongs to the outer area.
`
	if diff := cmp.Diff(want, outline(boxes, 0)); diff != "" {
		t.Errorf("boxes differ (-want +got):\n%s", diff)
	}
}

// checkBoxes checks that each piece of text is drawn once, in order, in the outline of its own area.
func checkBoxes(t *testing.T, markup string) {
	t.Helper()
	for _, bouras := range []bool{false, true} {
		tree, a, boxes, left := drawn(t, markup, bouras)
		var want []string
		for i, b := range tree.Blocks()[:len(tree.Blocks())-left] {
			want = append(want, fmt.Sprintf("%d %s", a.AreaOfBlock(i)+1, text.OneLine(b.Text, maxDrawnRunes)))
		}
		if diff := cmp.Diff(want, texts(boxes, 0)); diff != "" {
			t.Fatalf("bouras %v: texts differ (-want +got):\n%s\n%s", bouras, diff, outline(boxes, 0))
		}
	}
}

// texts lists the blocks drawn in boxes, each behind the number of its area.
func texts(boxes []*box, area int) (list []string) {
	for _, b := range boxes {
		switch {
		case b.Area != nil:
			list = append(list, texts(b.Boxes, b.Area.Number)...)
		case b.Class == "area":
			list = append(list, texts(b.Boxes, 0)...)
		case b.items == 1 && len(b.Boxes) == 0:
			list = append(list, fmt.Sprintf("%d %s", area, b.Text))
		default:
			list = append(list, texts(b.Boxes, area)...)
		}
	}
	return list
}

func FuzzDrawPage(f *testing.F) {
	for _, s := range []string{
		"", "<p>a<p>b", "<main>a</main><aside>b</aside>", "<aside><a href=/x>b</a></aside><article><table><tr><td>a<td>b<td><table><tr><td>c</table></table>",
		"<ul><li><a href=/y>a</a><li>b<li>c</ul>d", strings.Repeat("<table><tr><td>a", 80), "<table><tr>" + strings.Repeat("<td>a", 20) + "</table>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, markup string) { checkBoxes(t, markup) })
}

func TestReportLeavesOutPages(t *testing.T) {
	var r Report
	for range maxReportPages + 5 {
		r.AddError(Page{Error: "not there"})
	}
	if len(r.Pages) != maxReportPages || r.Left != 5 {
		t.Errorf("%d pages and %d left out, want %d and 5", len(r.Pages), r.Left, maxReportPages)
	}
}

// A main text of one long line is cut within it.
func TestReportLongLine(t *testing.T) {
	text := strings.Repeat("é ", maxReportText)
	tree, a, _, _ := drawn(t, "<p>"+text, false)
	var r Report
	r.Add(tree, a, NewPage(tree, a))
	if p := r.Pages[0]; len(p.Lines) != 1 || len(p.Lines[0]) < maxReportText-10 || len(p.Lines[0])+p.LeftText != len(a.Text()) {
		t.Errorf("%d lines, %d of %d bytes left out", len(p.Lines), p.LeftText, len(a.Text()))
	}
}

func TestReportNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 12345: "12345", math.MaxFloat64: "1.8e+308", 2.5e6: "2.5e+06"} {
		if got := valueText(v); got != want {
			t.Errorf("valueText(%g) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 0.0512: "0.051", 5.72: "5.7", 685.4: "685"} {
		if got := ratioText(v); got != want {
			t.Errorf("ratioText(%g) = %s, want %s", v, got, want)
		}
	}
}
