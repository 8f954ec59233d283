//go:build unix

package bolt

import (
	"errors"
	"os"
	"syscall"
	"time"
)

// lockRetry is how long to wait before a lock is tried again.
const lockRetry = 50 * time.Millisecond

// lockFile locks a file as bbolt does afterwards, which finds it locked by this process. So the
// file cannot change between the check and the opening. The lock ends when the file is closed. Read
// rights are enough for a shared lock.
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
