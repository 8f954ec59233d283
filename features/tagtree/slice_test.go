package tagtree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func query(t testing.TB, s string) *Query {
	t.Helper()
	q, err := ParseQuery(s)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func rendered(t testing.TB, s *Slice, o RenderOptions) string {
	t.Helper()
	var b strings.Builder
	if err := s.WriteHTML(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// societyPage has the tree of paper 003, figure 7: a cell that names what is
// looked for, five elements above it (table to html), and below it elements that
// do not name it.
const societyPage = `<html><body><h1>Society</h1><table>
<tr><td>Everybody may <a href="/join">join</a></td></tr>
<tr><td>For members: <ul><li><a href="/login">Log in</a></li><li>Renew <b>now</b></li></ul></td><td>Shop</td></tr>
</table><p>Contact</p></body></html>`

// Paper 003, example 1: the query ("members", 0).
func TestExample1(t *testing.T) {
	tree := parse(t, strings.Replace(societyPage, "For members: <ul>", `<ul title="For members">`, 1))
	s := tree.Slice(query(t, "members"), SliceOptions{})
	want := `<table><tbody><tr><td><ul title="For members"><li><a href="http://conf.example.org/login"` + linkRel[1:] +
		`>Log in</a></li><li>Renew <b>now</b></li></ul></td></tr></tbody></table>`
	if diff := cmp.Diff(want, rendered(t, s, RenderOptions{Fragment: true})); diff != "" {
		t.Errorf("slice (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"html/body/table/tbody/tr[2]/td[1]/ul"}, s.KeyPaths()); diff != "" || s.Keys() != 1 || s.Empty() {
		t.Errorf("%d key nodes (-want +got):\n%s", s.Keys(), diff)
	}
	if diff := cmp.Diff([]SliceLink{{Link: 1, Distance: 2}}, s.Links()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	// The document and its section, html, body, table, tbody, tr, td; ul, two li, a, b.
	if s.Nodes() != 12 {
		t.Errorf("%d nodes, want 12", s.Nodes())
	}
	if want := "Log in\nRenew now"; s.Text() != want {
		t.Errorf("text %q, want %q", s.Text(), want)
	}
}

func TestPrecision(t *testing.T) {
	tree := parse(t, societyPage)
	for d, want := range map[int]string{
		-1: "For members:",
		0:  "For members:",
		1:  "For members:\nLog in\nRenew now",
		2:  "For members:\nLog in\nRenew now\nShop",
		3:  "Everybody may join\nFor members:\nLog in\nRenew now\nShop",
		5:  tree.Text(),
		6:  tree.Text(),
		99: tree.Text(), 1 << 60: tree.Text(),
	} {
		s := tree.Slice(query(t, "members"), SliceOptions{Precision: d})
		if diff := cmp.Diff(want, s.Text()); diff != "" {
			t.Errorf("precision %d (-want +got):\n%s", d, diff)
		}
	}
}

// What is left out of a line leaves the words on either side of it apart.
func TestWordsStayApart(t *testing.T) {
	tree := parse(t, "<p>See <b>members</b>, or <a href=/m>members</a>.<p>members")
	if got, want := tree.Slice(query(t, "members"), SliceOptions{}).Text(), "members members\nmembers"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// TestDistances compares measure with distances counted node by node.
func TestDistances(t *testing.T) {
	for _, body := range append(hostile, societyPage, "members\n\na http://a.example.org/\nmembers") {
		tree := parse(t, body)
		s := tree.Slice(query(t, "members"), SliceOptions{})
		for i := range s.nodes {
			want := int32(far)
			for _, k := range s.keys {
				want = min(want, s.steps(int32(i), k))
			}
			if s.distance[i] != want {
				t.Fatalf("%.60q: node %d at %d, want %d", body, i, s.distance[i], want)
			}
		}
	}
}

func (s *Slice) steps(a, b int32) int32 {
	n := int32(0)
	for ; a != b; n++ {
		if a > b {
			a = s.nodes[a].parent
		} else {
			b = s.nodes[b].parent
		}
	}
	return n
}

// A larger precision never loses what a smaller one shows.
func TestSlicesGrow(t *testing.T) {
	for _, body := range append(hostile, societyPage) {
		tree := parse(t, body)
		before := tree.Slice(query(t, "members"), SliceOptions{})
		for d := 1; d < 6; d++ {
			s := tree.Slice(query(t, "members"), SliceOptions{Precision: d})
			for i := range s.shown {
				if s.shown[i] < before.shown[i] {
					t.Fatalf("%.60q: node %d is lost at precision %d", body, i, d)
				}
			}
			before = s
		}
	}
}

func TestLinesParagraphsSections(t *testing.T) {
	const lines = "<body>one<br>two <i>members</i><br>three<br><br>four<br>five<hr>six"
	const outline = "<h1>A</h1><p>a<h2>B</h2><p>b<h2>C</h2><p>members<p>c<h1>D</h1><p>d"
	const mail = "one\ntwo members\nthree\n\nfour http://a.example.org/x.\nfive"
	for _, tt := range []struct {
		name, body string
		want       []string // by precision
	}{
		{"lines", lines, []string{"members", "two members", "one|two members|three", "one|two members|three|four|five|six"}},
		{"phrase in lines", strings.ReplaceAll(lines, "members<", "a<"), []string{""}},
		{"sections", outline, []string{"members", "C|members|c", "A|a|B|b|C|members|c", "A|a|B|b|C|members|c|D|d"}},
		{"one section", "<div><h1>A</h1><p>members<p>b</div>c", []string{"members", "A|members|b", "A|members|b|c"}},
		{"pre", "<pre>" + mail + "</pre>x", []string{"two members", "one|two members|three", "one|two members|three|four http://a.example.org/x.|five"}},
		{"plain text", mail, []string{"two members", "one|two members|three", "one|two members|three|four http://a.example.org/x.|five"}},
		{"one paragraph", "<td>one<br>members", []string{"members", "one|members"}},
		{"inline around lines", "<font><b>one<br>members<br>three</b></font>x", []string{"members", "one|members|three"}},
		{"text around a block", "one<div>members</div>two", []string{"members", "one|members|two"}},
	} {
		tree := parse(t, tt.body)
		for d, want := range tt.want {
			words := "members"
			if strings.HasPrefix(tt.name, "phrase") {
				words = `"two a"`
				want = "two a"
			}
			got := tree.Slice(query(t, words), SliceOptions{Precision: d}).Text()
			if diff := cmp.Diff(want, strings.ReplaceAll(got, "\n", "|")); diff != "" {
				t.Errorf("%s, precision %d (-want +got):\n%s", tt.name, d, diff)
			}
		}
	}
}

func TestKeyNodes(t *testing.T) {
	for _, tt := range []struct {
		name, query, body string
		want              []string
	}{
		{"word in an inline element", "call", "<p><b>call</b> for papers", []string{"html/body/p/b"}},
		{"phrase over inline elements", `"call for papers"`, "<p><b>call</b> for papers", []string{"html/body/p"}},
		{"phrase over siblings", `"call for"`, "<p>x <i><b>call</b> <u>for</u></i>", []string{"html/body/p/i"}},
		{"alt", "owl", `<img alt="an owl" src=x.png>`, []string{"html/body/img"}},
		{"src", "owl", `<img src="/a/owl_1.png"><img src="data:,owl">`, []string{"html/body/img[1]"}},
		{"longdesc and title", "owl", `<img longdesc=owl.html><p title="an Owl">x`, []string{"html/body/img", "html/body/p"}},
		{"other attributes", "owl", `<p class=owl id=owl data-x=owl><a href=/owl name=owl>x</a>`, nil},
		{"attribute and text apart", `"an owl"`, `<p title=an>owl`, nil},
		{"hidden", "owl", `<p hidden>owl<p style="display: none">owl<script>owl</script><style>owl</style><!-- owl --><template>owl</template>`, nil},
		{"noscript", "owl", `<p>x<noscript>owl</noscript>`, nil},
		{"noscript alone", "owl", `<noscript>owl</noscript>`, []string{"html/body"}},
		{"head", "owl", `<title>owl</title><meta name=description content=owl><p>x`, nil},
		{"everything", "x", "<h1>x</h1><p>x<a href=y title=x>x</a>", []string{"html/body/h1", "html/body/p", "html/body/p/a"}},
		{"nothing", "owl", "", nil},
		{"all script", "owl", "<script>" + strings.Repeat("owl ", 1000) + "</script>", nil},
	} {
		got := parse(t, tt.body).Slice(query(t, tt.query), SliceOptions{}).KeyPaths()
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMetadata(t *testing.T) {
	tree := parse(t, `<head><title>On owls</title><meta name=Description content="All about owls"><meta property=og:description content="All about owls">
<meta name=viewport content=owls></head><body><p>x <a href=y>y</a><div itemscope>Fee<meta itemprop=price content="100 owls"></div><time datetime=2026-05-01 itemprop=startDate>soon</time>`)
	if s := tree.Slice(query(t, "owls"), SliceOptions{}); !s.Empty() || s.Text() != "" {
		t.Errorf("without metadata: %q", s.Text())
	}
	s := tree.Slice(query(t, "owls 2026"), SliceOptions{Metadata: true})
	if diff := cmp.Diff("On owls\nAll about owls\nFee\nsoon", s.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	s = tree.Slice(query(t, "about"), SliceOptions{Metadata: true, Precision: 1000})
	if s.Empty() || len(s.Links()) != 0 || s.Text() != "On owls\nAll about owls" {
		t.Errorf("key node in the head: %q, links %v", s.Text(), s.Links())
	}
	if s := parse(t, "owls").Slice(query(t, "owls"), SliceOptions{Metadata: true}); s.Text() != "owls" {
		t.Errorf("plain text: %q", s.Text())
	}
}

func TestLinksOfSlice(t *testing.T) {
	tree := parse(t, `<p><a href=a>members</a> <a href=b><b>members</b></a> <a href=c>x</a><p><a href=d>y</a><p><a href="#e">members</a><map><area href=f alt=members></map>`)
	for d, want := range [][]SliceLink{
		{{0, 0}, {1, 1}, {4, 0}},
		{{0, 0}, {1, 1}, {2, 2}, {4, 0}},
		{{0, 0}, {1, 1}, {2, 2}, {3, 4}, {4, 0}},
	} {
		if diff := cmp.Diff(want, tree.Slice(query(t, "members"), SliceOptions{Precision: d}).Links()); diff != "" {
			t.Errorf("precision %d (-want +got):\n%s", d, diff)
		}
	}
	plain := parse(t, "members http://a.example.org/\n\nhttp://b.example.org/ www.c.example.org")
	if diff := cmp.Diff([]SliceLink{{0, 1}}, plain.Slice(query(t, "members"), SliceOptions{}).Links()); diff != "" {
		t.Errorf("plain text (-want +got):\n%s", diff)
	}
}

func TestFramesAreSliced(t *testing.T) {
	tree, err := ParseWithFrames(page(`<body>x<iframe srcdoc="<p>members <a href=z>z</a><p>y"></iframe><p>z`, "text/html"), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := query(t, "members")
	for d, want := range []string{"members z", "members z\ny", "members z\ny", "members z\ny", "x\nmembers z\ny\nz"} {
		s := tree.Slice(q, SliceOptions{Precision: d})
		if s.Text() != want || len(s.Links()) != 1 {
			t.Errorf("precision %d: %q, links %v, want %q", d, s.Text(), s.Links(), want)
		}
		checkSlice(t, tree, q, d)
	}
	got := rendered(t, tree.Slice(q, SliceOptions{}), RenderOptions{Fragment: true})
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
		tree, err := Parse(page(tt.body, "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		s := tree.Slice(query(t, `members "members and others" NOT zebra`), SliceOptions{Precision: 1_000_000})
		if tt.keys > 0 == s.Empty() || s.Keys() > tt.keys || s.Keys() < tt.keys*9/10 {
			t.Errorf("%s: %d key nodes, want %d", tt.name, s.Keys(), tt.keys)
		}
		got := rendered(t, s, RenderOptions{Mark: true})
		if len(got) > maxRendered+5*textChunk || len(s.marks) > maxMarks {
			t.Errorf("%s: %d bytes, %d marks", tt.name, len(got), len(s.marks))
		}
		if len(got) < 1<<20 {
			checkHTML(t, got, false, false)
		}
	}
}

// Lines of pre cost no tags, so that they have a bound of their own.
func TestPreLines(t *testing.T) {
	tree, err := Parse(page("<pre>"+strings.Repeat("x\n", maxPreLines+1000)+"members\nx</pre>", "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tree.sliceNodes()); n > 2*maxPreLines+10 {
		t.Errorf("%d nodes", n)
	}
	if s := tree.Slice(query(t, "members"), SliceOptions{}); s.Keys() != 1 {
		t.Errorf("%d key nodes behind the last line", s.Keys())
	}
}

func TestMillionSiblings(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 8 MB")
	}
	tree, err := Parse(page("<p>members<p>"+strings.Repeat("<br>x", 1_000_000), "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range []int{len("members"), MaxBlocks} {
		s := tree.Slice(query(t, "members"), SliceOptions{Precision: d})
		if s.Keys() != 1 || len(s.Text()) < want {
			t.Errorf("precision %d: %d key nodes, %d bytes", d, s.Keys(), len(s.Text()))
		}
	}
}
