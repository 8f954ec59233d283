//go:build !unix

package snapshot

import (
	"io/fs"
	"os"
)

// lockScratch does nothing: nothing is removed on this system.
func lockScratch(*os.File) (bool, error) { return true, nil }

// isOwnOldFile always returns false.
func isOwnOldFile(fs.FileInfo) bool { return false }
