package main

import (
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/snapshot"

	"github.com/spf13/cobra"
)

func newRestoreCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Make a data directory out of a backup", Args: args(cobra.ExactArgs(1)),
		Long: `Make a data directory (--data) out of a backup. It is unpacked and checked beside
the directory and takes its name when all is good, so that a restore that is
interrupted changes nothing. A directory that holds something is left alone; with
--replace it is kept under another name, which is printed.

The search index is made anew when the directory is next opened.`,
		Example: `  eventseer backup restore eventseer.tar.zst --data /var/lib/eventseer
  eventseer backup restore eventseer.tar.zst --replace`,
	}
	replace := cmd.Flags().Bool("replace", false, "let a data directory that is there give way, under another name")
	maxSize := addMaxSize(cmd)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		limit, err := snapshot.ParseSize(*maxSize)
		if err != nil {
			return err
		}
		return snapshot.Restore(cmd.Context(), a, given[0], limit, *replace)
	}
	return cmd
}
