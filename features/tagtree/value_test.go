package tagtree

import (
	"math"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// The values of papers 000/001, section 4.2, worked by hand. Text is counted in
// bytes, white space folded; x/net/html adds the tbody that HTML leaves out.
func TestValues(t *testing.T) {
	tests := []struct {
		name, html string
		want       Values
		ltr, lar   float64
	}{
		{"empty", "", Values{}, 0, 0},
		// T = 26 + 3 + 4; Ltext = "far away" + "June"; L = 2.
		// I: p 26; td 3·2 and 4·2; tr (6+8)·2 = 28; tbody 56; table 112; body 26 + 112.
		{"paragraph and table", "<p>Owls fly <a href=x>far away</a> at night</p><table><tr><td>May<td><a href=y>June</a></table>",
			Values{IV: 138, HV: 2, NumLinks: 2, LinkText: 12, CleanText: 21}, 1.75, 2.0 / 12},
		// I: inner li 3·2, ul 12; outer li (3+12)·2 = 30, ul 60.
		{"list in a list", "<ul><li>one<ul><li>two</ul></ul>", Values{IV: 60, CleanText: 6}, 6, 0},
		// I: dt 2·2, dd 3·2, dl (4+6)·2.
		{"definitions", "<dl><dt>ab<dd>cde</dl>", Values{IV: 20, CleanText: 5}, 5, 0},
		// I: li 2·2, ul 8, td (8+1)·2 = 18, tr 36, tbody 72, table 144.
		{"list in a table", "<table><tr><td>x<ul><li>ab</ul></table>", Values{IV: 144, CleanText: 3}, 3, 0},
		// I: caption 3·2; th 1·2, tr 4, thead 8; table (6+8)·2.
		{"parts of a table", "<table><caption>cap</caption><thead><tr><th>h</thead></table>", Values{IV: 28, CleanText: 4}, 4, 0},
		{"presentation weighs nothing", "<div><b>bold</b> <font>red</font></div>", Values{IV: 8, CleanText: 8}, 8, 0},
		{"pictures with links only", "<a href=a><img src=a></a><a href=b><img src=b></a>", Values{HV: 2, NumLinks: 2}, 0, 2},
		{"all text linked", "<p><a href=a>abcd</a>", Values{IV: 4, HV: 1, NumLinks: 1, LinkText: 4}, 0, .25},
		{"links to the page itself are none, though their text is linked", "<p><a href='#top'>up</a> <a href=" + pageURL + ">here</a>",
			Values{IV: 7, LinkText: 4, CleanText: 3}, .75, 0},
		{"no text", "<script>document.write('x')</script><style>p{}</style>", Values{}, 0, 0},
		{"right to left and Chinese, in bytes", "<p>שלום<p>征文<a href=x>通知</a>", Values{IV: 20, HV: 1, NumLinks: 1, LinkText: 6, CleanText: 14}, 14.0 / 6, 1.0 / 6},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, a := range []*Analysis{parse(t, tt.html).Analysis(), AnalyzeBouras(parse(t, tt.html), BourasOptions{})} {
				if diff := cmp.Diff(tt.want, a.Values); diff != "" {
					t.Error(diff)
				}
				if a.LinkTextRatio() != tt.ltr || a.LinkAverageRatio() != tt.lar {
					t.Errorf("LTR %v, LAR %v, want %v, %v", a.LinkTextRatio(), a.LinkAverageRatio(), tt.ltr, tt.lar)
				}
				if a.Values.Text() != tt.want.LinkText+tt.want.CleanText {
					t.Errorf("T(p) is %d", a.Values.Text())
				}
			}
		})
	}
}

// Each table nested in another doubles the value four times: table, tbody, tr
// and td.
func TestNestedTablesDoubleExactly(t *testing.T) {
	const tables = 50
	nested := strings.Repeat("<table><tr><td>", tables)
	if got, want := parse(t, nested+"x").Analysis().IV, math.Exp2(4*tables); got != want {
		t.Errorf("IV %g of %d tables, want 2^%d", got, tables, 4*tables)
	}
	// At 512 open elements no further table is opened: html, body, then four a table.
	const most = 128
	got := parse(t, strings.Repeat(nested, 4)+"x").Analysis().IV
	if got != math.Exp2(4*most) {
		t.Errorf("IV 2^%g of 200 tables, want 2^%d", math.Log2(got), 4*most)
	}
}

// Only frames nest deep enough for a value beyond all numbers.
func TestValuesSaturate(t *testing.T) {
	deep := strings.Repeat("<table><tr><td>", 100) + "x<iframe src=/more></iframe>"
	n := 0
	tree, err := ParseWithFrames(page(deep, "text/html"), func(url string) *webgraph.Page {
		n++
		p := page(strings.ReplaceAll(deep, "/more", "/more"+strings.Repeat("e", n)), "text/html")
		p.URL, p.Header = url, http.Header{}
		return p
	})
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	if got := tree.Analysis().IV; got != math.MaxFloat64 {
		t.Errorf("IV %g of 400 tables, want the largest number", got)
	}
	for _, a := range []*Analysis{tree.Analysis(), AnalyzeBouras(tree, BourasOptions{ThrIV: math.MaxFloat64, ThrHV: 9})} {
		for _, area := range a.Areas {
			if math.IsInf(area.IV, 0) || math.IsNaN(area.IV) {
				t.Errorf("area %s has IV %g", area.Path, area.IV)
			}
		}
	}
}
