package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/spf13/cobra"
)

func newCheckCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "check", Short: "Check the whole data directory for damage", Args: usageArgs(cobra.NoArgs),
		Long: `Check the whole data directory for damage: the pages of each database, the checksum of
each value, and missing values.

With --repair each damaged database is replaced by a new one with every value that matches its
checksum. Lost values are listed by bucket and key, the damaged file is kept beside it, and the newest
good backup is named. No process may have the directory open meanwhile.`,
		Example: "  eventseer check\n  eventseer check --repair\n  eventseer check --recordings\n  eventseer check --data runs/a/state",
	}
	recordings := cmd.Flags().Bool("recordings", false, "also check the recordings that the runs name, which may take long")
	repair := cmd.Flags().Bool("repair", false, "replace damaged databases by their recovered values")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return checkDataDir(cmd.Context(), a, *recordings, *repair)
	}
	cmd.AddCommand(newPairsCommand(a))
	return cmd
}

func checkDataDir(ctx context.Context, a *app.App, recordings, repair bool) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	if err := admin.CheckServed(a, dir); err != nil {
		return err
	}
	if repair {
		if err := snapshot.RepairDatabases(ctx, a, dir); err != nil {
			return err
		}
	}
	broken, err := snapshot.CheckDir(ctx, a, dir)
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
		return fmt.Errorf("%d problems in %s; --repair recovers the undamaged values of a file; or restore a backup, or crawl --replay a recording", broken, dir)
	}
	return nil
}

func newCompactCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "compact", Short: "Free the disk space that the data directory no longer needs", Args: usageArgs(cobra.NoArgs),
		Long: `Free the disk space that the data directory no longer needs: each file is copied and then
replaced by its copy. No process may have the directory open meanwhile.`,
		Example: "  eventseer compact\n  eventseer compact --data runs/a/state",
		RunE:    func(*cobra.Command, []string) error { return compactData(a) },
	}
}

func compactData(a *app.App) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	for _, c := range snapshot.Checked {
		path := filepath.Join(dir, c.File)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(a.Stdout, "%s: not there yet\n", c.File)
			continue
		}
		before, after, err := bolt.CompactFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s: %d bytes before, %d after\n", c.File, before, after)
	}
	return nil
}

func newMigrateCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "migrate", Short: "Migrate the data directory to the version of this program", Args: usageArgs(cobra.NoArgs),
		Long: `Migrate the databases of the data directory to the version of this program. Every
command that opens them does so too; this one does nothing else. Before the store is
changed it is copied to store.db.vN.backup beside it; the newest two of these copies are
kept.

With --dry-run nothing is changed: each database of an older version is copied to a
temporary folder (see TMPDIR) and migrated and checked there.`,
		Example: "  eventseer migrate --dry-run\n  eventseer migrate --data runs/a/state",
	}
	dry := cmd.Flags().Bool("dry-run", false, "migrate and check copies, and change nothing")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return snapshot.MigrateDatabases(cmd.Context(), a, *dry) }
	return cmd
}

func newHealthcheckCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Check whether the process that has the data directory open is healthy", Args: usageArgs(cobra.NoArgs),
		Long:    "Check at its admin socket whether the process that has the data directory open is healthy.\nExit code 0 means yes, 1 that it is not or that none is running.",
		Example: "  eventseer healthcheck && echo well",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := app.DataDir(a)
			if err != nil {
				return err
			}
			err = admin.AskAdmin(cmd.Context(), dir, "/healthz", nil)
			if errors.Is(err, admin.ErrSilent) {
				return fmt.Errorf("no eventseer has %s open, or it has no admin socket", dir)
			}
			return err
		},
	}
}
