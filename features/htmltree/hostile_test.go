package htmltree

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Hostile pages cost bounded time and memory. Nodes, bytes and steps are bounded rather
// than seconds, which depend on the machine: the time follows from them.
func TestHostilePages(t *testing.T) {
	var decoys, fonts, roots, custom strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&decoys, "<font size=%d></i>", i)
		fmt.Fprintf(&fonts, "<p><font size=%d>x", i)
		fmt.Fprintf(&roots, "<html a%d><body b%d>", i, i)
		fmt.Fprintf(&custom, "<x%d>", i)
	}
	// nodeRoom is what a node takes with its attributes, with all that is thrown away as
	// the slices grow.
	const nodeRoom = 300
	for _, c := range []struct {
		name, page  string
		nodes       int // at most, the document included
		cut         LeftOut
		description string
	}{
		{"ten million bytes of <", strings.Repeat("<", 10_000_000), 5, 0, "one text"},
		{"many nested elements", strings.Repeat("<div>", 100_000), 100_010, CutDepth, "an element a tag"},
		{"many nested formatting elements", strings.Repeat("<b>", 100_000), 110_010, CutDepth, "an element a tag"},
		{"many nested tables", strings.Repeat("<table><tr><td>", 50_000), 200_010, CutDepth, "tables lose their rows"},
		{"a million attributes", "<p " + strings.Repeat("a1 b=2 c='3' ", 350_000) + "x>", 10, 0, "the same ones"},
		{"a million different attributes", "<p " + numbered(" z%d=1", 1_000_000) + ">", 10, CutAttributes, "256 are kept"},
		{"attributes of html and body", roots.String(), 10, CutAttributes, "256 are kept"},
		{"formatting elements that each paragraph opens again", fonts.String(), 9_010 + maxClones, CutClones | CutDepth, "not n²"},
		{"formatting elements under decoys", decoys.String() + strings.Repeat("<p>x", 3_000), 9_010 + maxClones, CutClones | CutDepth, "not n²"},
		{"end tags without elements", strings.Repeat("</b></p></x>", 100_000), 100_010, 0, "each </p> is a paragraph"},
		{"misnested formatting", strings.Repeat("<a><p></a><b><div></b>", 20_000), 600_000, CutClones | CutDepth, "the adoption agency"},
		{"text before a table", "<table>" + strings.Repeat("a<tr>", 100_000), 200_010, 0, "one text"},
		{"more tags than are read", strings.Repeat("<br>", MaxTags+500), MaxTags + 10, CutTags, "the rest is left out"},
		{"NUL bytes", strings.Repeat("\x00", 1_000_000) + "<p\x00 a\x00='\x00'>\x00x\x00", 10, 0, "left out or replaced"},
		{"unknown elements", custom.String(), 3_010, CutDepth, "an element a tag"},
		{"comments without end", strings.Repeat("<!--", 1_000_000), 5, 0, "one comment"},
		{"open script", "<script>" + strings.Repeat("<!--<script>", 500_000), 10, 0, "one text"},
		{"templates", strings.Repeat("<template><svg><template>", 20_000), 60_010, CutDepth, "an element a tag"},
		{"selects", strings.Repeat("<select><option><optgroup>", 20_000), 60_010, CutDepth, "an element a tag"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			d := &Document{}
			newBuilder(d, c.page).readTokens()
			runtime.ReadMemStats(&after)
			if d.Len() > c.nodes || d.LeftOut()&^c.cut != 0 || c.cut != 0 && d.LeftOut() == 0 {
				t.Errorf("%d nodes, want at most %d (%s); cut %b of %b", d.Len(), c.nodes, c.description, d.LeftOut(), c.cut)
			}
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(nodeRoom*c.nodes+len(c.page)+12<<20); got > most {
				t.Errorf("%d bytes allocated for a page of %d, want at most %d", got, len(c.page), most)
			}
			depth := 0
			for i := range d.nodes {
				n := 0
				for p := d.nodes[i].parent; p >= 0; p = d.nodes[p].parent {
					n++
				}
				depth = max(depth, n)
				if i > 1_000_000 {
					break
				}
			}
			if depth > maxOpen+20 {
				t.Errorf("%d elements deep, want at most %d", depth, maxOpen+20)
			}
		})
	}
}

// numbered repeats a format with the numbers up to n.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// A body is cut at MaxBody, a tree at its limit of nodes, and both report it.
func TestCutPages(t *testing.T) {
	d := ParseCompact("<p>x" + strings.Repeat(" ", MaxBody) + "<p>beyond")
	if d.LeftOut() != CutBytes || d.Len() != 6 {
		t.Errorf("cut %b, %d nodes", d.LeftOut(), d.Len())
	}
	d = &Document{}
	b := newBuilder(d, strings.Repeat("<p>x", 1000))
	b.maxNodes = 100
	b.readTokens()
	if d.LeftOut() != CutNodes || d.Len() > 105 {
		t.Errorf("cut %b, %d nodes", d.LeftOut(), d.Len())
	}
}

// Every named character reference is read as in x/net/html, with and without semicolon, before a
// letter, and in attributes. The names are those of its table.
func TestEveryNamedReference(t *testing.T) {
	table := html5lib(t, "../entity.go")
	source, err := os.ReadFile(filepath.Clean(table[0]))
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^\s+"(\w+;?)":`).FindAllStringSubmatch(string(source), -1)
	if len(names) < 2_231 {
		t.Fatalf("%d names, want 2,231", len(names))
	}
	for _, m := range names {
		name := "&" + m[1]
		for _, s := range []string{name, name + "x", name + " ", name + "=", "&" + name, strings.TrimSuffix(name, ";"), strings.TrimSuffix(name, ";") + "q;", strings.TrimSuffix(name, ";") + "="} {
			if got, want := decodeText(s, hasReference), html.UnescapeString(s); got != want {
				t.Errorf("%q: got %q, want %q", s, got, want)
			}
			root, err := html.Parse(strings.NewReader(`<p a="` + s + `">`))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := decodeText(s, hasReference|isValue), root.FirstChild.LastChild.FirstChild.Attr[0].Val; got != want {
				t.Errorf("%q in an attribute: got %q, want %q", s, got, want)
			}
		}
	}
}

// Any page gives the same tree as in x/net/html, unless it contains one of the known differences.
func FuzzOracle(f *testing.F) {
	for _, s := range []string{
		"<p>x", "<table><tr><td colspan=3>a<td>b", "<s>a<br>b</s> <del> c</del>", "<b><p>one</b><i>two</p>three</div></table>",
		"<a href=x><div>a</div><a href='//b.example.org'>b</a>", "<pre>\n a\n\n<b>b\n</b></pre>", "<frameset><frame src=f><noframes>x",
		"<p>&nbsp;&#0;&#xD800;&zwj;&notit;", "<svg><title>a</svg>b<math><mi>x</math>", "<select><option>a<p>b", "<noscript>a", "<plaintext>a\nb",
		"<table>a<tr>b<td>c", "<!--a--!>b<!-->c<!doctype html public 'x'>", "<script><!--<script></script>--></script>", "<ul><li>a<ul><li>b</ul><li>c",
		"<dl><dt>a<dd>b<dt>c</dl>", "<form><table><form></table></form>", "<ruby>a<rt>b<rp>c", "<html a=1><body b=2><html a=3 c=4><body b=5 d=6>",
		"<template><tr><td>x</template>", "<button><p><button>", "<h1>a<h2>b", "<nobr>a<nobr>b", "<textarea>\n<p></textarea>", "<svg viewbox=0><foreignobject><p>x</svg>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := ParseCompact(s)
		defer d.Release()
		root := d.Nodes()
		checkLinks(t, root)
		if differs(s) || d.LeftOut() != 0 {
			return
		}
		want, err := parseOracle(s)
		if err != nil {
			return // deeper than x/net goes
		}
		if diff := firstDifference(want, root); diff != "" {
			t.Errorf("%q: %s", s, diff)
		}
	})
}

// checkLinks tests that parents, children and siblings agree.
func checkLinks(t *testing.T, n *html.Node) {
	var prev *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Parent != n || c.PrevSibling != prev {
			t.Fatalf("the links of %s do not agree", PathOf(n))
		}
		checkLinks(t, c)
		prev = c
	}
	if n.LastChild != prev {
		t.Fatalf("the last child of %s is another", PathOf(n))
	}
}
