package ui

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
)

// countedIndex counts what an index is asked, and waits for gate if it is not nil.
type countedIndex struct {
	*world
	asked atomic.Int64
	gate  chan struct{}
	err   error
}

func (c *countedIndex) Find(ctx context.Context, q eventseer.Query) (eventseer.Found, error) {
	c.asked.Add(1)
	if c.gate != nil {
		<-c.gate
	}
	found := eventseer.Found{Total: len(c.events)}
	for _, e := range c.events[:min(q.Limit, len(c.events))] {
		found.Hits = append(found.Hits, eventseer.Hit{ID: e.ID})
	}
	return found, errors.Join(c.err, ctx.Err())
}

func TestCache(t *testing.T) {
	c := &countedIndex{world: fullWorld()}
	clock, revision := now, uint64(1)
	h := newUI(Options{Store: c, Index: c, Now: func() time.Time { return clock }, Revision: func() uint64 { return revision }, UserHeader: "X-User"})
	asked := func(why string, want int64, path string, headers ...string) {
		t.Helper()
		before := c.asked.Load()
		w := ask(t, h, path, headers...)
		if got := c.asked.Load() - before; got != want {
			t.Errorf("%s: the index was asked %d times, want %d (%d)", why, got, want, w.Code)
		}
		if got := w.Header().Get("Vary"); got != "Accept-Encoding, Cookie, X-User" {
			t.Errorf("%s: Vary = %q", why, got)
		}
	}
	asked("first", 1, "/")
	asked("again", 0, "/")
	asked("another search", 1, "/search?q=x")
	asked("a visitor in a time zone", 1, "/", "Cookie", "tz=Europe/Oslo")
	asked("again", 0, "/", "Cookie", "tz=Europe/Oslo")
	asked("in one that the browser told", 1, "/", "Cookie", "tz=~Europe/Oslo")
	asked("a zone that is none", 0, "/", "Cookie", "tz=Nowhere/City")
	for _, cookies := range []string{"session=x", "tz=Europe/Oslo; session=x", "session"} {
		asked("a visitor with a cookie", 1, "/", "Cookie", cookies)
		asked("again", 1, "/", "Cookie", cookies)
	}
	asked("a visitor with a password", 1, "/", "Authorization", "Basic eA==")
	asked("a visitor whom a proxy names", 1, "/", "X-User", "eve")
	asked("still there", 0, "/")
	revision++
	asked("the store changed", 1, "/")
	asked("again", 0, "/")
	clock = clock.Add(time.Minute)
	asked("a minute later", 1, "/")
	asked("again", 0, "/")
	asked("an URL that is too long", 1, "/search?q="+strings.Repeat("x", web.MaxCachedURL))
	asked("again", 1, "/search?q="+strings.Repeat("x", web.MaxCachedURL))
	c.err = errors.New("disk on fire")
	asked("an error", 1, "/search?q=y")
	asked("is not kept", 1, "/search?q=y")
}

func TestCacheAnswers(t *testing.T) {
	h := fullWorld().handler()
	plain := ask(t, h, "/")
	again := ask(t, h, "/")
	if !bytes.Equal(plain.Body.Bytes(), again.Body.Bytes()) || plain.Code != 200 {
		t.Error("the page from the cache is another")
	}
	for name := range plain.Header() {
		if a, b := plain.Header().Get(name), again.Header().Get(name); a != b {
			t.Errorf("%s = %q, then %q", name, a, b)
		}
	}
	if again.Header().Get("Content-Security-Policy") != web.Policy {
		t.Error("the policy is gone")
	}
	zipped := ask(t, h, "/", "Accept-Encoding", "br, gzip;q=0.8")
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	if body, err := io.ReadAll(z); err != nil || !bytes.Equal(body, plain.Body.Bytes()) {
		t.Errorf("unzipped: %v", err)
	}
	if zipped.Header().Get("Content-Encoding") != "gzip" || ask(t, h, "/", "Accept-Encoding", "gzip;q=0").Header().Get("Content-Encoding") != "" {
		t.Error("encodings do not fit what was asked for")
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodHead, "/", nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("Content-Length") != itoa(plain.Body.Len()) {
		t.Errorf("HEAD: %d, %d bytes, %v", w.Code, w.Body.Len(), w.Header())
	}
	tag := plain.Header().Get("ETag")
	if w := ask(t, h, "/", "If-None-Match", `"x", `+tag); w.Code != http.StatusNotModified || w.Body.Len() > 0 || w.Header().Get("ETag") != tag {
		t.Errorf("If-None-Match: %d, %v", w.Code, w.Header())
	}
	if w := ask(t, h, "/", "If-None-Match", `"x"`); w.Code != 200 {
		t.Errorf("another tag: %d", w.Code)
	}
}

// TestCacheWaits makes many requests for one page at once: it is rendered once.
func TestCacheWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &countedIndex{world: fullWorld(), gate: make(chan struct{})}
		h := newUI(Options{Store: c, Index: c, Now: func() time.Time { return now }})
		var visitors sync.WaitGroup
		for range 20 {
			visitors.Go(func() {
				if w := ask(t, h, "/"); w.Code != 200 || !strings.Contains(w.Body.String(), "ICX 2027") {
					t.Errorf("a visitor who waited got %d", w.Code)
				}
			})
		}
		synctest.Wait()
		close(c.gate)
		visitors.Wait()
		if n := c.asked.Load(); n != 1 {
			t.Errorf("rendered %d times", n)
		}
	})
}

// TestRendersAreBounded requests many pages at once, of which a few are rendered at a time.
// Visitors who leave before their turn cost nothing, and those who wait for the same page get it.
func TestRendersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &countedIndex{world: fullWorld(), gate: make(chan struct{})}
		h := newUI(Options{Store: c, Index: c, Now: func() time.Time { return now }})
		ctx, leave := context.WithCancel(t.Context())
		var crowd, patient sync.WaitGroup
		come := func(of *sync.WaitGroup, ctx context.Context, path string) {
			of.Go(func() {
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil))
				if ctx.Err() == nil && (w.Code != 200 || !strings.Contains(w.Body.String(), "ICX 2027")) {
					t.Errorf("GET %s = %d", path, w.Code)
				}
			})
			synctest.Wait()
		}
		for i := range 10 * web.MaxRenders {
			come(&crowd, ctx, fmt.Sprintf("/search?q=x%d", i))
		}
		if n := c.asked.Load(); n != web.MaxRenders {
			t.Errorf("%d pages are rendered at once, want %d", n, web.MaxRenders)
		}
		last := fmt.Sprintf("/search?q=x%d", 10*web.MaxRenders-1)
		come(&patient, t.Context(), last)
		come(&patient, t.Context(), last)
		leave()
		synctest.Wait()
		close(c.gate)
		crowd.Wait()
		patient.Wait()
		if n := c.asked.Load(); n != web.MaxRenders+1 {
			t.Errorf("rendered %d times, want %d", n, web.MaxRenders+1)
		}
	})
}

// TestCacheBounds keeps to the bytes it may hold, the latest used first.
func TestCacheBounds(t *testing.T) {
	c := web.NewPageCache(100_000)
	land := func(key string, n int) {
		_, f, lead := c.Lookup(key, web.CacheEpoch{})
		if !lead {
			t.Fatalf("%s is there", key)
		}
		c.Finish(key, f, &web.CachedPage{Key: key, Body: make([]byte, n)})
	}
	for i := range 100 {
		land("/"+itoa(i), 10_000)
		if c.Bytes > c.Max || len(c.Pages) != c.Order.Len() {
			t.Fatalf("%d bytes of %d pages, %d in order", c.Bytes, len(c.Pages), c.Order.Len())
		}
		if p, _, _ := c.Lookup("/0", web.CacheEpoch{}); i < 90 && p == nil {
			t.Fatalf("/0 was forgotten after %d others although it is used", i)
		}
	}
	land("/large", 60_000)
	if p, _, _ := c.Lookup("/large", web.CacheEpoch{}); p != nil {
		t.Error("a page larger than all is kept")
	}
	if len(c.Flights) != 1 { // that of the last look
		t.Errorf("%d flights are left", len(c.Flights))
	}
}

// TestPersonalIsNotKept compares the cache with the responses that a handler may give.
func TestPersonalIsNotKept(t *testing.T) {
	for name, answer := range map[string]func(http.ResponseWriter){
		"sets a cookie": func(w http.ResponseWriter) {
			http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
			web.Write(w, 0, []byte("x"))
		},
		"private": func(w http.ResponseWriter) { w.Header().Set("Cache-Control", "private"); web.Write(w, 0, []byte("x")) },
		"no-store": func(w http.ResponseWriter) {
			w.Header().Set("Cache-Control", "public, no-store")
			web.Write(w, 0, []byte("x"))
		},
		"an error": func(w http.ResponseWriter) { web.Write(w, 404, []byte("x")) },
		"redirect": func(w http.ResponseWriter) { w.WriteHeader(http.StatusFound) },
		"too long": func(w http.ResponseWriter) { web.Write(w, 0, make([]byte, web.MaxCachedPage+1)) },
		"nothing":  func(http.ResponseWriter) {},
	} {
		rec := &web.Recorder{Kept: http.Header{}}
		answer(rec)
		if rec.CacheablePage("/", web.CacheEpoch{}) != nil {
			t.Errorf("%s: is kept", name)
		}
	}
	s := &server{Options: Options{}}
	for path, want := range map[string]bool{
		"/": true, "/search": true, "/e/icx-2027": true, "/e/icx-2027/history": true, "/s/icx": true, "/new": true, "/api/v1/events.json": true,
		"/e/icx-2027/report": false, "/e/": false, "/s/icx/x": false, "/signin": false, "/clips": false, "/account": false, "/subscribe": false, "/submit": false,
		"/zone": false, "/d/token": false, "/unsubscribe/token": false, "/admin": false, "/healthz": false, "/readyz": false, "/slice": false, "/data/x.gz": false,
	} {
		if got := s.isPublic(path); got != want {
			t.Errorf("isPublic(%s) = %t", path, got)
		}
	}
}
