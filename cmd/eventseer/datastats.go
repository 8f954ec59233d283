package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"
	"eventseer/features/tagtree"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// shownGroups is how many of the largest groups are shown.
const shownGroups = 5

// dataStats are the counts of a dataset.
type dataStats struct {
	Examples int `json:"examples"`
	Groups   int `json:"groups"`
	// Counts are by column and value, the most frequent first.
	Counts []columnCounts `json:"counts"`
	// Sizes are quantiles; of labels without pages there are none.
	Sizes []sizes `json:"sizes"`
	// Components is the number of components of vectors.
	Components int `json:"components,omitempty"`
	Missing    int `json:"missing,omitempty"`
}

type columnCounts struct {
	Column string       `json:"column"`
	Values []valueCount `json:"values"`
}

type valueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// sizes are the least, the quartiles, the 95th percentile and the greatest.
type sizes struct {
	Name   string `json:"name"`
	Min    int    `json:"min"`
	Q25    int    `json:"q25"`
	Median int    `json:"median"`
	Q75    int    `json:"q75"`
	P95    int    `json:"p95"`
	Max    int    `json:"max"`
}

func newDataStatsCommand(a *app.App) *cobra.Command {
	var f dataFlags
	cmd := &cobra.Command{
		Use: "stats IN", Short: "Count a dataset by class, group, language, discipline and size",
		Example: `  eventseer data stats labels.tsv                             # the labels alone
  eventseer data stats labels.tsv --pages pages.warc.gz       # and the sizes of their pages
  eventseer data stats dbworld_bodies.arff --format json`,
		Args: args(cobra.ExactArgs(1)),
	}
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return readDataStats(cmd.Context(), a, &f, names[0])
	}
	return cmd
}

func readDataStats(ctx context.Context, a *app.App, f *dataFlags, input string) error {
	format, err := a.Format("table", "json")
	if err != nil {
		return err
	}
	labelsOnly, err := f.labelsOnly(input)
	if err != nil {
		return err
	}
	if labelsOnly {
		data, err := datasets.Open(input)
		if err != nil {
			return err
		}
		var c counter
		for _, l := range data.Labels() {
			c.add(datasets.Example{Label: l}, f.className(datasets.Example{Label: l}))
		}
		return errors.Join(writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, shownProblems) }), printStats(a, c.stats(), format))
	}
	if err := f.check(input); err != nil {
		return err
	}
	texts, err := holdsTexts(a, f, input)
	if err != nil {
		return err
	}
	if !texts {
		v, err := vectors(a, f, input)
		if err != nil {
			return err
		}
		return printStats(a, vectorStats(v), format)
	}
	t, c := tally{a: a}, counter{}
	for e, err := range examples(ctx, a, f, input) {
		if !t.failed(err) {
			c.add(e, f.className(e))
		}
	}
	return errors.Join(ctx.Err(), printStats(a, c.stats(), format), t.err())
}

// labelsOnly reports whether input is a labels file that no pages are given for.
func (f *dataFlags) labelsOnly(input string) (bool, error) {
	if len(f.pages) > 0 || input == "-" || f.from != "" && f.from != formatLabels {
		return false, nil
	}
	format, err := formatOf(input)
	return format == formatLabels, err
}

// A counter counts examples.
type counter struct {
	classes, groups, langs, disciplines, calls []string
	bytes, words                               []int
}

func (c *counter) add(e datasets.Example, class string) {
	c.classes, c.groups = append(c.classes, class), append(c.groups, e.Group)
	c.langs, c.disciplines = append(c.langs, e.Lang), append(c.disciplines, e.Discipline)
	if !e.Untyped {
		c.calls = append(c.calls, e.ClassBy("is_cfp"))
	}
	if e.Page == nil {
		return
	}
	c.bytes = append(c.bytes, max(len(e.Page.Body), len(e.Page.Text)))
	if tree, err := tagtree.Parse(e.Page); err == nil {
		_, words := webgraph.Simhash(tree.Text())
		c.words = append(c.words, words)
	}
}

func (c *counter) stats() dataStats {
	s := dataStats{Examples: len(c.classes), Groups: len(countBy(c.groups))}
	s.Counts = append(s.Counts, columnCounts{"class", ranked(c.classes)})
	for _, column := range []struct {
		name   string
		values []string
	}{{"is_cfp", c.calls}, {"lang", c.langs}, {"discipline", c.disciplines}} {
		if slices.ContainsFunc(column.values, func(v string) bool { return v != "" }) {
			s.Counts = append(s.Counts, columnCounts{column.name, ranked(column.values)})
		}
	}
	largest := ranked(c.groups)
	s.Counts = append(s.Counts, columnCounts{"largest groups", largest[:min(shownGroups, len(largest))]})
	var perGroup []int
	for _, g := range largest {
		perGroup = append(perGroup, g.Count)
	}
	s.Sizes = appendSizes(s.Sizes, "pages of a group", perGroup)
	s.Sizes = appendSizes(s.Sizes, "bytes of a page", c.bytes)
	s.Sizes = appendSizes(s.Sizes, "words of a page", c.words)
	return s
}

func vectorStats(v *datasets.Vectors) dataStats {
	s := dataStats{Examples: len(v.Rows), Components: v.Dims(), Missing: v.Missing}
	var classes, groups []string
	var stored []int
	for _, row := range v.Rows {
		classes, stored = append(classes, v.Classes[row.Class]), append(stored, row.X.Len())
		if row.Group != "" {
			groups = append(groups, row.Group)
		}
	}
	s.Groups = len(countBy(groups))
	s.Counts = []columnCounts{{"class", ranked(classes)}}
	s.Sizes = appendSizes(nil, "components of a row", stored)
	return s
}

// ranked counts values, the most frequent first, equal ones by name.
func ranked(values []string) []valueCount {
	counts := []valueCount{}
	for value, n := range countBy(values) {
		counts = append(counts, valueCount{value, n})
	}
	slices.SortFunc(counts, func(a, b valueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return counts
}

// appendSizes adds the quantiles of values, if there are any: the value at or
// above which the share of all lies, by nearest rank.
func appendSizes(all []sizes, name string, values []int) []sizes {
	if len(values) == 0 {
		return all
	}
	values = slices.Sorted(slices.Values(values))
	at := func(percent int) int { return values[max(0, (len(values)*percent+99)/100-1)] }
	return append(all, sizes{name, values[0], at(25), at(50), at(75), at(95), values[len(values)-1]})
}

func printStats(a *app.App, s dataStats, format string) error {
	return a.WithOutput(func(w io.Writer) error {
		if format == "json" {
			return app.WriteJSON(w, s)
		}
		tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
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
