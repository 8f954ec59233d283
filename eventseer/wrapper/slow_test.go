package wrapper

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

// Learning a page costs at most a small multiple of an ordinary list of its size. So does learning it again.
func TestSlowPagesAreLearnedInTime(t *testing.T) {
	const elements, most = 30_000, 4
	learn := func(html string) (w *Wrapper) {
		w = New("", "")
		tree := wrappertest.ParsePage(t, "a", html)
		w.Add(tree)
		w.Add(tree)
		return w
	}
	plain := tagtreetest.PlainList(elements)
	usual := tagtreetest.CPU(t, func() { learn(plain) })
	pages := tagtreetest.SlowPages(elements)
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		var w *Wrapper
		took := tagtreetest.CPU(t, func() { w = learn(pages[name]) })
		t.Logf("%s: %v, %.1f times a list; %d left out", name, took, float64(took)/float64(usual), w.LeftOut)
		limit := most * usual
		if strings.Contains(name, "siblings") { // they take 0.4 to 0.8 times a list, with a quadratic pass of insert 1.8 and 2.2
			limit = usual * 3 / 2
		}
		if took > limit {
			t.Errorf("%s: %v of processor time, at most %v; a list of that size takes %v", name, took, limit, usual)
		}
	}
}
