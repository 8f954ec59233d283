package sanitize

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// asWritten dumps the tree that the tags of markup describe, one node per line; it fails on tags that do not
// pair.
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

// checkHTML fails if a browser reads something else than was written. It also fails if the output could do
// more than show text, links and, with images, pictures.
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
			if allowedRule(n.Data, a) < 0 {
				t.Fatalf("%s: attribute %s=%q", n.Data, a.Key, a.Val)
			}
		}
	}
}

// checkSlice checks all ways to write a slice of a page, and the page.
func checkSlice(t testing.TB, tree *tagtree.Tree, q *slice.Query, precision int) {
	t.Helper()
	s := slice.NewSlice(tree, q, slice.Options{Precision: precision, Metadata: true})
	checkNodes(t, tree)
	for i := range 8 {
		o := Options{Fragment: i&1 > 0, Images: i&2 > 0, Mark: i&4 > 0}
		o.After = func(w io.Writer, _ int) error {
			_, err := io.WriteString(w, `<section><p><a href="http://a.example.org/">x</a></p></section>`)
			return err
		}
		checkHTML(t, rendered(t, s, o), o.Fragment, o.Images)
	}
	var b strings.Builder
	if err := WriteHighlighted(&b, tree, q, Options{Images: true}); err != nil {
		t.Fatal(err)
	}
	checkHTML(t, b.String(), false, true)
}

// checkNodes fails where the tree that is sliced is not well formed, or lacks an
// element that the analyzer has read.
func checkNodes(t testing.TB, tree *tagtree.Tree) {
	t.Helper()
	nodes, elements := slice.WholePage(tree, queryOf(t, "x")).Content().Nodes, 0
	for i, n := range nodes {
		if n.Parent >= int32(i) || n.End <= int32(i) || n.Parent >= 0 && nodes[n.Parent].End < n.End || (n.Parent < 0) != (i == 0) {
			t.Fatalf("node %d of %d: parent %d, end %d", i, len(nodes), n.Parent, n.End)
		}
		if n.HTML != nil && n.Tag != atom.Br { // of which those between blocks are left out
			elements++
		}
	}
	for _, e := range tree.Elements() {
		if tree.Root() != nil && e.Node.Type == html.ElementNode && e.Node.DataAtom != atom.Br && !e.Hidden {
			elements--
		}
	}
	if elements != 0 {
		t.Fatalf("%+d elements in the tree that is sliced", elements)
	}
}

func TestHostilePages(t *testing.T) {
	q := queryOf(t, "members")
	for _, s := range tagtreetest.HostilePages {
		tree := tagtreetest.Parse(t, s)
		for precision := range 4 {
			checkSlice(t, tree, q, precision)
		}
		// The forgiving parser reads pages with very long tags, and noscript where a
		// page shows nothing else.
		for _, loose := range []string{"<b class='" + strings.Repeat("x", 20<<10) + "'></b>" + s, "<noscript>" + s} {
			checkSlice(t, tagtreetest.Parse(t, loose), q, 1)
		}
	}
}

func FuzzSlice(f *testing.F) {
	for i, s := range tagtreetest.HostilePages {
		f.Add(s, "members", i%4)
	}
	f.Add("From: a@b\nSubject: x\n\nmembers http://a.example.org/\nmembers", `"members" -x`, 1)
	f.Add("<p>募集 论文 ทดสอบ <b>논문</b>을", "論文 OR 论文 OR 논문", 0)
	f.Fuzz(func(t *testing.T, body, words string, precision int) {
		q, err := slice.ParseQuery(words)
		if err != nil {
			q = queryOf(t, "members")
		}
		if tree, err := tagtree.Parse(tagtreetest.Page(body, "text/html; charset=utf-8")); err == nil {
			checkSlice(t, tree, q, precision)
		}
	})
}

// rel is the attribute that every link has besides its address.
var rel = linkRel[1:]

// Paper 003, example 1: the query ("members", 0).
func TestExample1(t *testing.T) {
	tree := tagtreetest.Parse(t, strings.Replace(tagtreetest.SocietyPage, "For members: <ul>", `<ul title="For members">`, 1))
	s := slice.NewSlice(tree, queryOf(t, "members"), slice.Options{})
	want := `<table><tbody><tr><td><ul title="For members"><li><a href="http://conf.example.org/login"` + linkRel[1:] +
		`>Log in</a></li><li>Renew <b>now</b></li></ul></td></tr></tbody></table>`
	if diff := cmp.Diff(want, rendered(t, s, Options{Fragment: true})); diff != "" {
		t.Errorf("slice (-want +got):\n%s", diff)
	}
}

func TestWriteHTML(t *testing.T) {
	const link = `<a href="http://conf.example.org/`
	for _, tt := range []struct {
		name, body, want string
		o                Options
	}{
		{"page", "<html lang=en dir=ltr><title>a &lt;b&gt;</title><p class=x onclick=y style=z>members<p>x",
			`<!DOCTYPE html><html lang="en"><head>` + pageHead + `<title>a &lt;b&gt;</title></head><body>` +
				`<div lang="en" dir="ltr"><p>members</p></div></body></html>`, Options{}},
		{"table", "<table><caption>c<tr><th>h<td>x<tr><th scope=row colspan=2>members<td>y</table>",
			`<table><tbody><tr><th scope="row" colspan="2">members</th></tr></tbody></table>`, Options{Fragment: true}},
		{"list", "<ol start=3><li>a<li value=7>members", `<ol start="3"><li value="7">members</li></ol>`, Options{Fragment: true}},
		{"mark", `<p title=members>a <b>members</b>, "Members"`, `<p title="members">a <b><mark>members</mark></b>, &#34;<mark>Members</mark>&#34;</p>`,
			Options{Fragment: true, Mark: true}},
		{"left out between", `<p>a <b>members</b>, b <i>c</i> <em>members</em></p>`, `<p><b>members</b> <em>members</em></p>`, Options{Fragment: true}},
		{"links", `<p>members <a href="/a?b=c&d" title=t target=_top>x</a> <a href=mailto:a@b>y</a> <a href="#z">z</a><a name=q>q</a>`,
			`<p>members ` + link + `a?b=c&amp;d"` + rel + ` title="t">x</a> y zq</p>`, Options{Fragment: true}},
		{"link without text", `<p title=members><a href=/a aria-label=Shop></a><a href=/b><img alt=Logo src=l.png></a><a href=/c><img src=c.png></a>`,
			`<p title="members">` + link + `a"` + rel + `>Shop</a>` + link + `b"` + rel + `> Logo </a>` + link + `c"` + rel + `></a></p>`, Options{Fragment: true}},
		{"no images", `<p title=members><img src=/i.png alt="An owl"><img src=/j.png>`, `<p title="members"> An owl </p>`, Options{Fragment: true}},
		{"images", `<p title=members><img src=/i.png alt="An owl" width=20 height=1e9 onload=x srcset=y><img src=data:x>`,
			`<p title="members"><img src="http://conf.example.org/i.png" alt="An owl" loading="lazy" width="20"></p>`, Options{Fragment: true, Images: true}},
		{"image map", `<map name=m><area href=/a alt=members></map>`, link + `a"` + rel + `>members</a> `, Options{Fragment: true}},
		{"frame not read", `<iframe src=/members.html></iframe>`, link + `members.html"` + rel + `>http://conf.example.org/members.html</a> `, Options{Fragment: true}},
		{"plain text", "a\nmembers < b http://a.example.org/x, y\n\nz", `<p>members &lt; b <a href="http://a.example.org/x"` + rel + `>http://a.example.org/x</a>, y<br></p>`,
			Options{Fragment: true}},
		{"nothing", "<p>x", "", Options{Fragment: true}},
	} {
		tree := tagtreetest.Parse(t, tt.body)
		got := rendered(t, slice.NewSlice(tree, queryOf(t, "members"), slice.Options{}), tt.o)
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
		tree := tagtreetest.Parse(t, tt.body)
		got := rendered(t, slice.NewSlice(tree, queryOf(t, "1"), slice.Options{Precision: 99}), Options{Fragment: true, After: after})
		for _, l := range tree.Links() {
			got = strings.ReplaceAll(got, `<a href="`+l.Target+`"`+rel+">", "{")
		}
		if diff := cmp.Diff(tt.want, strings.ReplaceAll(got, "</a>", "}")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestWriteHighlighted(t *testing.T) {
	tree := tagtreetest.Parse(t, "<title>T</title><h1>Call</h1><p>for <i>papers</i> <a href=/a>call</a><script>call</script><p>x")
	for words, want := range map[string]string{
		"call":         `<h1><mark>Call</mark></h1><p>for <i>papers</i> <a href="http://conf.example.org/a"` + rel + `><mark>call</mark></a></p><p>x</p>`,
		`"for papers"`: `<h1>Call</h1><p><mark>for </mark><i><mark>papers</mark></i> <a href="http://conf.example.org/a"` + rel + `>call</a></p><p>x</p>`,
		"zebra":        `<h1>Call</h1><p>for <i>papers</i> <a href="http://conf.example.org/a"` + rel + `>call</a></p><p>x</p>`,
	} {
		var b strings.Builder
		if err := WriteHighlighted(&b, tree, queryOf(t, words), Options{Fragment: true}); err != nil {
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
	s := slice.NewSlice(tagtreetest.Parse(t, "<p><a href=a>members</a>"+strings.Repeat(" members", 10_000)), queryOf(t, "members"), slice.Options{})
	if err := Write(fullDisk{}, s, Options{}); !errors.Is(err, errFull) || !strings.Contains(err.Error(), tagtreetest.PageURL) {
		t.Errorf("full disk: %v", err)
	}
	fail := func(io.Writer, int) error { return errFull }
	if err := Write(io.Discard, s, Options{After: fail}); !errors.Is(err, errFull) {
		t.Errorf("After: %v", err)
	}
}

func TestRenderLimits(t *testing.T) {
	q := queryOf(t, "x")
	for name, body := range map[string]string{
		"text":  "<p>" + strings.Repeat("x & ", 5<<18),
		"marks": "<p>" + strings.Repeat("x ", 2*slice.MaxMarks),
		"depth": strings.Repeat("<div>", 500) + "x",
	} {
		var b strings.Builder
		if err := WriteHighlighted(&b, tagtreetest.Parse(t, body), q, Options{}); err != nil {
			t.Fatal(err)
		}
		s := b.String()
		if len(s) > maxRendered+5*textChunk || strings.Count(s, "<mark>") > slice.MaxMarks || strings.Count(s, "<div>") > maxOpen || !strings.HasSuffix(s, "</body></html>") {
			t.Errorf("%s: %d bytes, %d marks, ends %.40q", name, len(s), strings.Count(s, "<mark>"), s[max(0, len(s)-40):])
		}
	}
}

func TestFramesAreSliced(t *testing.T) {
	tree, err := tagtree.ParseWithFrames(tagtreetest.Page(`<body>x<iframe srcdoc="<p>members <a href=z>z</a><p>y"></iframe><p>z`, "text/html"), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := queryOf(t, "members")
	for d, want := range []string{"members z", "members z\ny", "members z\ny", "members z\ny", "x\nmembers z\ny\nz"} {
		s := slice.NewSlice(tree, q, slice.Options{Precision: d})
		if s.Text() != want || len(s.Links()) != 1 {
			t.Errorf("precision %d: %q, links %v, want %q", d, s.Text(), s.Links(), want)
		}
		checkSlice(t, tree, q, d)
	}
	got := rendered(t, slice.NewSlice(tree, q, slice.Options{}), Options{Fragment: true})
	if want := `<section><p>members <a href="http://conf.example.org/2026/z"` + linkRel[1:] + `>z</a></p></section>`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSliceLimits(t *testing.T) {
	big := strings.Repeat("members and others ", 10<<20/19)
	tables := strings.Repeat("<table><tr><td>", 50) + "members" + strings.Repeat("</table>", 50)
	for _, tt := range []struct {
		name, body string
		keys       int
	}{
		{"siblings", strings.Repeat("<br>members", 60_000), 60_000},
		{"one text node", "<p>" + big, 1},
		{"one long word", "<p>" + strings.Repeat("m", 10<<20), 0},
		{"one line of plain text", big[:1<<20], 1},
		{"tables in one another", tables, 1},
		{"deep", strings.Repeat("<div>", 300) + "members", 1},
		{"very deep", strings.Repeat("<div>", 10_000) + "members", 1},
		{"deep and broken", strings.Repeat("<b>x<br>", 10_000) + "members", 1},
		{"unclosed formatting", strings.Repeat("<p><font size=1>members", 3_000), 3_000},
		{"attributes", "<p " + strings.Repeat("title=members alt=members ", 10_000) + ">", 1},
		{"headings", strings.Repeat("<h1>x</h1><h6>members</h6>", 10_000), 10_000},
	} {
		tree, err := tagtree.Parse(tagtreetest.Page(tt.body, "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		s := slice.NewSlice(tree, queryOf(t, `members "members and others" NOT zebra`), slice.Options{Precision: 1_000_000})
		if tt.keys > 0 == s.IsEmpty() || s.CountKeys() > tt.keys || s.CountKeys() < tt.keys*9/10 {
			t.Errorf("%s: %d key nodes, want %d", tt.name, s.CountKeys(), tt.keys)
		}
		got := rendered(t, s, Options{Mark: true})
		if len(got) > maxRendered+5*textChunk || len(s.Content().Marks) > slice.MaxMarks {
			t.Errorf("%s: %d bytes, %d marks", tt.name, len(got), len(s.Content().Marks))
		}
		if len(got) < 1<<20 {
			checkHTML(t, got, false, false)
		}
	}
}

func rendered(t testing.TB, s *slice.Slice, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(&b, s, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func queryOf(t testing.TB, s string) *slice.Query {
	t.Helper()
	q, err := slice.ParseQuery(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}
