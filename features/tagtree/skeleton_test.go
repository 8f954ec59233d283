package tagtree

import (
	"regexp"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

func TestSkeleton(t *testing.T) {
	tree := parse(t, `<html><head><title>ICX 2027</title><script>var secret</script><meta name="author" content="Ann"></head><body class="nav-menu acme" onload="x()">
<!-- secret --><h1 id="acme">Call, 1st É日</h1><table><tr><td colspan="2">May &lt; <s>3</s><br></table><p style="color:red;text-decoration: line-through">old<a href="mailto:a@b.c">x</a>`)
	want := `<html><head><title>XXX 9999</title><meta></head><body class="nav-menu">
<h1>Xxxx, 9xx X文</h1><table><tbody><tr><td colspan="2">Xxx &lt; <s>9</s><br></td></tr></tbody></table><p style="text-decoration:line-through">xxx<a href="https://conf.example/">x</a></p></body></html>`
	if got := Skeleton(tree); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	plain, err := Parse(&webgraph.Page{URL: "https://conf.example/p.txt", Text: "Call\n\n  May 3"})
	if err != nil || Skeleton(plain) != "Xxxx\n\n  Xxx 9" {
		t.Errorf("%v, plain text gives %q", err, Skeleton(plain))
	}
}

var placeholders = regexp.MustCompile(`^[\p{P}\p{S}\p{Z}\p{M}\p{C}Xx9文]*$`)

// TestSkeletonsOfPages checks with real pages that their skeletons contain none of their words and, except
// for one page in fifty, have the same blocks.
func TestSkeletonsOfPages(t *testing.T) {
	pages, other := 0, 0
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/gold/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		tree, err := Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(&webgraph.Page{URL: page.URL, Body: []byte(Skeleton(tree))})
		if err != nil {
			t.Fatal(err)
		}
		pages++
		if !placeholders.MatchString(again.Text()) {
			t.Errorf("%s: words are left", page.URL)
		}
		if placesOf(again) != placesOf(tree) {
			other++
			t.Logf("%s: other blocks", page.URL)
		}
	}
	if other > pages/50 {
		t.Errorf("%d of %d skeletons have other blocks than their pages", other, pages)
	}
}

// placesOf lists the paths and cells of a tree's blocks.
func placesOf(t *Tree) string {
	var b strings.Builder
	for _, block := range t.Blocks() {
		b.WriteString(block.Path)
		b.WriteByte('\n')
	}
	return b.String()
}
