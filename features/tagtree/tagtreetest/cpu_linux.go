package tagtreetest

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time that f takes on its own thread. Other work of the machine and of
// the process does not change it, unlike the time on a clock. It is exact to the microsecond, while
// getrusage(2) counts in steps of 4 ms on many kernels.
func CPU(t testing.TB, f func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var u unix.Timespec
		if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Nano())
	}
	began := now()
	f()
	return now() - began
}
