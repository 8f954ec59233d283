package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"
	"eventseer/datasets/stats"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newDataStatsCommand(a *app.App) *cobra.Command {
	var f dataFlags
	cmd := &cobra.Command{
		Use: "stats IN", Short: "Count a dataset by class, group, language, discipline and size",
		Example: `  eventseer data stats labels.tsv                             # the labels alone
  eventseer data stats labels.tsv --pages pages.warc.gz       # and the sizes of their pages
  eventseer data stats dbworld_bodies.arff --format json`,
		Args: args(cobra.ExactArgs(1)), Annotations: formats("table", "json"),
	}
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return readDataStats(cmd.Context(), a, &f, names[0])
	}
	return cmd
}

func readDataStats(ctx context.Context, a *app.App, f *dataFlags, input string) error {
	source := f.source(a)
	labelsOnly, err := source.LabelsOnly(input)
	if err != nil {
		return err
	}
	if labelsOnly {
		data, err := datasets.Open(input)
		if err != nil {
			return err
		}
		var c stats.Counter
		for _, l := range data.Labels() {
			c.Add(datasets.Example{Label: l}, source.ClassOf(datasets.Example{Label: l}))
		}
		return errors.Join(writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, datasets.ShownProblems) }), printStats(a, c.Stats()))
	}
	if err := source.Check(input); err != nil {
		return err
	}
	texts, err := source.HoldsTexts(input)
	if err != nil {
		return err
	}
	if !texts {
		v, err := source.Vectors(input)
		if err != nil {
			return err
		}
		return printStats(a, stats.OfVectors(v))
	}
	t, c := tally{a: a}, stats.Counter{}
	for e, err := range source.Examples(ctx, input) {
		if !t.failed(err) {
			c.Add(e, source.ClassOf(e))
		}
	}
	return errors.Join(ctx.Err(), printStats(a, c.Stats()), t.Err())
}

func printStats(a *app.App, s stats.Stats) error {
	return a.PrintRecord(s, func(w io.Writer) error {
		tw := app.NewTabWriter(w)
		fmt.Fprintf(tw, "examples\t%d\ngroups\t%d\n", s.Examples, s.Groups)
		if s.Components > 0 {
			fmt.Fprintf(tw, "components\t%d\nmissing values\t%d\n", s.Components, s.Missing)
		}
		for _, c := range s.Counts {
			fmt.Fprintf(tw, "\n%s\n", c.Column)
			for _, v := range c.Values {
				fmt.Fprintf(tw, "  %s\t%d\t%.1f %%\n", text.Printable(cmp.Or(v.Value, "-")), v.Count, 100*float64(v.Count)/float64(s.Examples))
			}
		}
		if len(s.Sizes) > 0 {
			fmt.Fprintf(tw, "\n\tleast\t25 %%\tmedian\t75 %%\t95 %%\tmost\n")
		}
		for _, z := range s.Sizes {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", z.Name, z.Min, z.Q25, z.Median, z.Q75, z.P95, z.Max)
		}
		return tw.Flush()
	})
}
