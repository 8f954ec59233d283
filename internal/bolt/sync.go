package bolt

import (
	"errors"
	"os"
)

// SyncDir makes the names of a folder's files last.
func SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
