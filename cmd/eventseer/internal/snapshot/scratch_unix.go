//go:build unix

package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

// scratchAge is the minimum age of what is removed: a younger one may not be locked yet.
const scratchAge = time.Minute

// lockScratch locks a file or folder until it is closed, and reports false if another process has
// it.
func lockScratch(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// isOwnOldFile reports whether a file belongs to this user and is old enough to be removed.
func isOwnOldFile(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid() && time.Since(info.ModTime()) > scratchAge
}
