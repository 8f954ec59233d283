package hosts

import (
	"cmp"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits and defaults of politeness.
const (
	// DefaultMaxPause is the longest pause that robots.txt or slow answers make.
	DefaultMaxPause = 5 * time.Minute
	// MaxBackoff is the longest wait after a failure, whatever Retry-After says, and the interval
	// at which a dead host is tried again.
	MaxBackoff = 24 * time.Hour
	// DefaultDeadAfter is the number of failures in a row after which a host is dead.
	DefaultDeadAfter = 10

	// Failures in a row are reset if the host could have been requested for this time and did not
	// fail (incubator-stormcrawler issue 867).
	quietTime = 30 * time.Minute
	// Failures over a shorter time do not make a host dead: a server with a Retry-After of a few
	// seconds is busy.
	deadSpan = time.Hour
	// From this number of failures in a row on, a Retry-After shorter than the back-off is ignored.
	disbelief = 3
	// A crawl does not wait for a host whose back-off is longer than this.
	patience = time.Hour
	// A new response time has weight 1/smoothing in the smoothed one.
	smoothing = 4
)

// A Group selects which hosts share a delay and are not requested at the same time.
type Group string

// The groups. A host whose address is not known yet is grouped by its domain.
const (
	ByHost    Group = "host" // each host separately; also ""
	ByDomain  Group = "domain"
	ByAddress Group = "address"
)

// Options are the fields of frontier.Options that concern hosts; their comments are there.
type Options struct {
	HostDelay, MaxPause                    time.Duration
	DelayFactor                            float64
	Group                                  Group
	PerHost, PerDomain, DeadAfter, Workers int
	Floor                                  float64
	Backoff                                time.Duration
	NoWait                                 bool
}

// delayRules are the politeness of Options. Their methods are pure.
type delayRules struct {
	exclusive bool // one request at a time to a group, with delays
	wait      bool // hosts rest at all

	delay, maxPause, backoff time.Duration
	factor                   float64
	group                    Group
	perHost, perDomain       int
	deadAfter                int
	domainHosts              int // maximum number of hosts of one domain with outstanding requests; 0: no limit
}

func (o Options) delayRules() delayRules {
	r := delayRules{
		exclusive: o.HostDelay > 0 && !o.NoWait, wait: !o.NoWait,
		delay: o.HostDelay, maxPause: cmp.Or(o.MaxPause, DefaultMaxPause), backoff: cmp.Or(o.Backoff, time.Minute),
		factor: o.DelayFactor, group: cmp.Or(o.Group, ByHost), perHost: o.PerHost, perDomain: o.PerDomain,
		deadAfter: cmp.Or(o.DeadAfter, DefaultDeadAfter),
	}
	if o.Workers > 0 {
		r.domainHosts = max(1, o.Workers/2)
	}
	return r
}

// delayOf returns the delay of a host after a request.
func (r delayRules) delayOf(h Host) time.Duration {
	if !r.exclusive {
		return 0
	}
	return max(r.delay, min(h.CrawlDelay, r.maxPause), r.slownessDelay(h))
}

// slownessDelay returns the part of the pause that a host's response time makes.
func (r delayRules) slownessDelay(h Host) time.Duration {
	return time.Duration(min(r.factor*float64(h.Latency), float64(r.maxPause)))
}

// startDelay starts the delay of a host now.
func (r delayRules) startDelay(h Host, now time.Time) Host {
	h.Asked, h.Due = now, latest(h.Due, now.Add(r.delayOf(h)))
	return h
}

// afterRequest returns the state of a host after a request for one of its links.
func (r delayRules) afterRequest(h Host, o crawler.Outcome, now time.Time) Host {
	if o.Pause > 0 || o.Status != 0 {
		h.CrawlDelay = max(o.Pause, 0)
	}
	switch {
	case o.HostFailed:
		h = r.afterFailure(h, o, now)
	case o.Status != 0:
		h = h.withoutFailures()
	}
	return r.startDelay(h, now)
}

// afterResponse returns the state of a host after its response, whether it is the host of the link or
// one to which it redirected.
func (r delayRules) afterResponse(h Host, o crawler.Outcome, now time.Time) Host {
	if o.Status == 0 {
		return r.startDelay(h, now)
	}
	if o.Fate.HasResponse() {
		h.Fetched++
		h.Bytes += int64(max(o.Bytes, 0))
	}
	h.Addr = cmp.Or(text.CutValid(o.Addr, MaxAddr), h.Addr)
	switch {
	case h.Latency == 0:
		h.Latency = max(o.Took, 0)
	default:
		h.Latency += (max(o.Took, 0) - h.Latency) / smoothing
	}
	return r.startDelay(h, now)
}

// withoutFailures resets the failures in a row.
func (h Host) withoutFailures() Host {
	h.Failures, h.FirstFailure, h.LastFailure, h.Reason, h.Dead = 0, time.Time{}, time.Time{}, "", false
	return h
}

// afterFailure makes a host wait after a failure that the host itself has caused.
func (r delayRules) afterFailure(h Host, o crawler.Outcome, now time.Time) Host {
	if h.Failures > 0 && !h.Dead && now.Sub(h.Due) > quietTime {
		h = h.withoutFailures()
	}
	// Concurrent requests fail together: that is one failure.
	if h.Failures == 0 || !now.Before(h.Due) {
		h.Failures++
	}
	if h.Failures == 1 {
		h.FirstFailure = now
	}
	h.LastFailure, h.Reason = now, text.CutValid(o.Reason, MaxHostReason)
	h.Dead = h.Dead || r.wait && r.isDead(h, o)
	h.Due = latest(h.Due, now.Add(r.backOff(h, o, now)))
	return h
}

// isDead reports whether there were enough failures in a row. Hosts that do not exist (no such name,
// no connection) are given up sooner than failing ones.
func (r delayRules) isDead(h Host, o crawler.Outcome) bool {
	if o.Fate == crawler.Gone {
		return h.Failures >= (r.deadAfter+1)/2
	}
	return h.Failures >= r.deadAfter && h.LastFailure.Sub(h.FirstFailure) >= deadSpan
}

// backOff returns the wait of a host after its last failure: the time it names, or one that doubles
// with each failure.
func (r delayRules) backOff(h Host, o crawler.Outcome, now time.Time) time.Duration {
	if h.Dead {
		return MaxBackoff
	}
	doubled := r.backoff
	for i := 1; i < h.Failures && doubled < MaxBackoff; i++ {
		doubled *= 2
	}
	asked := o.NotBefore.Sub(now)
	switch {
	case o.NotBefore.IsZero():
		asked = doubled
	case h.Failures >= disbelief:
		asked = max(asked, doubled)
	}
	return min(asked, MaxBackoff)
}

// isSpent reports whether pages reach the limit of a host or of its counted domain. pages include
// outstanding leases; limit 0 means none.
func isSpent(pages, limit int) bool { return limit > 0 && pages >= limit }

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
