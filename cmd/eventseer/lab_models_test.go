package main

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"eventseer/crawler/strategy"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// countingLinks scores every link .5 and counts the pages it is asked about.
type countingLinks struct{ pages atomic.Int32 }

func (c *countingLinks) Links(t *tagtree.Tree) []float64 {
	c.pages.Add(1)
	scores := make([]float64, len(t.Links()))
	for i := range scores {
		scores[i] = 0.5
	}
	return scores
}

func TestLinkMemoScoresAPageOnce(t *testing.T) {
	var memo linkMemo
	if _, err := memo.with(func() (strategy.LinkModel, error) { return nil, errors.New("no model") }); err == nil {
		t.Error("a model that cannot be opened: no error")
	}
	var model countingLinks
	links, err := memo.with(func() (strategy.LinkModel, error) { return &model, nil })
	if err != nil {
		t.Fatal(err)
	}
	again, err := memo.with(func() (strategy.LinkModel, error) { return nil, errors.New("opened twice") })
	if err != nil || again != links {
		t.Errorf("another cell: %v", err)
	}
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: "http://a.example/", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(`<a href="b">b</a> <a href="c">c</a>`),
	})
	if err != nil {
		t.Fatal(err)
	}
	want := links.Links(tree)
	var cells sync.WaitGroup
	for range 4 {
		cells.Go(func() {
			if diff := cmp.Diff(want, links.Links(tree)); diff != "" {
				t.Error(diff)
			}
		})
	}
	cells.Wait()
	if n := model.pages.Load(); n != 1 || len(want) != 2 {
		t.Errorf("the model was asked %d times, and gave %v", n, want)
	}
}
