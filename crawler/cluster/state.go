package cluster

import (
	"strconv"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// The keys of the bucket.
const (
	ConfKey      = "conf"
	LeaderKey    = "leader"
	OrderKey     = "order"
	SeededKey    = "seeded" // the Conf.Version whose seeds are in the queues
	PartPrefix   = "part."
	WorkerPrefix = "worker."
	DrainPrefix  = "drain."
)

// A Leader is the manager that decides.
type Leader struct {
	Name string `json:"name"`
	Boot string `json:"boot"` // of the process: names may come again
	Term uint64 `json:"term"` // counts the leaders
	Beat uint64 `json:"beat"` // changes all the time
	// Status is the leader's last count, for readers that query another manager.
	Status Status `json:"status"`
}

// A Part says who owns a partition.
type Part struct {
	Owner string `json:"owner,omitempty"`
	Next  string `json:"next,omitempty"` // who is to own it; Owner where it stays
	Token uint64 `json:"token"`          // raised by every change of Owner
	// State is the object with the links and hosts that the last owner left.
	State string `json:"state,omitempty"`
	// Lost is the token at which the state was last lost, 0 if it never was.
	Lost uint64 `json:"lost,omitempty"`
	Term uint64 `json:"term,omitempty"` // of the manager that last set Next
}

// What an Order asks for.
const (
	DoCrawl   = "crawl"
	DoMonitor = "monitor" // visit what is due, and follow what is new there
	DoStop    = "stop"    // ask no host
	DoFinish  = "finish"  // end: the crawl is over
)

// An Order is what all crawlers are to do. It is a state and no event, so that who
// was away obeys it too.
type Order struct {
	Do     string    `json:"do"`
	Reason string    `json:"reason,omitempty"` // for people
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// A Drain asks a crawler to hand over all it owns.
type Drain struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// A Beat is what a crawler says of itself.
type Beat struct {
	Boot    string    `json:"boot"` // of the process
	Disk    string    `json:"disk"` // of the frontier
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Beat    uint64    `json:"beat"` // changes all the time
	// Revoked is set by a manager that found the crawler dead.
	Revoked bool   `json:"revoked,omitempty"`
	Doing   string `json:"doing"`
	// Idle means that no link waits or is in hand, and none is in the outbox.
	Idle   bool   `json:"idle"`
	Owned  int    `json:"owned"` // partitions
	Counts Counts `json:"counts"`
	Error  string `json:"error,omitempty"` // the last that went wrong, for people
}

// Counts are of one crawler, or the sums of all.
type Counts struct {
	crawler.Progress
	Pages      int    `json:"pages"`
	Targets    int    `json:"targets"`
	Outbox     int    `json:"outbox"`
	LinksSent  uint64 `json:"links_sent"`
	LinksTaken uint64 `json:"links_taken"`
	Events     uint64 `json:"events"` // published
	HandedOver uint64 `json:"handed_over"`
	Adopted    uint64 `json:"adopted"`
	Resent     uint64 `json:"resent"`
	Traffic    Traffic
}

// A Status is what a manager knows of the cluster.
type Status struct {
	Leader  string         `json:"leader"`
	Term    uint64         `json:"term"`
	Do      string         `json:"do"`
	Reason  string         `json:"reason,omitempty"`
	Workers []WorkerStatus `json:"workers"` // by name
	Parts   PartCounts     `json:"parts"`
	Sum     Counts         `json:"sum"`
	Backlog Backlog        `json:"backlog"`
	Moves   uint64         `json:"moves"` // partitions given to another owner, of this leader
	Lost    uint64         `json:"lost"`  // taken over without their state, of this leader
	// Quarantined is how many keys of the bucket have a value under BadPrefix, for people to look at.
	Quarantined int  `json:"quarantined,omitempty"`
	Finished    bool `json:"finished"`
}

// A WorkerStatus is a crawler as a manager sees it.
type WorkerStatus struct {
	Name string `json:"name"`
	Beat
	State  string        `json:"state"` // one of WorkerStates
	Silent time.Duration `json:"silent"`
	Parts  []int         `json:"parts"`
}

// PartCounts counts partitions.
type PartCounts struct {
	All     int `json:"all"`
	Owned   int `json:"owned"`
	Moving  int `json:"moving"`  // owned by another than is to
	Orphans int `json:"orphans"` // without an owner
}

// The states of a crawler, besides gone.
const (
	StateRevoked  = "revoked"
	StateSilent   = "silent"
	StateOther    = "other version"
	StateDraining = "draining"
	StateJoining  = "joining"
	StateWorking  = "working"
)

// WorkerStates returns all that WorkerStatus.State may be.
func WorkerStates() []string {
	return []string{StateJoining, StateWorking, StateDraining, StateSilent, StateOther, StateRevoked, Gone}
}

// Gone is what the last beat of a crawler says that ended in order.
const Gone = "gone"

// A PartEntry is a Part as it was read.
type PartEntry struct {
	Part
	Revision uint64
}

// PartKey returns the key of a partition.
func PartKey(n int) string { return PartPrefix + strconv.Itoa(n) }

// PartitionOf returns the partition of a host, of n: by its registered domain, so
// that hosts that share a pause have one owner.
func PartitionOf(host webgraph.Host, n int) int {
	domain := webgraph.RegisteredDomain(host)
	if domain == "" {
		domain = string(host)
	}
	return int(xxh3.HashString(domain) % uint64(n))
}
