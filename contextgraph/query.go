package contextgraph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"

	"github.com/eventseer/eventseer/webgraph"
)

// queryNode queries the backlinks of a node and adds the answer to the graph.
func (b *builder) queryNode(ctx context.Context, node int, of *Layer) error {
	url := b.graph.Nodes[node].URL
	a, err := b.Journal.cachedBacklinks(ctx, b.Asker, url, b.PerPage)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	of.Asked++
	of.Calls += a.Calls
	of.Cost += a.Cost
	of.Dropped += a.Dropped
	b.calls += a.Calls
	b.cost += a.Cost
	var broken *JournalError
	switch {
	case errors.As(err, &broken):
		return err
	case err != nil:
		of.Failed++
		if b.failed++; b.failed >= maxFailures {
			return fmt.Errorf("%d consecutive queries failed, the last one: %w", b.failed, err)
		}
		return nil
	}
	b.failed = 0
	if len(a.Links) == 0 {
		of.Alone++
	}
	of.Told += len(a.Links)
	return b.addLinks(ctx, node, a.Links, of)
}

// addLinks adds the links to a node as edges, and their sources as nodes if they are new.
func (b *builder) addLinks(ctx context.Context, to int, links []webgraph.Link, of *Layer) error {
	target := b.graph.Nodes[to].URL
	links = b.usableLinks(links, target, of)
	pages := b.fetchAll(ctx, links)
	for i, l := range links {
		if err := ctx.Err(); err != nil {
			return err
		}
		from, known := b.copies.findNode(l.Source)
		switch {
		case from == excluded:
			of.Duplicates++
		case from == gone:
			of.Gone++
		case known:
			of.Known++
		default:
			var err error
			if from, err = b.sourceNode(l, pages[i], b.graph.Nodes[to].Layer+1, of); err != nil {
				return err
			}
		}
		if from >= 0 {
			if err := b.addEdge(from, to, l, of); err != nil {
				return err
			}
		}
	}
	return nil
}

// usableLinks returns the links to target from other pages, each source once and in canonical form.
func (b *builder) usableLinks(links []webgraph.Link, target string, of *Layer) []webgraph.Link {
	seen := make(map[string]bool, min(len(links), b.PerPage))
	var kept []webgraph.Link
	for _, l := range links {
		source, err := webgraph.Canonical(l.Source)
		if l.Target != target && err == nil {
			l.Target, err = webgraph.Canonical(l.Target)
		}
		switch {
		case err != nil, urlWithoutVariants(l.Target) != urlWithoutVariants(target), seen[source]:
			of.Dropped++
		case source == target:
			of.SelfLinks++
		case webgraph.SameSite(webgraph.HostOf(source), webgraph.HostOf(target)) && !b.InSite:
			of.InSite++
		default:
			seen[source] = true
			l.Source, l.Target = source, target
			kept = append(kept, l)
		}
	}
	return kept
}

// sourceNode returns the node for the source page of a link. This is a new node, the node of which the page
// is a copy, or excluded.
func (b *builder) sourceNode(l webgraph.Link, f fetchResult, layer int, of *Layer) (int, error) {
	var broken *JournalError
	switch {
	case errors.As(f.err, &broken):
		return 0, f.err
	case f.err != nil || b.Fetcher != nil && f.page.Status != http.StatusOK:
		of.Gone++
		b.copies.byURL[b.copies.siteKey(l.Source)] = gone
		return gone, nil
	case b.Verified && !containsURL(f.page.Links, l.Target):
		of.Stale++
		return excluded, nil // only for this link: the page may have a link to another page
	}
	if node, isCopy := b.copies.duplicateOf(l.Source, f.page, layer); isCopy {
		of.Duplicates++
		return node, nil
	}
	node := len(b.graph.Nodes)
	return node, b.addPage(l.Source, f.page, layer)
}

// addPage adds a page as a node.
func (b *builder) addPage(url string, p Page, layer int) error {
	if len(b.graph.Nodes) >= b.MaxNodes {
		return b.endAt("nodes")
	}
	if b.keys += len(p.Links); b.keys > maxLinkKeys {
		return b.endAt("memory")
	}
	node := len(b.graph.Nodes)
	b.graph.Nodes = append(b.graph.Nodes, Node{
		URL: url, Layer: layer, Pages: 1,
		Status: p.Status, PageType: p.PageType, CFPScore: p.CFPScore, Bytes: p.Bytes,
	})
	b.links = append(b.links, p.Links)
	b.layers[layer] = append(b.layers[layer], node)
	b.copies.addNode(url, p, layer, node)
	return nil
}

// addEdge adds an edge unless the graph has it.
func (b *builder) addEdge(from, to int, l webgraph.Link, of *Layer) error {
	if from == to {
		of.SelfLinks++ // from a copy of the page itself
		return nil
	}
	seen := containsURL(b.links[from], l.Target)
	if b.Verified && !seen {
		of.Stale++
		return nil
	}
	pair := [2]int{from, to}
	if _, ok := b.edges[pair]; ok {
		return nil
	}
	if len(b.graph.Edges) >= b.MaxEdges {
		return b.endAt("edges")
	}
	b.edges[pair] = len(b.graph.Edges)
	b.graph.Edges = append(b.graph.Edges, Edge{
		From: from, To: to, Anchor: l.Anchor, NoFollow: l.NoFollow, Verified: seen, Weight: 1,
	})
	return nil
}

// sampleNodes returns at most n of nodes, in their order, each with the same probability (Vitter 1985,
// algorithm R). If n is 0 it returns all. The same seed gives the same sample.
func sampleNodes(nodes []int, n int, seed uint64) []int {
	if n == 0 || len(nodes) <= n {
		return nodes
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(nodes))))
	drawn := slices.Clone(nodes[:n])
	for i := n; i < len(nodes); i++ {
		if at := r.IntN(i + 1); at < n {
			drawn[at] = nodes[i]
		}
	}
	slices.Sort(drawn)
	return drawn
}
