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

// CPURatio returns the processor time of f as a multiple of usual, that of base. If the multiple is more than most, it
// measures both again, at most twice, and returns the least multiple: work of other processes that fills the caches
// between two measurements slows down only one of them.
func CPURatio(t testing.TB, most float64, usual time.Duration, base, f func()) float64 {
	t.Helper()
	ratio := float64(CPU(t, f)) / float64(usual)
	for tries := 0; ratio > most && tries < 2; tries++ {
		usual = CPU(t, base)
		ratio = min(ratio, float64(CPU(t, f))/float64(usual))
	}
	return ratio
}
