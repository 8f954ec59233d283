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
	// Layers say what building the graph took, by layer; empty for other graphs.
	Layers []Layer
	// Ended is the bound that ended the build early, such as "calls"; "" for none.
	Ended string
}

// A Node is a page, or a host with all its pages.
type Node struct {
	URL   string // canonical; of a host its name
	Layer int    // links to the nearest target, 0 for a target; or NoLayer
	// What is known of the page, empty where it was not fetched.
	Status   int // of HTTP
	PageType string
	CFPScore float64 // 0 to 1
	Bytes    int     // of its text
	Pages    int     // of a host; 1 for a page
}

// An Edge is a link, or all links from one host to another.
type Edge struct {
	From, To int    // indexes into Nodes
	Anchor   string // of the first link; at most webgraph.MaxAnchor runes
	NoFollow bool
	Verified bool // seen on the page itself, not only reported
	Weight   int  // links; 1 for a page's
}

// A Layer says what came of asking who links to the pages of one layer, and what
// it took. Every link told is counted, also where it makes no new node.
type Layer struct {
	Asked  int     // pages asked on
	Failed int     // of these, questions that had no answer
	Alone  int     // of these, pages without a known backlink
	Calls  int     // requests to services, as they count them
	Cost   float64 // in the service's unit
	Told   int     // links answered, those that are left out too
	// Links left out: broken rows and those of other pages, links of a page to
	// itself, links within a site, and sources that could not be fetched or do not
	// hold the link.
	Dropped, SelfLinks, InSite, Gone, Stale int
	// Known is how many links came from pages the graph had already, Duplicates how
	// many from copies of those.
	Known, Duplicates int
}
