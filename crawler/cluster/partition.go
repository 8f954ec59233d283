package cluster

import (
	"eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// PartitionOf returns the partition of a host, of n: by its registered domain, so
// that hosts that share a pause have one owner.
func PartitionOf(host webgraph.Host, n int) int {
	domain := webgraph.RegisteredDomain(host)
	if domain == "" {
		domain = string(host)
	}
	return int(xxh3.HashString(domain) % uint64(n))
}
