package main

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

const (
	sitePause = 200 * time.Millisecond // between two pages of a host that asks for no other pause
	maxPaced  = 1000                   // hosts remembered; of more, those that may be asked are forgotten
)

// A pacedFetcher leaves hosts the pause between pages that their robots.txt asks
// for, or else a short one: a slice is made while somebody waits for it, in ten
// seconds, and most of its links lead to one host. A page that would come too late for the
// caller is not asked for. It is safe for concurrent use.
type pacedFetcher struct {
	web interface {
		crawler.Fetcher
		crawler.Pacer
	}
	now   func() time.Time
	pause time.Duration // the least; 0 is sitePause

	mu  sync.Mutex // guards due
	due map[webgraph.Host]time.Time
}

var _ crawler.Fetcher = (*pacedFetcher)(nil)

// Fetch implements crawler.Fetcher.
func (p *pacedFetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	if err := p.wait(ctx, r.URL); err != nil {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, Err: err}
	}
	page, err := p.web.Fetch(ctx, r)
	p.rest(r.URL)
	return page, err
}

// wait returns when a host may be asked, or at once with an error if ctx ends
// before that.
func (p *pacedFetcher) wait(ctx context.Context, url string) error {
	host := webgraph.HostOf(url)
	p.mu.Lock()
	pause := p.pauseOf(url)
	now := p.now()
	at := p.due[host]
	if at.Before(now) {
		at = now
	}
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= at.Sub(now) {
		p.mu.Unlock()
		return fmt.Errorf("%s is left %s between two pages: %w", host, pause, crawler.ErrTooLate)
	}
	p.set(host, at.Add(pause), now)
	p.mu.Unlock()
	timer := time.NewTimer(at.Sub(now))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pauseOf is the pause that the host of a URL is left.
func (p *pacedFetcher) pauseOf(url string) time.Duration {
	return max(cmp.Or(p.pause, sitePause), p.web.CrawlDelay(url))
}

// rest begins the pause after a page.
func (p *pacedFetcher) rest(url string) {
	host := webgraph.HostOf(url)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if at := now.Add(p.pauseOf(url)); at.After(p.due[host]) {
		p.set(host, at, now)
	}
}

// set remembers when a host may be asked. It is called with mu held.
func (p *pacedFetcher) set(host webgraph.Host, at, now time.Time) {
	if p.due == nil {
		p.due = make(map[webgraph.Host]time.Time)
	}
	if len(p.due) >= maxPaced {
		for h, at := range p.due {
			if !at.After(now) {
				delete(p.due, h)
			}
		}
	}
	p.due[host] = at
}
