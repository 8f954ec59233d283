// Package snapshot writes, verifies and restores backups of a data directory, checks
// its databases, and migrates them.
package snapshot

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
)

// DefaultMaxSize bounds what is unpacked from a backup.
const DefaultMaxSize = "100GB"

// ParseSize reads a number of bytes, such as 100GB.
func ParseSize(text string) (int64, error) {
	var s app.Size
	if err := s.UnmarshalText([]byte(text)); err != nil || s <= 0 {
		return 0, app.Usagef("--max-size %q is no size, such as 10GB", text)
	}
	return int64(s), nil
}

// BackupCreate writes a backup beside path, reads it back, and lets it have its name.
func BackupCreate(ctx context.Context, a *app.App, path string) (err error) {
	dir, err := app.DataDir(a)
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
	m, err := readBackupFile(made, &BackupReader{Ctx: ctx, MaxSize: 1<<63 - 1})
	if err != nil {
		return fmt.Errorf("the backup just written: %w", err)
	}
	if err = os.Link(made, path); err != nil { // unlike a rename it replaces nothing
		return fmt.Errorf("backup: %w", err)
	}
	if err = errors.Join(os.Remove(made), bolt.SyncDir(filepath.Dir(path))); err != nil {
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
	_, err = WriteBackup(ctx, a, packed, dir, nil)
	if !errors.Is(err, bolt.ErrLocked) {
		return errors.Join(err, packed.Close())
	}
	// Nothing was written: all databases are opened before the first is copied.
	if asked := askBackup(ctx, packed, dir); asked != nil {
		err = errors.Join(asked, err)
	} else {
		err = nil
	}
	return errors.Join(err, packed.Close())
}

// BackupVerify reads a backup, unpacks it and checks it.
func BackupVerify(ctx context.Context, a *app.App, path string, maxSize int64) (err error) {
	dir, err := os.MkdirTemp("", "eventseer-verify-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	m, err := Unpack(ctx, path, dir, maxSize)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: made %s by eventseer %s, %d files, %d bytes, as its manifest says\n",
		path, m.Made.Format("2006-01-02 15:04:05 MST"), text.Printable(m.Version), len(m.Files), m.bytes())
	broken, err := CheckDir(a, dir)
	if err == nil && broken > 0 {
		err = fmt.Errorf("%w: %d problems in %s", ErrBadBackup, broken, path)
	}
	return err
}
