package train

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/datasets"
)

// TestLearningOrderKeepsClasses checks that every share of the groups holds all
// classes, is part of a larger share, and that the seed decides which.
func TestLearningOrderKeepsClasses(t *testing.T) {
	c := &corpus{classes: []string{"common", "rare"}}
	for i := range 300 {
		c.groups = append(c.groups, fmt.Sprint("g", i/3))
		class := 0
		if i%60 == 1 {
			class = 1
		}
		c.class = append(c.class, class)
	}
	place := learningOrder(c, 1)
	for _, share := range learningShares {
		classes, groups := map[int]bool{}, map[string]bool{}
		for i, g := range c.groups {
			if place[g] < share {
				classes[c.class[i]], groups[g] = true, true
			}
		}
		if want := 100 * share; len(classes) != 2 || float64(len(groups)) < want || float64(len(groups)) > want+2 {
			t.Errorf("%.0f %%: %d classes in %d of 100 groups", 100*share, len(classes), len(groups))
		}
	}
	if cmp.Equal(place, learningOrder(c, 2)) {
		t.Error("two seeds, one order")
	}
}

// TestContextFigure checks that the macro-averaged F1 in context is that of pages judged beside the other
// pages of their host. One page in ten of each host is doubtful, and its type by itself is wrong.
func TestContextFigure(t *testing.T) {
	c := &corpus{task: classify.TaskPageType, classes: []string{"homepage", "weblog"}}
	var ps []eval.Prediction
	for host := range 20 {
		for page := range 10 {
			p := eval.Prediction{Truth: host % 2, Guess: host % 2, Scores: []float64{0.05, 0.05}, Group: fmt.Sprint(host)}
			p.Scores[p.Truth] = 0.95
			if page == 0 {
				p.Guess = 1 - p.Truth
				p.Scores = []float64{0.55, 0.55}
				p.Scores[p.Truth] = 0.45
			}
			ps = append(ps, p)
			c.class, c.groups = append(c.class, p.Truth), append(c.groups, p.Group)
			c.labels = append(c.labels, datasets.Label{URL: fmt.Sprintf("http://h%d.example/%d", host, page)})
		}
	}
	r, err := eval.New("pages", c.classes, ps, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := addContextFigure(r, ps, c, 1); err != nil {
		t.Fatal(err)
	}
	alone, _ := r.Figure(eval.MacroF1)
	together, _ := r.Figure(inContext)
	if alone.Value > 0.91 || together.Value != 1 {
		t.Errorf("macro F1 is %.3f alone and %.3f in context, want 0.900 and 1", alone.Value, together.Value)
	}
	if ps[0].Guess == ps[0].Truth {
		t.Error("the predictions themselves were changed")
	}
	vectors := &corpus{task: classify.TaskPageType, classes: c.classes}
	if err := addContextFigure(r, nil, vectors, 1); err != nil {
		t.Errorf("examples without addresses: %v", err)
	}
}
