package worker

import (
	"testing"
	"testing/synctest"
	"time"
)

// growing is the length of an outbox each time it is looked at, at last the last number.
func growing(lengths []int) func() int {
	return func() int {
		n := lengths[0]
		if len(lengths) > 1 {
			lengths = lengths[1:]
		}
		return n
	}
}

// Links wait for others as long as others come, but not for long, and not once there are
// enough.
func TestGather(t *testing.T) {
	var steady []int
	for n := range 400 {
		steady = append(steady, n+1)
	}
	for name, c := range map[string]struct {
		parts   int
		lengths []int
		waits   time.Duration
	}{
		"nothing":        {1, []int{0}, 0},
		"one link":       {1, []int{1}, linger},
		"some more":      {1, []int{1, 2, 5}, 3 * linger},
		"steady":         {1, steady, leastLinger},
		"steady to many": {1024, steady, 32*time.Second + 800*time.Millisecond},
		"many at once":   {1, []int{perPart}, 0},
		"many soon":      {1, []int{1, perPart}, linger},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			if err := waitForLinks(t.Context(), growing(c.lengths), c.parts); err != nil || time.Since(begun) != c.waits {
				t.Errorf("%s: %v after %v, want %v", name, err, time.Since(begun), c.waits)
			}
		})
	}
}
