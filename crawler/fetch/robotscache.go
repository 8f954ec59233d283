package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch/robots"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits of the robots cache.
const (
	maxRobotsHosts = 1_000_000 // origins remembered
	maxRobotsTotal = 128 << 20 // approximate bytes of memory: some 300,000 origins

	robotsTTL          = 24 * time.Hour     // RFC 9309 §2.4
	robotsStale        = 7 * 24 * time.Hour // maximum age of rules while no newer ones can be fetched
	robotsRetry        = 10 * time.Minute   // time until an unavailable robots.txt is requested again; doubles up to robotsTTL
	maxRobotsRedirects = 10                 // RFC 9309 §2.3.1.2 requires at least five
	maxRobotsStops     = 30                 // number of times that it may wait for a host delay
)

// A robotsFile is the state of one origin's robots.txt.
type robotsFile struct {
	rules    *robots.File        // the rules for this crawler; nil if they could not be fetched, which denies everything
	read     time.Time           // when rules came
	err      *crawler.FetchError // why there are none
	failures int                 // failed attempts in a row
	expires  time.Time
	walk     robotsRedirects // state of its redirects while it waits for a host
}

// A robotsRedirects is the progress of a robots.txt through redirects. It is stored if a host may not be
// requested now, and continues with the next request allowed to that host.
type robotsRedirects struct {
	at    string // next URL to request; "" before the first
	hops  int
	stops int // number of waits for a host
}

// newRobotsCache returns a cache of robots.txt files by origin (scheme, host and port).
func newRobotsCache(now func() time.Time) *boundedCache[robotsFile] {
	return newBoundedCache(maxRobotsHosts, maxRobotsTotal,
		func(f robotsFile) bool { return now().Before(f.expires) },
		func(f robotsFile) int { return f.rules.Memory() })
}

// robotsOf returns the robots.txt of an origin, from the cache or with requests that t allows. The
// error is ctx's.
func (f *Fetcher) robotsOf(ctx context.Context, origin string, t *requestPermissions) (robotsFile, error) {
	return f.robots.get(ctx, origin, func(old robotsFile) (robotsFile, error) {
		return f.loadRobots(ctx, origin, old, t)
	})
}

// loadRobots requests the robots.txt of an origin with requests that t allows; old is the cached
// one. The error is only ctx's: failures of the server are recorded in the result.
func (f *Fetcher) loadRobots(ctx context.Context, origin string, old robotsFile, t *requestPermissions) (robotsFile, error) {
	w := old.walk
	if w.at == "" {
		w.at = origin + "/robots.txt"
	}
	file, err := f.followRobotsRedirects(ctx, &w, t)
	now := f.o.Now()
	switch {
	case ctx.Err() != nil:
		return robotsFile{}, ctx.Err()
	case err == nil:
		return file, nil
	case errors.Is(err, errNoTurn) && w.stops < maxRobotsStops:
		f.errands.addPending(webgraph.HostOf(w.at), origin)
		old.walk = w
		return old, nil
	case errors.Is(err, errNoTurn):
		err = &crawler.FetchError{Fate: crawler.TryLater, Err: fmt.Errorf("%s could not be requested in %d attempts", w.at, w.stops)}
	}
	old.walk = robotsRedirects{}
	old.failures++
	old.expires = now.Add(min(robotsRetry<<min(old.failures-1, 10), robotsTTL))
	var fe *crawler.FetchError
	if errors.As(err, &fe) && fe.After.After(old.expires) {
		old.expires = fe.After
	}
	if old.rules != nil && now.Sub(old.read) < robotsStale {
		return old, nil // RFC 9309 §2.4: while it is unreachable, an older copy is used
	}
	fate := fateOf(err)
	if from, _ := splitOrigin(w.at); fate == crawler.Gone && from != origin {
		fate = crawler.TryLater // another host is gone, this one responded
	}
	old.rules = nil
	old.err = &crawler.FetchError{Fate: fate, HostFailed: fate != crawler.Refused && !isLocalFailure(err), Err: fmt.Errorf("robots.txt of %s: %w", origin, crawler.FetchCause(err))}
	if fate == crawler.TryLater {
		old.err.After = old.expires
	}
	return old, nil
}

// followRobotsRedirects follows the redirects of a robots.txt, to other hosts too, and records its progress in
// w. Too many redirects count as no robots.txt. The error is errNoTurn, or the reason why there are
// no rules.
func (f *Fetcher) followRobotsRedirects(ctx context.Context, w *robotsRedirects, t *requestPermissions) (robotsFile, error) {
	a := &response{status: http.StatusNotFound}
	for w.hops <= maxRobotsRedirects {
		if file, ok := f.knownRobots(w); ok {
			return file, nil
		}
		if !t.usePermission(w.at) {
			w.stops++
			return robotsFile{}, errNoTurn
		}
		got, err := f.client.sendGET(ctx, w.at, acceptedResponse{limit: robots.MaxSize + 1, timeout: f.o.Timeout})
		if err != nil {
			return robotsFile{}, err
		}
		next, err := got.redirectTarget(w.at)
		if err != nil {
			return robotsFile{}, err
		}
		if next == "" {
			a = got
			break
		}
		w.at = next
		w.hops++
	}
	rules := f.readRobots(a)
	if rules == nil {
		return robotsFile{}, &crawler.FetchError{Fate: crawler.TryLater, After: crawler.RetryAfter(a.header, f.o.Now()), Err: a.robotsFailure()}
	}
	now := f.o.Now()
	return robotsFile{rules: rules.RulesFor(f.agent), read: now, expires: now.Add(robotsTTL)}, nil
}

// knownRobots returns the robots.txt that a redirect leads to, if it is another origin's own and known.
func (f *Fetcher) knownRobots(w *robotsRedirects) (robotsFile, bool) {
	origin, path := splitOrigin(w.at)
	if w.hops == 0 || path != "/robots.txt" {
		return robotsFile{}, false
	}
	file := f.robots.peek(origin)
	return file, file.rules != nil && file.walk.at == "" && f.o.Now().Before(file.expires)
}

// continuePendingRobots continues fetching a robots.txt that waits for the host of u, and returns its origin.
func (f *Fetcher) continuePendingRobots(ctx context.Context, u string, t *requestPermissions) (origin string, err error) {
	if t == nil {
		return "", nil
	}
	if origin = f.errands.removeOldest(webgraph.HostOf(u)); origin != "" {
		_, err = f.robotsOf(ctx, origin, t)
	}
	return origin, err
}

// readRobots returns the rules of a response, or nil if everything is denied for now. That is so if
// the server fails or the file is incomplete (RFC 9309 §2.3.1). A 429 does not describe the file,
// so it counts as a failure, as it does for Google.
func (f *Fetcher) readRobots(a *response) *robots.File {
	parse := robots.Parse
	if f.o.StrictRobots {
		parse = robots.ParseStrict
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

// robotsFailure returns why a response is not a robots.txt.
func (a *response) robotsFailure() error {
	if a.broken != nil {
		return a.broken
	}
	return a.statusError()
}
