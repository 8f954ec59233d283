package clip

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// realKeywords are the keywords searched for in the twenty real pages.
const realKeywords = `
[calls]
call for papers
deadline
notification of acceptance
[topics]
machine learning
database
information retrieval
security
web
[people]
program committee
keynote speaker
professor
[news]
company
government
-sponsor
health
team
`

// sample returns twenty pages as different as the corpora have them. They are one of each page
// type, six with gold and six articles, those with the smallest digests of their addresses.
func sample(t *testing.T) []*webgraph.Page {
	t.Helper()
	kinds := make(map[string]string)
	labels, err := os.ReadFile(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(labels)) {
		if f := strings.Split(line, "\t"); len(f) > 1 {
			kinds[f[0]] = f[1]
		}
	}
	pages := pick(t, "corpora/pages/pages.warc.gz", 1, func(p *webgraph.Page) string { return kinds[p.URL] })
	pages = append(pages, pick(t, "corpora/gold/pages.warc.gz", 6, func(*webgraph.Page) string { return "gold" })...)
	files, err := filepath.Glob(filepath.Join(golden.SharedPath(t, "corpora/articles/html"), "*"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(files) && len(pages) < 20; i += len(files) / 6 {
		pages = append(pages, article(t, files[i]))
	}
	return pages
}

// maxSample is the maximum number of pages of a file that are examined.
const maxSample = 500

// pick returns the n first pages of each kind, by the digests of their URLs.
func pick(t *testing.T, path string, n int, kind func(*webgraph.Page) string) []*webgraph.Page {
	t.Helper()
	found := make(map[string][]*webgraph.Page)
	left := maxSample
	for p, err := range warc.Pages(golden.SharedPath(t, path)) {
		if err != nil {
			t.Fatal(err)
		}
		if left--; left < 0 {
			break
		}
		k := kind(p)
		list := append(found[k], p)
		slices.SortFunc(list, func(a, b *webgraph.Page) int { return strings.Compare(digest(a.URL), digest(b.URL)) })
		found[k] = list[:min(len(list), n)]
	}
	var pages []*webgraph.Page
	for k, list := range found {
		if k != "" {
			pages = append(pages, list...)
		}
	}
	slices.SortFunc(pages, func(a, b *webgraph.Page) int { return strings.Compare(digest(a.URL), digest(b.URL)) })
	return pages
}

func article(t *testing.T, path string) *webgraph.Page {
	t.Helper()
	return &webgraph.Page{URL: "https://articles.example/" + filepath.Base(path)[:8], Status: 200, Body: golden.Gunzip(t, path)}
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:8])
}

// The golden file holds paths, offsets and digests, no text of the pages; with
// -v and CLIP_TEXT set the clips themselves are printed for reading.
func TestRealPages(t *testing.T) {
	x := extractor(t, realKeywords, Options{})
	var out bytes.Buffer
	for _, p := range sample(t) {
		tree, err := tagtree.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		r := x.Extract(tree, Context{})
		fmt.Fprintf(&out, "page %s: %d clips, %d links to follow\n", digest(p.URL), len(r.Clips), len(r.Follow))
		for _, c := range r.Clips {
			check(t, tree, c)
			fmt.Fprintf(&out, "  %s %d-%d title %s summary %s", c.Path, c.Start, c.End, digest(c.Title), digest(c.Summary))
			for _, m := range c.DistinctMatches() {
				fmt.Fprintf(&out, " [%s] %d-%d", m.Term, m.Start, m.End)
			}
			fmt.Fprintln(&out)
		}
		for _, f := range r.Follow {
			fmt.Fprintf(&out, "  link %d teaser %s %q\n", f.Link, digest(f.Teaser), f.Terms)
		}
		if os.Getenv("CLIP_TEXT") != "" {
			t.Logf("== %s (%s, %d blocks, %d areas)\n%s", p.URL, tree.Title(), len(tree.Blocks()), len(tree.Analysis().Areas), dump(tree, r))
		}
	}
	golden.Check(t, "real.golden", out.Bytes())
}

func dump(tree *tagtree.Tree, r Result) string {
	var b strings.Builder
	for _, c := range r.Clips {
		fmt.Fprintf(&b, "  %v\n    TITLE %s\n    %s\n", c.DistinctMatches(), c.Title, c.Summary)
	}
	for _, f := range r.Follow {
		l := tree.Links()[f.Link]
		fmt.Fprintf(&b, "  -> %s %q %q TEASER %s\n", l.Target, l.Anchor, f.Terms, f.Teaser)
	}
	return b.String()
}
