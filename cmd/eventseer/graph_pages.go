package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/contextgraph"
	"eventseer/crawler"
	"eventseer/crawler/fetch"
	"eventseer/crawler/strategy"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// graphPages brings the pages of a graph and says what they are.
type graphPages struct {
	name    string // of where they come from
	fetcher crawler.Fetcher
	judge   strategy.Judge
}

var _ contextgraph.Fetcher = (*graphPages)(nil)

// openGraphPages returns where pages come from, nil if from nowhere.
func openGraphPages(a *app.App, replay []string, live bool, models string) (*graphPages, error) {
	if len(replay) == 0 && !live {
		return nil, nil
	}
	if len(replay) > 0 && live {
		return nil, app.Usagef("--replay and --fetch exclude each other")
	}
	w, err := engine.OpenWeb(context.Background(), a, engine.CrawlOptions{Replay: replay})
	if err != nil {
		return nil, err
	}
	judge, _, err := engine.NewCrawlJudge(engine.Plan{Web: w, Models: models})
	if err != nil {
		return nil, err
	}
	p := &graphPages{name: w.Name, fetcher: w.Fetcher, judge: judge}
	if live { // pauses are in the time of the hosts, whatever the clock of the crawl
		p.fetcher = &politeFetcher{
			next: w.Fetcher, robots: w.Base, now: time.Now, due: map[webgraph.Host]time.Time{},
			least: time.Duration(a.Config.HostDelay), most: time.Duration(a.Config.MaxCrawlDelay),
		}
	}
	return p, nil
}

// Fetch returns what a graph wants to know of a page; see contextgraph.Fetcher.
func (p *graphPages) Fetch(ctx context.Context, url string) (contextgraph.Page, error) {
	page, err := p.fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err != nil {
		return contextgraph.Page{}, err
	}
	known := contextgraph.Page{URL: page.URL, Status: page.Status}
	tree, err := tagtree.Parse(page)
	if err != nil || page.Status != 200 {
		return known, nil // a page that nobody can read is still one
	}
	links := tree.Links()
	targets := make([]string, len(links))
	for i, l := range links {
		targets[i] = l.Target
	}
	text := tree.Text()
	known.Links, known.Bytes, known.Digest = contextgraph.LinkKeys(targets), len(text), page.Digest()
	known.Fingerprint, known.Words = webgraph.Simhash(text)
	is := p.judge.Page(tree)
	known.PageType, known.CFPScore = is.PageType, is.CFPScore
	return known, nil
}

// tree returns the tree of a page that answers with status 200.
func (p *graphPages) tree(ctx context.Context, url string) (*tagtree.Tree, error) {
	page, err := p.fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err != nil {
		return nil, err
	}
	if page.Status != 200 {
		return nil, fmt.Errorf("%s answered with status %d", url, page.Status)
	}
	return tagtree.Parse(page)
}

// A politeFetcher leaves a pause between two requests to a host, the one that its
// robots.txt asks for if that is longer. It is safe for concurrent use.
type politeFetcher struct {
	next        crawler.Fetcher
	robots      *fetch.Fetcher
	least, most time.Duration
	now         func() time.Time

	mu  sync.Mutex // guards below
	due map[webgraph.Host]time.Time
}

// maxHops bounds the redirects to other hosts that are followed.
const maxHops = 5

// Fetch waits for the host's turn and brings the page. A redirect to a host whose
// turn has not come waits for that in its turn.
func (f *politeFetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	for hop := 0; ; hop++ {
		if err := f.wait(ctx, webgraph.HostOf(r.URL)); err != nil {
			return nil, err
		}
		r.Turn = f.turn
		page, err := f.next.Fetch(ctx, r)
		f.pause(webgraph.HostOf(r.URL), r.URL)
		if err != nil || page.LeadsTo() == "" || hop == maxHops {
			return page, err
		}
		r.URL = page.LeadsTo()
	}
}

// wait waits for the host's turn and takes it.
func (f *politeFetcher) wait(ctx context.Context, h webgraph.Host) error {
	for !f.turn(h) {
		f.mu.Lock()
		timer := time.NewTimer(f.due[h].Sub(f.now()))
		f.mu.Unlock()
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
	return ctx.Err()
}

// turn takes the host's turn if it has come.
func (f *politeFetcher) turn(h webgraph.Host) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.due[h].After(now) {
		return false
	}
	f.due[h] = now.Add(f.least)
	return true
}

// pause puts off the host's next turn, which is counted from the end of this one.
func (f *politeFetcher) pause(h webgraph.Host, url string) {
	asked := max(f.least, min(f.robots.CrawlDelay(url), f.most))
	f.mu.Lock()
	defer f.mu.Unlock()
	f.due[h] = f.now().Add(asked)
}
