package train

import (
	"cmp"
	"fmt"
	"iter"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A Diff describes how model B differs from model A.
type Diff struct {
	Facts   []FactDiff   `json:"facts"`   // those that differ
	Figures []FigureDiff `json:"figures"` // of both
	Added   []string     `json:"added"`   // terms only in B, in vector order
	Removed []string     `json:"removed"` // terms only A knows
	Weights []WeightDiff `json:"weights"` // changed most, by class
	Pages   *PagesDiff   `json:"pages,omitempty"`
}

// A FactDiff is one property of two models, such as their options.
type FactDiff struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A FigureDiff is a figure of two models; nil if a model does not have the figure.
type FigureDiff struct {
	Name string   `json:"name"`
	A    *float64 `json:"a"`
	B    *float64 `json:"b"`
}

// A WeightDiff is the weight of a term for a class in two models; 0 if a model does not have the term.
type WeightDiff struct {
	Class string  `json:"class"`
	Term  string  `json:"term"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
}

// A PagesDiff holds the pages that two models judge differently.
type PagesDiff struct {
	Judged int        `json:"judged"`
	Differ []PageDiff `json:"differ"`
}

// A PageDiff is a page with the class that each model gives it, and the probability.
type PageDiff struct {
	URL    string  `json:"url"`
	A      string  `json:"a"`
	AScore float64 `json:"a_score"`
	B      string  `json:"b"`
	BScore float64 `json:"b_score"`
}

// DiffModels compares two models of the same task. For each class it lists the n weights that differ
// most.
func DiffModels(a, b *classify.Model, n int) *Diff {
	d := &Diff{Facts: []FactDiff{}, Figures: figureDiffs(a.Figures, b.Figures), Weights: []WeightDiff{}}
	for _, f := range []FactDiff{
		{"algorithm", a.Algo, b.Algo}, {"options", a.Options, b.Options}, {"program", a.Program, b.Program},
		{"seed", fmt.Sprint(a.Seed), fmt.Sprint(b.Seed)}, {"data", a.Data, b.Data}, {"groups", fmt.Sprint(a.Groups), fmt.Sprint(b.Groups)},
		{"terms", fmt.Sprint(a.Vectorizer.Size()), fmt.Sprint(b.Vectorizer.Size())},
		{"threshold", fmt.Sprintf("%.4f", a.Threshold), fmt.Sprintf("%.4f", b.Threshold)},
	} {
		if f.A != f.B {
			d.Facts = append(d.Facts, f)
		}
	}
	for k, class := range a.Classes {
		if a.Counts[k] != b.Counts[k] {
			d.Facts = append(d.Facts, FactDiff{"pages of " + class, fmt.Sprint(a.Counts[k]), fmt.Sprint(b.Counts[k])})
		}
	}
	d.Added, d.Removed = missingNames(Terms(b), Terms(a)), missingNames(Terms(a), Terms(b))
	for k := range a.Classes {
		if !a.IsBinary() || k == 1 {
			d.Weights = append(d.Weights, weightDiffs(a, b, k, n)...)
		}
	}
	return d
}

func figureDiffs(a, b []classify.Figure) []FigureDiff {
	diffs := []FigureDiff{}
	for _, f := range a {
		diffs = append(diffs, FigureDiff{Name: f.Name, A: &f.Value})
	}
	for _, f := range b {
		i := slices.IndexFunc(diffs, func(d FigureDiff) bool { return d.Name == f.Name })
		if i < 0 {
			diffs = append(diffs, FigureDiff{Name: f.Name, B: &f.Value})
			continue
		}
		diffs[i].B = &f.Value
	}
	return diffs
}

// missingNames returns the names that are not in others, in their order.
func missingNames(names, others []string) []string {
	known := make(map[string]bool, len(others))
	for _, name := range others {
		known[name] = true
	}
	lacking := []string{}
	for _, name := range names {
		if !known[name] {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

// weightDiffs returns the n terms whose weights for a class differ most; equal ones are ordered by name.
func weightDiffs(a, b *classify.Model, class, n int) []WeightDiff {
	at := map[string]int{}
	var diffs []WeightDiff
	for _, r := range a.TopFeatures(class, math.MaxInt) {
		at[r.Term] = len(diffs)
		diffs = append(diffs, WeightDiff{Class: a.Classes[class], Term: r.Term, A: r.Weight})
	}
	for _, r := range b.TopFeatures(class, math.MaxInt) {
		if i, ok := at[r.Term]; ok {
			diffs[i].B = r.Weight
			continue
		}
		diffs = append(diffs, WeightDiff{Class: a.Classes[class], Term: r.Term, B: r.Weight})
	}
	diffs = slices.DeleteFunc(diffs, func(d WeightDiff) bool { return d.A == d.B })
	slices.SortFunc(diffs, func(x, y WeightDiff) int {
		return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), cmp.Compare(x.Term, y.Term))
	})
	return diffs[:min(n, len(diffs))]
}

// JudgePages judges all pages by both models. It calls failed for each page that cannot be read.
func JudgePages(a, b *classify.Model, pages iter.Seq2[*webgraph.Page, error], failed func(error)) *PagesDiff {
	d := &PagesDiff{Differ: []PageDiff{}}
	for page, err := range pages {
		var tree *tagtree.Tree
		if err == nil {
			tree, err = tagtree.Parse(page)
		}
		if err != nil {
			failed(err)
			continue
		}
		d.Judged++
		doc := features.Read(tree)
		sa, sb := a.Scores(doc), b.Scores(doc)
		if ka, kb := a.Class(sa), b.Class(sb); ka != kb {
			d.Differ = append(d.Differ, PageDiff{page.URL, a.Classes[ka], sa[ka], b.Classes[kb], sb[kb]})
		}
	}
	return d
}
