package tagtree

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// A placed is the expectation of a test about a place.
type placed struct {
	Block, Before, After, Heading string
	BlockLinks                    int
	Picture                       bool
	Rel                           []string
}

func placedAs(p LinkPlace) placed {
	got := placed{Before: p.Before, After: p.After, Heading: p.Heading, BlockLinks: p.BlockLinks, Picture: p.Picture}
	if p.Block != nil {
		got.Block = p.Block.Text
	}
	if len(p.Rel) > 0 {
		got.Rel = p.Rel
	}
	return got
}

func TestPlace(t *testing.T) {
	long := strings.Repeat("word ", 40)
	tests := []struct {
		name, html string
		want       placed // of the first link
	}{
		{"in a sentence", `<h2>News</h2><p>See the <a href=c rel="Tag  noopener">call</a> now, or <a href=d>dates</a>.`,
			placed{"See the call now, or dates.", "See the", "now, or dates.", "News", 2, false, []string{"tag", "noopener"}}},
		{"cut between words", `<p>` + long + `<a href=c>call</a> ` + long,
			placed{long + "call " + strings.TrimSpace(long), strings.TrimSpace(long[:100]), strings.TrimSpace(long[:100]), "", 1, false, nil}},
		{"item that is only the link", `<h1>Owls</h1><h2>Events</h2><ul><li>a<li><a href=c>ICX</a></ul>`,
			placed{"ICX", "", "", "Events", 1, false, nil}},
		{"item of several blocks", `<ul><li><a href=c>ICX</a><br>Athens, May</ul>`, placed{"ICX", "", "Athens, May", "", 1, false, nil}},
		{"row", `<table><tr><td>1 May<td><a href=c>ICX</a>.<td>Athens<tr><td>other</table>`,
			placed{"ICX.", "1 May", ".\nAthens", "", 1, false, nil}},
		{"heading", `<h1>Owls</h1><h3><a href=c>ICX</a></h3><p>text`, placed{"ICX", "", "", "Owls", 1, false, nil}},
		{"long heading", `<h1>` + long + `</h1><p><a href=c>ICX</a>`, placed{"ICX", "", "", strings.TrimSpace(long[:100]), 1, false, nil}},
		{"picture in a sentence", `<p>See <a href=c><img alt=call></a> now`, placed{"See now", "See", "now", "", 1, true, nil}},
		{"picture alone", `<div><a href=c><img alt=call></a></div><p>text`, placed{Picture: true}},
		{"hidden", `<p>text<ul style="display:none"><li><a href=c>call</a></ul><p>text`, placed{Picture: true}},
		{"around blocks", `<a href=c><h2>Head</h2><p>body</p></a>`, placed{"Head", "", "", "", 1, false, nil}},
		{"no text", `<a href=c><img></a>`, placed{Picture: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, placedAs(parse(t, tt.html).LinkPlace(0))); diff != "" {
				t.Errorf("first link of %s (-want +got):\n%s", tt.html, diff)
			}
		})
	}
}

func TestPlaceInPlainText(t *testing.T) {
	p := parseAs(t, "Subject: owls\nFrom: a@b.example\n\nThe call is at http://owls.example/cfp soon.\nSee you.\n", "text/plain")
	want := placed{Block: "The call is at http://owls.example/cfp soon.", Before: "The call is at", After: "soon.", Heading: "Subject: owls", BlockLinks: 1}
	if diff := cmp.Diff(want, placedAs(p.LinkPlace(0))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A place tells its area, and its order among links and text.
func TestPlaceKnowsAreaAndOrder(t *testing.T) {
	tr := parse(t, `<nav><a href=a>Home</a></nav><p>Some text to read, and its <a href=b>link</a> too.</p>`)
	menu, text := tr.LinkPlace(0), tr.LinkPlace(1)
	if menu.Area == nil || menu.Area.Kind != Navigation || text.Area == nil || text.Area.Kind != Info {
		t.Errorf("areas %+v and %+v, want navigation and informational", menu.Area, text.Area)
	}
	if menu.Order != 0 || menu.Offset != 0 || text.Order != 0.5 || text.Offset <= 0.5 || text.Offset >= 1 {
		t.Errorf("order %v, %v, offset %v, %v", menu.Order, text.Order, menu.Offset, text.Offset)
	}
}

// Every link of any page has a place, whose texts are bounded.
func TestPlaceIsBounded(t *testing.T) {
	var list strings.Builder
	for i := range 300 {
		fmt.Fprintf(&list, "<li>%s<a href=p%d rel=%q>call</a>%s", strings.Repeat("é", i), i, strings.Repeat("x ", 500), strings.Repeat("é ", i))
	}
	tr := parse(t, list.String())
	for i := range tr.Links() {
		p := tr.LinkPlace(i)
		if n := max(utf8.RuneCountInString(p.Before), utf8.RuneCountInString(p.After)); n > maxBeside {
			t.Fatalf("link %d: %d runes beside it", i, n)
		}
		if !utf8.ValidString(p.Before + p.After) {
			t.Fatalf("link %d: a rune is cut: %q, %q", i, p.Before, p.After)
		}
		if len(p.Rel) > maxRel/2 {
			t.Fatalf("link %d: %d tokens of rel", i, len(p.Rel))
		}
	}
}

func FuzzPlace(f *testing.F) {
	for _, s := range []string{
		"<p>a <a href=x>b</a> c", "<table><tr><td><a href=x><img></a><td>\xffb</table><a href=y><p>c</a>", "http://a.example.org/. b",
		"<li><a href=x>a</a><ul><li><a href=y>b</a></ul>", "<a href=x><p>a<p>b</a><td>c", "<h1><a href=x>a",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		tr, err := Parse(page(string(body), ""))
		if err != nil {
			return
		}
		for i, l := range tr.Links() {
			p := tr.LinkPlace(i)
			if p.Link != l || !strings.Contains(tr.Text(), p.Before) || !strings.Contains(tr.Text(), p.After) {
				t.Fatalf("link %d: %+v", i, p)
			}
			if !(p.Order >= 0 && p.Order < 1 && p.Offset >= 0 && p.Offset <= 1) {
				t.Fatalf("link %d: order %v, offset %v", i, p.Order, p.Offset)
			}
			if p.Block != nil && p.BlockLinks < 1 {
				t.Fatalf("link %d: a block of %d links", i, p.BlockLinks)
			}
		}
	})
}

func BenchmarkPlace(b *testing.B) {
	tr := parse(b, "<h1>Events</h1><ul>"+strings.Repeat("<li><a href=x>ICX 2027</a>, Athens, Greece, deadline 5 May 2027", 1000)+"</ul>")
	tr.LinkPlace(0)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		tr.LinkPlace(i % len(tr.Links()))
	}
}
