package backlink

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// A Chain asks our own links first, which is free, and then a service for the
// rest. An answer that was paid for is kept in the LinkDB, so no scope is paid
// for twice, in a resumed crawl neither.
type Chain struct {
	db      *LinkDB
	service Service
	known   func(url string) bool
	mu      sync.Mutex // one question at a time: two pages of a scope pay once
}

var _ crawler.Backlinker = (*Chain)(nil)

// NewChain returns a Chain over db and a service; neither may be nil. known
// reports pages that need no visit, such as those fetched before: our own
// links come mostly from there and must not crowd out the service's. Nil means
// that none is known.
func NewChain(db *LinkDB, service Service, known func(url string) bool) *Chain {
	if known == nil {
		known = func(string) bool { return false }
	}
	return &Chain{db: db, service: service, known: known}
}

// Backlinks answers with our own links and then the service's; see
// crawler.Backlinker. With an error come the links found before it.
func (c *Chain) Backlinks(ctx context.Context, url string, limit int) (links []webgraph.Link, calls int, err error) {
	links, _, err = c.db.Backlinks(ctx, url, crawler.MaxBack)
	links = slices.DeleteFunc(links, func(l webgraph.Link) bool { return c.known(l.Source) })
	links = links[:min(limit, len(links))]
	if err != nil || len(links) >= limit {
		return links, 0, err
	}
	for _, s := range Prefixes(url) {
		more, paid, err := c.ask(ctx, s, url, limit)
		if paid {
			calls++
		}
		links = merge(links, more, limit)
		if err != nil {
			return links, calls, fmt.Errorf("backlinks of %s: %w", s, err)
		}
		if len(more) > 0 {
			break
		}
	}
	return links, calls, nil
}

// ask answers one scope from what was paid for, or by a call. The page that
// paid is told so again: it asks twice only when its first answer was lost.
func (c *Chain) ask(ctx context.Context, s Prefix, url string, limit int) (links []webgraph.Link, paid bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, ok, err := c.db.asked(s)
	if err != nil {
		return nil, false, err
	}
	if ok && kept.serves(limit) {
		return kept.Links[:min(limit, len(kept.Links))], kept.Payer == url, nil
	}
	links, err = c.service.Links(ctx, s, limit)
	if err != nil {
		return nil, true, err
	}
	return links, true, c.db.remember(s, answer{Payer: url, Limit: limit, Links: links})
}
