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
	maxRobotsTotal = 128 << 20 // bytes of memory for them, more or less: some 300,000 origins

	robotsTTL          = 24 * time.Hour     // RFC 9309 §2.4
	robotsStale        = 7 * 24 * time.Hour // how old rules may become while no newer can be had
	robotsRetry        = 10 * time.Minute   // until a robots.txt that could not be had is asked for again; doubles up to robotsTTL
	maxRobotsRedirects = 10                 // RFC 9309 §2.3.1.2 asks for at least five
	maxRobotsStops     = 30                 // times that it waits for a host in its way
)

// A robotsFile is what is known of one origin's robots.txt.
type robotsFile struct {
	rules    *robots.File        // those for us; nil if it could not be had, which denies everything
	read     time.Time           // when rules came
	err      *crawler.FetchError // why there are none
	failures int                 // tries in a row that brought none
	expires  time.Time
	walk     robotsWalk // its way through redirects, if it waits for a host's turn
}

// A robotsWalk is the way of a robots.txt through redirects. It is kept where a
// host has no time, and goes on there.
type robotsWalk struct {
	at    string // URL to ask next; "" before the first
	hops  int
	stops int // how often a host had no time
}

// newRobotsCache returns what remembers robots.txt files by origin (scheme, host
// and port).
func newRobotsCache(now func() time.Time) *memo[robotsFile] {
	return newMemo(maxRobotsHosts, maxRobotsTotal,
		func(f robotsFile) bool { return now().Before(f.expires) },
		func(f robotsFile) int { return f.rules.Memory() })
}

// robotsOf returns the robots.txt of an origin, from the cache or by requests
// that t allows. The error is ctx's.
func (f *Fetcher) robotsOf(ctx context.Context, origin string, t *turns) (robotsFile, error) {
	return f.robots.get(ctx, origin, func(old robotsFile) (robotsFile, error) {
		return f.loadRobots(ctx, origin, old, t)
	})
}

// loadRobots asks an origin for its robots.txt, of which old was known, with
// requests that t allows. The error is ctx's alone: whatever the server does is
// in the file.
func (f *Fetcher) loadRobots(ctx context.Context, origin string, old robotsFile, t *turns) (robotsFile, error) {
	w := old.walk
	if w.at == "" {
		w.at = origin + "/robots.txt"
	}
	file, err := f.walkRobots(ctx, &w, t)
	now := f.o.Now()
	switch {
	case ctx.Err() != nil:
		return robotsFile{}, ctx.Err()
	case err == nil:
		return file, nil
	case errors.Is(err, errNoTurn) && w.stops < maxRobotsStops:
		f.errands.add(webgraph.HostOf(w.at), origin)
		old.walk = w
		return old, nil
	case errors.Is(err, errNoTurn):
		err = &crawler.FetchError{Fate: crawler.TryLater, Err: fmt.Errorf("%s had no time %d times", w.at, w.stops)}
	}
	old.walk = robotsWalk{}
	old.failures++
	old.expires = now.Add(min(robotsRetry<<min(old.failures-1, 10), robotsTTL))
	var fe *crawler.FetchError
	if errors.As(err, &fe) && fe.After.After(old.expires) {
		old.expires = fe.After
	}
	if old.rules != nil && now.Sub(old.read) < robotsStale {
		return old, nil // RFC 9309 §2.4: while it is unreachable, an older copy serves
	}
	fate := fateOf(err)
	if from, _ := splitOrigin(w.at); fate == crawler.Gone && from != origin {
		fate = crawler.TryLater // another host is gone, this one answers
	}
	old.rules = nil
	old.err = &crawler.FetchError{Fate: fate, HostFailed: fate != crawler.Refused && !isOurs(err), Err: fmt.Errorf("robots.txt of %s: %w", origin, crawler.FetchCause(err))}
	if fate == crawler.TryLater {
		old.err.After = old.expires
	}
	return old, nil
}

// walkRobots follows the redirects of a robots.txt, to other hosts too, and says
// in w how far it came. Too many redirects count as no robots.txt. The error is
// errNoTurn, or says why there are no rules.
func (f *Fetcher) walkRobots(ctx context.Context, w *robotsWalk, t *turns) (robotsFile, error) {
	a := &answer{status: http.StatusNotFound}
	for w.hops <= maxRobotsRedirects {
		if file, ok := f.known(w); ok {
			return file, nil
		}
		if !t.takeTurn(w.at) {
			w.stops++
			return robotsFile{}, errNoTurn
		}
		got, err := f.client.get(ctx, w.at, want{limit: robots.MaxSize + 1, timeout: f.o.Timeout})
		if err != nil {
			return robotsFile{}, err
		}
		next, err := got.redirect(w.at)
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
		return robotsFile{}, &crawler.FetchError{Fate: crawler.TryLater, After: crawler.RetryAfter(a.header, f.o.Now()), Err: a.failure()}
	}
	now := f.o.Now()
	return robotsFile{rules: rules.Of(f.agent), read: now, expires: now.Add(robotsTTL)}, nil
}

// known returns the robots.txt that a redirect leads to, where that is another
// origin's own and is known.
func (f *Fetcher) known(w *robotsWalk) (robotsFile, bool) {
	origin, path := splitOrigin(w.at)
	if w.hops == 0 || path != "/robots.txt" {
		return robotsFile{}, false
	}
	file := f.robots.peek(origin)
	return file, file.rules != nil && file.walk.at == "" && f.o.Now().Before(file.expires)
}

// runErrand goes on with a robots.txt that waits for the host of u, whose turn it
// is, and returns the origin it is of.
func (f *Fetcher) runErrand(ctx context.Context, u string, t *turns) (origin string, err error) {
	if t == nil {
		return "", nil
	}
	if origin = f.errands.takeOrigin(webgraph.HostOf(u)); origin != "" {
		_, err = f.robotsOf(ctx, origin, t)
	}
	return origin, err
}

// readRobots returns the rules of a response, or nil if it denies for now. It denies if the server
// is in trouble or a part of the file is missing (RFC 9309 §2.3.1). A 429 says nothing about the
// file, so it counts as trouble, as it does for Google.
func (f *Fetcher) readRobots(a *answer) *robots.File {
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

// failure says why an answer is no robots.txt.
func (a *answer) failure() error {
	if a.broken != nil {
		return a.broken
	}
	return a.statusError()
}
