package fetch

import (
	"errors"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// errNoTurn is the reason of a request that was not made since its host may not
// be asked now.
var errNoTurn = errors.New("the host may not be asked now")

// turns says which requests a Fetch may make: the first to the host of its URL,
// then those that are granted; see crawler.Request. Nil grants all.
type turns struct {
	free webgraph.Host // may be asked once more without a grant; "" after that
	ask  func(webgraph.Host) bool
}

func newTurns(r crawler.Request) *turns {
	if r.Turn == nil {
		return nil
	}
	return &turns{free: webgraph.HostOf(r.URL), ask: r.Turn}
}

// takeTurn reports whether a URL may be asked for now, and counts that as done.
func (t *turns) takeTurn(u string) bool {
	if t == nil {
		return true
	}
	host := webgraph.HostOf(u)
	granted := t.ask(host) || host == t.free
	if granted {
		t.free = "" // the two hosts may share a pause
	}
	return granted
}

// errands are robots.txt files of some origins that redirect to another host which had no time. The
// next turn of that host does the errand first, or a host that is always busy would never let them
// be read. The turn after that is for a page, or the errands of many would leave the host none. The
// zero value is ready.
type errands struct {
	mu      sync.Mutex // guards below
	waiting map[webgraph.Host][]string
	count   int
	ran     map[webgraph.Host]bool // hosts whose last turn went to an errand
}

// maxErrands bounds the errands remembered. Those beyond it are not lost: their
// origins ask themselves from time to time.
const maxErrands = 1000

// add remembers that the robots.txt of an origin waits for a host.
func (e *errands) add(host webgraph.Host, origin string) {
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

// takeOrigin removes the origin that has waited longest for a host. It is "" if none
// waits, and every other time.
func (e *errands) takeOrigin(host webgraph.Host) string {
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
