//go:build measure

package ui

import (
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/internal/browsertest"
)

// TestLargestPaint measures how long pages take to show their largest part on slow 4G. It prints the
// median of five loads of each, with nothing in the cache, on a phone and a desktop.
func TestLargestPaint(t *testing.T) {
	o, _ := realWorld(t, 300)
	b := openBrowser(t, newUI(o))
	b.SlowNetwork()
	for _, l := range []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopLight} {
		for _, path := range []string{"/", "/search?q=learning", "/e/icx-2027"} {
			var took []time.Duration
			for range 5 {
				openAs(b, path, l)
				took = append(took, b.LargestPaint())
			}
			slices.Sort(took)
			t.Logf("%-20s %-14s %4d ms (%d to %d)", path, l.Name, took[2].Milliseconds(), took[0].Milliseconds(), took[4].Milliseconds())
			if took[2] > time.Second {
				t.Errorf("%s on a %s takes %s, want at most 1 s", path, l.Name, took[2])
			}
		}
	}
}
