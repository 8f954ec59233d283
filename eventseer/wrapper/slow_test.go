//go:build !race

package wrapper

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

// Learning a page costs at most a small multiple of an ordinary list of its size. So does learning it again. The
// race detector doubles the multiples of nested pages, and the test has no goroutines.
func TestSlowPagesAreLearnedInTime(t *testing.T) {
	const elements = 30_000
	learn := func(html string) (w *Wrapper) {
		w = New("", "")
		tree := wrappertest.ParsePage(t, "a", html)
		w.Add(tree)
		w.Add(tree)
		return w
	}
	plain := tagtreetest.PlainList(elements)
	base := func() { learn(plain) }
	usual := tagtreetest.CPU(t, base)
	pages := tagtreetest.SlowPages(elements)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		most := 4.0
		if strings.Contains(name, "siblings") { // they take 0.4 to 0.8 times a list, with a quadratic pass of insert 1.8 and 2.2
			most = 1.5
		}
		var w *Wrapper
		ratio := tagtreetest.CPURatio(t, most, usual, base, func() { w = learn(pages[name]) })
		t.Logf("%s: %.1f times a list; %d left out", name, ratio, w.LeftOut)
		if ratio > most {
			t.Errorf("%s: %.1f times the processor time of a list of that size, at most %v", name, ratio, most)
		}
	}
}
