package main

import (
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"

	"github.com/spf13/cobra"
)

func newBackupCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup", SuggestFor: []string{"restore"}, Short: "Back up and restore the data directory as one file", Args: usageArgs(cobra.NoArgs),
		Long: `Back up and restore the data directory as one file.

A backup is a tar file with the databases as they were at one moment, the versions of
pages, the wrappers, the models of the data directory, the positions read in mailboxes, and a
manifest with the SHA-256 of each. It does not hold the search index, which is rebuilt
from the store, nor runs and recordings.

A backup can be made while eventseer serves and crawls: the process that has the
directory open sends it through its admin socket.`,
		Example: `  eventseer backup create eventseer.tar.zst
  eventseer backup verify eventseer.tar.zst
  eventseer backup restore eventseer.tar.zst --data /var/lib/eventseer`,
	}
	cmd.AddCommand(newBackupCreateCommand(a), newBackupVerifyCommand(a), newRestoreCommand(a))
	return cmd
}

func newBackupCreateCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "create FILE", Short: "Write a backup of the data directory", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Write a backup of the data directory to FILE, whose name ends in .tar.zst or .tar.gz.
FILE appears when the backup is complete, on disk and verified; an existing FILE is not
overwritten. It holds the addresses of readers: only you may read it.`,
		Example: "  eventseer backup create eventseer.tar.zst\n  eventseer backup create /backups/$(date +%F).tar.zst",
		RunE: func(cmd *cobra.Command, given []string) error {
			return snapshot.BackupCreate(cmd.Context(), a, given[0])
		},
	}
}

func newBackupVerifyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Verify a backup: read it, open its databases and check them", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Read a backup to its end, compare each file with the manifest, unpack it to a
temporary folder (see TMPDIR), open every database and check it as eventseer check
does.`,
		Example: "  eventseer backup verify eventseer.tar.zst && echo good",
	}
	maxSize := addMaxSize(cmd)
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		limit, err := snapshot.ParseSize(*maxSize)
		if err != nil {
			return err
		}
		return snapshot.BackupVerify(cmd.Context(), a, given[0], limit)
	}
	return cmd
}

func addMaxSize(cmd *cobra.Command) *string {
	return cmd.Flags().String("max-size", snapshot.DefaultMaxSize, "maximum size of the unpacked backup")
}

func newRestoreCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "restore FILE", Short: "Create a data directory from a backup", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Create a data directory (--data) from a backup. The backup is unpacked and checked
beside the directory, which is replaced when all is good; an interrupted restore changes
nothing. A directory that is not empty is left unchanged. With --replace it is renamed
and kept; the new name is printed.

The search index is rebuilt when the directory is next opened.`,
		Example: `  eventseer backup restore eventseer.tar.zst --data /var/lib/eventseer
  eventseer backup restore eventseer.tar.zst --replace`,
	}
	replace := cmd.Flags().Bool("replace", false, "rename an existing data directory and restore in its place")
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
