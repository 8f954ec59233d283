package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/snapshot"
	"eventseer/internal/bolt"

	"github.com/spf13/cobra"
)

func newCompactCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "compact", Short: "Give back the disk space that the data directory no longer needs", Args: args(cobra.NoArgs),
		Long: `Give back the disk space that the data directory no longer needs: each file is
written anew beside itself and then takes its own place. Nothing may have the
directory open meanwhile.`,
		Example: "  eventseer compact\n  eventseer compact --data runs/a/state",
		RunE:    func(*cobra.Command, []string) error { return compact(a) },
	}
}

func compact(a *app.App) error {
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
		before, after, err := bolt.Compact(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Stdout, "%s: %d bytes before, %d after\n", c.File, before, after)
	}
	return nil
}
