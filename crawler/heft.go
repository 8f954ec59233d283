package crawler

import (
	"bytes"
	"context"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/sync/semaphore"
)

// A tree takes many times the bytes of its page if tags stand close together, and all workers may
// meet such pages at once. So the pages that are read, judged and committed at one time weigh at
// most maxHeft together; one that weighs more waits until it is alone. A usual page weighs some 100
// KB.
const (
	maxHeft = 256 << 20 // bytes
	tagHeft = 600       // bytes of a tree for each "<" of a page
)

// A scale lets pages be read as long as all that are weigh little enough.
type scale struct{ free *semaphore.Weighted }

func newScale() scale { return scale{semaphore.NewWeighted(maxHeft)} }

// acquire waits until a page may be read, and returns its weight for give. The error
// is ctx's.
func (s scale) acquire(ctx context.Context, p *webgraph.Page) (heft int64, err error) {
	heft = min(maxHeft, heftOf(p))
	return heft, s.free.Acquire(ctx, heft)
}

// heftOf returns the memory cost of a page. Each entry of a list, whose body may be packed, makes a
// link in an item of a list.
func heftOf(p *webgraph.Page) int64 {
	heft := 2*int64(len(p.Body)) + tagHeft*int64(bytes.Count(p.Body, []byte("<")))
	for _, e := range p.Entries {
		heft += 2*tagHeft + 2*int64(len(e.URL)+len(e.Title)+len(e.Summary))
	}
	return heft
}

func (s scale) release(heft int64) { s.free.Release(heft) }
