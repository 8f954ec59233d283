package cluster

import (
	"testing"
	"testing/synctest"
	"time"
)

// A growing outbox has so many links each time it is looked at, at last the last number.
type growing struct {
	Local
	lengths []int
}

func (g *growing) OutboxLen() int {
	n := g.lengths[0]
	if len(g.lengths) > 1 {
		g.lengths = g.lengths[1:]
	}
	return n
}

// Links wait for others as long as others come, but not for long, and not once there are
// enough.
func TestGather(t *testing.T) {
	steady := []int{1}
	for n := 2; n < perPart; n++ {
		steady = append(steady, n)
	}
	for name, c := range map[string]struct {
		lengths []int
		waits   time.Duration
	}{
		"nothing":      {[]int{0}, 0},
		"one link":     {[]int{1}, linger},
		"some more":    {[]int{1, 2, 5}, 3 * linger},
		"steady":       {steady, lingers},
		"many at once": {[]int{perPart}, 0},
		"many soon":    {[]int{1, perPart}, linger},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := &Worker{o: WorkerOptions{Local: &growing{lengths: c.lengths}}, conf: Conf{Partitions: 1}}
			begun := time.Now()
			if err := w.gather(t.Context()); err != nil || time.Since(begun) != c.waits {
				t.Errorf("%s: %v after %v, want %v", name, err, time.Since(begun), c.waits)
			}
		})
	}
}
