package tagtreetest

import (
	"runtime"
	"syscall"
	"testing"
	"time"
)

// rusageThread is RUSAGE_THREAD of getrusage(2).
const rusageThread = 1

// CPU returns the processor time that f takes on its own thread. Other work of the machine and of
// the process does not change it, unlike the time on a clock.
func CPU(t testing.TB, f func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	now := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(rusageThread, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	began := now()
	f()
	return now() - began
}
