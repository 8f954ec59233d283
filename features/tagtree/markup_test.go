package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"

	"github.com/google/go-cmp/cmp"
)

// markupOf returns the counts of a page, by name, without zeros.
func markupOf(t *testing.T, body, contentType string) (counts map[string]int, m Markup) {
	t.Helper()
	tree, err := Parse(page(body, contentType))
	if err != nil {
		t.Fatal(err)
	}
	m = tree.Markup()
	counts = make(map[string]int)
	for i, name := range MarkupElements() {
		if n := m.Elements[i]; n > 0 {
			counts[name] = n
		}
	}
	for i, word := range MarkupClasses() {
		if n := m.Classes[i]; n > 0 {
			counts["."+word] = n
		}
	}
	return counts, m
}

func TestMarkup(t *testing.T) {
	got, m := markupOf(t, `<html><head><meta name="Generator" content="x"><meta property="og:type" content="article">
		<link rel=alternate type="application/rss+xml" href=f><link rel=alternate type="application/atom+xml" href=g>
		<link rel=stylesheet type="text/css" href=s></head>
		<body class="Blog Post-list" id=sidebar><article class=post><h1>a</h1><p>b<br><time>c</time></article>
		<div class="wp-block"></div><div class="post"></div></body></html>`, "text/html")
	want := map[string]int{
		"meta": 2, "article": 1, "h1": 1, "p": 1, "br": 1, "time": 1, "div": 2,
		".post": 3, ".blog": 1, ".sidebar": 1, ".wp-": 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
	if m.Feeds != 2 || !m.Article || !m.Generator || m.All != 15 {
		t.Errorf("feeds %d, article %t, generator %t, %d elements", m.Feeds, m.Article, m.Generator, m.All)
	}
}

func TestMarkupOfWhatHasNone(t *testing.T) {
	if _, m := markupOf(t, "Subject: a\n\n<p class=post>", "text/plain"); m != (Markup{}) {
		t.Errorf("plain text has markup %+v", m)
	}
	if _, m := markupOf(t, `<link type="text/css" href=a><meta name=author content="an article"><a type="x/rss+xml">b</a>`, "text/html"); m.Feeds != 0 || m.Article || m.Generator {
		t.Errorf("%+v", m)
	}
}

// Pages control names and numbers of classes: what is examined of one is bounded, their number is not.
func TestMarkupOfManyClasses(t *testing.T) {
	const n = 10_500
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "<i class='post%d'></i>", i)
	}
	b.WriteString("<i class='" + strings.Repeat("x", htmltree.MaxPath) + " entry'></i>")
	got, _ := markupOf(t, b.String(), "text/html")
	if diff := cmp.Diff(map[string]int{".post": n}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMarkupNodesAreBounded(t *testing.T) {
	_, m := markupOf(t, "<body>"+strings.Repeat("<br>", maxMarkupNodes+1000), "text/html")
	if m.All > maxMarkupNodes || m.All < maxMarkupNodes-10 {
		t.Errorf("%d elements counted, at most %d nodes are looked at", m.All, maxMarkupNodes)
	}
}

func TestMarkupClassesFitTheirBits(t *testing.T) {
	if n := len(markupClasses); n > 32 {
		t.Errorf("%d words, 32 bits", n)
	}
	for i, word := range markupClasses {
		if word != strings.ToLower(word) || classWords("a "+strings.ToUpper(word)+"s")&(1<<i) == 0 {
			t.Errorf("%q is not found", word)
		}
	}
}
