package fetch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A verdict is the decision of a robots.txt about a URL.
type verdict struct {
	ok     bool
	reason string
	failed *crawler.FetchError // the robots.txt could not be fetched
}

// robotsVerdict returns the verdict on a canonical URL. The error is ctx's, or errNoTurn if the robots.txt
// must wait for a host delay.
func (f *Fetcher) robotsVerdict(ctx context.Context, u string, t *requestPermissions) (verdict, error) {
	origin, path := splitOrigin(u)
	if path == "/robots.txt" {
		return verdict{ok: true, reason: "robots.txt itself is always allowed"}, nil
	}
	file, err := f.robotsOf(ctx, origin, t)
	if err != nil {
		return verdict{}, err
	}
	if file.walk.at != "" {
		return verdict{}, fmt.Errorf("robots.txt of %s leads to %s, which must wait: %w", origin, file.walk.at, errNoTurn)
	}
	if file.rules == nil {
		return verdict{reason: file.err.Err.Error(), failed: file.err}, nil
	}
	ok, rule := file.rules.Allowed(f.agent, u)
	return verdict{ok: ok, reason: "robots.txt of " + origin + ": " + rule.String()}, nil
}

// checkRobots returns nil if u may be fetched, otherwise a *crawler.FetchError, errNoTurn or ctx's
// error. If the robots.txt cannot be fetched, its fate is that of the URL.
func (f *Fetcher) checkRobots(ctx context.Context, u string, t *requestPermissions) error {
	v, err := f.robotsVerdict(ctx, u, t)
	switch {
	case err != nil:
		return err
	case v.failed != nil:
		copied := *v.failed // Fetch sets its URL
		return &copied
	case !v.ok:
		return refusedError(errors.New(v.reason))
	}
	return nil
}

// CrawlDelay returns the Crawl-delay that robots.txt sets for this crawler on a canonical URL's
// host. It is the longer of those for http and https, because the delay applies to the host. It is
// at most 24 h, and 0 if none is known; see crawler.Pacer.
func (f *Fetcher) CrawlDelay(url string) (longest time.Duration) {
	origin, _ := splitOrigin(url)
	host := string(webgraph.HostOf(url))
	for _, o := range []string{origin, "http://" + host, "https://" + host} {
		if file := f.robots.peek(o); file.rules != nil {
			delay, _ := file.rules.CrawlDelay(f.agent)
			longest = max(longest, delay)
		}
	}
	return longest
}

// splitOrigin splits a canonical URL before its path.
func splitOrigin(u string) (origin, path string) {
	start := strings.Index(u, "://") + len("://")
	slash := start + strings.IndexByte(u[start:], '/')
	return u[:slash], u[slash:]
}

// KnownVerdict reports whether the robots.txt of its host allows a canonical URL, and why, without any
// request. reason is "" if the file is not cached.
func (f *Fetcher) KnownVerdict(url string) (ok bool, reason string) {
	origin, _ := splitOrigin(url)
	file := f.robots.peek(origin)
	switch {
	case file.rules != nil:
		ok, rule := file.rules.Allowed(f.agent, url)
		return ok, "robots.txt of " + origin + ": " + rule.String()
	case file.err != nil:
		return false, file.err.Err.Error()
	}
	return false, ""
}

// RobotsCached returns the number of cached robots.txt files and the approximate memory they use,
// in bytes.
func (f *Fetcher) RobotsCached() (files, bytes int) {
	f.robots.mu.Lock()
	defer f.robots.mu.Unlock()
	return len(f.robots.all), f.robots.total
}
