package template

// maxPairs bounds the pairs of nodes that one comparison looks at. What lies
// below the pairs that come later counts as different, so that the distance is
// then an upper bound.
const maxPairs = 400_000

// Distance returns the restricted tree edit distance of two shapes over the sum of their sizes. It
// is the least number of nodes to delete and insert to turn one into the other. A node is deleted
// only with all nodes below it and mapped only onto a node of its label, only if its parent is
// mapped, and siblings keep their order (Selkow 1977; RTDM of Reis et al. 2004, paper 004's [9]).
// It is between 0, equal, and 1, nothing in common, symmetric, and safe for concurrent use.
//
// Equal subtrees are recognised by their hashes; siblings that are equal at both ends of
// two families cost nothing, nor do pairs whose sizes alone say that they cost more
// than they save. See maxPairs for what happens to pages that differ everywhere.
func (s *Shape) Distance(t *Shape) float64 {
	return normalised(s.root, t.root, maxPairs)
}

// atLeast returns a lower bound on the distance of two shapes in linear time. An edit changes the
// number of nodes of one label by one.
func (s *Shape) atLeast(t *Shape) float64 {
	a, b := s.labels, t.labels
	edits := 0
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].label < b[0].label:
			edits += a[0].nodes
			a = a[1:]
		case len(a) == 0 || b[0].label < a[0].label:
			edits += b[0].nodes
			b = b[1:]
		default:
			edits += abs(a[0].nodes - b[0].nodes)
			a, b = a[1:], b[1:]
		}
	}
	return float64(edits) / float64(s.root.size+t.root.size)
}

func normalised(a, b *shapeNode, pairs int) float64 {
	m := shapePair{pairs: pairs}
	return float64(m.distance(a, b)) / float64(a.size+b.size)
}

// A shapePair compares two shapes. Its rows are one stack for all depths.
type shapePair struct {
	pairs int // that it may still look at
	rows  []int
}

// distance returns the number of nodes to be deleted from a and inserted from b.
func (m *shapePair) distance(a, b *shapeNode) int {
	if a.hash == b.hash {
		return 0
	}
	if a.label != b.label {
		return a.size + b.size
	}
	if m.pairs--; m.pairs < 0 {
		return a.size + b.size - 2
	}
	return m.families(a.children, b.children)
}

// families returns the distance of two lists of siblings, by the recurrence of
// string edit distance with subtrees for letters.
func (m *shapePair) families(a, b []*shapeNode) int {
	for len(a) > 0 && len(b) > 0 && a[0].hash == b[0].hash {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1].hash == b[len(b)-1].hash {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 0 || len(b) == 0 {
		return sizeOfAll(a) + sizeOfAll(b)
	}
	base := len(m.rows)
	defer func() { m.rows = m.rows[:base] }()
	m.rows = append(m.rows, 0)
	for j, y := range b {
		m.rows = append(m.rows, m.rows[base+j]+y.size)
	}
	for _, x := range a {
		diagonal := m.rows[base] // of the row above
		m.rows[base] += x.size
		for j, y := range b {
			above := m.rows[base+j+1]
			best := min(above+x.size, m.rows[base+j]+y.size)
			if x.label == y.label && diagonal+abs(x.size-y.size) < best {
				best = min(best, diagonal+m.distance(x, y))
			}
			m.rows[base+j+1], diagonal = best, above
		}
	}
	return m.rows[base+len(b)]
}

func sizeOfAll(nodes []*shapeNode) int {
	n := 0
	for _, x := range nodes {
		n += x.size
	}
	return n
}

func abs(n int) int { return max(n, -n) }
