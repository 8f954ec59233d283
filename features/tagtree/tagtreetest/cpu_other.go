//go:build !linux

package tagtreetest

import (
	"testing"
	"time"
)

// CPU skips the test: the processor time of a thread is known on Linux only.
func CPU(t testing.TB, _ func()) time.Duration {
	t.Skip("the processor time of a thread is known on Linux only")
	return 0
}

// CPURatio skips the test like CPU.
func CPURatio(t testing.TB, _ float64, _ time.Duration, _, f func()) float64 {
	return float64(CPU(t, f))
}
