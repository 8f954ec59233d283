package template

// maxPairs limits the pairs of nodes that one comparison examines. The children of further pairs count as
// different, so that the distance becomes an upper bound.
const maxPairs = 400_000

// Distance returns the restricted tree edit distance of two shapes divided by the sum of their sizes. It is 0
// for equal shapes and 1 for shapes with nothing in common. It is symmetric and safe for concurrent use.
//
// The edit distance is the least number of nodes to delete and insert to turn one shape into the other. A
// node is deleted only with all nodes below it. It is mapped only to a node with the same label whose parent
// its own parent is mapped to, and siblings keep their order (Selkow 1977; RTDM of Reis et al. 2004,
// reference 9 in paper 004).
//
// Equal subtrees are recognised by their hashes. Siblings that are equal at both ends of two lists are
// skipped, and so are pairs whose sizes differ too much to reduce the distance. maxPairs limits the work for
// pages that differ everywhere.
func (s *Shape) Distance(t *Shape) float64 {
	return normalizedDistance(s.root, t.root, maxPairs)
}

// minDistance returns a lower bound on Distance in linear time, from the numbers of nodes by label. An edit
// changes one such number by one.
func (s *Shape) minDistance(t *Shape) float64 {
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

func normalizedDistance(a, b *shapeNode, pairs int) float64 {
	m := shapePair{pairs: pairs}
	return float64(m.distance(a, b)) / float64(a.size+b.size)
}

// A shapePair compares two shapes. rows is a stack of rows of the recurrence, one for each level of the
// recursion.
type shapePair struct {
	pairs int // number of pairs of nodes that may still be examined
	rows  []int
}

// distance returns the number of nodes to delete from a and to insert from b.
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
	return m.listDistance(a.children, b.children)
}

// listDistance returns the distance of two lists of siblings. It uses the recurrence of string edit distance,
// with subtrees in place of letters.
func (m *shapePair) listDistance(a, b []*shapeNode) int {
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
		diagonal := m.rows[base] // value of the previous row, one column to the left
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
