package train

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// ownPage is a page of a small site with the role of each of its blocks.
func ownPage(n int) (*webgraph.Page, []string) {
	body := fmt.Sprintf(`<ul><li><a href=/a>Home</a></li><li><a href=/b>Travel</a></li></ul><h1>Meeting %c on lakes</h1>
<h2>Topics</h2><ul><li>Ice</li><li>Water birds</li></ul><h2>Dates</h2><p>Papers are due on %d May 2027</p>`, 'A'+n, n+1)
	return &webgraph.Page{URL: fmt.Sprintf("https://lakes%d.example/", n), Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)},
		[]string{"navigation", "navigation", "name", "topics", "topics", "topics", "dates", "dates"}
}

// blockRun writes labels of n pages and trains on them.
func blockRun(t *testing.T, n int, change func(i int, p *datasets.PageRoles)) (*BlockResult, string, error) {
	t.Helper()
	var pages []*webgraph.Page
	var all []datasets.PageRoles
	for i := range n {
		page, roles := ownPage(i)
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, b := range extract.Blocks(tree) {
			texts = append(texts, b.Text)
		}
		p := datasets.PageRoles{URL: page.URL, Group: fmt.Sprint("site", i), Check: i == n-1, Digest: datasets.BlockDigest(texts), Roles: roles}
		if change != nil {
			change(i, &p)
		}
		pages, all = append(pages, page), append(all, p)
	}
	path := filepath.Join(t.TempDir(), "blocks.tsv")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := datasets.WritePageRoles(f, all); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	env := Environment{
		ReadPages: func(context.Context, []string) iter.Seq2[*webgraph.Page, error] {
			return func(yield func(*webgraph.Page, error) bool) {
				for _, p := range pages {
					if !yield(p, nil) {
						return
					}
				}
			}
		},
		Logf: func(format string, args ...any) { fmt.Fprintf(&log, format+"\n", args...) },
	}
	r, err := TrainBlocks(context.Background(), Options{Task: TaskBlockRole, Labels: []string{path}, Pages: []string{"pages.warc.gz"}, Parameters: Parameters{Seed: 1}}, env)
	return r, log.String(), err
}

func TestTrainBlocks(t *testing.T) {
	r, _, err := blockRun(t, 12, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f, ok := r.Report.Figure("accuracy"); !ok || f.Value < 0.9 {
		t.Errorf("accuracy %v of pages held out", f.Value)
	}
	if r.Check == nil || r.Check.Examples != 8 {
		t.Errorf("pages for checking: %+v", r.Check)
	}
	page, roles := ownPage(20)
	tree, err := tagtree.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range r.Model.Roles(tree, tree.Blocks()) {
		if s.Best().String() != roles[i] {
			t.Errorf("block %d is %s, want %s", i, s.Best(), roles[i])
		}
	}
	for _, text := range []string{r.Model.Data, r.Model.Program, "| topics | 33 |", "pages for checking, 8 blocks"} {
		if card := BlockCard(r); !strings.Contains(card, text) {
			t.Errorf("the card lacks %q", text)
		}
	}
	again, _, err := blockRun(t, 12, nil)
	if err != nil {
		t.Fatal(err)
	}
	var a, b bytes.Buffer
	if err := classify.WriteLogLinear(&a, r.Model.LogLinear); err != nil {
		t.Fatal(err)
	}
	if err := classify.WriteLogLinear(&b, again.Model.LogLinear); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same pages and seed gave another model")
	}
}

// A page that has changed since it was labelled is left out and named.
func TestTrainBlocksNamesWhatItLeavesOut(t *testing.T) {
	_, log, err := blockRun(t, 12, func(i int, p *datasets.PageRoles) {
		switch i {
		case 3:
			p.Digest = "00000000"
		case 4:
			p.URL = "https://elsewhere.example/"
		case 5:
			p.Roles[0] = "menu"
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"blocks.tsv:5: https://lakes3.example/: the blocks of the page differ", `blocks.tsv:7: https://lakes5.example/: unknown block role "menu"`, "3 of 12 pages"} {
		if !strings.Contains(log, text) {
			t.Errorf("the log lacks %q:\n%s", text, log)
		}
	}
	if _, _, err := blockRun(t, 5, func(_ int, p *datasets.PageRoles) { p.URL += "x" }); err == nil {
		t.Error("no page was found and there is no error")
	}
	if _, err := TrainBlocks(context.Background(), Options{Task: TaskBlockRole}, Environment{}); err == nil {
		t.Error("trained without labels")
	}
}
