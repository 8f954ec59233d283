package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/internal/bolt"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// defaultMaxSize bounds what is unpacked from a backup.
const defaultMaxSize = "100GB"

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
			return backupCreate(cmd.Context(), a, given[0])
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
		limit, err := parseSize(*maxSize)
		if err != nil {
			return err
		}
		return backupVerify(cmd.Context(), a, given[0], limit)
	}
	return cmd
}

func addMaxSize(cmd *cobra.Command) *string {
	return cmd.Flags().String("max-size", defaultMaxSize, "bytes that the backup may have unpacked")
}

func parseSize(text string) (int64, error) {
	var s app.Size
	if err := s.UnmarshalText([]byte(text)); err != nil || s <= 0 {
		return 0, app.Usagef("--max-size %q is no size, such as 10GB", text)
	}
	return int64(s), nil
}

// backupCreate writes a backup beside path, reads it back, and lets it have its name.
func backupCreate(ctx context.Context, a *app.App, path string) (err error) {
	dir, err := dataDir(a)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already; remove it or give another name", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	made := f.Name()
	defer func() {
		if err != nil {
			_ = os.Remove(made)
		}
	}()
	if err = errors.Join(backupTo(ctx, a, f, path, dir), f.Sync(), f.Close()); err != nil {
		return err
	}
	m, err := readBackupFile(made, &backupReader{ctx: ctx, maxSize: 1<<63 - 1})
	if err != nil {
		return fmt.Errorf("the backup just written: %w", err)
	}
	if err = os.Link(made, path); err != nil { // unlike a rename it replaces nothing
		return fmt.Errorf("backup: %w", err)
	}
	if err = errors.Join(os.Remove(made), syncDir(filepath.Dir(path))); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %d files, %d bytes, %d packed\n", path, len(m.Files), m.bytes(), info.Size())
	for _, name := range m.LeftOut {
		a.Logf("left out: %s", name)
	}
	return nil
}

// backupTo writes a backup that is packed as the name says: from the files, or from
// the process that has them open.
func backupTo(ctx context.Context, a *app.App, w io.Writer, name, dir string) error {
	packed, err := compressor(name, w)
	if err != nil {
		return err
	}
	_, err = writeBackup(ctx, a, packed, dir, nil)
	if !errors.Is(err, bolt.ErrLocked) {
		return errors.Join(err, packed.Close())
	}
	// Nothing was written: all databases are opened before the first is copied.
	if asked := askBackup(ctx, a, packed, dir); asked != nil {
		err = errors.Join(asked, err)
	} else {
		err = nil
	}
	return errors.Join(err, packed.Close())
}

// backupVerify reads a backup, unpacks it and checks it.
func backupVerify(ctx context.Context, a *app.App, path string, maxSize int64) (err error) {
	dir, err := os.MkdirTemp("", "eventseer-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m, err := unpack(ctx, path, dir, maxSize)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: made %s by eventseer %s, %d files, %d bytes, as its manifest says\n",
		path, m.Made.Format("2006-01-02 15:04:05 MST"), text.Printable(m.Version), len(m.Files), m.bytes())
	broken, err := checkDir(a, dir)
	if err == nil && broken > 0 {
		err = fmt.Errorf("%w: %d problems in %s", errBadBackup, broken, path)
	}
	return err
}
