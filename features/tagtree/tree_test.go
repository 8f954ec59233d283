package tagtree

import (
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

const pageURL = "http://conf.example.org/2026/"

// parse reads markup as a page of type text/html.
func parse(t testing.TB, body string) *Tree {
	t.Helper()
	return parseAs(t, body, "text/html; charset=utf-8")
}

func parseAs(t testing.TB, body, contentType string) *Tree {
	t.Helper()
	tree, err := Parse(page(body, contentType))
	if err != nil {
		t.Fatal(err)
	}
	check(t, tree)
	return tree
}

func page(body, contentType string) *webgraph.Page {
	p := &webgraph.Page{URL: pageURL, Body: []byte(body), Header: http.Header{}}
	if contentType != "" {
		p.Header.Set("Content-Type", contentType)
	}
	return p
}

// check fails if a tree breaks what the types promise.
func check(t testing.TB, tree *Tree) {
	t.Helper()
	if len(tree.Text()) > maxText || !utf8.ValidString(tree.Text()) || !utf8.ValidString(tree.Title()) {
		t.Fatalf("text of %d bytes is too long or no UTF-8", len(tree.Text()))
	}
	end := -1
	for i, b := range tree.Blocks() {
		if b.Text == "" || strings.TrimSpace(b.Text) != b.Text || strings.Contains(b.Text, "\n") {
			t.Fatalf("block %d: text %q is not folded", i, b.Text)
		}
		if b.Start != end+1 || tree.Text()[b.Start:b.Start+len(b.Text)] != b.Text {
			t.Fatalf("block %d: does not stand at %d, want %d", i, b.Start, end+1)
		}
		end = b.Start + len(b.Text)
		at := 0
		for _, s := range b.Struck {
			if s.Start < at || s.End <= s.Start || s.End > len(b.Text) {
				t.Fatalf("block %d: struck span %v of %q", i, s, b.Text)
			}
			at = s.End
		}
	}
	if end = max(end, 0); end != len(tree.Text()) {
		t.Fatalf("blocks end at %d, text at %d", end, len(tree.Text()))
	}
	for i, l := range tree.Links() {
		if c, err := webgraph.Canonical(l.Target); err != nil || c != l.Target {
			t.Fatalf("link %d: target %q is not canonical (%q, %v)", i, l.Target, c, err)
		}
		if utf8.RuneCountInString(l.Anchor) > webgraph.MaxAnchor || utf8.RuneCountInString(l.Context) > webgraph.MaxContext {
			t.Fatalf("link %d: anchor or context too long", i)
		}
	}
	checkAnalysis(t, tree, tree.Analysis(), true)
	checkAnalysis(t, tree, AnalyzeBouras(tree, BourasOptions{}), false)
}

// checkAnalysis tests what holds of every partition; with all, every block and
// link is in an area.
func checkAnalysis(t testing.TB, tree *Tree, a *Analysis, all bool) {
	t.Helper()
	text, links := 0, 0
	for i := range tree.Blocks() {
		if n := a.AreaOfBlock(i); n >= 0 {
			text += len(tree.Blocks()[i].Text)
			if r := a.Areas[n].Blocks; i < r.Start || i >= r.End {
				t.Fatalf("block %d lies outside its area %+v", i, a.Areas[n])
			}
		} else if all {
			t.Fatalf("block %d is in no area", i)
		}
	}
	for i := range tree.Links() {
		if n := a.AreaOfLink(i); n >= 0 {
			links++
			if r := a.Areas[n].Links; i < r.Start || i >= r.End {
				t.Fatalf("link %d lies outside its area %+v", i, a.Areas[n])
			}
		} else if all {
			t.Fatalf("link %d is in no area", i)
		}
	}
	for i, area := range a.Areas {
		text -= area.Values.Text()
		links -= area.NumLinks
		if math.IsNaN(area.IV) || math.IsInf(area.IV, 0) || area.HV != float64(area.NumLinks) || area.LinkText < 0 || area.CleanText < 0 {
			t.Fatalf("area %d has the values %+v", i, area.Values)
		}
		if area.Kind > Navigation || !utf8.ValidString(area.Text) {
			t.Fatalf("area %d: kind %d, text %q", i, area.Kind, area.Text)
		}
	}
	if text != 0 || links != 0 {
		t.Fatalf("the areas' values miss %d bytes of text and %d links of their own", text, links)
	}
	if !utf8.ValidString(a.Text()) {
		t.Fatal("text is no UTF-8")
	}
}

func TestBlocks(t *testing.T) {
	type blocks = []Block
	tests := []struct {
		name, html string
		want       blocks
	}{
		{"empty page", "", nil},
		{"white space only", "<p> &nbsp; \u200b</p>", nil},
		{"headings and paragraphs", "<h1>Workshop on\n Owls</h1><p>Send <b>papers</b>.<p>Soon", blocks{
			{Kind: Heading, Level: 1, Text: "Workshop on Owls", Path: "html/body/h1"},
			{Kind: Paragraph, Text: "Send papers.", Path: "html/body/p[1]"},
			{Kind: Paragraph, Text: "Soon", Path: "html/body/p[2]"},
		}},
		{"own text of a block-level parent", "<div>before<p>inside</p>after <i>it</i></div>", blocks{
			{Text: "before", Path: "html/body/div"},
			{Text: "inside", Path: "html/body/div/p"},
			{Text: "after it", Path: "html/body/div"},
		}},
		{"lines between br", "<p>one<br>two<br><br>three", blocks{
			{Text: "one", Path: "html/body/p"}, {Text: "two", Path: "html/body/p"}, {Text: "three", Path: "html/body/p"},
		}},
		{"lists", "<ul><li>first<ul><li>inner</ul><li><p>second</p></ul><dl><dt>when<dd>in May</dl>", blocks{
			{Kind: Item, Text: "first", Path: "html/body/ul/li[1]"},
			{Kind: Item, Text: "inner", Path: "html/body/ul/li[1]/ul/li"},
			{Kind: Item, Text: "second", Path: "html/body/ul/li[2]/p"},
			{Kind: Term, Text: "when", Path: "html/body/dl/dt"},
			{Kind: Definition, Text: "in May", Path: "html/body/dl/dd"},
		}},
		{"cells", `<table><tr><th colspan=2>Dates</th><th>Zone</th></tr>
			<tr><td rowspan=2>full</td><td>1 May</td><td>AoE</td></tr><tr><td>2 May</td></tr></table>`, blocks{
			{Kind: HeadCell, Text: "Dates", Path: "html/body/table/tbody/tr[1]/th[1]", Table: 1},
			{Kind: HeadCell, Text: "Zone", Path: "html/body/table/tbody/tr[1]/th[2]", Table: 1, Col: 2},
			{Kind: Cell, Text: "full", Path: "html/body/table/tbody/tr[2]/td[1]", Table: 1, Row: 1},
			{Kind: Cell, Text: "1 May", Path: "html/body/table/tbody/tr[2]/td[2]", Table: 1, Row: 1, Col: 1},
			{Kind: Cell, Text: "AoE", Path: "html/body/table/tbody/tr[2]/td[3]", Table: 1, Row: 1, Col: 2},
			{Kind: Cell, Text: "2 May", Path: "html/body/table/tbody/tr[3]/td", Table: 1, Row: 2, Col: 1},
		}},
		{"nested tables", "<table><tr><td>out<table><tr><td>in</table></td><td>side</table>", blocks{
			{Kind: Cell, Text: "out", Path: "html/body/table/tbody/tr/td[1]", Table: 1},
			{Kind: Cell, Text: "in", Path: "html/body/table/tbody/tr/td[1]/table/tbody/tr/td", Table: 2},
			{Kind: Cell, Text: "side", Path: "html/body/table/tbody/tr/td[2]", Table: 1, Col: 1},
		}},
		{"lines of pre", "<pre>\n  Topics:\n\n   owls   <b>and</b>\nbats</pre>", blocks{
			{Kind: Line, Text: "Topics:", Path: "html/body/pre"},
			{Kind: Line, Text: "owls and", Path: "html/body/pre"},
			{Kind: Line, Text: "bats", Path: "html/body/pre"},
		}},
		{"struck out", `<p>Due <s>1 May</s> <del>2 May</del> 3 May, <span style="text-decoration: Line-Through">4</span>`, blocks{
			{Text: "Due 1 May 2 May 3 May, 4", Path: "html/body/p", Struck: []Span{{4, 15}, {23, 24}}},
		}},
		{"hidden", `<head><title>T</title><style>p{}</style></head><script>var x</script><template><p>no</p></template>
			<!-- no --><p hidden>no</p><p style="display : none">no</p><p style="visibility:hidden">no</p><textarea>no</textarea>
			<select><option>no</select><noscript><p>no</p></noscript><svg><title>no</title><text>no</text></svg><p>yes`, blocks{
			{Text: "yes", Path: "html/body/p[4]"},
		}},
		{"noscript where there is nothing else", "<body><noscript><p>plain call</p></noscript>", blocks{
			{Text: "plain call", Path: "body/noscript/p"},
		}},
		{"noframes where there is nothing else", "<head><title>T</title><frameset><frame src=f><noframes><body><p>call</p></noframes>", blocks{
			{Text: "call", Path: "body/p"},
		}},
		{"comment without end", "<html><head><!-- body bg=x><body><p>one<p>two", blocks{
			{Text: "one", Path: "html/body/p[1]"}, {Text: "two", Path: "html/body/p[2]"},
		}},
		{"body shown by a script", "<html style='display:none'><body style='visibility:hidden'><p>one", blocks{{Text: "one", Path: "html/body/p"}}},
		{"entities", "<p>caf&eacute;&nbsp;&amp; bar &#8211; A&shy;B", blocks{{Text: "café & bar – AB", Path: "html/body/p"}}},
		{"crossing and unclosed tags", "<b><p>one</b><i>two</p>three</div></table>", blocks{
			{Text: "onetwo", Path: "html/body/p"}, {Text: "three", Path: "html/body"},
		}},
		{"siblings counted by name", "<div>a</div><p>b</p><div>c</div>", blocks{
			{Text: "a", Path: "html/body/div[1]"}, {Text: "b", Path: "html/body/p"}, {Text: "c", Path: "html/body/div[2]"},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := append([]Block(nil), parse(t, tt.html).Blocks()...)
			for i := range got {
				got[i].Start = 0
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("blocks of %s (-want +got):\n%s", tt.html, diff)
			}
		})
	}
}

func TestTitleAndLang(t *testing.T) {
	tests := []struct{ name, html, title, lang string }{
		{"plain", "<html lang=de><title> Owls\n 2026 &amp; more</title><svg><title>x</title></svg>", "Owls 2026 & more", "de"},
		{"first title counts", "<title>one</title><body><title>two</title>", "one", ""},
		{"meta language", `<meta http-equiv="Content-Language" content="pt-BR">`, "", "pt-BR"},
		{"no language tag", `<html lang="English (US)">`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.html)
			if tree.Title() != tt.title || tree.Lang() != tt.lang {
				t.Errorf("got %q, %q, want %q, %q", tree.Title(), tree.Lang(), tt.title, tt.lang)
			}
		})
	}
}

// What a reader sees is text, however a page was made to hide and show it.
func TestShownAndHidden(t *testing.T) {
	tests := []struct{ name, html, want string }{
		{"conditional comments", "<!--[if IE]><p>no</p><![endif]--><![if !IE]><p>yes</p><![endif]><!--[if !IE]> --><p>and yes</p><!-- <![endif]-->", "yes\nand yes"},
		{"a comment in a comment", "<!-- a <!-- b --><p>yes</p><!-->-->", "yes\n-->"},
		{"details, open or not", "<details><summary>Topics</summary><p>Owls</details><details open><summary>Dates</summary>May</details>", "Topics\nOwls\nDates\nMay"},
		{"dialog only if open", "<dialog><p>no cookies</dialog><dialog open>yes</dialog>", "yes"},
		{"an attribute without value", "<p hidden>no<p hidden=until-found>no<p hidden=''>no<p data-hidden>yes", "yes"},
		{"aria-hidden is seen, though not heard", "<p aria-hidden=true>Owls 2026", "Owls 2026"},
		{"template and noscript", "<body><template><p>no<template>no</template></template><noscript>no<p>no</p></noscript><p>yes", "yes"},
		{"a template in a table", "<table><template><tr><td>no</template><tr><td>yes</table>", "yes"},
		{"styles with white space and capitals", "<p STYLE='Display :\n NONE !important'>no<p style='display:block'>yes", "yes"},
		{"within what is hidden", "<div hidden><p style='display:block'>no<table><tr><td>no</table></div>yes", "yes"},
		{"fallbacks of what is shown", "<object><p>no</object><video>no</video><canvas>no</canvas><audio>no</audio><p>yes", "yes"},
		{"a frame's fallback", "<iframe src=a>no <p>no</p></iframe><p>yes", "yes"},
		{"a page with nothing but noscript and script", "<script>x</script><noscript><h1>Owls</h1><p>Call</noscript>", "Owls\nCall"},
		{"buttons and labels", "<p><button>Dates</button> <label>Topics <input value=no></label>", "Dates Topics"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, parse(t, tt.html).Text()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "<p>x", "<table><tr><td colspan=3>a<td>b", "<s>a<br>b</s> <del> c</del>", "\xff\xfe<\x00p\x00", "a\xffb<p>",
		"<a href=x><div>a</div><a href='//b.example.org'>b</a>", "From: a@b\nSubject: =?utf-8?q?x?=\n\nhttp://a.example.org/.",
		"<pre>\n a\n\n<b>b\n</b></pre>", "<base href=/x/><frameset><frame src=f>", "<p>&nbsp;&#0;&#xD800;&zwj;", "<svg><title>a</svg>b",
		"<select><option>a<p>b", "<noscript>a", "<plaintext>a\nb", "<table>a<tr>b<td>c",
	} {
		f.Add([]byte(s), "text/html")
	}
	f.Add([]byte("a\fb\r\nc"), "text/plain; charset=utf-16")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := page(string(body), contentType)
		tree, err := Parse(p)
		if err != nil {
			return
		}
		check(t, tree)
		again, err := Parse(p)
		if err != nil || again.Text() != tree.Text() || !slices.Equal(again.Links(), tree.Links()) {
			t.Fatalf("second parse differs: %v", err)
		}
	})
}

func FuzzLoose(f *testing.F) {
	f.Add("<p>a<p>b</div><li>c<td>d")
	f.Fuzz(func(t *testing.T, s string) {
		tree := &Tree{Page: page(s, "text/html")}
		tree.root = htmltree.ParseLoosely(htmltree.Decode([]byte(s), "text/html; charset=utf-8"))
		w := walkPage(tree.root, pageURL, true, nil)
		tree.copyResultsOf(w)
		check(t, tree)
	})
}

func TestInlineEdges(t *testing.T) {
	tree, err := Parse(&webgraph.Page{URL: "http://a.example/", Body: []byte("<p>Ann <b>Lind</b>berg<span> Tarn</span><br><a href=x>Luis</a> <i>Hill</i></p>"), Header: http.Header{"Content-Type": {"text/html"}}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range tree.Blocks() {
		from := b.Start
		for _, at := range tree.InlineEdges(b.Start, b.Start+len(b.Text)) {
			got = append(got, tree.Text()[from:at])
			from = int(at)
		}
		got = append(got, tree.Text()[from:b.Start+len(b.Text)])
	}
	if want := "Ann| Lind|berg| Tarn|Luis| Hill"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

// TestColumns notes where columns of plain and preformatted text begin.
func TestColumns(t *testing.T) {
	const text = "Chairs\n\tAda Lane\tUniversity of Kites\nBo  Ford     Tarn College   \n"
	for kind, body := range map[string]string{"text/plain": text, "text/html": "<p>Kites</p><pre>" + text + "</pre>"} {
		tree := parseAs(t, body, kind)
		var got []string
		for _, b := range tree.Blocks() {
			for _, at := range tree.InlineEdges(b.Start, b.Start+len(b.Text)) {
				got = append(got, tree.Text()[b.Start:at])
			}
		}
		if want := "Ada Lane, Bo Ford"; strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}
