package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"

	"github.com/spf13/cobra"
)

func newGraphExportCommand(a *app.App) *cobra.Command {
	var level, name, labels string
	cmd := &cobra.Command{
		Use: "export GRAPH|RUN|LINKS", Short: "Write a graph for other programs", Args: args(cobra.ExactArgs(1)),
		Long: "Write a graph with what is known of its pages and links as csv, graphml, gexf, pajek or dot (--format, else the end of -o).\n" +
			"It is read from a .graph file, the folder of a run, a links file (.tsv, .tsv.gz), or a file in one of these formats.\n" +
			"csv in a file is two tables, NAME.nodes.csv and NAME.edges.csv; on stdout it is the table of links.",
		Example: `  eventseer graph export disciplines.graph --graph physics -o physics.gexf      # for Gephi
  eventseer graph export runs/a --level host -o hosts.graphml
  eventseer graph export links.tsv.gz -o links.csv
  eventseer graph export physics.gexf --format pajek -o physics.net`,
	}
	flags := cmd.Flags()
	flags.StringVar(&level, "level", string(contextgraph.PageLevel), "a node a page or a host")
	flags.StringVar(&name, "graph", "", "the graph of that name of a file that holds several; else they are merged")
	flags.StringVar(&labels, "labels", "", "TSV with the columns url and page_type, which tell the types of pages")
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
	g, err := contextgraph.Pick(graphs, name)
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

// exportFormat returns the format that --format names, else the end of -o, else
// csv.
func exportFormat(a *app.App) (string, error) {
	var names []string
	for _, f := range contextgraph.Formats {
		names = append(names, f.Name)
	}
	if a.Config.Format == "" && a.Config.Output != "-" {
		f, err := contextgraph.FormatOf(a.Config.Output)
		if err != nil {
			return "", app.Usage(err)
		}
		return f.Name, nil
	}
	return a.Format(names...)
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
