package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/contextgraph/table"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newGraphCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "graph", Short: "Build, measure, export and judge context graphs and link graphs",
		Long: "A context graph holds the pages from which targets can be reached over few links, in layers by their distance\n" +
			"(paper 002, section 3.3). A .graph file holds one graph or more.",
		Example: `  eventseer graph build https://conf.example/cfp --backlinks links.tsv.gz -o conf.graph
  eventseer graph stats conf.graph
  eventseer graph export conf.graph --format gexf -o conf.gexf
  eventseer graph export runs/a --format csv --level host -o hosts.csv`,
	}
	cmd.AddCommand(newGraphBuildCommand(a), newGraphStatsCommand(a), newGraphExportCommand(a), newGraphClassifyCommand(a),
		newGraphTargetsCommand(a))
	return cmd
}

func newGraphStatsCommand(a *app.App) *cobra.Command {
	var labels string
	cmd := &cobra.Command{
		Use: "stats GRAPH…", Short: "Show the layers of graphs and who links to their targets", Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json"),
		Long: "Show the layers of graphs, as table 4.1 of paper 002 does, and the types of the pages that link to targets, as its tables 4.2 and 4.3.\n" +
			"\n" +
			"walks and walk KB are the size of a layer if duplicates are not removed, as in the paper, whose KB are of lists of URLs.",
		Example: `  eventseer graph stats disciplines.graph
  eventseer graph stats disciplines.graph --labels nodes.tsv        # types as labelled, not as judged
  eventseer graph stats a.graph b.graph --format jsonl`,
	}
	cmd.Flags().StringVar(&labels, "labels", "", "TSV with the columns url and page_type, used for the types of pages instead of the models")
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

// labelNodes sets the types of pages from a TSV, "" for missing ones.
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
		fmt.Fprintf(w, ", %.1f %% of them seen on their page", 100*float64(s.VerifiedEdge)/float64(s.Edges))
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
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\t%.0f\t%s\t%s\t", l.Layer, l.Nodes, l.Sites, growth, kilobytesText(float64(l.URLBytes)), l.Walks, kilobytesText(l.WalkBytes), kilobytesText(float64(l.TextBytes)))
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

func kilobytesText(bytes float64) string {
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

// readLinkGraph reads the graph of all links of a links file, tab-separated with the columns source
// and target, or of a run folder. A run folder adds its data on pages.
func readLinkGraph(a *app.App, path string) (*contextgraph.Graph, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	file, rows := path, table.Links
	if info.IsDir() {
		file, rows = filepath.Join(path, rundir.LinksFile), table.CSVLinks
	}
	g, skipped, err := table.ReadGraph(filepath.Base(path), file, rows)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		a.Logf("%s: %s: skipped", file, text.Count(skipped, "line does not contain a web link", "lines do not contain a web link"))
	}
	if info.IsDir() {
		err = describeNodes(g, path)
	}
	return g, err
}

// describeNodes adds a run's data on its pages.
func describeNodes(g *contextgraph.Graph, run string) error {
	pages, err := rundir.JudgedPages(run)
	if err != nil {
		return err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if p, ok := pages[n.URL]; ok {
			n.Status, n.PageType, n.Bytes = p.Status, p.PageType, p.Bytes
			n.CFPScore = max(0, min(p.CFPScore, 1))
		}
	}
	return nil
}

func newGraphExportCommand(a *app.App) *cobra.Command {
	var level, name, labels string
	cmd := &cobra.Command{
		Use: "export GRAPH|RUN|LINKS", Short: "Write a graph for other programs", Args: usageArgs(cobra.ExactArgs(1)),
		Long: "Write a graph with the attributes of its pages and links as csv, graphml, gexf, pajek or dot (--format, else the end of -o).\n" +
			"It is read from a .graph file, the folder of a run, a links file (.tsv, .tsv.gz), or a file in one of these formats.\n" +
			"csv in a file is two tables, NAME.nodes.csv and NAME.edges.csv; on stdout it is the table of links.",
		Example: `  eventseer graph export disciplines.graph --graph physics -o physics.gexf      # for Gephi
  eventseer graph export runs/a --level host -o hosts.graphml
  eventseer graph export links.tsv.gz -o links.csv
  eventseer graph export physics.gexf --format pajek -o physics.net`,
	}
	flags := cmd.Flags()
	flags.StringVar(&level, "level", string(contextgraph.PageLevel), "one node per page or per host")
	flags.StringVar(&name, "graph", "", "name of the graph in a file that holds several (default: all, merged)")
	flags.StringVar(&labels, "labels", "", "TSV with the columns url and page_type, used for the types of pages")
	cmd.RunE = func(_ *cobra.Command, paths []string) error { return graphExport(a, paths[0], level, name, labels) }
	return cmd
}

func graphExport(a *app.App, path, level, name, labels string) error {
	format, err := exportFormat(a)
	if err != nil {
		return err
	}
	if l := contextgraph.Level(level); l != contextgraph.PageLevel && l != contextgraph.HostLevel {
		return app.Usagef("--level %q is neither page nor host", level)
	}
	graphs, err := openGraphs(a, path)
	if err != nil {
		return err
	}
	g, err := contextgraph.GraphNamed(graphs, name)
	if err != nil {
		return err
	}
	if labels != "" {
		if err := labelNodes([]*contextgraph.Graph{g}, labels); err != nil {
			return err
		}
	}
	if a.Config.Output == "-" {
		return a.WithOutput(func(w io.Writer) error {
			return contextgraph.Export(w, g, format, contextgraph.Level(level))
		})
	}
	files, err := contextgraph.ExportFile(a.Config.Output, g, format, contextgraph.Level(level))
	if err == nil {
		a.Logf("wrote %s: %s", strings.Join(files, " and "), countGraphs([]*contextgraph.Graph{g}))
	}
	return err
}

// exportFormat returns the format of --format, otherwise by the extension of -o, otherwise csv.
func exportFormat(a *app.App) (string, error) {
	var names []string
	for _, f := range contextgraph.Formats {
		names = append(names, f.Name)
	}
	if a.Config.Format == "" && a.Config.Output != "-" {
		f, err := contextgraph.FormatOf(a.Config.Output)
		if err != nil {
			return "", app.MarkUsage(err)
		}
		return f.Name, nil
	}
	return a.OutputFormat(names...)
}

// openGraphs reads the graphs of a .graph file, a run folder, a links file or a
// file of another program.
func openGraphs(a *app.App, path string) ([]*contextgraph.Graph, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	if info.IsDir() || strings.HasSuffix(path, ".tsv") || strings.HasSuffix(path, ".tsv.gz") {
		g, err := readLinkGraph(a, path)
		return []*contextgraph.Graph{g}, err
	}
	format, err := contextgraph.FormatOf(path)
	if err != nil {
		return contextgraph.ReadFiles([]string{path})
	}
	g, err := contextgraph.ImportFile(path, format.Name, func(bad error) { a.Logf("%s: %v", path, bad) })
	if err != nil {
		return nil, fmt.Errorf("graph %s: %w", path, err)
	}
	return []*contextgraph.Graph{g}, nil
}
