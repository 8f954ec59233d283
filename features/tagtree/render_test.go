package tagtree

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"eventseer/features/htmltree"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// asWritten dumps markup as the tree that its tags say, one node a line; it
// fails on tags that do not pair.
func asWritten(t testing.TB, s string) string {
	t.Helper()
	var d dump
	z := html.NewTokenizer(strings.NewReader(s))
	var open []string
	for {
		kind := z.Next()
		tok := z.Token()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				t.Fatalf("not closed: %v in\n%s", open, s)
			}
			return d.String()
		case html.TextToken:
			if text := tok.Data; len(open) > 0 && open[len(open)-1] == "pre" && d.last == "pre" {
				tok.Data = strings.TrimPrefix(text, "\n")
			}
			d.text(len(open), tok.Data)
		case html.StartTagToken:
			d.element(len(open), tok.Data, tok.Attr)
			if !htmltree.IsVoid(tok.DataAtom) {
				open = append(open, tok.Data)
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("</%s> within %v in\n%s", tok.Data, open, s)
			}
			open = open[:len(open)-1]
		case html.DoctypeToken:
		default:
			t.Fatalf("%s token %q in\n%s", kind, tok, s)
		}
	}
}

// asParsed dumps the tree that a browser would build.
func asParsed(t testing.TB, nodes []*html.Node) string {
	t.Helper()
	var d dump
	var visit func(n *html.Node, depth int)
	visit = func(n *html.Node, depth int) {
		switch n.Type {
		case html.TextNode:
			d.text(depth, n.Data)
		case html.ElementNode:
			d.element(depth, n.Data, n.Attr)
			depth++
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c, depth)
		}
	}
	for _, n := range nodes {
		visit(n, 0)
	}
	return d.String()
}

type dump struct {
	strings.Builder
	last string
}

func (d *dump) text(depth int, s string) {
	if s != "" {
		fmt.Fprintf(d, "%*s%q\n", depth, "", s)
		d.last = ""
	}
}

func (d *dump) element(depth int, name string, attrs []html.Attribute) {
	slices.SortFunc(attrs, func(a, b html.Attribute) int { return strings.Compare(a.Key, b.Key) }) // parsers sort those of some
	fmt.Fprintf(d, "%*s<%s %q>\n", depth, "", name, attrs)
	d.last = name
}

// checkHTML fails where what was written is not what a browser reads, or could
// do more than show text, links and, with images, pictures.
func checkHTML(t testing.TB, s string, fragment, images bool) {
	t.Helper()
	var nodes []*html.Node
	var err error
	if fragment {
		nodes, err = html.ParseFragment(strings.NewReader(s), &html.Node{Type: html.ElementNode, Data: "section", DataAtom: atom.Section})
	} else {
		var root *html.Node
		root, err = html.Parse(strings.NewReader(s))
		nodes = []*html.Node{root}
	}
	if err != nil {
		t.Fatalf("%v in\n%s", err, s)
	}
	if want, got := asWritten(t, s), asParsed(t, nodes); got != want {
		t.Fatalf("parsed again (-written +parsed):\n%s\nof\n%.3000s", cmp.Diff(want, got), s)
	}
	var names []string
	for _, name := range shownAs {
		names = append(names, name)
	}
	for _, n := range nodes {
		for c := range n.Descendants() {
			checkNode(t, c, names, images)
		}
		checkNode(t, n, names, images)
	}
}

func checkNode(t testing.TB, n *html.Node, names []string, images bool) {
	t.Helper()
	switch {
	case n.Type == html.CommentNode:
		t.Fatalf("comment %q", n.Data)
	case n.Type != html.ElementNode:
		return
	case n.Parent != nil && n.Parent.DataAtom == atom.Head || n.DataAtom == atom.Head || n.DataAtom == atom.Html || n.DataAtom == atom.Body:
		return
	case !slices.Contains(names, n.Data) || n.Namespace != "" || n.DataAtom == atom.Img && !images:
		t.Fatalf("element %s %s", n.Namespace, n.Data)
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "href", "src":
			u, err := url.Parse(a.Val)
			if err != nil || u.Scheme != "http" && u.Scheme != "https" || a.Key == "src" && n.DataAtom != atom.Img || a.Key == "href" && n.DataAtom != atom.A {
				t.Fatalf("%s: %s=%q (%v)", n.Data, a.Key, a.Val, err)
			}
		case "rel", "alt", "loading":
		default:
			if allowed(n.Data, a) < 0 {
				t.Fatalf("%s: attribute %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
}

// checkSlice checks all ways to write a slice of a page, and the page.
func checkSlice(t testing.TB, tree *Tree, q *Query, precision int) {
	t.Helper()
	s := tree.Slice(q, SliceOptions{Precision: precision, Metadata: true})
	checkNodes(t, tree)
	for i := range 8 {
		o := RenderOptions{Fragment: i&1 > 0, Images: i&2 > 0, Mark: i&4 > 0}
		o.After = func(w io.Writer, _ int) error {
			_, err := io.WriteString(w, `<section><p><a href="http://a.example.org/">x</a></p></section>`)
			return err
		}
		checkHTML(t, rendered(t, s, o), o.Fragment, o.Images)
	}
	var b strings.Builder
	if err := tree.WriteHighlighted(&b, q, RenderOptions{Images: true}); err != nil {
		t.Fatal(err)
	}
	checkHTML(t, b.String(), false, true)
}

// checkNodes fails where the tree that is sliced is not well formed, or lacks an
// element that the analyzer has read.
func checkNodes(t testing.TB, tree *Tree) {
	t.Helper()
	nodes, elements := tree.sliceNodes(), 0
	for i, n := range nodes {
		if n.parent >= int32(i) || n.end <= int32(i) || n.parent >= 0 && nodes[n.parent].end < n.end || (n.parent < 0) != (i == 0) {
			t.Fatalf("node %d of %d: parent %d, end %d", i, len(nodes), n.parent, n.end)
		}
		if n.html != nil && n.tag != atom.Br { // of which those between blocks are left out
			elements++
		}
	}
	for _, e := range tree.elements {
		if tree.root != nil && e.Node.Type == html.ElementNode && e.Node.DataAtom != atom.Br && !e.Hidden {
			elements--
		}
	}
	if elements != 0 {
		t.Fatalf("%+d elements in the tree that is sliced", elements)
	}
}

// hostile are pages that want a sanitiser to read them in another way than a
// browser does, or that break the rules of nesting.
var hostile = []string{
	`<p onclick=x() style="background:url(javascript:x)" id=a class=b>members<script>x()</script></p>`,
	`<a href="javascript:x()">members</a><a href=" java&#10;script:x()">members</a><a href="data:text/html,<script>x()</script>">members</a>`,
	`<noscript><p title="</noscript><img src=x onerror=x()>">members</noscript>members`,
	`<svg></p><style><a title="</style><img src onerror=x()>">members</svg>members`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=x()&gt;">members</math>`,
	`<form><math><mtext></form><form><mglyph><style></math><img src onerror=x()>members`,
	`<math><annotation-xml encoding="text/html"><style><img src=x onerror=x()></style>members</annotation-xml></math>`,
	`members<template><script>x()</script></template><template shadowrootmode=open>members</template>`,
	`<textarea><img title="</textarea><img src=x onerror=x()>">members`, `<xmp><img title="</xmp><script>x()</script>">members`,
	`<select><option>members<img src=x onerror=x()></select>`, `<title>members</title><iframe srcdoc="<script>x()</script>">members</iframe>`,
	`<plaintext>members</plaintext><script>x()</script>`, `<listing>&lt;img onerror=x()&gt;members</listing>`,
	`<img alt="members&quot;&gt;&lt;script&gt;x()&lt;/script&gt;" src="x.png" onerror=x()>`, `<p title='"><script>x()</script>'>members`,
	"<p>mem\x00bers\r\nmembers\x0c<p/title=\x00>members", `<base href="javascript:x()//"><a href=y>members</a><img src=y alt=members>`,
	`<a href=1>members<table><tr><td><a href=2>members</a></table></a>`, `<a href=1><a href=2>members<div><a href=3>members`,
	`<table>members<tr>members<td>members<table><caption>members<td>members</table>members</table>`, `<p><table><tr><td>members</table>members`,
	`<li>members<dd>members<td>members<tr>members<option>members<rt>members<caption>members<col><tbody>members`,
	`<ul>members<table><li>members</table></ul><ol><p>members<ol>members<li value=3>members<li>members</ol></ol>`,
	`<h1>members<h2>members<h3><b>members<h4>members</h1>`, `<b><b><b><b><b>members<p>members</b>members</p></b></b></b>members`,
	`<dl><div><dt>members<dd>members</div><dt>members<dl><dd>members</dl></dl>`, `<button><p>members<button><p>members`,
	`<pre>` + "\n\n\nmembers\n\n\nmembers <b>\nmembers\n</b></pre>", `<ruby>members<rt>members<b><rp>members</ruby>`,
	`<frameset><frame src=members.html title=members></frameset>`, `<map><area href=a alt=members></map><table><area href=b alt=members><iframe src=members></iframe></table>`,
	`<p>members<center>members<p>members<hr>members</center>members`, `<font><br>members<br><font>members<br><br>members</font></font>`,
	`<body dir=rtl lang=ar><p dir=ltr lang="</p>">members<br>`, `<table><tr><td rowspan=9999999 colspan="1;2">members<th scope=row onload=x>members`,
	`<header><main>members</main></header><details><summary>members</summary>members</details><fieldset><legend>members</legend></fieldset>`,
	`<meta name=description content="<script>members</script>"><meta property=og:title content='members "x"'><p itemprop=name content=members>`,
}

func TestHostilePages(t *testing.T) {
	q := query(t, "members")
	for _, s := range hostile {
		tree := parse(t, s)
		for precision := range 4 {
			checkSlice(t, tree, q, precision)
		}
		loose := &Tree{Page: page(s, "text/html"), root: htmltree.ParseLoosely(s)}
		w := walk(loose.root, loose.Page.URL, true, nil)
		loose.text, loose.blocks = w.result()
		loose.elements, loose.holders = w.elements, w.holders
		loose.links = w.links(loose)
		checkSlice(t, loose, q, 1)
	}
}

func FuzzSlice(f *testing.F) {
	for i, s := range hostile {
		f.Add(s, "members", i%4)
	}
	f.Add("From: a@b\nSubject: x\n\nmembers http://a.example.org/\nmembers", `"members" -x`, 1)
	f.Add("<p>募集 论文 ทดสอบ <b>논문</b>을", "論文 OR 论文 OR 논문", 0)
	f.Fuzz(func(t *testing.T, body, words string, precision int) {
		q, err := ParseQuery(words)
		if err != nil {
			q = query(t, "members")
		}
		if tree, err := Parse(page(body, "text/html; charset=utf-8")); err == nil {
			checkSlice(t, tree, q, precision)
		}
	})
}

// rel is what every link says beside its address.
var rel = linkRel[1:]

func TestWriteHTML(t *testing.T) {
	const link = `<a href="http://conf.example.org/`
	for _, tt := range []struct {
		name, body, want string
		o                RenderOptions
	}{
		{"page", "<html lang=en dir=ltr><title>a &lt;b&gt;</title><p class=x onclick=y style=z>members<p>x",
			`<!DOCTYPE html><html lang="en"><head>` + pageHead + `<title>a &lt;b&gt;</title></head><body>` +
				`<div lang="en" dir="ltr"><p>members</p></div></body></html>`, RenderOptions{}},
		{"table", "<table><caption>c<tr><th>h<td>x<tr><th scope=row colspan=2>members<td>y</table>",
			`<table><tbody><tr><th scope="row" colspan="2">members</th></tr></tbody></table>`, RenderOptions{Fragment: true}},
		{"list", "<ol start=3><li>a<li value=7>members", `<ol start="3"><li value="7">members</li></ol>`, RenderOptions{Fragment: true}},
		{"mark", `<p title=members>a <b>members</b>, "Members"`, `<p title="members">a <b><mark>members</mark></b>, &#34;<mark>Members</mark>&#34;</p>`,
			RenderOptions{Fragment: true, Mark: true}},
		{"left out between", `<p>a <b>members</b>, b <i>c</i> <em>members</em></p>`, `<p><b>members</b> <em>members</em></p>`, RenderOptions{Fragment: true}},
		{"links", `<p>members <a href="/a?b=c&d" title=t target=_top>x</a> <a href=mailto:a@b>y</a> <a href="#z">z</a><a name=q>q</a>`,
			`<p>members ` + link + `a?b=c&amp;d"` + rel + ` title="t">x</a> y zq</p>`, RenderOptions{Fragment: true}},
		{"link without text", `<p title=members><a href=/a aria-label=Shop></a><a href=/b><img alt=Logo src=l.png></a><a href=/c><img src=c.png></a>`,
			`<p title="members">` + link + `a"` + rel + `>Shop</a>` + link + `b"` + rel + `> Logo </a>` + link + `c"` + rel + `></a></p>`, RenderOptions{Fragment: true}},
		{"no images", `<p title=members><img src=/i.png alt="An owl"><img src=/j.png>`, `<p title="members"> An owl </p>`, RenderOptions{Fragment: true}},
		{"images", `<p title=members><img src=/i.png alt="An owl" width=20 height=1e9 onload=x srcset=y><img src=data:x>`,
			`<p title="members"><img src="http://conf.example.org/i.png" alt="An owl" loading="lazy" width="20"></p>`, RenderOptions{Fragment: true, Images: true}},
		{"image map", `<map name=m><area href=/a alt=members></map>`, link + `a"` + rel + `>members</a> `, RenderOptions{Fragment: true}},
		{"frame not read", `<iframe src=/members.html></iframe>`, link + `members.html"` + rel + `>http://conf.example.org/members.html</a> `, RenderOptions{Fragment: true}},
		{"plain text", "a\nmembers < b http://a.example.org/x, y\n\nz", `<p>members &lt; b <a href="http://a.example.org/x"` + rel + `>http://a.example.org/x</a>, y<br></p>`,
			RenderOptions{Fragment: true}},
		{"nothing", "<p>x", "", RenderOptions{Fragment: true}},
	} {
		tree := parse(t, tt.body)
		got := rendered(t, tree.Slice(query(t, "members"), SliceOptions{}), tt.o)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		checkHTML(t, got, tt.o.Fragment, tt.o.Images)
	}
}

func TestAfter(t *testing.T) {
	for _, tt := range []struct{ name, body, want string }{
		{"paragraph", "<p><a href=a>1</a> x <a href=b>2</a> y</p>text", "<p>{1} x {2} y</p>[0][1]text"},
		{"cell", "<table><tr><td><a href=a>1</a> x<td>y</table>", "<table><tbody><tr><td>{1} x[0]</td><td>y</td></tr></tbody></table>"},
		{"item", "<ul><li><a href=a>1</a><ul><li><a href=b>2</a></ul></ul>", "<ul><li>{1}[0]<ul><li>{2}[1]</li></ul></li></ul>"},
		{"lines", "<div><a href=a>1</a><br><b><a href=b>2</a><br>x</b>y</div>", "<div>{1}<br>[0]<b>{2}<br>x</b>y[1]</div>"},
		{"heading", "<h2><a href=a>1</a></h2>x", "<h2>{1}</h2>[0]x"},
		{"before a block", "<div><a href=a>1</a> x<p>y</div>", "<div>{1} x[0]<p>y</p></div>"},
		{"block in a link", "<a href=a><div>1</div></a>x", "{<div>1</div>}x[0]"},
		{"not within a link", "<a href=a>1</a> <a href=b><div><div>y</div>z<div>w</div></div></a>x", "{1} {<div><div>y</div>z<div>w</div></div>}x[0][1]"},
		{"link in a link", "<a href=a><table><tr><td>1 <a href=b>2</a><td>3</table></a>x", "{<table><tbody><tr><td>1 2</td><td>3</td></tr></tbody></table>}x[0][1]"},
		{"image map in a link", "<a href=a>1<map><area href=b></map></a><p>x", "{1}[0][1]<p>x</p>"},
		{"frame", "x <iframe src=a title=1></iframe><p>y", "x {1} [0]<p>y</p>"},
		{"pre", "<pre><a href=a>1</a>\nx</pre>y", "<pre>{1}\nx</pre>[0]y"},
		{"same address twice", "<p><a href=a>1</a><p><a href=a>2</a>", "<p>{1}</p>[0]<p>{2}</p>[1]"},
		{"plain text", "1 http://a.example.org/x\n\ny", "<p>1 {http://a.example.org/x}<br></p>[0]<p>y<br></p>"},
	} {
		after := func(w io.Writer, link int) error {
			_, err := fmt.Fprintf(w, "[%d]", link)
			return err
		}
		tree := parse(t, tt.body)
		got := rendered(t, tree.Slice(query(t, "1"), SliceOptions{Precision: 99}), RenderOptions{Fragment: true, After: after})
		for _, l := range tree.Links() {
			got = strings.ReplaceAll(got, `<a href="`+l.Target+`"`+rel+">", "{")
		}
		if diff := cmp.Diff(tt.want, strings.ReplaceAll(got, "</a>", "}")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWriteHighlighted(t *testing.T) {
	tree := parse(t, "<title>T</title><h1>Call</h1><p>for <i>papers</i> <a href=/a>call</a><script>call</script><p>x")
	for words, want := range map[string]string{
		"call":         `<h1><mark>Call</mark></h1><p>for <i>papers</i> <a href="http://conf.example.org/a"` + rel + `><mark>call</mark></a></p><p>x</p>`,
		`"for papers"`: `<h1>Call</h1><p><mark>for </mark><i><mark>papers</mark></i> <a href="http://conf.example.org/a"` + rel + `>call</a></p><p>x</p>`,
		"zebra":        `<h1>Call</h1><p>for <i>papers</i> <a href="http://conf.example.org/a"` + rel + `>call</a></p><p>x</p>`,
	} {
		var b strings.Builder
		if err := tree.WriteHighlighted(&b, query(t, words), RenderOptions{Fragment: true}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", words, diff)
		}
	}
}

var errFull = errors.New("disk is full")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrors(t *testing.T) {
	s := parse(t, "<p><a href=a>members</a>"+strings.Repeat(" members", 10_000)).Slice(query(t, "members"), SliceOptions{})
	if err := s.WriteHTML(fullDisk{}, RenderOptions{}); !errors.Is(err, errFull) || !strings.Contains(err.Error(), pageURL) {
		t.Errorf("full disk: %v", err)
	}
	fail := func(io.Writer, int) error { return errFull }
	if err := s.WriteHTML(io.Discard, RenderOptions{After: fail}); !errors.Is(err, errFull) {
		t.Errorf("After: %v", err)
	}
}

func TestRenderLimits(t *testing.T) {
	q := query(t, "x")
	for name, body := range map[string]string{
		"text":  "<p>" + strings.Repeat("x & ", 5<<18),
		"marks": "<p>" + strings.Repeat("x ", 2*maxMarks),
		"depth": strings.Repeat("<div>", 500) + "x",
	} {
		var b strings.Builder
		if err := parse(t, body).WriteHighlighted(&b, q, RenderOptions{}); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		if len(s) > maxRendered+5*textChunk || strings.Count(s, "<mark>") > maxMarks || strings.Count(s, "<div>") > maxOpen || !strings.HasSuffix(s, "</body></html>") {
			t.Errorf("%s: %d bytes, %d marks, ends %.40q", name, len(s), strings.Count(s, "<mark>"), s[max(0, len(s)-40):])
		}
	}
}
