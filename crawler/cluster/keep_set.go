package cluster

import (
	"math/bits"

	"eventseer/webgraph"
)

// A partSet is a set of partitions.
type partSet [MaxPartitions / 64]uint64

func (s *partSet) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

func (s *partSet) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s *partSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// owns returns what holds of the hosts of the set, of n partitions, as it is now.
func (s *partSet) owns(n int) func(webgraph.Host) bool {
	set := *s
	return func(h webgraph.Host) bool { return set.has(PartitionOf(h, n)) }
}
