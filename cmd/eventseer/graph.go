package main

import (
	"eventseer/cmd/eventseer/internal/app"

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
