// Package contextgraph builds, reads and writes context graphs (Diligenti et al. 2000; paper 002,
// sections 2.3.2 and 3.3). A context graph holds the pages from which targets can be reached over few
// links, in layers by their distance to the nearest target. The package also predicts the layers of
// pages, and supports graph formats of other programs.
package contextgraph

// NoLayer is the layer of a node outside of any context graph, as in the graph of all links of a crawl.
const NoLayer = -1

// A Graph is a graph of pages, or hosts, and the links between them. Its nodes are in the order they were
// found, its edges sorted by From, then To.
type Graph struct {
	Name  string // such as the discipline of its targets
	Nodes []Node
	Edges []Edge
	// Layers are the statistics of building the graph, by layer; empty for other graphs.
	Layers []Layer
	// Ended is the limit that ended the build early, such as "calls"; "" for none.
	Ended string
}

// A Node is a page, or a host with all its pages.
type Node struct {
	URL   string // canonical URL; for a host its name
	Layer int    // number of links to the nearest target, 0 for a target; or NoLayer
	// Properties of the page, zero if it was not fetched.
	Status   int // of HTTP
	PageType string
	CFPScore float64 // 0 to 1
	Bytes    int     // of its text
	Pages    int     // number of pages of a host; 1 for a page
}

// An Edge is a link, or all links from one host to another.
type Edge struct {
	From, To int    // indexes into Nodes
	Anchor   string // anchor text of the first link; at most webgraph.MaxAnchor runes
	NoFollow bool
	Verified bool // found on the page itself, not only reported
	Weight   int  // number of links; 1 between pages
}

// A Layer counts the results of querying the backlinks of one layer's pages, and their cost. Every
// reported link is counted, even if it does not make a new node.
type Layer struct {
	Asked  int     // queried pages
	Failed int     // number of the queries that failed
	Alone  int     // number of the queried pages without a known backlink
	Calls  int     // requests to services, by their own count
	Cost   float64 // in the service's unit
	Told   int     // links reported, including those left out
	// Links that were left out. They are broken rows and links to other pages, links of a page to itself,
	// links within a site, and links whose source could not be fetched or does not have the link.
	Dropped, SelfLinks, InSite, Gone, Stale int
	// Known is the number of links from pages that the graph had already, Duplicates the number of links
	// from copies of those.
	Known, Duplicates int
}
