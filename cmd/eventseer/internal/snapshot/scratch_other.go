//go:build !unix

package snapshot

import (
	"io/fs"
	"os"
)

// lockScratch does nothing: nothing is removed on this system.
func lockScratch(*os.File) (bool, error) { return true, nil }

// isOwn always returns false.
func isOwn(fs.FileInfo) bool { return false }
