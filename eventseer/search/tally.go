package search

// tallies are what facets are counted from, in one run of memory by document: counted
// from rows, most of the time went into fetching them.
type tallies struct {
	of     []tally
	topics []uint32 // of all documents, one behind the other
	ranks  []uint32
	kinds  counter[string]
	months counter[int] // year*12 + month
}

// A tally is one document. Numbers of a kind and a month are 0 of none; topics and
// ranks begin here and end where those of the next document begin.
type tally struct {
	country       uint32
	topics, ranks uint32
	kind, month   uint32
	regions       uint16
}

// A counter gives values numbers from 1 on.
type counter[V comparable] struct {
	values []V // by number, the first of them is none
	number map[V]uint32
}

func (n *counter[V]) add(v V) uint32 {
	if n.number == nil {
		n.number, n.values = map[V]uint32{}, make([]V, 1)
	}
	if _, known := n.number[v]; !known {
		n.number[v] = uint32(len(n.values))
		n.values = append(n.values, v)
	}
	return n.number[v]
}

func newTallies(rows []*row) *tallies {
	t := &tallies{of: make([]tally, len(rows)+1)}
	for i, r := range rows {
		one := &t.of[i]
		one.topics, one.ranks = uint32(len(t.topics)), uint32(len(t.ranks))
		if r == nil {
			continue
		}
		one.country, one.regions = r.country, r.regions
		if r.facts.Kind != "" {
			one.kind = t.kinds.add(string(r.facts.Kind))
		}
		if s := r.facts.Start; !s.IsZero() {
			one.month = t.months.add(s.Year()*12 + int(s.Month()) - 1)
		}
		t.topics, t.ranks = append(t.topics, r.topics...), append(t.ranks, r.ranks...)
	}
	t.of[len(rows)].topics, t.of[len(rows)].ranks = uint32(len(t.topics)), uint32(len(t.ranks))
	return t
}
