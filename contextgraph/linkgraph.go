package contextgraph

import (
	"context"
	"fmt"
	"iter"

	"eventseer/internal/text"
	"eventseer/webgraph"
)

// NewLinkGraph makes a graph of links, with no layers: a page a URL and an edge a
// pair of pages, with the anchor of the first link between them. Links that hold
// no URL of the web are left out and counted.
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
			return nil, skipped, fmt.Errorf("%w: more than %d pages or %d links", ErrTooLarge, maxNodes, maxEdges)
		}
	}
	sortEdges(g.Edges)
	return g, skipped, nil
}

// Asker answers from the links of a graph, in the order of its nodes: one call a
// question, at a cost of 1. The graph must not change while it is asked.
func (g *Graph) Asker() Asker {
	a := graphAsker{graph: g, nodes: make(map[string]int, len(g.Nodes)), sources: g.sources()}
	for i, n := range g.Nodes {
		a.nodes[n.URL] = i
	}
	return a
}

type graphAsker struct {
	graph   *Graph
	nodes   map[string]int
	sources [][]int32
}

func (a graphAsker) Backlinks(ctx context.Context, url string, limit int) (Answer, error) {
	answer := Answer{Calls: 1, Cost: 1}
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
