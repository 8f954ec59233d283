package crawler

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A committer lingers until half of the workers wait, until no other page can come, or until its
// patience ends.
func TestCommitterWaitsForBatch(t *testing.T) {
	tests := []struct {
		name           string
		workers, began int
		joined, later  int // before it lingers, and one after the other a millisecond apart
		want           time.Duration
	}{
		{"one worker", 1, 1, 1, 0, 0},
		{"nobody is on the way", 8, 2, 2, 0, 0},
		{"half wait", 8, 8, 4, 0, 0},
		{"half wait in time", 8, 8, 1, 7, 3 * time.Millisecond},
		{"the others end", 8, 3, 1, 2, 2 * time.Millisecond},
		{"nobody comes", 8, 8, 1, 0, maxLinger},
		{"too few come", 64, 64, 1, 3, maxLinger},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newCommitter(tt.workers)
				for range tt.began {
					q.countInProgress()
				}
				for range tt.joined {
					q.addPending(&pendingCommit{})
				}
				var others sync.WaitGroup
				defer others.Wait()
				others.Go(func() {
					for range tt.later {
						time.Sleep(time.Millisecond)
						q.addPending(&pendingCommit{})
					}
				})
				start := time.Now()
				q.waitForBatch()
				if got := time.Since(start); got != tt.want {
					t.Errorf("lingers %v, want %v", got, tt.want)
				}
			})
		})
	}
}
