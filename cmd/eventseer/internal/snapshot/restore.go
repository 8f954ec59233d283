package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Restore unpacks a backup to a temporary folder, checks it, and renames it to the data directory.
func Restore(ctx context.Context, a *app.App, path string, maxSize int64, replace bool) (err error) {
	dir := filepath.Clean(a.Config.Data)
	held, err := hasFiles(dir)
	if err != nil {
		return err
	}
	if held && !replace {
		return fmt.Errorf("%s is not empty and is left unchanged; give another --data, or --replace to rename it", dir)
	}
	parent := filepath.Dir(dir)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	made, release, err := scratchFolder(a, parent, restorePrefix(dir))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }() // it removes nothing, once the folder is renamed
	m, err := unpackWithProgress(ctx, a, path, made, maxSize)
	if err != nil {
		return err
	}
	if err := m.compareContents(made); err != nil {
		return fmt.Errorf("%s: %w; nothing is restored", path, err)
	}
	broken, err := CheckDir(ctx, a, made)
	if err == nil && broken > 0 {
		err = fmt.Errorf("%w: %d problems in %s; nothing is restored", ErrBadBackup, broken, path)
	}
	if err == nil {
		err = syncFolders(made)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		err = replaceDataDir(a, made, dir, held)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: restored as of %s, %d files, %d bytes\n", dir, m.Made.Format("2006-01-02 15:04:05 MST"), len(m.Files), m.totalBytes())
	return nil
}

// hasFiles reports whether dir is not empty; a file of that name is an error.
func hasFiles(dir string) (held bool, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return len(entries) > 0, err
}

// replaceDataDir renames a folder to the data directory. An existing non-empty one is locked while it is
// renamed, so that no process has it open.
func replaceDataDir(a *app.App, made, dir string, held bool) (err error) {
	parent := filepath.Dir(dir)
	if info, err := os.Stat(dir); err == nil {
		if err := os.Chmod(made, info.Mode().Perm()); err != nil {
			return err
		}
	}
	if held {
		unlock, err := lockAll(dir)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, unlock()) }()
		aside := fmt.Sprintf("%s.before-%s", dir, a.Now().UTC().Format("20060102T150405Z"))
		if _, err := os.Lstat(aside); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s exists already", aside)
		}
		fmt.Fprintf(a.Stdout, "%s: the former contents are kept as %s\n", dir, aside)
		if err := errors.Join(os.Rename(dir, aside), bolt.SyncDir(parent)); err != nil {
			return err
		}
	}
	return errors.Join(os.Rename(made, dir), bolt.SyncDir(parent)) // replaces an empty folder, no other
}

// lockAll prevents other processes from writing to the databases of a directory. Its error is a
// bolt.ErrLocked if a process has one open.
func lockAll(dir string) (unlock func() error, err error) {
	var locked []bolt.Source
	unlock = func() (err error) {
		for _, s := range locked {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	for _, name := range backedDatabases {
		s, err := bolt.OpenForCopying(filepath.Join(dir, name))
		switch {
		case err == nil:
			locked = append(locked, s)
		case errors.Is(err, bolt.ErrLocked):
			return nil, errors.Join(err, unlock())
		}
		// A file that is missing or broken cannot be open in another process.
	}
	return unlock, nil
}

// syncFolders puts the names in a folder and below on disk.
func syncFolders(dir string) error {
	return filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		return bolt.SyncDir(at)
	})
}
