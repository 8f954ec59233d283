package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/classify/train"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// longFact is the length from which a fact has lines of its own, in bytes.
const longFact = 40

func newModelDiffCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Say how two models of one task differ",
		Example: `  eventseer model diff cfp new.model
  eventseer model diff cfp new.model --pages pages.warc.gz --format json`,
		Args: args(cobra.ExactArgs(2)), Annotations: formats("table", "json"),
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
	d := train.DiffModels(ma, mb, top)
	var t engine.Tally
	if len(inputs) > 0 {
		d.Pages = train.JudgePages(ma, mb, engine.PagesOfInputs(ctx, a, inputs, ""), func(err error) { t.Note(err) })
		if err := ctx.Err(); err != nil {
			return err
		}
		t.All += d.Pages.Judged
	}
	if err := a.WithOutput(func(w io.Writer) error {
		if a.Config.Format == "json" {
			return app.WriteJSONLine(w, d)
		}
		return writeModelDiff(w, d, top)
	}); err != nil {
		return err
	}
	return t.Err()
}

// writeModelDiff prints d for people, n terms of each kind.
func writeModelDiff(w io.Writer, d *train.Diff, n int) error {
	tw := app.NewTabWriter(w)
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
