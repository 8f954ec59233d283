package strategy

import (
	"container/heap"
	"hash/fnv"
	"math/rand/v2"
)

// draws are links in the order in which they are drawn: a heap.
type draws []ticket

// A ticket is a link with the number that chance gave it.
type ticket struct {
	order uint64
	url   string
}

func (d draws) Len() int { return len(d) }
func (d draws) Less(i, j int) bool {
	return d[i].order < d[j].order || d[i].order == d[j].order && d[i].url < d[j].url
}
func (d draws) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push is of heap.Interface.
func (d *draws) Push(x any) { *d = append(*d, x.(ticket)) }

// Pop is of heap.Interface.
func (d *draws) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// add lets chance give a link its place.
func (m *arm) add(url string, seed uint64) {
	h := fnv.New64a()
	h.Write([]byte(url))
	heap.Push(&m.draws, ticket{rand.NewPCG(seed, h.Sum64()).Uint64(), url})
}

// take removes the link that is drawn next.
func (m *arm) take() string { return heap.Pop(&m.draws).(ticket).url }
