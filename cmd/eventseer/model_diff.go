package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// longFact is the length from which a fact has lines of its own, in bytes.
const longFact = 40

// A modelDiff says how model B differs from model A.
type modelDiff struct {
	Facts   []factDiff   `json:"facts"`   // those that differ
	Figures []figureDiff `json:"figures"` // of both
	Added   []string     `json:"added"`   // terms only B knows, in vector order
	Removed []string     `json:"removed"` // terms only A knows
	Weights []weightDiff `json:"weights"` // changed most, by class
	Pages   *pagesDiff   `json:"pages,omitempty"`
}

type factDiff struct {
	Name string `json:"name"`
	A    string `json:"a"`
	B    string `json:"b"`
}

// A figureDiff is a figure of two models; nil where one has none of the name.
type figureDiff struct {
	Name string   `json:"name"`
	A    *float64 `json:"a"`
	B    *float64 `json:"b"`
}

// A weightDiff is the weight of a term for a class; 0 where it is unknown.
type weightDiff struct {
	Class string  `json:"class"`
	Term  string  `json:"term"`
	A     float64 `json:"a"`
	B     float64 `json:"b"`
}

// A pagesDiff holds the pages two models judge differently.
type pagesDiff struct {
	Judged int        `json:"judged"`
	Differ []pageDiff `json:"differ"`
}

// A pageDiff is one of them: the class each model gives, and its probability.
type pageDiff struct {
	URL    string  `json:"url"`
	A      string  `json:"a"`
	AScore float64 `json:"a_score"`
	B      string  `json:"b"`
	BScore float64 `json:"b_score"`
}

func newModelDiffCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say how two models of one task differ",
		Example: `  eventseer model diff cfp new.model
  eventseer model diff cfp new.model --pages pages.warc.gz --format json`,
		Args: args(cobra.ExactArgs(2)),
	}
	top := cmd.Flags().Int("top", 15, "terms shown of each kind")
	pages := cmd.Flags().StringArray("pages", nil, "INPUT to judge by both models, may be repeated")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if *top < 0 {
			return app.Usagef("--top %d is negative", *top)
		}
		return diffModels(cmd.Context(), a, names[0], names[1], *pages, *top)
	}
	return cmd
}

func diffModels(ctx context.Context, a *app.App, nameA, nameB string, inputs []string, top int) error {
	format, err := a.Format("table", "json")
	if err != nil {
		return err
	}
	ma, err := engine.OpenModel(nameA)
	if err != nil {
		return err
	}
	mb, err := engine.OpenModel(nameB)
	if err != nil {
		return err
	}
	if ma.Task != mb.Task || !slices.Equal(ma.Classes, mb.Classes) {
		return fmt.Errorf("%s: %w: it is of task %s with classes %q, %s is of task %s with classes %q: only models of one task can be compared", nameB, classify.ErrIncompatible, mb.Task, mb.Classes, nameA, ma.Task, ma.Classes)
	}
	d := newModelDiff(ma, mb, top)
	var partlyErr error
	if len(inputs) > 0 {
		if d.Pages, partlyErr = diffPages(ctx, a, ma, mb, inputs); d.Pages == nil {
			return partlyErr
		}
	}
	if err := a.WithOutput(func(w io.Writer) error {
		if format == "json" {
			return app.WriteJSONLine(w, d)
		}
		return d.write(w, top)
	}); err != nil {
		return err
	}
	return partlyErr
}

func newModelDiff(a, b *classify.Model, top int) *modelDiff {
	d := &modelDiff{Facts: []factDiff{}, Figures: figureDiffs(a.Figures, b.Figures), Weights: []weightDiff{}}
	for _, f := range []factDiff{
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
			d.Facts = append(d.Facts, factDiff{"pages of " + class, fmt.Sprint(a.Counts[k]), fmt.Sprint(b.Counts[k])})
		}
	}
	d.Added, d.Removed = missing(terms(b), terms(a)), missing(terms(a), terms(b))
	for k := range a.Classes {
		if !a.Binary() || k == 1 {
			d.Weights = append(d.Weights, weightDiffs(a, b, k, top)...)
		}
	}
	return d
}

func figureDiffs(a, b []classify.Figure) []figureDiff {
	diffs := []figureDiff{}
	for _, f := range a {
		diffs = append(diffs, figureDiff{Name: f.Name, A: &f.Value})
	}
	for _, f := range b {
		i := slices.IndexFunc(diffs, func(d figureDiff) bool { return d.Name == f.Name })
		if i < 0 {
			diffs = append(diffs, figureDiff{Name: f.Name, B: &f.Value})
			continue
		}
		diffs[i].B = &f.Value
	}
	return diffs
}

// missing returns the names that others lacks, in order.
func missing(names, others []string) []string {
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

// weightDiffs returns the n terms whose weight for a class differs most, equal
// ones by name.
func weightDiffs(a, b *classify.Model, class, n int) []weightDiff {
	at := map[string]int{}
	var diffs []weightDiff
	for _, r := range a.Top(class, math.MaxInt) {
		at[r.Term] = len(diffs)
		diffs = append(diffs, weightDiff{Class: a.Classes[class], Term: r.Term, A: r.Weight})
	}
	for _, r := range b.Top(class, math.MaxInt) {
		if i, ok := at[r.Term]; ok {
			diffs[i].B = r.Weight
			continue
		}
		diffs = append(diffs, weightDiff{Class: a.Classes[class], Term: r.Term, B: r.Weight})
	}
	diffs = slices.DeleteFunc(diffs, func(d weightDiff) bool { return d.A == d.B })
	slices.SortFunc(diffs, func(x, y weightDiff) int {
		return cmp.Or(cmp.Compare(math.Abs(y.B-y.A), math.Abs(x.B-x.A)), cmp.Compare(x.Term, y.Term))
	})
	return diffs[:min(n, len(diffs))]
}

// diffPages judges all pages by both models. Pages that cannot be read give
// errPartly beside the answer.
func diffPages(ctx context.Context, a *app.App, ma, mb *classify.Model, inputs []string) (*pagesDiff, error) {
	d := &pagesDiff{Differ: []pageDiff{}}
	var first error
	bad := 0
	for page, err := range engine.PagesOfInputs(ctx, a, inputs, "") {
		var tree *tagtree.Tree
		if err == nil {
			tree, err = tagtree.Parse(page)
		}
		if err != nil {
			if bad++; first == nil {
				first = err
			}
			continue
		}
		d.Judged++
		doc := features.Read(tree)
		sa, sb := ma.Scores(doc), mb.Scores(doc)
		if ka, kb := ma.Class(sa), mb.Class(sb); ka != kb {
			d.Differ = append(d.Differ, pageDiff{page.URL, ma.Classes[ka], sa[ka], mb.Classes[kb], sb[kb]})
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d, engine.Partly(bad, bad+d.Judged, first)
}

// write prints d for people, n terms of each kind.
func (d *modelDiff) write(w io.Writer, n int) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	p := func(format string, args ...any) { fmt.Fprintf(tw, format, args...) }
	for _, f := range d.Facts {
		if len(f.A) > longFact || len(f.B) > longFact {
			p("%s\n    %s\n  → %s\n", f.Name, f.A, f.B)
			continue
		}
		p("%s\t%s\t→ %s\n", f.Name, f.A, f.B)
	}
	for _, f := range d.Figures {
		p("%s\t%s\t→ %s\n", f.Name, figureText(f.A), figureText(f.B))
	}
	for _, part := range []struct {
		name  string
		terms []string
	}{{"new", d.Added}, {"gone", d.Removed}} {
		if len(part.terms) > 0 && n > 0 {
			p("\n%s terms: %d, such as %s\n", part.name, len(part.terms), strings.Join(part.terms[:min(n, len(part.terms))], ", "))
		}
	}
	class := ""
	for _, c := range d.Weights {
		if c.Class != class {
			class = c.Class
			p("\nweights for %s that changed most\n", class)
		}
		p("  %s\t%+.3f\t→ %+.3f\n", c.Term, c.A, c.B)
	}
	if d.Pages != nil {
		p("\npages judged differently: %d of %d\n", len(d.Pages.Differ), d.Pages.Judged)
		for _, c := range d.Pages.Differ {
			p("  %s %.3f\t→ %s %.3f\t%s\n", c.A, c.AScore, c.B, c.BScore, text.Printable(c.URL))
		}
	}
	return tw.Flush()
}

func figureText(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}
