package fetch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A HostTable decides when hosts may be requested. A frontier implements it, so that other fetches
// share the host delays of a crawl. It is safe for concurrent use.
type HostTable interface {
	// Reserve begins a request to a host if it is allowed now. Otherwise it returns the time to
	// wait before another attempt, more than 0.
	Reserve(host webgraph.Host) (wait time.Duration, ok bool)
	// Release ends a request begun by Reserve and starts the host delay.
	Release(host webgraph.Host, o crawler.Outcome)
}

// A Paced is a Fetcher that obeys host delays outside a crawl: for slices, building graphs and
// checking backlinks. It waits until a HostTable allows a request to the host and records the
// request there. Requests for robots.txt or redirects count too. It is safe for concurrent use.
type Paced struct {
	web   PacingFetcher
	hosts HostTable
}

// A PacingFetcher fetches pages and knows the Crawl-delay of their hosts.
type PacingFetcher interface {
	crawler.Fetcher
	crawler.Pacer
}

var _ crawler.Fetcher = (*Paced)(nil)

// NewPaced returns a fetcher that requests pages from web at the pace of hosts.
func NewPaced(web PacingFetcher, hosts HostTable) *Paced { return &Paced{web, hosts} }

// Fetch waits until the host may be requested and returns the page, after redirects. If ctx would
// end first, it returns at once an error with the cause crawler.ErrTooLate.
func (p *Paced) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	first := r.URL
	var before []webgraph.Redirect
	for try := 1; ; try++ {
		page, err := p.fetchWithoutPause(ctx, r)
		var fe *crawler.FetchError
		switch last := try > crawler.MaxHops; {
		case !last && errors.As(err, &fe) && fe.Fate == crawler.Deferred:
			continue // robots.txt was read first
		case err != nil:
			return nil, err
		}
		if len(before) > 0 {
			whole := *page
			whole.Requested, whole.Redirects = first, append(before[:len(before):len(before)], page.Redirects...)
			page = &whole
		}
		if page.RedirectTarget() == "" || try > crawler.MaxHops {
			return page, nil
		}
		before, r.URL = page.Redirects, page.RedirectTarget()
	}
}

// fetchWithoutPause makes the requests that may follow one another without a pause.
func (p *Paced) fetchWithoutPause(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	host := webgraph.HostOf(r.URL)
	if host == "" {
		return p.web.Fetch(ctx, r)
	}
	if err := p.reserveHost(ctx, host); err != nil {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, Unasked: true, Err: err}
	}
	t := &pacedPermissions{hosts: p.hosts, free: host}
	r.Turn = t.mayRequest
	page, err := p.web.Fetch(ctx, r)
	for _, other := range t.others {
		p.hosts.Release(other, crawler.Outcome{Pause: p.web.CrawlDelay("https://" + string(other) + "/")})
	}
	o := requestOutcome(ctx, page, err)
	o.Pause = p.web.CrawlDelay(r.URL)
	p.hosts.Release(host, o)
	return page, err
}

// requestOutcome converts the result of a request for a HostTable.
func requestOutcome(ctx context.Context, p *webgraph.Page, err error) (o crawler.Outcome) {
	var fe *crawler.FetchError
	switch {
	case err == nil:
		o.Fate, o.Status = crawler.Fetched, p.Status
	case errors.As(err, &fe):
		o.Fate, o.Status, o.NotBefore, o.Unasked, o.Reason = fe.Fate, fe.Status, fe.After, fe.Unasked, fe.Err.Error()
		o.HostFailed = fe.HostFailed && ctx.Err() == nil // we hung up
	}
	return o
}

// reserveHost waits until a host may be requested.
func (p *Paced) reserveHost(ctx context.Context, host webgraph.Host) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		wait, ok := p.hosts.Reserve(host)
		if ok {
			return nil
		}
		if end, ok := ctx.Deadline(); ok && time.Until(end) <= wait {
			return fmt.Errorf("%s is not requested for %s: %w", host, wait.Round(time.Millisecond), crawler.ErrTooLate)
		}
		_ = crawler.WaitFor(ctx, wait) // the next iteration reports that ctx has ended
	}
}

// pacedPermissions decide which hosts may be requested for one page: its own host once, others by the
// table.
type pacedPermissions struct {
	hosts HostTable

	mu     sync.Mutex // guards below
	free   webgraph.Host
	others []webgraph.Host // reserved
}

func (t *pacedPermissions) mayRequest(host webgraph.Host) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if host == t.free {
		t.free = ""
		return true
	}
	if _, ok := t.hosts.Reserve(host); !ok {
		return false
	}
	t.others = append(t.others, host)
	return true
}

// A SharedTable is the HostTable of a service in which crawls start and end. It uses the frontier
// of the running crawl, otherwise its own table. The zero value is not usable.
type SharedTable struct {
	own HostTable

	mu      sync.Mutex // guards below
	running HostTable  // nil while no crawl runs
	taken   map[webgraph.Host]HostTable
}

var _ HostTable = (*SharedTable)(nil)

// NewSharedTable returns a SharedTable that uses own until Use sets another table.
func NewSharedTable(own HostTable) *SharedTable {
	return &SharedTable{own: own, taken: make(map[webgraph.Host]HostTable)}
}

// SetRunning selects running as the table, or with nil the own table. Requests in progress end in the
// table where they began.
func (t *SharedTable) SetRunning(running HostTable) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running = running
}

// Reserve implements HostTable.
func (t *SharedTable) Reserve(host webgraph.Host) (wait time.Duration, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.running
	if now == nil {
		now = t.own
	}
	if t.taken[host] != nil {
		return sharedAgain, false
	}
	if wait, ok = now.Reserve(host); ok {
		t.taken[host] = now
	}
	return wait, ok
}

// sharedAgain is the time between checks for the end of another request of a SharedTable.
const sharedAgain = 20 * time.Millisecond

// Release implements HostTable.
func (t *SharedTable) Release(host webgraph.Host, o crawler.Outcome) {
	t.mu.Lock()
	from := t.taken[host]
	delete(t.taken, host)
	t.mu.Unlock()
	if from != nil {
		from.Release(host, o)
	}
}
