package web

import (
	"container/list"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// Rate limits of one client for the API and for calendars, feeds and files.
const (
	RequestsASecond = 5
	RequestsAtOnce  = 60
	maxClients      = 10_000 // remembered at a time
)

// A Limiter limits the requests of each client. If there are too many clients, the one that has
// been inactive longest is removed. It is safe for concurrent use.
type Limiter struct {
	rate  rate.Limit // of each client
	burst int

	mu      sync.Mutex
	Clients map[netip.Addr]*list.Element // of *limitedClient; mu guards both
	Order   *list.List                   // latest first
	Max     int
}

// A limitedClient is a client with its remaining requests.
type limitedClient struct {
	address netip.Addr
	bucket  *rate.Limiter
}

// NewLimiter allows each client burst requests at once and r a second in the long run.
func NewLimiter(r rate.Limit, burst int) *Limiter {
	return &Limiter{Clients: map[netip.Addr]*list.Element{}, Order: list.New(), Max: maxClients, rate: r, burst: burst}
}

// ClientNetwork returns the unit that counts as one client: an IPv4 address, or the /64 commonly assigned
// to one IPv6 subscriber.
func ClientNetwork(a netip.Addr) netip.Addr {
	if a.Is6() {
		if p, err := a.Prefix(64); err == nil {
			return p.Addr()
		}
	}
	return a
}

// WaitTime returns 0 if a may send a request now, otherwise how long it should wait.
func (l *Limiter) WaitTime(a netip.Addr, now time.Time) time.Duration {
	r := l.Bucket(ClientNetwork(a)).ReserveN(now, 1)
	d := r.DelayFrom(now)
	if d > 0 {
		r.CancelAt(now)
	}
	return d
}

func (l *Limiter) Bucket(a netip.Addr) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, ok := l.Clients[a]; ok {
		l.Order.MoveToFront(known)
		return known.Value.(*limitedClient).bucket
	}
	if l.Order.Len() >= l.Max {
		oldest := l.Order.Back()
		delete(l.Clients, l.Order.Remove(oldest).(*limitedClient).address)
	}
	c := &limitedClient{a, rate.NewLimiter(l.rate, l.burst)}
	l.Clients[a] = l.Order.PushFront(c)
	return c.bucket
}
