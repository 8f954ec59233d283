package main

import (
	"io"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"

	"github.com/spf13/cobra"
)

func newStatusCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "status", Short: "Say how the crawl of the data directory stands, running or not", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl", "json"),
		Example: "  eventseer crawl status\n  eventseer crawl status --run runs/a --format jsonl",
	}
	run := cmd.Flags().String("run", "", "folder of a replay, whose state is kept there")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		var s admin.CrawlStatus
		if err := engine.Inspect(cmd.Context(), a, *run, "/status", &s, func(i *admin.Inspector) (any, error) { return i.Status(admin.TopHosts) }); err != nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error {
			if a.Config.Format == "table" {
				return s.Table(w)
			}
			return app.WriteJSONLine(w, s)
		})
	}
	return cmd
}
