// Package cluster runs one crawl on many machines, with the crawl control manager and the crawlers with
// local storage of paper 000. A manager (package manager) decides which crawler owns which partition of
// the web. A worker (package worker) is a crawler that owns some. They communicate over a Bus, which is
// NATS JetStream (package jetstream) or, in tests, memory (package clustertest). This package holds what
// they share: the bus, the entries of its bucket, and the functions with which other programs query and
// control a cluster.
//
// A partition is a hash of the registered domain (PartitionOf). A host therefore has one owner, whose
// frontier enforces the host delay. A link to another partition is committed to the frontier's outbox
// together with the page it was found on. It is published from there and removed once the bus has it; the
// owner of its partition acknowledges the message after its own commit. So a link is delivered at least
// once and has an effect only once: frontiers are idempotent by URL.
//
// # The bucket
//
// All agreement is in one key-value bucket, which is changed by compare-and-set only:
//
//	conf       Conf     what is crawled, and how; written by the first manager
//	leader     Leader   which manager leads, and its term
//	order      Order    what all crawlers are to do
//	part.N     Part     owner and next owner of partition N, and its token
//	worker.W   Beat     heartbeat of crawler W: what it does and counts
//	drain.W    Drain    crawler W is to hand over all its partitions
//
// # Ownership
//
// A crawler whose entry does not change for Conf.Lease on the observer's own monotonic clock is dead;
// clocks of two machines are never compared. A crawler makes no requests when 4/5 of the lease have
// passed since it began the last heartbeat that the bucket accepted (its fence). A manager that finds a
// crawler dead first revokes its heartbeat by compare-and-set, which fails if a new heartbeat was written
// meanwhile. So a revoked crawler has made no requests since its fence.
//
//	             manager: Next = B                  B: adopts, Owner = B, Token++
//	Owner A ──────────────────────► Owner A, Next B        ▲
//	   │                                │ A: stops, writes the state as an object,
//	   │ A is revoked                   ▼    Owner = "", State = object, Token++
//	   └──────────────────────────► Owner "" ─────────────┘
//	     manager: Lost = Token = Token+1: every crawler resends all links it ever sent there
//
// A crawler that returns after it was revoked sends its state of the partition to the new owner: as an
// object, and a message in the queue of the partition that names the object. So the new owner does not
// fetch pages again.
//
// A crawler records each step in its frontier, in the same commit as its effect, so that each step can be
// repeated after kill -9. See doc/decisions/029.
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
	MaxName           = 64        // length of the name of a crawler or a manager, in bytes
	MaxMessage        = 64 << 10  // size of a message with links or an event, in bytes
	MaxEntry          = 256 << 10 // size of an entry of the bucket, in bytes
	MaxReply          = 512 << 10 // size of one part of the response to a request, in bytes
	MaxPage           = 32 << 20  // size of a requested page, in bytes
)

// Errors that callers distinguish.
var (
	ErrNoKey    = errors.New("no such key")
	ErrConflict = errors.New("changed by another meanwhile")
	ErrFull     = errors.New("queue is full")
	// ErrVersion means that the crawl uses another program, models or options than this crawler.
	ErrVersion = errors.New("the cluster crawls with another version")
	// ErrRevoked means that the manager has given this crawler's partitions to others.
	ErrRevoked = errors.New("this crawler's partitions were given to others, because the cluster did not hear from it for the length of a lease")
	ErrNoPage  = errors.New("no crawler stores that page")
)

// A Conf describes the crawl. All crawlers of a cluster use the same one.
type Conf struct {
	// Version identifies program, models and options. Crawlers with another version refuse to work.
	Version    string        `json:"version"`
	Partitions int           `json:"partitions"`
	Lease      time.Duration `json:"lease"`
	// Settle is how long a crawler must have been working before it gets partitions of others, so that a
	// restart moves none.
	Settle time.Duration `json:"settle"`
	// Options are the encoded options of the crawl. This package does not interpret them.
	Options []byte `json:"options"`
	// Budget is the number of pages that all crawlers together may spend; 0 means no limit. It may be
	// exceeded by the pages of one heartbeat interval.
	Budget float64 `json:"budget,omitempty"`
	// Once ends the crawl when no link is left. Otherwise crawlers wait for more links.
	Once bool `json:"once,omitempty"`
}

// ValidName reports whether s can be the name of a crawler or a manager: 1 to MaxName letters, digits, -
// and _.
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
