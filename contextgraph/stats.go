package contextgraph

import (
	"cmp"
	"maps"
	"slices"

	"github.com/eventseer/eventseer/webgraph"
)

// Stats are statistics of a graph. They are those of paper 002, table 4.1, by layer, and of tables 4.2
// and 4.3, the types of the pages that link to targets.
type Stats struct {
	Name         string `json:"name"`
	Nodes        int    `json:"nodes"`
	Edges        int    `json:"edges"`
	Hosts        int    `json:"hosts"`
	VerifiedEdge int    `json:"verified_edges"`
	Ended        string `json:"ended,omitempty"`

	Layers []LayerStats `json:"layers"`
	// Parents are the types of the pages that link to a target, the most frequent first. There are two
	// counts: pages in layer 1, and pairs of a page and a target. Pages without a type have type "".
	Parents []TypeCount `json:"parents"`
}

// LayerStats are statistics of one layer, and of querying the backlinks of its pages.
type LayerStats struct {
	Layer    int     `json:"layer"`
	Nodes    int     `json:"nodes"`
	Sites    int     `json:"sites"`
	Growth   float64 `json:"growth"`    // number of nodes per node of the previous layer; 0 for layer 0
	URLBytes int     `json:"url_bytes"` // size of its URLs, one per line
	// Walks is the number of walks of this length to a target, and WalkBytes the size of their URLs, one
	// per line. They show the size of the layer if duplicates were not removed.
	Walks     float64 `json:"walks"`
	WalkBytes float64 `json:"walk_bytes"`
	Fetched   int     `json:"fetched"`    // nodes with a status
	TextBytes int     `json:"text_bytes"` // of the pages fetched

	// Results of backlink queries; 0 in the outermost layer.
	Asked    int     `json:"asked"`
	Failed   int     `json:"failed"`
	Coverage float64 `json:"coverage"` // fraction of the queried pages that have a backlink
	Calls    int     `json:"calls"`
	Cost     float64 `json:"cost"`
	Told     int     `json:"told"` // links answered
	// Fractions of the reported links: those from pages the graph had or from copies of them, and those
	// within a site, whether included or not.
	DuplicateShare float64     `json:"duplicate_share"`
	InSiteShare    float64     `json:"in_site_share"`
	Gone           int         `json:"gone"`
	Stale          int         `json:"stale"`
	Types          []TypeCount `json:"types"` // of its pages
}

// A TypeCount is the number of pages with a type.
type TypeCount struct {
	Type  string `json:"type"`
	Pages int    `json:"pages"`
	Links int    `json:"links,omitempty"` // number of links from these pages to targets
}

// Stats returns the statistics of a graph, for nodes with layers.
func (g *Graph) Stats() Stats {
	s := Stats{Name: g.Name, Nodes: len(g.Nodes), Edges: len(g.Edges), Ended: g.Ended}
	deepest := NoLayer
	hosts := map[webgraph.Host]bool{}
	for _, n := range g.Nodes {
		deepest = max(deepest, n.Layer)
		hosts[webgraph.HostOf(n.URL)] = true
	}
	s.Hosts = len(hosts)
	s.Layers = make([]LayerStats, deepest+1)
	g.countNodes(s.Layers)
	inSite := g.countEdges(&s)
	for i := range s.Layers {
		l := &s.Layers[i]
		l.Layer = i
		if i > 0 {
			l.Growth = fraction(l.Nodes, s.Layers[i-1].Nodes)
		}
		if i < len(g.Layers) {
			l.countQueries(g.Layers[i], inSite[i])
		}
	}
	g.countWalks(s.Layers)
	return s
}

func (g *Graph) countNodes(layers []LayerStats) {
	types := make([]map[string]TypeCount, len(layers))
	sites := map[layerSite]bool{}
	for _, n := range g.Nodes {
		if n.Layer < 0 {
			continue
		}
		l := &layers[n.Layer]
		l.Nodes++
		l.URLBytes += len(n.URL) + 1
		if n.Status != 0 {
			l.Fetched++
			l.TextBytes += n.Bytes
		}
		if site := (layerSite{n.Layer, siteOf(n.URL)}); !sites[site] {
			sites[site] = true
			l.Sites++
		}
		if types[n.Layer] == nil {
			types[n.Layer] = map[string]TypeCount{}
		}
		addType(types[n.Layer], n.PageType, 1, 0)
	}
	for i := range layers {
		layers[i].Types = byCount(types[i])
	}
}

// countEdges counts edges and parents, and returns for each layer the number of links within a site to
// its pages.
func (g *Graph) countEdges(s *Stats) (inSite []int) {
	inSite = make([]int, len(s.Layers))
	parents := map[string]TypeCount{}
	seen := map[int]bool{}
	for _, e := range g.Edges {
		from, to := g.Nodes[e.From], g.Nodes[e.To]
		if e.Verified {
			s.VerifiedEdge++
		}
		if to.Layer >= 0 && webgraph.SameSite(webgraph.HostOf(from.URL), webgraph.HostOf(to.URL)) {
			inSite[to.Layer]++
		}
		if to.Layer == 0 && e.From != e.To {
			pages := 0
			if !seen[e.From] && from.Layer == 1 {
				pages = 1
			}
			seen[e.From] = true
			addType(parents, from.PageType, pages, 1)
		}
	}
	s.Parents = byCount(parents)
	return inSite
}

func addType(types map[string]TypeCount, name string, pages, links int) {
	c := types[name]
	types[name] = TypeCount{name, c.Pages + pages, c.Links + links}
}

// byCount returns the counts, the largest first, equal ones by name.
func byCount(types map[string]TypeCount) []TypeCount {
	return slices.SortedFunc(maps.Values(types), func(a, b TypeCount) int {
		return cmp.Or(cmp.Compare(b.Pages, a.Pages), cmp.Compare(b.Links, a.Links), cmp.Compare(a.Type, b.Type))
	})
}

func (l *LayerStats) countQueries(of Layer, inSite int) {
	l.Asked, l.Failed, l.Calls, l.Cost, l.Told, l.Gone, l.Stale = of.Asked, of.Failed, of.Calls, of.Cost, of.Told, of.Gone, of.Stale
	l.Coverage = fraction(of.Asked-of.Failed-of.Alone, of.Asked)
	l.DuplicateShare = fraction(of.Known+of.Duplicates, of.Told)
	l.InSiteShare = fraction(of.InSite+inSite, of.Told)
}

// countWalks counts, for each layer, the walks of its length to a target. If duplicates are not removed,
// a page is found once for each of them (paper 002, section 3.3).
func (g *Graph) countWalks(layers []LayerStats) {
	walks := make([]float64, len(g.Nodes))
	for i, n := range g.Nodes {
		if n.Layer == 0 {
			walks[i] = 1
		}
	}
	for i := range layers {
		for n, w := range walks {
			layers[i].Walks += w
			layers[i].WalkBytes += float64(w * float64(len(g.Nodes[n].URL)+1))
		}
		next := make([]float64, len(walks))
		for _, e := range g.Edges {
			next[e.From] += walks[e.To]
		}
		walks = next
	}
}

func fraction(part, all int) float64 {
	if all == 0 {
		return 0
	}
	return float64(part) / float64(all)
}
