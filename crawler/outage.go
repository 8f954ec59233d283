package crawler

import (
	"sync"

	"github.com/eventseer/eventseer/webgraph"
)

// doubtful is a number of unreachable domains in a row. Beyond it an unknown host name counts as a
// temporary failure.
const doubtful = 3

// outage counts the registered domains that could not be reached since the last answer of
// any host. It is safe for concurrent use; the zero outage has counted none.
type outage struct {
	mu      sync.Mutex
	domains map[string]bool
}

// recordResponse resets the count of failures: the network works.
func (n *outage) recordResponse() {
	n.mu.Lock()
	defer n.mu.Unlock()
	clear(n.domains)
}

// recordFailure counts an outcome if the host could not be reached. After many failures in a row it
// changes the outcome to a later attempt, because the resolver itself may have failed. With a limit
// of 0 it does nothing.
func (n *outage) recordFailure(limit int, url string, o *Outcome) {
	switch {
	case limit == 0 || o.Unasked || o.Fate == Refused:
		return
	case o.Fate == Deferred || o.Status != 0 || !o.HostFailed: // the host responded, perhaps with a robots.txt
		n.recordResponse()
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

// isLikely reports whether at least limit domains in a row could not be reached.
func (n *outage) isLikely(limit int) bool {
	if limit == 0 {
		return false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.domains) >= limit
}
