package cluster

import (
	"strconv"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Keys of the bucket.
const (
	ConfKey       = "conf"
	LeaderKey     = "leader"
	OrderKey      = "order"
	SeededKey     = "seeded" // value: the Conf.Version whose seeds have been published
	PartPrefix    = "part."
	WorkerPrefix  = "worker."
	DrainPrefix   = "drain."
	ManagerPrefix = "manager."
)

// A Leader is the entry of the manager that leads.
type Leader struct {
	Name string `json:"name"`
	Boot string `json:"boot"` // ID of the process: a restarted manager may have the same name
	Term uint64 `json:"term"` // counts the leaders
	Beat uint64 `json:"beat"` // changes all the time
	// Status is the leader's last status, for readers that query another manager.
	Status Status `json:"status"`
}

// A Part is the entry of a partition: its owner and the state of a hand-over.
type Part struct {
	Owner string `json:"owner,omitempty"`
	Next  string `json:"next,omitempty"` // the next owner; equal to Owner if no move is planned
	Token uint64 `json:"token"`          // incremented by every change of Owner
	// State is the name of the object with the links and hosts that the last owner wrote.
	State string `json:"state,omitempty"`
	// Lost is the token at which the state was last lost, 0 if it never was.
	Lost uint64 `json:"lost,omitempty"`
	Term uint64 `json:"term,omitempty"` // of the manager that set Next
}

// Values of Order.Do.
const (
	DoCrawl   = "crawl"
	DoMonitor = "monitor" // revisit pages that are due, and follow new links there
	DoStop    = "stop"    // ask no host
	DoFinish  = "finish"  // end, because the crawl is over
)

// An Order says what all crawlers are to do. It is a state rather than a message, so that crawlers that
// were away follow it too.
type Order struct {
	Do     string    `json:"do"`
	Reason string    `json:"reason,omitempty"` // for people
	By     string    `json:"by,omitempty"`
	At     time.Time `json:"at"`
}

// A ManagerState is the entry of a manager of a crawl with Conf.Once. The others read it at the end of the crawl.
type ManagerState struct {
	Stored uint64 `json:"stored"`          // Announcement.Number of the last event that it has stored, 0: none
	Ended  bool   `json:"ended,omitempty"` // it knows that the crawl is over
}

// A Drain asks a crawler to hand over all its partitions.
type Drain struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// A Beat is a crawler's heartbeat: its entry in the bucket.
type Beat struct {
	Boot    string    `json:"boot"` // of the process
	Disk    string    `json:"disk"` // of the frontier
	Version string    `json:"version"`
	Started time.Time `json:"started"`
	Beat    uint64    `json:"beat"` // changes all the time
	// Revoked is set by a manager that considers the crawler dead.
	Revoked bool   `json:"revoked,omitempty"`
	Doing   string `json:"doing"`
	// Idle means that no link waits, none is leased, and none is in the outbox.
	Idle   bool   `json:"idle"`
	Owned  int    `json:"owned"` // partitions
	Counts Counts `json:"counts"`
	Error  string `json:"error,omitempty"` // the last error, for people
}

// Counts holds the counters of one crawler, or the sums over all.
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

// A Status is a manager's view of the cluster.
type Status struct {
	Leader  string         `json:"leader"`
	Term    uint64         `json:"term"`
	Do      string         `json:"do"`
	Reason  string         `json:"reason,omitempty"`
	Workers []WorkerStatus `json:"workers"` // by name
	Parts   PartCounts     `json:"parts"`
	Sum     Counts         `json:"sum"`
	Backlog Backlog        `json:"backlog"`
	Moves   uint64         `json:"moves"` // number of planned moves to another owner, under this leader
	Lost    uint64         `json:"lost"`  // number of partitions taken over without their state, under this leader
	// Quarantined is the number of keys with an unreadable value that was copied to BadPrefix.
	Quarantined int  `json:"quarantined,omitempty"`
	Finished    bool `json:"finished"`
}

// A WorkerStatus is a manager's view of a crawler.
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
	Moving  int `json:"moving"`  // owner and next owner differ
	Orphans int `json:"orphans"` // without an owner
}

// Values of WorkerStatus.State, besides Gone.
const (
	StateRevoked  = "revoked"
	StateSilent   = "silent"
	StateOther    = "other version"
	StateDraining = "draining"
	StateJoining  = "joining"
	StateWorking  = "working"
)

// WorkerStates returns all values of WorkerStatus.State.
func WorkerStates() []string {
	return []string{StateJoining, StateWorking, StateDraining, StateSilent, StateOther, StateRevoked, Gone}
}

// Gone is the value of Doing in the last heartbeat of a crawler that ended in order.
const Gone = "gone"

// A PartEntry is a Part with the revision of its entry.
type PartEntry struct {
	Part
	Revision uint64
}

// PartKey returns the key of partition n.
func PartKey(n int) string { return PartPrefix + strconv.Itoa(n) }

// PartitionOf returns the partition of a host, from 0 to n-1. It depends on the registered domain, so
// that hosts that share a delay have the same owner.
func PartitionOf(host webgraph.Host, n int) int {
	domain := webgraph.RegisteredDomain(host)
	if domain == "" {
		domain = string(host)
	}
	return int(xxh3.HashString(domain) % uint64(n))
}
