// Package cluster runs one crawl on many machines: paper 000's crawl control
// manager and its crawlers with local storage. A manager (package manager below
// this one) says which crawler owns which partition of the web; a worker (package
// worker) is a crawler that owns some. What they tell each other goes over a Bus, which
// is NATS JetStream (package jetstream) or, in tests, memory (package clustertest). This
// package holds what they share: the bus, the entries of its bucket, and what others
// may ask of a cluster.
//
// A partition is a hash of the registered domain (PartitionOf), so a host has one
// owner and its politeness is that of the owner's frontier. A link to another
// partition is committed to the frontier's outbox together with the page it was
// found on, published from there, and forgotten once the bus has it; its owner
// acknowledges the message after its own commit. So a link is delivered at least
// once, and counts once: frontiers are idempotent by URL.
//
// # The bucket
//
// All agreement is in one key-value bucket, changed by compare-and-set only:
//
//	conf       Conf     what is crawled, and how; by the first manager
//	leader     Leader   which manager leads, and its term
//	order      Order    what all crawlers are to do
//	part.N     Part     who owns partition N, who is to own it, and its token
//	worker.W   Beat     what crawler W does and counts; changes all the time
//	drain.W    Drain    crawler W is to hand over all it owns
//
// # Who owns what
//
// An entry that does not change for Conf.Lease on the observer's own monotonic clock is dead: no
// two clocks are compared. A crawler asks no host once 4/5 of the lease have passed since it began
// the last beat that the bucket took (its fence). A manager that finds a crawler dead first revokes
// its beat by compare-and-set; a beat that came meanwhile makes that fail. So a revoked crawler has
// been silent since before its fence.
//
//	             manager: Next = B                  B: adopts, Owner = B, Token++
//	Owner A ──────────────────────► Owner A, Next B        ▲
//	   │                                │ A: rests, writes the state as an object,
//	   │ A is revoked                   ▼    Owner = "", State = object, Token++
//	   └──────────────────────────► Owner "" ─────────────┘
//	     manager: Lost = Token = Token+1: every crawler sends what it ever sent there again
//
// A crawler that comes back after that sends what it knows of the partition after it,
// as an object and a message in the queue of the partition that names it, so that the
// new owner fetches no page that was fetched.
//
// What a crawler has done is noted in its frontier in the same commit, so that each
// step can be repeated after kill -9. See doc/decisions/029.
package cluster

import (
	"errors"
	"time"
)

// Limits and defaults.
const (
	MinPartitions     = 1
	MaxPartitions     = 1024
	DefaultPartitions = 64
	DefaultLease      = 10 * time.Minute
	MinLease          = time.Second
	MaxWorkers        = 1000
	MaxName           = 64        // bytes of the name of a crawler or a manager
	MaxMessage        = 64 << 10  // bytes of a message of links or of an event
	MaxEntry          = 256 << 10 // bytes of an entry of the bucket
	MaxReply          = 512 << 10 // bytes of one part of the answer to a request
	MaxPage           = 32 << 20  // bytes of a page that is asked for
)

// Errors that callers tell apart.
var (
	ErrNoKey    = errors.New("no such key")
	ErrConflict = errors.New("changed by another meanwhile")
	ErrFull     = errors.New("queue is full")
	// ErrVersion: the crawl is of another program, models or options than this crawler's.
	ErrVersion = errors.New("the cluster crawls with another version")
	// ErrRevoked: the manager has given away what this crawler owned.
	ErrRevoked = errors.New("taken over: the cluster heard nothing for the length of a lease")
	ErrNoPage  = errors.New("no crawler keeps that page")
)

// A Conf says what is crawled. All crawlers of a cluster work by the same one.
type Conf struct {
	// Version names program, models and options: a crawler with another refuses.
	Version    string        `json:"version"`
	Partitions int           `json:"partitions"`
	Lease      time.Duration `json:"lease"`
	// Settle is how long a crawler must have been there before it is given partitions
	// of others, so that a restart moves nothing.
	Settle time.Duration `json:"settle"`
	// Options are those of the crawl, for the code that builds it; this package does not read them.
	Options []byte `json:"options"`
	// Budget is how many pages may be spent by all; 0 means no limit. It is
	// overdrawn by what is spent between two beats.
	Budget float64 `json:"budget,omitempty"`
	// Once ends the crawl when no link is left; otherwise crawlers wait for more.
	Once bool `json:"once,omitempty"`
}

// ValidName reports whether a crawler or a manager may have a name: 1 to MaxName letters,
// digits, - and _.
func ValidName(s string) bool {
	if s == "" || len(s) > MaxName {
		return false
	}
	for _, c := range []byte(s) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}
