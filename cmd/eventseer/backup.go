package main

import (
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"

	"github.com/spf13/cobra"
)

func newBackupCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "backup", SuggestFor: []string{"restore"}, Short: "Keep the data directory in one file, and get it back", Args: args(cobra.NoArgs),
		Long: `Keep the data directory in one file, and get it back.

A backup is a tar file with the databases as they were at one moment, the versions of
pages, the wrappers, the models put there and the marks of mailboxes, and a manifest
with the SHA-256 of each. The search index is not in it: it is made anew from the
store. Runs and recordings are not in it either.

It may be made while eventseer serves and crawls: the process that has the
directory open is asked for it at its admin socket.`,
		Example: `  eventseer backup create eventseer.tar.zst
  eventseer backup verify eventseer.tar.zst
  eventseer backup restore eventseer.tar.zst --data /var/lib/eventseer`,
	}
	cmd.AddCommand(newBackupCreateCommand(a), newBackupVerifyCommand(a), newRestoreCommand(a))
	return cmd
}

func newBackupCreateCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "create FILE", Short: "Write a backup of the data directory", Args: args(cobra.ExactArgs(1)),
		Long: `Write a backup of the data directory to FILE, whose name ends in .tar.zst or .tar.gz.
It gets its name when it is whole, on disk and read back; a FILE that is there is not
written over. It holds the addresses of readers: only you may read it.`,
		Example: "  eventseer backup create eventseer.tar.zst\n  eventseer backup create /backups/$(date +%F).tar.zst",
		RunE: func(cmd *cobra.Command, given []string) error {
			return snapshot.BackupCreate(cmd.Context(), a, given[0])
		},
	}
}

func newBackupVerifyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Read a backup, open its databases and check them", Args: args(cobra.ExactArgs(1)),
		Long: `Read a backup to its end, hold each file against the manifest, unpack it to a
temporary folder (TMPDIR says where), open every database and check it as
eventseer check does.`,
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
	return cmd.Flags().String("max-size", snapshot.DefaultMaxSize, "bytes that the backup may have unpacked")
}

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
