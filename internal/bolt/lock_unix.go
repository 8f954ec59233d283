//go:build unix

package bolt

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lockRetry is the pause between two attempts to lock a file.
const lockRetry = 50 * time.Millisecond

// lockFile locks a file in the same way as bbolt, which then finds it locked by this process. So the file
// cannot change between the check and the opening. The lock ends when the file is closed. A shared lock
// needs only read permission.
func lockFile(f *os.File, exclusive bool, timeout time.Duration) error {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for begun := time.Now(); ; time.Sleep(lockRetry) {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if err == nil {
			return nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return err
		}
		if time.Since(begun) > timeout-lockRetry {
			return ErrLocked
		}
	}
}
