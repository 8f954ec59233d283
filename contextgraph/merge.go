package contextgraph

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Merge combines several graphs into one, in their order. Each page occurs once, in its smallest layer,
// with the links of all graphs. Statistics of building are summed.
func Merge(name string, graphs ...*Graph) *Graph {
	m := &Graph{Name: name}
	nodes := map[string]int{}
	edges := map[[2]int]int{}
	for _, g := range graphs {
		at := make([]int, len(g.Nodes))
		for i, n := range g.Nodes {
			at[i] = m.mergeNode(nodes, n)
		}
		for _, e := range g.Edges {
			e.From, e.To = at[e.From], at[e.To]
			m.mergeEdge(edges, e)
		}
		m.addLayers(g.Layers)
		m.Ended = cmp.Or(m.Ended, g.Ended)
	}
	sortEdges(m.Edges)
	m.shortenLayers()
	return m
}

func (g *Graph) mergeNode(nodes map[string]int, n Node) int {
	i, ok := nodes[n.URL]
	if !ok {
		i = len(g.Nodes)
		nodes[n.URL] = i
		g.Nodes = append(g.Nodes, n)
		return i
	}
	old := &g.Nodes[i]
	if layer := old.Layer; old.Status == 0 && n.Status != 0 {
		*old = n
		old.Layer = layer
	}
	if old.Layer == NoLayer || n.Layer != NoLayer && n.Layer < old.Layer {
		old.Layer = n.Layer
	}
	old.Pages = max(old.Pages, n.Pages)
	return i
}

func (g *Graph) mergeEdge(edges map[[2]int]int, e Edge) {
	pair := [2]int{e.From, e.To}
	i, ok := edges[pair]
	if !ok {
		edges[pair] = len(g.Edges)
		g.Edges = append(g.Edges, e)
		return
	}
	old := &g.Edges[i]
	old.Verified = old.Verified || e.Verified
	old.NoFollow = old.NoFollow && e.NoFollow
	old.Weight = max(old.Weight, e.Weight)
	old.Anchor = cmp.Or(old.Anchor, e.Anchor)
}

func (g *Graph) addLayers(layers []Layer) {
	for i, l := range layers {
		if i == len(g.Layers) {
			g.Layers = append(g.Layers, Layer{})
		}
		sums := g.Layers[i].countFields()
		for k, n := range l.countFields() {
			*sums[k] += *n
		}
		g.Layers[i].Cost += l.Cost
	}
}

// shortenLayers lowers the layers of pages that link to a page in a smaller layer than known before. One graph
// may have a link that shortens a path of another.
func (g *Graph) shortenLayers() {
	sources := g.incomingEdges()
	deepest := 0
	layers := make([][]int, 1)
	for i, n := range g.Nodes {
		for deepest = max(deepest, n.Layer); len(layers) <= deepest; {
			layers = append(layers, nil)
		}
		if n.Layer >= 0 {
			layers[n.Layer] = append(layers[n.Layer], i)
		}
	}
	for layer := 0; layer < deepest; layer++ {
		for _, to := range layers[layer] {
			if g.Nodes[to].Layer != layer {
				continue // moved
			}
			for _, e := range sources[to] {
				if from := &g.Nodes[g.Edges[e].From]; from.Layer > layer+1 {
					from.Layer = layer + 1
					layers[layer+1] = append(layers[layer+1], g.Edges[e].From)
				}
			}
		}
	}
}

// incomingEdges returns, for each node, the indexes of the edges to it.
func (g *Graph) incomingEdges() [][]int32 {
	count := make([]int32, len(g.Nodes))
	for _, e := range g.Edges {
		count[e.To]++
	}
	all := make([]int32, len(g.Edges))
	to := make([][]int32, len(g.Nodes))
	for i, n := range count {
		to[i], all = all[:0:n], all[n:]
	}
	for i, e := range g.Edges {
		to[e.To] = append(to[e.To], int32(i))
	}
	return to
}

// NewLinkGraph returns a graph of links without layers. Each URL is a node, and each pair of linked pages
// an edge with the anchor of the first link between them. It skips links whose URLs are not http or https
// and returns their number.
func NewLinkGraph(name string, links iter.Seq[webgraph.Link]) (g *Graph, skipped int, err error) {
	g = &Graph{Name: name}
	nodes := map[string]int{}
	edges := map[[2]int]int{}
	node := func(raw string) (int, bool) {
		if i, ok := nodes[raw]; ok {
			return i, true
		}
		url, err := webgraph.Canonical(raw)
		if err != nil {
			return 0, false
		}
		i := g.mergeNode(nodes, Node{URL: url, Layer: NoLayer, Pages: 1})
		nodes[raw] = i
		return i, true
	}
	for l := range links {
		from, ok1 := node(l.Source)
		to, ok2 := node(l.Target)
		if !ok1 || !ok2 {
			skipped++
			continue
		}
		g.mergeEdge(edges, Edge{From: from, To: to, Anchor: text.CutRunes(l.Anchor, webgraph.MaxAnchor), NoFollow: l.NoFollow, Weight: 1})
		if len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges {
			return nil, skipped, fmt.Errorf("%w: the graphs have more than %d pages or %d links in total", ErrTooLarge, maxNodes, maxEdges)
		}
	}
	sortEdges(g.Edges)
	return g, skipped, nil
}

// BacklinkSource returns an Asker that uses the links of g, in the order of its nodes. Each query counts as one
// call with cost 1. The graph must not change while it is in use.
func (g *Graph) BacklinkSource() BacklinkSource {
	a := graphBacklinkSource{graph: g, nodes: make(map[string]int, len(g.Nodes)), sources: g.incomingEdges()}
	for i, n := range g.Nodes {
		a.nodes[n.URL] = i
	}
	return a
}

type graphBacklinkSource struct {
	graph   *Graph
	nodes   map[string]int
	sources [][]int32
}

func (a graphBacklinkSource) Backlinks(ctx context.Context, url string, limit int) (Backlinks, error) {
	answer := Backlinks{Calls: 1, Cost: 1}
	node, ok := a.nodes[url]
	if !ok {
		return answer, ctx.Err()
	}
	for _, i := range a.sources[node][:min(limit, len(a.sources[node]))] {
		e := a.graph.Edges[i]
		answer.Links = append(answer.Links, webgraph.Link{
			Source: a.graph.Nodes[e.From].URL, Target: url, Anchor: e.Anchor, NoFollow: e.NoFollow,
		})
	}
	return answer, ctx.Err()
}
