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

// reown lets the frontier hand out what is owned and is to stay. It reports whether
// this crawler may take part.
func (w *Worker) reown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen.ready || !w.joined || w.past() {
		return false
	}
	var own partSet
	for n := range w.conf.Partitions {
		if w.owned(n) && w.wanted(n) {
			own.add(n)
		}
	}
	w.handOut(own)
	return true
}

// shed stops the frontier from handing out what was taken away: each such link would be
// refused and given back, as fast as can be. w.mu is held.
func (w *Worker) shed() {
	var own partSet
	for n := range w.conf.Partitions {
		if w.own.has(n) && w.seen.parts[n].Owner == w.o.Name {
			own.add(n)
		}
	}
	w.handOut(own)
}

// handOut lets the frontier hand out links of some partitions. w.mu is held.
func (w *Worker) handOut(own partSet) {
	if own == w.own {
		return
	}
	w.own = own
	w.stir()
	w.o.Local.Own(own.owns(w.conf.Partitions))
	w.stir()
	w.wake()
}

// owned reports whether a partition is this crawler's, and all of it here. w.mu is held.
func (w *Worker) owned(n int) bool {
	p, h := w.seen.parts[n], w.held[n]
	return p.Owner == w.o.Name && h.Phase == taking && h.Token == p.Token
}

// wanted reports whether a partition is to be owned. w.mu is held.
func (w *Worker) wanted(n int) bool { return w.seen.parts[n].Next == w.o.Name && !w.seen.drain }
