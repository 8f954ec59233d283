package main

import (
	"context"
	"fmt"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange/dump"

	"github.com/spf13/cobra"
)

const (
	dumpsDir  = "dumps" // in the data directory
	keepDumps = 14      // days
)

func newExportDumpCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dump", Short: "Write dated dumps of all calls with their checksums, and remove old ones", Args: args(cobra.NoArgs),
		Example: "  eventseer export dump                  # to dumps in the data directory, which serve offers at /data\n  eventseer export dump -o /srv/dumps --keep 30",
		Long: `Write events-DAY.jsonl.gz and events-DAY.csv.gz of all calls, without the names
of people, and ` + dump.SumsFile + ` of all dumps there. A dump of the same day is
replaced. A reader never sees half a file.`,
	}
	keep := cmd.Flags().Int("keep", keepDumps, "days whose dumps are kept, at least 1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *keep < 1 {
			return app.Usagef("--keep %d is less than 1", *keep)
		}
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		dir := a.Config.Output
		if dir == "-" {
			dir = filepath.Join(a.Config.Data, dumpsDir)
		}
		return writeDumpsKeeping(cmd.Context(), a, st, dir, *keep)
	}
	return cmd
}

// writeDumps writes the dumps of today into a folder, which is made if need be, and
// removes those older than the newest 14 days. Records that cannot be read are left
// out; the error, an errPartly, says so when all is written.
func writeDumps(ctx context.Context, a *app.App, st eventseer.Store, dir string) error {
	return writeDumpsKeeping(ctx, a, st, dir, keepDumps)
}

func writeDumpsKeeping(ctx context.Context, a *app.App, st eventseer.Store, dir string, keep int) error {
	d, err := dump.Write(ctx, st, a.Now().UTC(), dir, keep)
	if err != nil {
		return err
	}
	a.Logf("%d calls dumped to %s, %d files kept", d.N, dir, d.Files)
	if d.Bad > 0 {
		return fmt.Errorf("%w: %d calls cannot be read, first: %w", app.ErrPartly, d.Bad, d.First)
	}
	return nil
}
