package crawler

import (
	"sync"

	"github.com/eventseer/eventseer/webgraph"
)

// doubtful is after how many unreachable domains in a row an unknown name is not believed
// to be gone: the link waits for another try.
const doubtful = 3

// outage counts the registered domains that could not be reached since the last answer of
// any host. It is safe for concurrent use; the zero outage has counted none.
type outage struct {
	mu      sync.Mutex
	domains map[string]bool
}

// answered forgets the failures: the network works.
func (n *outage) answered() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.domains)
}

// failed counts an outcome, if it says that a host could not be reached. Among many such
// it keeps the link: what is gone by an answer of a resolver in trouble is for later.
// With a limit of 0 it does nothing.
func (n *outage) failed(limit int, url string, o *Outcome) {
	switch {
	case limit == 0 || o.Unasked || o.Fate == Refused:
		return
	case o.Fate == Deferred || o.Status != 0 || !o.HostFailed: // its host answered, maybe with a robots.txt
		n.answered()
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.domains == nil {
		n.domains = map[string]bool{}
	}
	n.domains[webgraph.RegisteredDomain(webgraph.HostOf(url))] = true
	if len(n.domains) >= doubtful && o.Fate == Gone {
		o.Fate = TryLater
	}
}

// isLikely reports whether as many domains could not be reached as limit says.
func (n *outage) isLikely(limit int) bool {
	if limit == 0 {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.domains) >= limit
}
