package fetch

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Limits of the robots cache.
const (
	maxRobotsHosts     = 10_000           // origins remembered, the last used ones
	maxRobotsTotal     = 16 << 20         // bytes of all robots.txt files remembered; parsed they take up to some ten times as much
	robotsTTL          = 24 * time.Hour   // RFC 9309 §2.4
	robotsRetry        = 10 * time.Minute // until a robots.txt that could not be had is asked for again
	maxRobotsRedirects = 10               // RFC 9309 §2.3.1.2 asks for at least five
)

// A robotsFile is what is known of one host's robots.txt.
type robotsFile struct {
	rules   *Robots             // nil if it could not be had, which denies everything
	size    int                 // bytes
	err     *crawler.FetchError // why not
	expires time.Time
}

// A robotsCache remembers robots.txt files by origin (scheme, host and port).
type robotsCache struct {
	load func(ctx context.Context, origin string) (robotsFile, error)
	now  func() time.Time

	mu      sync.Mutex // guards below
	entries map[string]*list.Element
	used    *list.List // of *robotsEntry, the last used first
	total   int        // bytes of all files
}

type robotsEntry struct {
	origin string
	turn   chan struct{} // holds one token, for whoever may look at and load file
	file   robotsFile
	size   int // of file, as counted in total; guarded by the cache's mu
}

func newRobotsCache(load func(context.Context, string) (robotsFile, error), now func() time.Time) *robotsCache {
	return &robotsCache{load: load, now: now, entries: map[string]*list.Element{}, used: list.New()}
}

// get returns the robots.txt of an origin. However many ask at a time, one
// loads it and the others wait. The error is ctx's.
func (c *robotsCache) get(ctx context.Context, origin string) (robotsFile, error) {
	e := c.entry(origin)
	select {
	case <-e.turn:
		defer func() { e.turn <- struct{}{} }()
	case <-ctx.Done():
		return robotsFile{}, ctx.Err()
	}
	if c.now().Before(e.file.expires) {
		return e.file, nil
	}
	file, err := c.load(ctx, origin)
	if err != nil {
		return robotsFile{}, err // the asker gave up; the next one loads
	}
	e.file = file
	c.count(e, file.size)
	return file, nil
}

// count brings total up to date with an entry that was loaded, and forgets the
// entries that are too much.
func (c *robotsCache) count(e *robotsEntry, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[e.origin]; !ok || el.Value != e {
		return // forgotten while it was loaded
	}
	c.total += size - e.size
	e.size = size
	for c.total > maxRobotsTotal {
		c.forgetOldest()
	}
}

// forgetOldest forgets the entry that was not used for longest. It is called
// with mu held.
func (c *robotsCache) forgetOldest() {
	e := c.used.Remove(c.used.Back()).(*robotsEntry)
	delete(c.entries, e.origin)
	c.total -= e.size
}

func (c *robotsCache) entry(origin string) *robotsEntry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if el, ok := c.entries[origin]; ok {
		c.used.MoveToFront(el)
		return el.Value.(*robotsEntry)
	}
	if c.used.Len() >= maxRobotsHosts {
		c.forgetOldest()
	}
	e := &robotsEntry{origin: origin, turn: make(chan struct{}, 1)}
	e.turn <- struct{}{}
	c.entries[origin] = c.used.PushFront(e)
	return e
}

// peek returns the file of an origin if it is known and nobody is loading it.
func (c *robotsCache) peek(origin string) robotsFile {
	c.mu.Lock()
	el, ok := c.entries[origin]
	c.mu.Unlock()
	if !ok {
		return robotsFile{}
	}
	e := el.Value.(*robotsEntry)
	select {
	case <-e.turn:
		defer func() { e.turn <- struct{}{} }()
		return e.file
	default:
		return robotsFile{}
	}
}

// fetchRobots asks an origin for its robots.txt. The error is ctx's alone:
// whatever the server does is in the file.
func (f *Fetcher) fetchRobots(ctx context.Context, origin string) (robotsFile, error) {
	a, at, err := f.followRobots(ctx, origin+"/robots.txt")
	if ctx.Err() != nil {
		return robotsFile{}, ctx.Err()
	}
	now := f.o.Now()
	if err == nil {
		if rules := f.readRobots(a); rules != nil {
			return robotsFile{rules: rules, size: len(a.body), expires: now.Add(robotsTTL)}, nil
		}
		err = &crawler.FetchError{Fate: crawler.TryLater, Err: a.failure()}
	}
	fate := fateOf(err)
	if from, _ := splitOrigin(at); fate == crawler.Gone && from != origin {
		fate = crawler.TryLater // another host is gone, this one answers
	}
	file := robotsFile{expires: now.Add(robotsRetry)}
	file.err = &crawler.FetchError{Fate: fate, Err: fmt.Errorf("robots.txt of %s: %w", origin, cause(err))}
	if fate == crawler.TryLater {
		file.err.After = file.expires
	}
	return file, nil
}

// followRobots follows the redirects of a robots.txt, to other hosts too, and
// returns the last URL asked. Too many redirects count as no robots.txt.
func (f *Fetcher) followRobots(ctx context.Context, u string) (a *answer, at string, err error) {
	for range maxRobotsRedirects + 1 {
		a, err := f.client.get(ctx, u, want{limit: maxRobots + 1, timeout: f.o.Timeout})
		if err != nil {
			return nil, u, err
		}
		next, err := a.redirect(u)
		if err != nil || next == "" {
			return a, u, err
		}
		u = next
	}
	return &answer{status: http.StatusNotFound}, u, nil
}

// readRobots returns the rules of an answer, nil if it denies for now: a server
// in trouble, or a file of which a part is missing (RFC 9309 §2.3.1). A 429 says
// nothing about the file, so it counts as trouble, as it does for Google.
func (f *Fetcher) readRobots(a *answer) *Robots {
	parse := ParseRobots
	if f.o.StrictRobots {
		parse = ParseRobotsStrict
	}
	switch {
	case a.broken != nil, a.status == http.StatusTooManyRequests:
		return nil
	case a.status/100 == 2:
		return parse(a.body)
	case a.status/100 == 3, a.status/100 == 4:
		return parse(nil)
	}
	return nil
}

// failure says why an answer is no robots.txt.
func (a *answer) failure() error {
	if a.broken != nil {
		return a.broken
	}
	return a.statusError()
}

// cause returns what a FetchError wraps, or err itself.
func cause(err error) error {
	var fe *crawler.FetchError
	if errors.As(err, &fe) {
		return fe.Err
	}
	return err
}

// Allowed reports whether the robots.txt of its host lets us ask for a URL, and
// why: the rule that decides, or what is wrong with the robots.txt. It may ask
// the host for it. The error is ctx's, or a *webgraph.URLError.
func (f *Fetcher) Allowed(ctx context.Context, url string) (ok bool, reason string, err error) {
	u, err := webgraph.Canonical(url)
	if err != nil {
		return false, "", err
	}
	v, err := f.judge(ctx, u)
	return v.ok, v.reason, err
}

// A verdict is what a robots.txt says of a URL.
type verdict struct {
	ok     bool
	reason string
	failed *crawler.FetchError // the robots.txt could not be had
}

// judge returns the verdict on a canonical URL. The error is ctx's.
func (f *Fetcher) judge(ctx context.Context, u string) (verdict, error) {
	origin, path := splitOrigin(u)
	if path == "/robots.txt" {
		return verdict{ok: true, reason: "robots.txt itself is always allowed"}, nil
	}
	file, err := f.robots.get(ctx, origin)
	if err != nil {
		return verdict{}, err
	}
	if file.rules == nil {
		return verdict{reason: file.err.Err.Error(), failed: file.err}, nil
	}
	ok, rule := file.rules.Allowed(f.agent, u)
	return verdict{ok: ok, reason: "robots.txt of " + origin + ": " + rule.String()}, nil
}

// permit returns nil if u may be asked for, else a *crawler.FetchError or ctx's
// error. A host whose robots.txt cannot be had shares its fate.
func (f *Fetcher) permit(ctx context.Context, u string) error {
	v, err := f.judge(ctx, u)
	switch {
	case err != nil:
		return err
	case v.failed != nil:
		copied := *v.failed // Fetch writes its URL into it
		return &copied
	case !v.ok:
		return refused(errors.New(v.reason))
	}
	return nil
}

// CrawlDelay returns the Crawl-delay that the robots.txt of a canonical URL's
// origin asks of us, at most 24 h, or 0 if that is not known; see crawler.Pacer.
func (f *Fetcher) CrawlDelay(url string) time.Duration {
	origin, _ := splitOrigin(url)
	file := f.robots.peek(origin)
	if file.rules == nil {
		return 0
	}
	delay, _ := file.rules.CrawlDelay(f.agent)
	return delay
}

// splitOrigin splits a canonical URL before its path.
func splitOrigin(u string) (origin, path string) {
	start := strings.Index(u, "://") + len("://")
	slash := start + strings.IndexByte(u[start:], '/')
	return u[:slash], u[slash:]
}
