package contextgraph

import (
	"slices"
	"testing"
)

func TestAgreement(t *testing.T) {
	var a Agreement
	if _, ok := a.MeanRecall(); ok {
		t.Error("nothing was counted and has a mean recall")
	}
	for _, page := range []struct {
		layer  int
		scores []float64
	}{
		{0, []float64{.8, .1, .1}}, {0, []float64{.2, .7, .1}}, {1, []float64{0, 1, 0}}, {2, []float64{0, .4, .6}}, {7, []float64{.5, .2, .3}},
	} {
		a.Add(page.layer, page.scores)
	}
	for layer, want := range [][2]int{{2, 2}, {1, 2}, {2, 1}} {
		if pages, told := a.LayerTotals(layer); [2]int{pages, told} != want {
			t.Errorf("layer %d: %d pages, %d told, want %v", layer, pages, told, want)
		}
	}
	if recall, ok := a.MeanRecall(); !ok || recall != 0.75 {
		t.Errorf("mean recall %v, %t, want .75", recall, ok)
	}
}

func TestDrawNodes(t *testing.T) {
	var nodes []Node
	for i := range 30 {
		nodes = append(nodes, Node{Layer: i%3 - 1})
	}
	drawn := DrawNodes(nodes, 4, 1)
	if len(drawn) != 8 || slices.ContainsFunc(drawn, func(n Node) bool { return n.Layer < 0 }) {
		t.Errorf("%d nodes, want 4 of each of 2 layers", len(drawn))
	}
	if all := DrawNodes(nodes, 0, 1); len(all) != 20 {
		t.Errorf("%d nodes of 20", len(all))
	}
}
