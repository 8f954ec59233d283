package ui

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

// Limits of the page cache.
const (
	cacheBytes    = 32 << 20
	maxCachedPage = 1 << 20
	maxCachedURL  = 2048
	minGzip       = 1024             // shorter answers are not compressed
	maxRender     = 20 * time.Second // of a page that several visitors wait for
	maxRenders    = 16               // under way at once; more wait, and go if their visitor does
)

// A pageCache keeps rendered answers of anonymous visitors: by URL, as long as the store
// is at one revision and the minute lasts. Whoever asks for what is being rendered waits
// for it. It is safe for concurrent use.
type pageCache struct {
	mu      sync.Mutex // guards all below
	pages   map[string]*list.Element
	order   *list.List // of *cachedPage, latest used first
	bytes   int
	max     int
	flights map[string]*flight

	renders chan struct{} // one place for each page being rendered
}

// An epoch is how long a page is good.
type epoch struct {
	revision uint64
	minute   int64
}

// A flight is a page being rendered.
type flight struct {
	epoch epoch
	done  chan struct{}
	page  *cachedPage // nil where the answer is not to be kept
	left  bool        // whoever was to render it went away before
}

// wait returns the page once it has landed; again says that somebody else must render it.
func (f *flight) wait(ctx context.Context) (page *cachedPage, again bool) {
	select {
	case <-f.done:
		return f.page, f.left
	case <-ctx.Done():
		return nil, false
	}
}

// A cachedPage is an answer with status 200.
type cachedPage struct {
	key    string
	epoch  epoch
	header http.Header // shared: never changed
	tag    string
	body   []byte
	length []string

	zip       sync.Once
	zipped    []byte // nil where it is not shorter
	zipLength []string
}

// size bounds the memory of a page, its compressed form included.
func (p *cachedPage) size() int { return 2*len(p.body) + len(p.key) + 1024 }

func newPageCache(maxBytes int) *pageCache {
	return &pageCache{
		pages: map[string]*list.Element{}, order: list.New(), max: maxBytes, flights: map[string]*flight{},
		renders: make(chan struct{}, maxRenders),
	}
}

// look returns the page of a key, or the flight that brings it, or a new flight with
// lead set: whoever gets that one renders and calls land.
func (c *pageCache) look(key string, now epoch) (page *cachedPage, f *flight, lead bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if e, ok := c.pages[key]; ok {
		if p := e.Value.(*cachedPage); p.epoch == now {
			c.order.MoveToFront(e)
			return p, nil, false
		}
	}
	if f, ok := c.flights[key]; ok && f.epoch == now {
		return nil, f, false
	}
	f = &flight{epoch: now, done: make(chan struct{})}
	c.flights[key] = f
	return nil, f, true
}

// land ends a flight with its page, nil of none.
func (c *pageCache) land(key string, f *flight, page *cachedPage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f.page = page
	close(f.done)
	if c.flights[key] == f {
		delete(c.flights, key)
	}
	if page == nil || page.size() > c.max {
		return
	}
	c.remove(key)
	c.pages[key] = c.order.PushFront(page)
	for c.bytes += page.size(); c.bytes > c.max; {
		c.remove(c.order.Back().Value.(*cachedPage).key)
	}
}

// remove forgets a page; mu is held.
func (c *pageCache) remove(key string) {
	if e, ok := c.pages[key]; ok {
		delete(c.pages, key)
		c.bytes -= c.order.Remove(e).(*cachedPage).size()
	}
}

// cached answers from the cache where next would answer the same.
func (s *server) cached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.isPublic(r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		w.Header()["Vary"] = s.vary
		if !s.isAnonymous(r) {
			next.ServeHTTP(w, r)
			return
		}
		key := s.cacheKey(r)
		page, f, lead := s.cache.look(key, s.epoch())
		for page == nil && !lead {
			var again bool
			if page, again = f.wait(r.Context()); !again {
				break
			}
			page, f, lead = s.cache.look(key, s.epoch())
		}
		if lead {
			page = s.fill(next, w, r, key, f)
			if page == nil {
				return // answered
			}
		} else if page == nil {
			next.ServeHTTP(w, r)
			return
		}
		page.serve(w, r)
	})
}

// fill renders a page and lands its flight. An answer that is not to be kept it sends
// itself and returns nil.
func (s *server) fill(next http.Handler, w http.ResponseWriter, r *http.Request, key string, f *flight) (page *cachedPage) {
	defer func() { s.cache.land(key, f, page) }() // also when a handler panics
	select {
	case s.cache.renders <- struct{}{}:
		defer func() { <-s.cache.renders }()
	case <-r.Context().Done():
		f.left = true
		return nil // nobody is there to be answered
	}
	// The page is everybody's who waits: it is rendered although the first may leave.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), maxRender)
	defer cancel()
	plain := r.Clone(ctx)
	plain.Method = http.MethodGet
	for _, name := range []string{"If-None-Match", "If-Modified-Since", "If-Match", "If-Unmodified-Since", "Range", "If-Range"} {
		plain.Header.Del(name)
	}
	rec := &recorder{header: w.Header().Clone()}
	next.ServeHTTP(rec, plain)
	if page = rec.page(key, f.epoch); page != nil {
		return page
	}
	for name, values := range rec.header {
		w.Header()[name] = values
	}
	if rec.status != 0 {
		w.WriteHeader(rec.status)
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(rec.body.Bytes()) // a visitor who has left is no error of ours
	}
	return nil
}

// A recorder takes down an answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (rec *recorder) Header() http.Header { return rec.header }

func (rec *recorder) WriteHeader(status int) {
	if rec.status == 0 {
		rec.status = status
	}
}

func (rec *recorder) Write(b []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	return rec.body.Write(b)
}

// page returns what may be kept of the answer: nil unless it is good, everybody's, and
// not too long.
func (rec *recorder) page(key string, now epoch) *cachedPage {
	control := rec.header.Get("Cache-Control")
	if rec.status != http.StatusOK || rec.body.Len() > maxCachedPage || rec.header.Get("Set-Cookie") != "" ||
		!strings.Contains(control, "public") || strings.Contains(control, "no-store") {
		return nil
	}
	p := &cachedPage{key: key, epoch: now, header: rec.header, tag: rec.header.Get("ETag"), body: bytes.Clone(rec.body.Bytes())}
	if p.tag == "" {
		p.tag = weakTag(p.body)
		p.header.Set("ETag", p.tag)
	}
	p.length = []string{strconv.Itoa(len(p.body))}
	return p
}

// serve sends the page.
func (p *cachedPage) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, values := range p.header {
		h[name] = values
	}
	if len(r.Header) > 0 {
		modified, _ := http.ParseTime(h.Get("Last-Modified")) // zero of none
		if unchanged(r, p.tag, modified) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	body, length := p.body, p.length
	if len(p.body) >= minGzip && acceptsGzip(r) {
		p.zip.Do(p.compress)
		if p.zipped != nil {
			body, length = p.zipped, p.zipLength
			h["Content-Encoding"] = gzipEncoding
		}
	}
	h["Content-Length"] = length
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a visitor who has left is no error of ours
	}
}

var gzipEncoding = []string{"gzip"}

func (p *cachedPage) compress() {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(p.body) // to memory
	_ = z.Close()
	if b.Len() < len(p.body) {
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

// epoch is the present one.
func (s *server) epoch() epoch {
	e := epoch{minute: s.Now().Unix() / 60}
	if s.Revision != nil {
		e.revision = s.Revision()
	}
	return e
}

// cacheKey is the URL of a request: with the site's where that is taken from the
// request.
func (s *server) cacheKey(r *http.Request) string {
	if s.Base != "" {
		return r.RequestURI
	}
	return s.siteBase(r) + r.RequestURI
}

// isAnonymous reports whether the answer to a request is everybody's.
func (s *server) isAnonymous(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead || r.RequestURI == "" || len(r.RequestURI) > maxCachedURL {
		return false
	}
	if len(r.Header["Cookie"]) > 0 || len(r.Header["Authorization"]) > 0 {
		return false
	}
	return s.UserHeader == "" || r.Header.Get(s.UserHeader) == ""
}

// publicPaths are pages that are the same for all who are not signed in.
var publicPaths = map[string]bool{
	"/": true, "/search": true, "/new": true, "/changes": true, "/calendar": true, "/timeline": true, "/map": true,
	"/about": true, "/bot": true, "/privacy": true, "/api": true, "/data": true,
	"/sitemap.xml": true, "/opensearch.xml": true, "/robots.txt": true, suggestPath: true,
}

// isPublic reports whether a path is that of a page, a list or a record that all may
// see. Forms are none of them.
func (s *server) isPublic(path string) bool {
	if publicPaths[path] || strings.HasPrefix(path, "/api/v1/") || strings.HasPrefix(path, "/sitemap/") {
		return true
	}
	if rest, ok := strings.CutPrefix(path, "/e/"); ok {
		id, page, _ := strings.Cut(rest, "/")
		return id != "" && (page == "" || page == "history")
	}
	if rest, ok := strings.CutPrefix(path, "/s/"); ok {
		return !strings.Contains(rest, "/")
	}
	base, format := s.cutEnding(path)
	return format != nil && publicPaths[base] || base == closingPath
}
