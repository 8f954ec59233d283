// Package contextgraph builds context graphs: the pages from which targets can
// be reached over few links, in layers by their distance to the nearest target
// (Diligenti et al. 2000; paper 002, sections 2.3.2 and 3.3). It learns to tell
// the layers apart, and reads and writes graphs in the formats other programs
// know.
package contextgraph

// NoLayer is the layer of a node that is in no context graph, as in the graph of
// all links of a crawl.
const NoLayer = -1

// A Graph is pages, or hosts, and the links between them. Its nodes are in the
// order they were found, its edges in that of From, then To.
type Graph struct {
	Name  string // such as the discipline of its targets
	Nodes []Node
	Edges []Edge
}

// A Node is a page, or a host with all its pages.
type Node struct {
	URL   string // canonical; of a host its name
	Layer int    // links to the nearest target, 0 for a target; or NoLayer
	// What is known of the page, empty where it was not fetched.
	Status   int // of HTTP
	PageType string
	CFPScore float64 // 0 to 1
	Pages    int     // of a host; 1 for a page
}

// An Edge is a link, or all links from one host to another.
type Edge struct {
	From, To int    // indexes into Nodes
	Anchor   string // of the first link; at most webgraph.MaxAnchor runes
	NoFollow bool
	Verified bool // seen on the page itself, not only told of
	Weight   int  // links; 1 for a page's
}
