package hosts

import (
	"cmp"
	"math"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// LimitTimes limits the times of a host's record from another machine, whose clock may differ.
func (h Host) LimitTimes(now time.Time) Host {
	for _, past := range []*time.Time{&h.Asked, &h.FirstFailure, &h.LastFailure} {
		*past = earliest(*past, now)
	}
	h.Due = earliest(h.Due, now.Add(MaxBackoff))
	return h
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// JoinHosts merges two states of one host from two crawlers.
func JoinHosts(a, b Host) Host {
	h, old := a, b
	if b.Asked.After(a.Asked) {
		h, old = b, a
	}
	h.Due = latest(a.Due, b.Due)
	h.Fetched, h.Bytes = max(a.Fetched, b.Fetched), max(a.Bytes, b.Bytes)
	h.CrawlDelay = max(a.CrawlDelay, b.CrawlDelay)
	h.Latency, h.Addr = cmp.Or(h.Latency, old.Latency), cmp.Or(h.Addr, old.Addr)
	if old.Asked.Equal(h.Asked) && old.Failures > h.Failures {
		h.Failures, h.FirstFailure, h.LastFailure, h.Reason, h.Dead = old.Failures, old.FirstFailure, old.LastFailure, old.Reason, old.Dead
	}
	return h
}

// A Host is the state of one host.
type Host struct {
	Name  webgraph.Host
	Due   time.Time // earliest time of the next request; zero means any time
	Asked time.Time // when its last request ended; zero if there was none
	// Fetched counts its responses of any final status, and Bytes their bodies.
	Fetched int
	Bytes   int64
	// Failures counts failed requests in a row for which the host is to blame. It and the following
	// fields are zero while the host works.
	Failures                  int
	FirstFailure, LastFailure time.Time // of this row
	Reason                    string    // reason of the last failure, for people
	Dead                      bool      // the host failed too often and is tried only once a day
	// CrawlDelay is the delay that its robots.txt sets, 0 if none.
	CrawlDelay time.Duration
	// Latency is the smoothed response time; 0 if unknown.
	Latency time.Duration
	Addr    string // IP address of its last response; "" if unknown
}

// Limits on stored texts of servers, in bytes.
const (
	MaxHostName   = 255
	MaxHostReason = 120
	MaxAddr       = 64
)

// A LinkKey orders the links of all hosts: rank, then seq.
type LinkKey struct{ Rank, Seq uint64 }

// Less reports whether a comes before b.
func (a LinkKey) Less(b LinkKey) bool {
	return a.Rank < b.Rank || a.Rank == b.Rank && a.Seq < b.Seq
}

// Next returns the first key after k.
func (k LinkKey) Next() LinkKey { return LinkKey{Rank: k.Rank, Seq: k.Seq + 1} }

// Rank maps a score to bits with the reverse order. Scores are clamped, so no rank is 0, which is
// reserved for links whose lease was interrupted.
func Rank(score float64) uint64 {
	bits := math.Float64bits(score + 0) // -0 becomes 0
	if bits>>63 == 0 {
		bits |= 1 << 63
	} else {
		bits = ^bits
	}
	return ^bits
}
