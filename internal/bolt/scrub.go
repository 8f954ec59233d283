package bolt

import (
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// ErrBusy says that something reads the database.
var ErrBusy = errors.New("the database is being read")

// Scrub overwrites with zeros what no record uses any more: bbolt only marks the pages of
// deleted records as free, and their bytes would stay in the file, and in backups of it,
// until something else is written there. Space that a file system keeps elsewhere,
// as journals and flash disks do, is out of its reach.
//
// The caller holds off readers of its own until Scrub returns. Snapshots are seen, and
// give ErrBusy.
func Scrub(db *bbolt.DB) (err error) {
	file, err := os.OpenFile(db.Path(), os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("scrub: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	tx, err := db.Begin(true) // nobody writes, and pages that nobody reads are free
	if err != nil {
		return fmt.Errorf("scrub %s: %w", db.Path(), err)
	}
	defer func() { err = errors.Join(err, tx.Rollback()) }()
	if db.Stats().OpenTxN > 0 {
		return fmt.Errorf("scrub %s: %w", db.Path(), ErrBusy)
	}
	size := db.Info().PageSize
	zeros, last := make([]byte, size), int(tx.Size()/int64(size))
	for id := 2; id < last; id++ { // the first two are not pages of records
		page, err := tx.Page(id)
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
