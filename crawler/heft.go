package crawler

import (
	"bytes"
	"context"

	"golang.org/x/sync/semaphore"
)

// A tree takes up many times the bytes of its page where tags stand close
// together, and all workers may meet such pages at once. So the pages that are
// read, judged and committed at one time weigh at most maxHeft together; one
// that weighs more waits until it is alone. A usual page weighs some 100 KB.
const (
	maxHeft = 256 << 20 // bytes
	tagHeft = 600       // bytes of a tree for each "<" of a page
)

// A scale lets pages be read as long as all that are weigh little enough.
type scale struct{ free *semaphore.Weighted }

func newScale() scale { return scale{semaphore.NewWeighted(maxHeft)} }

// take waits until a page of this body may be read, and returns its weight for
// give. The error is ctx's.
func (s scale) take(ctx context.Context, body []byte) (heft int64, err error) {
	heft = min(maxHeft, 2*int64(len(body))+tagHeft*int64(bytes.Count(body, []byte("<"))))
	return heft, s.free.Acquire(ctx, heft)
}

func (s scale) give(heft int64) { s.free.Release(heft) }
