package slice

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

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

// Paper 003, example 1: the query ("members", 0).
func TestExample1(t *testing.T) {
	tree := tagtreetest.Parse(t, strings.Replace(tagtreetest.SocietyPage, "For members: <ul>", `<ul title="For members">`, 1))
	s := NewSlice(tree, query(t, "members"), Options{})
	if diff := cmp.Diff([]string{"html/body/table/tbody/tr[2]/td[1]/ul"}, s.KeyPaths()); diff != "" || s.CountKeys() != 1 || s.IsEmpty() {
		t.Errorf("%d key nodes (-want +got):\n%s", s.CountKeys(), diff)
	}
	if diff := cmp.Diff([]Link{{Link: 1, Distance: 2}}, s.Links()); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	// The document and its section, html, body, table, tbody, tr, td; ul, two li, a, b.
	if s.CountNodes() != 12 {
		t.Errorf("%d nodes, want 12", s.CountNodes())
	}
	if want := "Log in\nRenew now"; s.Text() != want {
		t.Errorf("text %q, want %q", s.Text(), want)
	}
}

func TestPrecision(t *testing.T) {
	tree := tagtreetest.Parse(t, tagtreetest.SocietyPage)
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
		s := NewSlice(tree, query(t, "members"), Options{Precision: d})
		if diff := cmp.Diff(want, s.Text()); diff != "" {
			t.Errorf("precision %d (-want +got):\n%s", d, diff)
		}
	}
}

// Words on either side of an omitted part of a line stay separate.
func TestWordsStayApart(t *testing.T) {
	tree := tagtreetest.Parse(t, "<p>See <b>members</b>, or <a href=/m>members</a>.<p>members")
	if got, want := NewSlice(tree, query(t, "members"), Options{}).Text(), "members members\nmembers"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}

// TestDistances compares measure with distances counted node by node.
func TestDistances(t *testing.T) {
	for _, body := range append(slices.Clone(tagtreetest.HostilePages), tagtreetest.SocietyPage, "members\n\na http://a.example.org/\nmembers") {
		tree := tagtreetest.Parse(t, body)
		s := NewSlice(tree, query(t, "members"), Options{})
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
			a = s.nodes[a].Parent
		} else {
			b = s.nodes[b].Parent
		}
	}
	return n
}

// A larger precision never loses what a smaller one shows.
func TestSlicesGrow(t *testing.T) {
	for _, body := range append(slices.Clone(tagtreetest.HostilePages), tagtreetest.SocietyPage) {
		tree := tagtreetest.Parse(t, body)
		before := NewSlice(tree, query(t, "members"), Options{})
		for d := 1; d < 6; d++ {
			s := NewSlice(tree, query(t, "members"), Options{Precision: d})
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
		tree := tagtreetest.Parse(t, tt.body)
		for d, want := range tt.want {
			words := "members"
			if strings.HasPrefix(tt.name, "phrase") {
				words = `"two a"`
				want = "two a"
			}
			got := NewSlice(tree, query(t, words), Options{Precision: d}).Text()
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
		got := NewSlice(tagtreetest.Parse(t, tt.body), query(t, tt.query), Options{}).KeyPaths()
		if len(got) == 0 {
			got = nil
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestMetadata(t *testing.T) {
	tree := tagtreetest.Parse(t, `<head><title>On owls</title><meta name=Description content="All about owls"><meta property=og:description content="All about owls">
<meta name=viewport content=owls></head><body><p>x <a href=y>y</a><div itemscope>Fee<meta itemprop=price content="100 owls"></div><time datetime=2026-05-01 itemprop=startDate>soon</time>`)
	if s := NewSlice(tree, query(t, "owls"), Options{}); !s.IsEmpty() || s.Text() != "" {
		t.Errorf("without metadata: %q", s.Text())
	}
	s := NewSlice(tree, query(t, "owls 2026"), Options{Metadata: true})
	if diff := cmp.Diff("On owls\nAll about owls\nFee\nsoon", s.Text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	s = NewSlice(tree, query(t, "about"), Options{Metadata: true, Precision: 1000})
	if s.IsEmpty() || len(s.Links()) != 0 || s.Text() != "On owls\nAll about owls" {
		t.Errorf("key node in the head: %q, links %v", s.Text(), s.Links())
	}
	if s := NewSlice(tagtreetest.Parse(t, "owls"), query(t, "owls"), Options{Metadata: true}); s.Text() != "owls" {
		t.Errorf("plain text: %q", s.Text())
	}
}

func TestLinksOfSlice(t *testing.T) {
	tree := tagtreetest.Parse(t, `<p><a href=a>members</a> <a href=b><b>members</b></a> <a href=c>x</a><p><a href=d>y</a><p><a href="#e">members</a><map><area href=f alt=members></map>`)
	for d, want := range [][]Link{
		{{0, 0}, {1, 1}, {4, 0}},
		{{0, 0}, {1, 1}, {2, 2}, {4, 0}},
		{{0, 0}, {1, 1}, {2, 2}, {3, 4}, {4, 0}},
	} {
		if diff := cmp.Diff(want, NewSlice(tree, query(t, "members"), Options{Precision: d}).Links()); diff != "" {
			t.Errorf("precision %d (-want +got):\n%s", d, diff)
		}
	}
	plain := tagtreetest.Parse(t, "members http://a.example.org/\n\nhttp://b.example.org/ www.c.example.org")
	if diff := cmp.Diff([]Link{{0, 1}}, NewSlice(plain, query(t, "members"), Options{}).Links()); diff != "" {
		t.Errorf("plain text (-want +got):\n%s", diff)
	}
}

// Lines of pre cost no tags, so they have a separate limit.
func TestPreLines(t *testing.T) {
	tree, err := tagtree.Parse(tagtreetest.Page("<pre>"+strings.Repeat("x\n", maxPreLines+1000)+"members\nx</pre>", "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(nodesOf(tree)); n > 2*maxPreLines+10 {
		t.Errorf("%d nodes", n)
	}
	if s := NewSlice(tree, query(t, "members"), Options{}); s.CountKeys() != 1 {
		t.Errorf("%d key nodes behind the last line", s.CountKeys())
	}
}

func TestMillionSiblings(t *testing.T) {
	if testing.Short() {
		t.Skip("parses 8 MB")
	}
	tree, err := tagtree.Parse(tagtreetest.Page("<p>members<p>"+strings.Repeat("<br>x", 1_000_000), "text/html"))
	if err != nil {
		t.Fatal(err)
	}
	for d, want := range []int{len("members"), tagtree.MaxBlocks} {
		s := NewSlice(tree, query(t, "members"), Options{Precision: d})
		if s.CountKeys() != 1 || len(s.Text()) < want {
			t.Errorf("precision %d: %d key nodes, %d bytes", d, s.CountKeys(), len(s.Text()))
		}
	}
}

// BenchmarkSlice shows that a slice costs linear time: ns/node stays the same
// (about 300 of processor time, 2026-11).
func BenchmarkSlice(b *testing.B) {
	q := query(b, `topic AND papers NOT zebra "their flight"`)
	for _, times := range []int{1, 2, 4, 8} {
		tree := tagtreetest.Parse(b, strings.Repeat(tagtreetest.Synthetic(), times))
		nodes := len(nodesOf(tree))
		b.Run(fmt.Sprintf("%dn", times), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NewSlice(tree, q, Options{Precision: 1})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		})
	}
}
