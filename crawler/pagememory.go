package crawler

import (
	"bytes"
	"context"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/sync/semaphore"
)

// Limits on the memory of parsed pages. A tree needs many times the bytes of its page if it has
// many tags, and all workers may read such pages at once. So the pages read, judged and committed
// at one time may use at most maxPageMemory together; a larger page waits until it is the only one. A
// usual page uses about 100 KB.
const (
	maxPageMemory = 256 << 20 // bytes
	tagMemory     = 600       // bytes of the tree for each "<" of a page
)

// A memoryLimiter limits the memory of the pages that are processed at one time.
type memoryLimiter struct{ free *semaphore.Weighted }

func newMemoryLimiter() memoryLimiter { return memoryLimiter{semaphore.NewWeighted(maxPageMemory)} }

// acquire waits until a page may be read and returns its memory cost, to be released with release. The
// error is ctx's.
func (s memoryLimiter) acquire(ctx context.Context, p *webgraph.Page) (memory int64, err error) {
	memory = min(maxPageMemory, memoryCostOf(p))
	return memory, s.free.Acquire(ctx, memory)
}

// memoryCostOf returns the memory cost of a page. Entries of a list, whose body may be compressed, become
// links in list items.
func memoryCostOf(p *webgraph.Page) int64 {
	memory := 2*int64(len(p.Body)) + tagMemory*int64(bytes.Count(p.Body, []byte("<")))
	for _, e := range p.Entries {
		memory += 2*tagMemory + 2*int64(len(e.URL)+len(e.Title)+len(e.Summary))
	}
	return memory
}

func (s memoryLimiter) release(memory int64) { s.free.Release(memory) }
