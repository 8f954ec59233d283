package ui

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Limits of how often one client may ask the API and for calendars, feeds and files.
const (
	requestsASecond = 5
	requestsAtOnce  = 60
	maxClients      = 10_000 // remembered at a time
)

// A limiter bounds the requests of each client. Of more clients than it remembers the
// one that has been silent longest is forgotten. It is safe for concurrent use.
type limiter struct {
	rate  rate.Limit // of each client
	burst int

	mu      sync.Mutex
	clients map[netip.Addr]*list.Element // of *limitedClient; mu guards both
	order   *list.List                   // latest first
	max     int
}

// A limitedClient is one with what it has left.
type limitedClient struct {
	address netip.Addr
	bucket  *rate.Limiter
}

// newLimiter allows each client burst requests at once and r a second in the long run.
func newLimiter(r rate.Limit, burst int) *limiter {
	return &limiter{clients: map[netip.Addr]*list.Element{}, order: list.New(), max: maxClients, rate: r, burst: burst}
}

// network is what counts as one client: an IPv4 address, or the /64 that is commonly
// given to one IPv6 subscriber.
func network(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// wait returns 0 if a may ask now, else how long it should wait.
func (l *limiter) wait(a netip.Addr, now time.Time) time.Duration {
	r := l.bucket(network(a)).ReserveN(now, 1)
	d := r.DelayFrom(now)
	if d > 0 {
		r.CancelAt(now)
	}
	return d
}

func (l *limiter) bucket(a netip.Addr) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.clients[a]; ok {
		l.order.MoveToFront(known)
		return known.Value.(*limitedClient).bucket
	}
	if l.order.Len() >= l.max {
		oldest := l.order.Back()
		delete(l.clients, l.order.Remove(oldest).(*limitedClient).address)
	}
	c := &limitedClient{a, rate.NewLimiter(l.rate, l.burst)}
	l.clients[a] = l.order.PushFront(c)
	return c.bucket
}
