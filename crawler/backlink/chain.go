package backlink

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// A Source is a provider with its query limits.
type Source struct {
	Provider
	Limits Limits
}

// ChainOptions are the parts of a Chain.
type ChainOptions struct {
	// Links is the local link database, queried first, which also stores answers, limits and
	// verifications. If it is nil, nothing is stored.
	Links *LinkDB
	// Sources are queried in this order. Their names differ.
	Sources []Source
	// Known reports pages that need no visit, such as those fetched before. Most local links come
	// from such pages and must not displace new ones. Nil means that none is known.
	Known func(url string) bool
	// TTL is how long answers are cached; a tenth of it for those without links. Zero means
	// DefaultTTL.
	TTL time.Duration
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Sleep waits for a provider's delay to end, or for ctx. Nil waits in real time.
	Sleep func(ctx context.Context, d time.Duration) error
}

// A Chain queries the local links first, which is free, and then providers for the remaining number of
// links, within their limits. An answer with a cost is cached, so nothing is paid for twice, even in a
// resumed crawl. It is safe for concurrent use; each provider gets one query at a time.
type Chain struct {
	o       ChainOptions
	sources []*source // our own first
}

var _ crawler.Backlinker = (*Chain)(nil)

// NewChain returns a Chain. It returns an error that names a source with an invalid name or limits, or
// reports damaged stored data.
func NewChain(o ChainOptions) (*Chain, error) {
	if o.Known == nil {
		o.Known = func(string) bool { return false }
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Sleep == nil {
		o.Sleep = crawler.WaitFor
	}
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	c := &Chain{o: o}
	if o.Links != nil {
		c.sources = append(c.sources, &source{Source: Source{Provider: o.Links}})
	}
	for _, s := range o.Sources {
		if c.sourceNamed(s.Name()) != nil || s.Name() == Own {
			return nil, fmt.Errorf("two providers of backlinks have the name %q", s.Name())
		}
		if err := s.Limits.check(); err != nil {
			return nil, fmt.Errorf("limits of %s: %w", s.Name(), err)
		}
		c.sources = append(c.sources, &source{Source: s})
	}
	err := c.viewDB(func(tx *bolt.Tx) error {
		for _, s := range c.sources {
			if err := s.loadStanding(tx); err != nil {
				return err
			}
		}
		return nil
	})
	return c, err
}

// Names returns the names of the sources, the local link database first.
func (c *Chain) Names() []string {
	var names []string
	for _, s := range c.sources {
		names = append(names, s.Name())
	}
	return names
}

// sourceNamed returns the source of that name, nil if there is none.
func (c *Chain) sourceNamed(name string) *source {
	for _, s := range c.sources {
		if s.Name() == name {
			return s
		}
	}
	return nil
}

// viewDB runs f in a read transaction; without a database it does nothing. The same applies to update.
func (c *Chain) viewDB(f func(*bolt.Tx) error) error {
	if c.o.Links == nil {
		return nil
	}
	return c.o.Links.db.View(f)
}

func (c *Chain) updateDB(f func(*bolt.Tx) error) error {
	if c.o.Links == nil {
		return nil
	}
	return c.o.Links.db.Update(f)
}

// Backlinks returns local links and then those of providers, each from the narrowest scope with
// results; see crawler.Backlinker. If a provider fails, the links found are returned with the
// error. A resting provider is skipped without error.
func (c *Chain) Backlinks(ctx context.Context, url string, limit int) ([]webgraph.Link, int, error) {
	found, calls := []Backlink(nil), 0
	var failed []error
	for _, s := range c.sourcesInOrder() {
		if len(found) >= limit || calls >= crawler.MaxCalls {
			break
		}
		r := c.queryWidening(ctx, s, url, limit, crawler.MaxCalls-calls)
		calls += r.Calls
		more := r.Links
		if s.Name() == Own {
			more = slices.DeleteFunc(more, func(l Backlink) bool { return c.o.Known(l.Source) })
		}
		found = mergeBySource(found, more, min(limit, len(found)+s.linkShare(limit)))
		if r.Err != nil && !errors.Is(r.Err, errResting) {
			failed = append(failed, r.Err)
		}
	}
	if err := c.storeReported(url, found); err != nil {
		failed = append(failed, err)
	}
	links := make([]webgraph.Link, len(found))
	for i, l := range found {
		links[i] = l.Link()
	}
	return links, min(calls, crawler.MaxCalls), errors.Join(failed...)
}

// sourcesInOrder returns the sources in query order: the given order, with those whose links are often
// stale at the end, the worst last.
func (c *Chain) sourcesInOrder() []*source {
	type rank struct {
		*source
		trust float64
	}
	ranks := make([]rank, len(c.sources))
	for i, s := range c.sources {
		ranks[i] = rank{s, 1}
		if t := s.tally(); t.isMostlyStale() && s.Name() != Own {
			ranks[i].trust = t.ExpectedShare()
		}
	}
	slices.SortStableFunc(ranks, func(a, b rank) int { return cmp.Compare(b.trust, a.trust) })
	sources := make([]*source, len(ranks))
	for i, r := range ranks {
		sources[i] = r.source
	}
	return sources
}

// linkShare returns the number of links used from a source if limit are wanted.
func (s *source) linkShare(limit int) int {
	if t := s.tally(); t.isMostlyStale() && s.Name() != Own {
		return max(1, int(math.Ceil(t.ExpectedShare()*float64(limit))))
	}
	return limit
}

// queryWidening queries one source in wider and wider scopes until there are results, with at most calls
// requests.
func (c *Chain) queryWidening(ctx context.Context, s *source, url string, limit, calls int) Reply {
	want := min(limit, MaxLimit)
	if s.Name() == Own {
		want = MaxLimit // because most of the results may be known already
	}
	total := Reply{Provider: s.Name()}
	for _, scope := range wideningScopes(s.Scopes(), url) {
		q := Query{Target: url, Scope: scope, Limit: want}
		for page := 0; page < maxPages && total.Calls < calls; page++ {
			r := c.querySource(ctx, s, q, url)
			total.add(r)
			if len(r.Links) > 0 || r.Err != nil {
				return total
			}
			if r.Next == "" {
				break
			}
			q.Cursor = r.Next
		}
	}
	return total
}
