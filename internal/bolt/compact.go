package bolt

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
)

// compactTx is the number of bytes that one transaction of Compact copies.
const compactTx = 16 << 20

// CompactFile rewrites the file at path without the space of deleted values, and returns its size in bytes
// before and after. The new file is on disk before it replaces the old one, so after a crash one of the
// two is there. Compact returns ErrLocked if a process has the file open, and ErrMissing if it does not
// exist. The disk needs space for both files.
func CompactFile(path string) (before, after int64, err error) {
	info, err := os.Stat(path)
	if errors.Is(err, os.ErrNotExist) {
		return 0, 0, fmt.Errorf("compact %s: %w", path, ErrMissing)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("compact: %w", err)
	}
	made := path + ".compact"
	if err := removeIfThere(made); err != nil {
		return 0, 0, fmt.Errorf("compact: %w", err)
	}
	after, err = replaceByCopy(path, made, info.Mode().Perm())
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("compact %s: %w", path, err), removeIfThere(made))
	}
	return info.Size(), after, nil
}

// replaceByCopy copies path to made and renames made to path. The old file is locked meanwhile.
func replaceByCopy(path, made string, mode os.FileMode) (size int64, err error) {
	src, _, err := openChecked(path, Options{Log: slog.New(slog.DiscardHandler)}, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if errors.Is(err, ErrLocked) {
		return 0, fmt.Errorf("%w; stop the other eventseer first", ErrLocked)
	}
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	dst, err := bbolt.Open(made, mode, &bbolt.Options{NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: initialMmapSize})
	if err != nil {
		return 0, err
	}
	dst.AllocSize = 1 << 20 // the size of the file grows in multiples of this
	err = bbolt.Compact(dst, src.DB, compactTx)
	if err == nil { // the new file counts its own transactions
		err = dst.Update(recordTransaction)
	}
	if err == nil {
		err = dst.Sync()
	}
	if err = errors.Join(err, dst.Close()); err != nil {
		return 0, err
	}
	info, err := os.Stat(made)
	if err != nil {
		return 0, err
	}
	if err := os.Rename(made, path); err != nil {
		return 0, err
	}
	return info.Size(), SyncDir(filepath.Dir(path))
}

// SyncDir writes changes of a folder's entries to disk.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// ErrBusy means that a transaction reads the database.
var ErrBusy = errors.New("a transaction is reading the database")

// OverwriteUnused overwrites unused space with zeros. bbolt only marks the pages of deleted records as free, and
// their bytes would stay in the file, and in backups of it, until they are reused. It cannot reach copies
// that file systems with journals or flash disks keep elsewhere.
//
// The caller must start no read transactions of its own until OverwriteUnused returns. Scrub detects open
// snapshots and then returns ErrBusy.
func OverwriteUnused(db *DB) (err error) {
	file, err := os.OpenFile(db.Path(), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tx, err := db.Begin(true) // there is no other writer, and free pages have no reader
	if err != nil {
		return fmt.Errorf("scrub %s: %w", db.Path(), err)
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if db.Stats().OpenTxN > 0 {
		return fmt.Errorf("scrub %s: %w", db.Path(), ErrBusy)
	}
	size := db.Info().PageSize
	zeros, last := make([]byte, size), int(tx.raw.Size()/int64(size))
	for id := 2; id < last; id++ { // pages 0 and 1 are the meta pages
		page, err := tx.raw.Page(id)
		if err != nil {
			return fmt.Errorf("scrub %s: %w", db.Path(), err)
		}
		if page == nil || page.Type != "free" {
			continue
		}
		if _, err := file.WriteAt(zeros, int64(id)*int64(size)); err != nil {
			return fmt.Errorf("scrub %s: %w", db.Path(), err)
		}
	}
	return file.Sync()
}
