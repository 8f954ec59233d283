package web

import (
	"bytes"
	"compress/gzip"
	"container/list"
	"context"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"
)

const CacheBytes = 32 << 20

const MaxCachedPage = 1 << 20

const MaxCachedURL = 2048

const minGzip = 1024 // shorter responses are not compressed

const MaxRender = 20 * time.Second // time limit for a page awaited by several visitors

const MaxRenders = 16 // maximum number at once; others wait until their visitor leaves

// A PageCache stores responses for anonymous visitors by URL, until the store changes or the minute
// ends. A request for a page that is being rendered waits for it. It is safe for concurrent use.
type PageCache struct {
	mu      sync.Mutex // guards all below
	Pages   map[string]*list.Element
	Order   *list.List // of *cachedPage, most recently used first
	Bytes   int
	Max     int
	Flights map[string]*PendingPage

	Renders chan struct{} // one slot for each page being rendered
}

// A CacheEpoch is how long a page is good.
type CacheEpoch struct {
	Revision uint64
	Minute   int64
}

// A PendingPage is a page being rendered.
type PendingPage struct {
	Epoch CacheEpoch
	done  chan struct{}
	page  *CachedPage // nil if the response may not be cached
	Left  bool        // the request that was to render it was cancelled
}

// WaitRendered returns the page once it is rendered; again means that this request must render it.
func (f *PendingPage) WaitRendered(ctx context.Context) (page *CachedPage, again bool) {
	select {
	case <-f.done:
		return f.page, f.Left
	case <-ctx.Done():
		return nil, false
	}
}

// A CachedPage is an answer with status 200.
type CachedPage struct {
	Key    string
	epoch  CacheEpoch
	header http.Header // shared: never changed
	tag    string
	Body   []byte
	length []string

	zip       sync.Once
	zipped    []byte // nil if it is not shorter
	zipLength []string
}

// size returns an upper bound of the memory of a page with its compressed form.
func (p *CachedPage) size() int { return 2*len(p.Body) + len(p.Key) + 1024 }

func NewPageCache(maxBytes int) *PageCache {
	return &PageCache{
		Pages: map[string]*list.Element{}, Order: list.New(), Max: maxBytes, Flights: map[string]*PendingPage{},
		Renders: make(chan struct{}, MaxRenders),
	}
}

// Lookup returns the page of a key, or the flight that renders it, or a new flight with lead set. A
// caller with lead renders the page and calls Land.
func (c *PageCache) Lookup(key string, now CacheEpoch) (page *CachedPage, f *PendingPage, lead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.Pages[key]; ok {
		if p := e.Value.(*CachedPage); p.epoch == now {
			c.Order.MoveToFront(e)
			return p, nil, false
		}
	}
	if f, ok := c.Flights[key]; ok && f.Epoch == now {
		return nil, f, false
	}
	f = &PendingPage{Epoch: now, done: make(chan struct{})}
	c.Flights[key] = f
	return nil, f, true
}

// Finish ends a flight with its page, or nil.
func (c *PageCache) Finish(key string, f *PendingPage, page *CachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.page = page
	close(f.done)
	if c.Flights[key] == f {
		delete(c.Flights, key)
	}
	if page == nil || page.size() > c.Max {
		return
	}
	c.remove(key)
	c.Pages[key] = c.Order.PushFront(page)
	for c.Bytes += page.size(); c.Bytes > c.Max; {
		c.remove(c.Order.Back().Value.(*CachedPage).Key)
	}
}

// remove removes a page; mu must be held.
func (c *PageCache) remove(key string) {
	if e, ok := c.Pages[key]; ok {
		delete(c.Pages, key)
		c.Bytes -= c.Order.Remove(e).(*CachedPage).size()
	}
}

// A Recorder is a response writer that stores the response.
type Recorder struct {
	Kept   http.Header
	Status int
	Body   bytes.Buffer
}

func (rec *Recorder) Header() http.Header { return rec.Kept }

func (rec *Recorder) WriteHeader(status int) {
	if rec.Status == 0 {
		rec.Status = status
	}
}

func (rec *Recorder) Write(b []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	return rec.Body.Write(b)
}

// CacheablePage returns the cacheable page of the response: nil unless it succeeded, is public and not too
// long.
func (rec *Recorder) CacheablePage(key string, now CacheEpoch) *CachedPage {
	control := rec.Kept.Get("Cache-Control")
	if rec.Status != http.StatusOK || rec.Body.Len() > MaxCachedPage || rec.Kept.Get("Set-Cookie") != "" ||
		!strings.Contains(control, "public") || strings.Contains(control, "no-store") {
		return nil
	}
	p := &CachedPage{Key: key, epoch: now, header: rec.Kept, tag: rec.Kept.Get("ETag"), Body: bytes.Clone(rec.Body.Bytes())}
	if p.tag == "" {
		p.tag = WeakTag(p.Body)
		p.header.Set("ETag", p.tag)
	}
	p.length = []string{strconv.Itoa(len(p.Body))}
	return p
}

// Send sends the page.
func (p *CachedPage) Send(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	if len(r.Header) > 0 {
		modified, _ := http.ParseTime(h.Get("Last-Modified")) // zero if unknown
		if isUnchanged(r, p.tag, modified) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body, length := p.Body, p.length
	if len(p.Body) >= minGzip && acceptsGzip(r) {
		p.zip.Do(p.compress)
		if p.zipped != nil {
			body, length = p.zipped, p.zipLength
			h["Content-Encoding"] = gzipEncoding
		}
	}
	h["Content-Length"] = length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a visitor who has left is not an error
	}
}

var gzipEncoding = []string{"gzip"}

func (p *CachedPage) compress() {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(p.Body) // to memory
	_ = z.Close()
	if b.Len() < len(p.Body) {
		p.zipped, p.zipLength = bytes.Clone(b.Bytes()), []string{strconv.Itoa(b.Len())}
	}
}

// acceptsGzip reads Accept-Encoding; "gzip;q=0" refuses.
func acceptsGzip(r *http.Request) bool {
	for part := range strings.SplitSeq(r.Header.Get("Accept-Encoding"), ",") {
		name, weight, _ := strings.Cut(part, ";")
		if name = strings.TrimSpace(name); name != "gzip" && name != "*" {
			continue
		}
		q, found := strings.CutPrefix(strings.ReplaceAll(weight, " ", ""), "q=")
		if n, err := strconv.ParseFloat(q, 64); !found || err != nil || n > 0 {
			return true
		}
	}
	return false
}
