package split

import "testing"

func TestShareAsFolds(t *testing.T) {
	for share, want := range map[float64][2]int{0.2: {5, 1}, 0.25: {4, 1}, 0.3: {10, 3}, 0.5: {2, 1}, 0.1: {10, 1}, 0.15: {20, 3}, 0.01: {20, 1}} {
		if k, held := ShareAsFolds(share); [2]int{k, held} != want {
			t.Errorf("%v is %d of %d folds, want %v", share, held, k, want)
		}
	}
}
