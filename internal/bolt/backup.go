package bolt

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// backupName returns the name of the copy of a file that is made before a migration from version to the
// next.
func backupName(path string, version int) string {
	return fmt.Sprintf("%s.v%d%s", path, version, BackupSuffix)
}

// BackupSuffix is the end of the names of copies that are made before migrations.
const BackupSuffix = ".backup"

// backUpBeforeMigration copies a database of an older version to a file beside it, and removes the oldest copies if
// there are more than keep. The copy is complete and on disk before it gets its name. It replaces one
// that an interrupted migration left.
func backUpBeforeMigration(db *DB, version, keep int, log *slog.Logger) error {
	name := backupName(db.Path(), version)
	size, err := copyTo(name, db)
	if err != nil {
		return fmt.Errorf("copy before the migration from version %d: %w", version, err)
	}
	log.Warn("the database is of an older version; it is copied before it is migrated", "file", db.Path(), "version", version, "copy", name, "bytes", size)
	return removeOldBackups(db.Path(), keep)
}

func copyTo(name string, db *DB) (size int64, err error) {
	made := name + ".new"
	f, err := os.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return 0, err
	}
	err = db.View(func(tx *Tx) error {
		size, err = tx.raw.WriteTo(io.Writer(f))
		return err
	})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(made, name)
	}
	if err != nil {
		return 0, errors.Join(err, removeIfThere(made))
	}
	return size, SyncDir(filepath.Dir(name))
}

// removeOldBackups removes the copies of a database except the keep newest ones.
func removeOldBackups(path string, keep int) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	var versions []int
	for _, e := range entries {
		rest, ours := strings.CutPrefix(e.Name(), filepath.Base(path)+".v")
		number, ended := strings.CutSuffix(rest, BackupSuffix)
		if version, err := strconv.Atoi(number); ours && ended && err == nil && e.Type().IsRegular() {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	for len(versions) > keep {
		if err := os.Remove(backupName(path, versions[0])); err != nil {
			return err
		}
		versions = versions[1:]
	}
	return nil
}
