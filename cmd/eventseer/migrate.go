package main

import (
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/snapshot"

	"github.com/spf13/cobra"
)

func newMigrateCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the data directory to the version of this program", Args: args(cobra.NoArgs),
		Long: `Bring the databases of the data directory to the version of this program. Every
command that opens them does so too; this one does nothing else. Before the store is
changed it is copied beside itself, to store.db.vN.backup; of these copies the newest
two are kept.

With --dry-run nothing is changed: each database of an older version is copied to a
temporary folder (TMPDIR says where) and migrated and checked there.`,
		Example: "  eventseer migrate --dry-run\n  eventseer migrate --data runs/a/state",
	}
	dry := cmd.Flags().Bool("dry-run", false, "try it on copies, and change nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return snapshot.Migrate(cmd.Context(), a, *dry) }
	return cmd
}
