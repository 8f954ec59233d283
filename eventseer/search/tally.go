package search

// tallies are what facets are counted from, in one run of memory by document: counted
// from rows, most of the time went into fetching them.
type tallies struct {
	of     []tally
	topics []uint32 // of all documents, one behind the other
	ranks  []uint32
}

// A tally is one document. Its topics and ranks begin here and end where those of the next
// document begin.
type tally struct {
	kind, country, month uint32
	topics, ranks        uint32
	regions              uint16
}

func newTallies(rows []*row) *tallies {
	t := &tallies{of: make([]tally, len(rows)+1)}
	for i, r := range rows {
		one := &t.of[i]
		one.topics, one.ranks = uint32(len(t.topics)), uint32(len(t.ranks))
		if r == nil {
			continue
		}
		one.kind, one.country, one.month, one.regions = r.kind, r.country, r.month, r.regions
		t.topics, t.ranks = append(t.topics, r.topics...), append(t.ranks, r.ranks...)
	}
	t.of[len(rows)].topics, t.of[len(rows)].ranks = uint32(len(t.topics)), uint32(len(t.ranks))
	return t
}
