package record

import "github.com/eventseer/eventseer/features/tagtree"

// Constants of MDR (Liu, Grossman and Zhai 2003, sections 3.1 and 3.2).
const (
	mdrNodes     = 10  // most nodes of a generalised node (K)
	mdrThreshold = 0.3 // edit distance up to which generalised nodes are similar (T)
	mdrTags      = 150 // tags of a node that are compared; the rest is left out
)

// MDR returns the data regions of the page by the plain algorithm of Liu, Grossman and Zhai (KDD
// 2003). Generalised nodes have up to ten children, neighbours are compared by the normalised edit
// distance of their tag strings, and the region that covers most children wins; its generalised
// nodes are the records. It is the baseline for Regions.
func MDR(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	m := mdr{links: newLinkReader(t.Base()), tags: make(map[*tagtree.Node][]string)}
	m.find(root)
	return m.regions
}

type mdr struct {
	links   *linkReader
	tags    map[*tagtree.Node][]string
	regions []Region
}

// mdrRegion is size nodes a generalised node, from start, count nodes in all.
type mdrRegion struct{ size, start, count int }

// find reads the regions among the children of a node, and those within what none covers.
func (m *mdr) find(n *tagtree.Node) {
	var children []*tagtree.Node
	for _, c := range n.Children {
		if c.Name != "" && !c.Hidden && c.Name != "head" {
			children = append(children, c)
		}
	}
	covered := make([]bool, len(children))
	for from := 0; from < len(children); {
		best := m.best(children, from)
		if best.count == 0 {
			break
		}
		region := Region{Path: n.Path()}
		size := best.size
		if m.allAlike(children[best.start : best.start+best.count]) {
			size = 1
		}
		for i := best.start; i < best.start+best.count; i += size {
			nodes := children[i : i+size]
			region.Records = append(region.Records, Record{Nodes: nodes, Links: m.links.links(nodes)})
			for j := range nodes {
				covered[i+j] = true
			}
		}
		alignFields(region.Records)
		m.regions = append(m.regions, region)
		from = best.start + best.count
	}
	for i, c := range children {
		if !covered[i] {
			m.find(c)
		}
	}
}

// best returns the first region from a child on that covers most children (IdentDRs).
func (m *mdr) best(children []*tagtree.Node, from int) mdrRegion {
	var best mdrRegion
	for size := 1; size <= min(mdrNodes, (len(children)-from)/2); size++ {
		for start := from; start < from+size; start++ {
			var run mdrRegion
			for i := start; i+2*size <= len(children); i += size {
				if m.similar(children[i:i+size], children[i+size:i+2*size]) {
					if run.count == 0 {
						run = mdrRegion{size, i, size}
					}
					run.count += size
				} else if run.count > 0 {
					break
				}
			}
			if run.count > best.count && (best.count == 0 || run.start <= best.start) {
				best = run
			}
		}
	}
	return best
}

// allAlike reports whether each node of a region is like its neighbour: then each is a
// record (section 3.3).
func (m *mdr) allAlike(nodes []*tagtree.Node) bool {
	for i := 1; i < len(nodes); i++ {
		if !m.similar(nodes[i-1:i], nodes[i:i+1]) {
			return false
		}
	}
	return true
}

func (m *mdr) similar(a, b []*tagtree.Node) bool {
	return editDistance(m.tagString(a), m.tagString(b)) <= mdrThreshold
}

func (m *mdr) tagString(nodes []*tagtree.Node) []string {
	if len(nodes) == 1 {
		n := nodes[0]
		if _, ok := m.tags[n]; !ok {
			m.tags[n] = appendTags(nil, n)
		}
		return m.tags[n]
	}
	var all []string
	for i := range nodes {
		all = append(all, m.tagString(nodes[i:i+1])...)
	}
	return all[:min(len(all), mdrTags)]
}

func appendTags(tags []string, n *tagtree.Node) []string {
	if n.Name == "" || n.Hidden || len(tags) == mdrTags {
		return tags
	}
	tags = append(tags, n.Name)
	for _, c := range n.Children {
		tags = appendTags(tags, c)
	}
	return tags
}

// editDistance is Levenshtein's, over the longer length.
func editDistance(a, b []string) float64 {
	longer, shorter := float64(max(len(a), len(b))), float64(min(len(a), len(b)))
	if longer == 0 {
		return 0
	}
	if (longer-shorter)/longer > mdrThreshold {
		return 1 // it can only be above the threshold
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal + b2i(a[i] != b[j])
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j+1]+1, row[j]+1)
		}
	}
	return float64(row[len(b)]) / longer
}
