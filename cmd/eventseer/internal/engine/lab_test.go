package engine

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A countingModel scores every link and page 0.5 and counts the pages it is asked
// about.
type countingModel struct{ pages atomic.Int32 }

func (c *countingModel) LinkProbabilities(t *tagtree.Tree) []float64 {
	c.pages.Add(1)
	scores := make([]float64, len(t.Links()))
	for i := range scores {
		scores[i] = 0.5
	}
	return scores
}

func (c *countingModel) Layers(*tagtree.Tree) []float64 {
	c.pages.Add(1)
	return []float64{0.5, 0.5}
}

func (c *countingModel) Accuracy() float64 { return 0.7 }

func TestModelsOpenOnce(t *testing.T) {
	var models onceModel[*linkMemo]
	if _, err := models.openOnce(func() (*linkMemo, error) { return nil, errors.New("no model") }); err == nil {
		t.Error("a model that cannot be opened: no error")
	}
	first, err := models.openOnce(func() (*linkMemo, error) { return &linkMemo{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	again, err := models.openOnce(func() (*linkMemo, error) { return nil, errors.New("opened twice") })
	if err != nil || again != first {
		t.Errorf("another cell: %v", err)
	}
}

func TestModelsAreAskedOnceOfAPage(t *testing.T) {
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: "http://a.example/", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(`<a href="b">b</a> <a href="c">c</a>`),
	})
	if err != nil {
		t.Fatal(err)
	}
	var links, layers countingModel
	layerMemo := &layerMemo{LayerModel: &layers}
	if got := layerMemo.Accuracy(); got != 0.7 {
		t.Errorf("accuracy %v of a remembered model, want its own", got)
	}
	for name, ask := range map[string]func(*tagtree.Tree) []float64{
		"links": (&linkMemo{model: &links}).LinkProbabilities, "layers": layerMemo.Layers,
	} {
		want := ask(tree)
		var cells sync.WaitGroup
		for range 4 {
			cells.Go(func() {
				if diff := cmp.Diff(want, ask(tree)); diff != "" || len(want) != 2 {
					t.Errorf("%s: %v %s", name, want, diff)
				}
			})
		}
		cells.Wait()
	}
	if links.pages.Load() != 1 || layers.pages.Load() != 1 {
		t.Errorf("the models were asked %d and %d times of one page", links.pages.Load(), layers.pages.Load())
	}
}
