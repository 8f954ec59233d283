package worker

import (
	"testing"
	"testing/synctest"
	"time"

	"eventseer/crawler/cluster"
)

// A growing outbox has so many links each time it is looked at, at last the last number.
type growing struct {
	cluster.Local
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
			w := &Worker{o: Options{Local: &growing{lengths: c.lengths}}, conf: cluster.Conf{Partitions: c.parts}}
			begun := time.Now()
			if err := w.gather(t.Context()); err != nil || time.Since(begun) != c.waits {
				t.Errorf("%s: %v after %v, want %v", name, err, time.Since(begun), c.waits)
			}
		})
	}
}
