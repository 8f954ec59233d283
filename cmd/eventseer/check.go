package main

import (
	"fmt"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/cmd/eventseer/internal/snapshot"

	"github.com/spf13/cobra"
)

func newCheckCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "check", Short: "Read the whole data directory and report what is broken", Args: args(cobra.NoArgs),
		Example: "  eventseer check\n  eventseer check --recordings\n  eventseer check --data runs/a/state",
	}
	recordings := cmd.Flags().Bool("recordings", false, "also read the recordings that the runs name, which may take long")
	cmd.RunE = func(*cobra.Command, []string) error { return checkDataDir(a, *recordings) }
	return cmd
}

func checkDataDir(a *app.App, recordings bool) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	if err := admin.CheckServed(a, dir); err != nil {
		return err
	}
	broken, err := snapshot.CheckDir(a, dir)
	if err != nil {
		return err
	}
	if recordings {
		problems, err := engine.CheckRecordings(a, dir)
		if err != nil {
			return err
		}
		broken += problems
	}
	if broken > 0 {
		return fmt.Errorf("%d problems in %s; crawl --replay a recording or restore a backup", broken, dir)
	}
	return nil
}
