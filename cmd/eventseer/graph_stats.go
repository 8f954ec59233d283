package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"
	"eventseer/contextgraph/table"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newGraphStatsCommand(a *app.App) *cobra.Command {
	var labels string
	cmd := &cobra.Command{
		Use: "stats GRAPH…", Short: "Show the layers of graphs and who links to their targets", Args: args(cobra.MinimumNArgs(1)), Annotations: formats("table", "jsonl", "json"),
		Long: "Show the layers of graphs, as table 4.1 of paper 002 does, and the types of the pages that link to targets, as its tables 4.2 and 4.3.\n\n" +
			"walks and walk KB are the size of a layer where duplicates are not removed, as in the paper, whose KB are of lists of URLs.",
		Example: `  eventseer graph stats disciplines.graph
  eventseer graph stats disciplines.graph --labels nodes.tsv        # types as labelled, not as judged
  eventseer graph stats a.graph b.graph --format jsonl`,
	}
	cmd.Flags().StringVar(&labels, "labels", "", "TSV with the columns url and page_type, which tell the types of pages in place of the models")
	cmd.RunE = func(_ *cobra.Command, paths []string) error { return graphStats(a, paths, labels) }
	return cmd
}

func graphStats(a *app.App, paths []string, labels string) error {
	graphs, err := contextgraph.ReadFiles(paths)
	if err != nil {
		return err
	}
	if labels != "" {
		if err := labelNodes(graphs, labels); err != nil {
			return err
		}
	}
	return a.WithOutput(func(w io.Writer) error { return writeGraphStats(w, graphs, a.Config.Format) })
}

// labelNodes sets the types of pages to those of a TSV, "" where it has none.
func labelNodes(graphs []*contextgraph.Graph, path string) error {
	types, err := table.ReadLabels(path, "page_type")
	if err == nil {
		contextgraph.SetTypes(graphs, types)
	}
	return err
}

func writeGraphStats(w io.Writer, graphs []*contextgraph.Graph, format string) error {
	all := make([]contextgraph.Stats, len(graphs))
	for i, g := range graphs {
		all[i] = g.Stats()
	}
	if format == "json" {
		return app.WriteJSON(w, all)
	}
	for i, s := range all {
		if format == "jsonl" {
			if err := app.WriteJSONLine(w, s); err != nil {
				return err
			}
			continue
		}
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := printGraphStats(w, s); err != nil {
			return err
		}
	}
	return nil
}

func printGraphStats(w io.Writer, s contextgraph.Stats) error {
	fmt.Fprintf(w, "%s: %s on %s, %s", text.Printable(cmp.Or(s.Name, "graph")), text.Count(s.Nodes, "page", "pages"), text.Count(s.Hosts, "host", "hosts"), text.Count(s.Edges, "link", "links"))
	if s.VerifiedEdge > 0 {
		fmt.Fprintf(w, ", %.1f %% of them seen", 100*float64(s.VerifiedEdge)/float64(s.Edges))
	}
	if s.Ended != "" {
		fmt.Fprintf(w, "; ended early by its bound of %s", text.Printable(s.Ended))
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "layer\tpages\tsites\tgrowth\tURL KB\twalks\twalk KB\ttext KB\tasked\tlinked\tcalls\tcost\ttold\tdup\tin-site\t")
	for _, l := range s.Layers {
		growth := ""
		if l.Growth != 0 {
			growth = fmt.Sprintf("%.1f", l.Growth)
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t%.0f\t%s\t%s\t", l.Layer, l.Nodes, l.Sites, growth, kb(float64(l.URLBytes)), l.Walks, kb(l.WalkBytes), kb(float64(l.TextBytes)))
		if l.Asked == 0 {
			fmt.Fprintln(t, "\t\t\t\t\t\t\t")
			continue
		}
		fmt.Fprintf(t, "%d\t%.0f %%\t%d\t%.4g\t%d\t%.0f %%\t%.0f %%\t\n", l.Asked, 100*l.Coverage, l.Calls, l.Cost, l.Told, 100*l.DuplicateShare, 100*l.InSiteShare)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printParents(w, s.Parents)
}

func kb(bytes float64) string {
	switch {
	case bytes == 0:
		return ""
	case bytes < 10_000:
		return fmt.Sprintf("%.1f", bytes/1000)
	}
	return fmt.Sprintf("%.0f", bytes/1000)
}

// printParents prints the types of the pages that link to targets.
func printParents(w io.Writer, parents []contextgraph.TypeCount) error {
	typed := slices.ContainsFunc(parents, func(c contextgraph.TypeCount) bool { return c.Type != "" })
	if !typed {
		return nil
	}
	fmt.Fprintln(w, "pages that link to targets, by type:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range parents {
		fmt.Fprintf(t, "%d\tpages,\t%d\tlinks\t  %s\n", c.Pages, c.Links, text.Printable(cmp.Or(c.Type, "(no type)")))
	}
	return t.Flush()
}
