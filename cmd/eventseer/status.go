package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/monitor"

	"github.com/spf13/cobra"
)

func newOverallStatusCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show what runs on the data directory, and the state of crawl, monitor and cluster", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Long: "Show whether a process has the data directory open and is healthy, and the state of its crawl and its monitor, running or\n" +
			"not; with --nats, or the setting nats, also the state of the cluster. The parts are those of crawl status,\nmonitor status and control status.",
		Example: "  eventseer status\n  eventseer status --format jsonl\n  eventseer status --data /var/lib/eventseer",
		RunE:    func(cmd *cobra.Command, _ []string) error { return showStatus(cmd.Context(), a) },
	}
}

// showStatus prints the parts of the status, each by its own command.
func showStatus(ctx context.Context, a *app.App) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	state := "none has " + dir + " open"
	switch err := admin.AskAdmin(ctx, dir, "/healthz", nil); {
	case err == nil:
		state = "one has " + dir + " open and is healthy"
	case !errors.Is(err, admin.ErrSilent):
		state = err.Error()
	}
	if a.Config.Format == "jsonl" {
		err = app.WriteJSONLine(a.Stdout, map[string]string{"process": state})
	} else {
		_, err = fmt.Fprintf(a.Stdout, "process: %s\n", state)
	}
	parts := [][]string{}
	for _, part := range []struct{ file, command string }{{app.FrontierFile, "crawl"}, {monitor.File, "monitor"}} {
		if _, err := os.Stat(filepath.Join(dir, part.file)); err == nil {
			parts = append(parts, []string{part.command, "status"})
		}
	}
	if a.Origins["nats"] != "default" {
		parts = append(parts, []string{"control", "status", "--nats", a.Config.Nats})
	}
	if len(parts) == 0 {
		a.Logf("no crawl has used this data directory yet; `eventseer start` or `eventseer crawl` starts one")
	}
	for _, part := range parts {
		if a.Config.Format == "table" {
			fmt.Fprintln(a.Stdout)
		}
		if config := a.Flags.Lookup("config"); config.Changed {
			part = append(part, "--config", config.Value.String())
		}
		own := engine.ChildApp(a)
		if code := run(ctx, append(part, "--data", dir, "--format", a.Config.Format), own); code != 0 && err == nil {
			err = fmt.Errorf("%w: %s status", app.ErrPartly, part[0])
		}
	}
	return err
}
