//go:build unix

package registry

import (
	"os"
	"syscall"
)

// lockStateFile locks a file for this process, or returns an error if another has it locked. The lock ends when
// the file is closed.
func lockStateFile(f *os.File) error {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
}
