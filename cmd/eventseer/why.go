package main

import (
	"io"
	"net/url"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// Limits of a story.
const ()

func newWhyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "why URL", Short: "Tell the whole story of a URL: why it is fetched, or not, or not yet", Args: args(cobra.ExactArgs(1)), Annotations: formats("table", "jsonl", "json"),
		Example: "  eventseer crawl why https://conf.example/cfp\n  eventseer crawl why --run runs/a https://conf.example/ --format jsonl",
	}
	run := cmd.Flags().String("run", "", "folder of a replay, whose state is kept there")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		address, err := webgraph.Canonical(given[0])
		if err != nil {
			return app.Usage(err)
		}
		var s admin.Story
		ask := "/why?url=" + url.QueryEscape(address)
		tell := func(i *admin.Inspector) (any, error) { return i.Why(cmd.Context(), address) }
		if err := engine.Inspect(cmd.Context(), a, *run, ask, &s, tell); err != nil {
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
