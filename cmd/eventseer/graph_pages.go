package main

import (
	"context"
	"fmt"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/contextgraph"
	"eventseer/crawler"
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
	judge, _, err := engine.NewCrawlJudge(w, models)
	if err != nil {
		return nil, err
	}
	p := &graphPages{name: w.Name, fetcher: w.Fetcher, judge: judge}
	if live {
		p.fetcher = engine.NewPaced(a, struct {
			crawler.Fetcher
			crawler.Pacer
		}{w.Fetcher, w.Base}, time.Duration(a.Config.HostDelay))
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
