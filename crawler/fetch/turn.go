package fetch

import (
	"errors"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// errNoTurn means that a request was not made because its host may not be requested now.
var errNoTurn = errors.New("the host may not be requested now")

// requestPermissions decides which requests a Fetch may make: the first to the host of its URL, then those
// granted; see crawler.Request. Nil grants all.
type requestPermissions struct {
	free webgraph.Host // may be requested once more without a grant; "" after that
	ask  func(webgraph.Host) bool
}

func newRequestPermissions(r crawler.Request) *requestPermissions {
	if r.Turn == nil {
		return nil
	}
	return &requestPermissions{free: webgraph.HostOf(r.URL), ask: r.Turn}
}

// usePermission reports whether a URL may be requested now, and uses up the permission.
func (t *requestPermissions) usePermission(u string) bool {
	if t == nil {
		return true
	}
	host := webgraph.HostOf(u)
	granted := t.ask(host) || host == t.free
	if granted {
		t.free = "" // the two hosts may share a delay
	}
	return granted
}

// pendingRobots are robots.txt files that redirect to another host which may not be requested yet. The
// next request allowed to that host continues one of them; otherwise a busy host would never serve
// them. The request after that is for a page, so that errands cannot use all requests. The zero
// value is ready.
type pendingRobots struct {
	mu      sync.Mutex // guards below
	waiting map[webgraph.Host][]string
	count   int
	ran     map[webgraph.Host]bool // hosts whose last request was for an errand
}

// maxErrands bounds the stored errands. Others are retried from time to time.
const maxErrands = 1000

// addPending records that the robots.txt of an origin waits for a host.
func (e *pendingRobots) addPending(host webgraph.Host, origin string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.count >= maxErrands || slices.Contains(e.waiting[host], origin) {
		return
	}
	if e.waiting == nil {
		e.waiting, e.ran = map[webgraph.Host][]string{}, map[webgraph.Host]bool{}
	}
	e.waiting[host] = append(e.waiting[host], origin)
	e.count++
}

// removeOldest removes and returns the origin that has waited longest for a host. It returns "" if
// none waits, and at every second call.
func (e *pendingRobots) removeOldest(host webgraph.Host) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	waiting := e.waiting[host]
	if e.ran[host] || len(waiting) == 0 {
		delete(e.ran, host)
		return ""
	}
	if len(e.ran) >= maxErrands {
		clear(e.ran)
	}
	e.ran[host] = true
	e.count--
	if len(waiting) == 1 {
		delete(e.waiting, host)
	} else {
		e.waiting[host] = waiting[1:]
	}
	return waiting[0]
}
