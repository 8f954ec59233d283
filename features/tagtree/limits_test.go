package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"
)

func TestDeepNesting(t *testing.T) {
	for _, tag := range []string{"div", "b", "table><tr><td", "ul><li", "font color=red", "blockquote"} {
		tree := parse(t, strings.Repeat("<"+tag+">", 10_000)+"<p>deep down <a href=x>link</a>")
		if !strings.Contains(tree.Text(), "deep down link") || len(tree.Links()) != 1 {
			t.Errorf("%s: text %.60q, %d links", tag, tree.Text(), len(tree.Links()))
		}
	}
}

func TestFormattingBombIsReadInLinearSpace(t *testing.T) {
	var b strings.Builder
	for i := range 3_000 {
		fmt.Fprintf(&b, "<p><font size=%d>x", i)
	}
	tree := parse(t, b.String())
	nodes := 0
	for n := htmltree.NodeAfter(tree.Root(), tree.Root()); n != nil && n != tree.Root(); n = htmltree.NodeAfter(n, tree.Root()) {
		nodes++
	}
	if nodes > 20_000 {
		t.Errorf("%d nodes of 6,000 tags", nodes)
	}
	if got := strings.Count(tree.Text(), "x"); got != 3_000 {
		t.Errorf("%d of 3,000 letters kept", got)
	}
}

func TestLimits(t *testing.T) {
	t.Run("text", func(t *testing.T) {
		tree := parse(t, "<p>"+strings.Repeat("wörd ", maxText/4)+"<p>after")
		if n := len(tree.Text()); n < maxText-8 || n > maxText {
			t.Errorf("text has %d bytes, want about %d", n, maxText)
		}
	})
	t.Run("body", func(t *testing.T) {
		tree := parse(t, "<p>x"+strings.Repeat(" ", htmltree.MaxBody)+"<p>beyond")
		if tree.Text() != "x" {
			t.Errorf("text %.40q, want what stands within maxBody only", tree.Text())
		}
	})
	t.Run("tags of a second look", func(t *testing.T) {
		tree := parse(t, "<!--><!--"+strings.Repeat("<img>", htmltree.MaxTags+500))
		nodes := 0
		for n := htmltree.NodeAfter(tree.Root(), tree.Root()); n != nil && n != tree.Root(); n = htmltree.NodeAfter(n, tree.Root()) {
			nodes++
		}
		if nodes > htmltree.MaxTags+10 {
			t.Errorf("%d nodes of %d tags", nodes, htmltree.MaxTags)
		}
	})
	t.Run("paths", func(t *testing.T) {
		name := "x" + strings.Repeat("y", htmltree.MaxName-1)
		tree := parse(t, strings.Repeat("<"+name+">", 300)+"<p>x<a href=b>y</a>")
		if b, l := tree.Blocks()[0], tree.Links()[0]; len(b.Path) > htmltree.MaxPath || len(l.Path) > htmltree.MaxPath || len(b.Path) < htmltree.MaxPath-htmltree.MaxName {
			t.Errorf("paths of %d and %d bytes", len(b.Path), len(l.Path))
		}
	})
	t.Run("blocks and links", func(t *testing.T) {
		tree := parse(t, strings.Repeat("<p><a href=x>x</a>", MaxBlocks+500))
		if len(tree.Blocks()) != MaxBlocks || len(tree.Links()) != maxLinks {
			t.Errorf("%d blocks, %d links, want %d, %d", len(tree.Blocks()), len(tree.Links()), MaxBlocks, maxLinks)
		}
	})
	t.Run("plain blocks and links", func(t *testing.T) {
		tree := parseAs(t, strings.Repeat("http://a.example.org/b http://a.example.org/c\n", MaxBlocks+500), "text/plain")
		if len(tree.Blocks()) != MaxBlocks || len(tree.Links()) != maxLinks {
			t.Errorf("%d blocks, %d links, want %d, %d", len(tree.Blocks()), len(tree.Links()), MaxBlocks, maxLinks)
		}
	})
	t.Run("names, title, language", func(t *testing.T) {
		tree := parse(t, "<html lang="+strings.Repeat("a", 99)+"><title>"+strings.Repeat("é", 3000)+"</title><x"+
			strings.Repeat("y", 5000)+"><p>text")
		if n := len([]rune(tree.Title())); n != maxTitle || tree.Lang() != "" {
			t.Errorf("title of %d runes, language %q", n, tree.Lang())
		}
		if p := tree.Blocks()[0].Path; len(p) != len("html/body/")+htmltree.MaxName+len("/p") {
			t.Errorf("path of %d bytes", len(p))
		}
	})
	t.Run("spans", func(t *testing.T) {
		row := "<tr><td colspan=99999999999>a<td rowspan=-1 colspan=70000>b<td rowspan=65000>c"
		for _, b := range parse(t, "<table>"+strings.Repeat(row, 50)).Blocks() {
			if b.Col > maxSpan {
				t.Fatalf("column %d", b.Col)
			}
		}
	})
}

// A million siblings must cost no more per node than a thousand: each parent's children are counted once,
// however many callers need their position.
func TestSiblingsAreCountedOnce(t *testing.T) {
	tree := parse(t, strings.Repeat("<p>x</p><i></i>", 5_000))
	if last := tree.Blocks()[4_999]; last.Path != "html/body/p[5000]" {
		t.Errorf("last path %s", last.Path)
	}
}
