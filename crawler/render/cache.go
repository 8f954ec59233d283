package render

import (
	"container/list"
	"sync"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits on the cached files: sites load the same scripts on every page.
const (
	maxCached      = 200
	maxCachedBytes = 64 << 20
)

// A fileCache stores the files used last. It is safe for concurrent use.
type fileCache struct {
	mu    sync.Mutex // guards below
	files map[string]*list.Element
	used  *list.List // of *webgraph.Page, the last used first
	bytes int
}

func newFileCache() *fileCache {
	return &fileCache{files: map[string]*list.Element{}, used: list.New()}
}

func (c *fileCache) get(url string) *webgraph.Page {
	c.mu.Lock()
	defer c.mu.Unlock()
	el := c.files[url]
	if el == nil {
		return nil
	}
	c.used.MoveToFront(el)
	return el.Value.(*webgraph.Page)
}

func (c *fileCache) put(url string, p *webgraph.Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.files[url] != nil || len(p.Body) > maxCachedBytes/4 {
		return
	}
	file := *p
	file.Requested = url
	c.files[url] = c.used.PushFront(&file)
	c.bytes += len(p.Body)
	for c.used.Len() > maxCached || c.bytes > maxCachedBytes {
		old := c.used.Remove(c.used.Back()).(*webgraph.Page)
		delete(c.files, old.Requested)
		c.bytes -= len(old.Body)
	}
}
