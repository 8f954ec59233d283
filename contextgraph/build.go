package contextgraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits and defaults of a build.
const (
	MaxLayers      = 12
	MaxPerPage     = 1000
	defaultLayers  = 5 // paper 002, section 3.3
	defaultPerPage = 100
	defaultNodes   = 1 << 20
	defaultEdges   = 8 << 20
	maxFailures    = 10      // number of consecutive failed queries that ends a build
	maxLinkKeys    = 1 << 27 // largest number of stored links of all pages, which take a gigabyte
)

// A BacklinkSource finds the pages that link to a page. It is not called concurrently.
type BacklinkSource interface {
	// Backlinks returns links to url, best first, from distinct sources. Only the first limit of them are
	// used, 1 to MaxPerPage. No links is a normal result. With an error the Answer still has the cost,
	// and the build continues with the next page.
	Backlinks(ctx context.Context, url string, limit int) (Backlinks, error)
}

// A Backlinks is the result of a backlink query.
type Backlinks struct {
	Links   []webgraph.Link
	Calls   int     // number of requests, 0 if the answer was found locally
	Cost    float64 // in the service's unit
	Dropped int     // number of rows left out because they are broken or about other pages
}

// Options control how a graph is built. The zero value, apart from Asker, builds five layers as in the
// paper, without links within sites.
type Options struct {
	Name  string // of the graph
	Asker BacklinkSource
	// Fetcher fetches the pages to check the links on them and to classify them. If it is nil, the graph
	// consists of the reported links, and no page is fetched.
	Fetcher Fetcher
	// Journal stores answers and pages, so that an interrupted build can be resumed and no page is
	// queried twice. Nil stores nothing.
	Journal *Journal

	Layers  int    // number of layers including the targets, 2 to MaxLayers; 0 means 5
	Sample  int    // largest number of pages per layer, except the targets, whose backlinks are queried; 0: all
	Seed    uint64 // draws the sample
	PerPage int    // most links requested per page, 0 means 100; at most MaxPerPage
	Dedup   Dedup
	InSite  bool // include links within a site, if the provider of backlinks has them
	// Verified excludes links that were not found on the page itself. It needs a Fetcher.
	Verified bool

	// A build ends when it reaches one of these limits. 0 means no limit for Calls, Cost and Time, and
	// about a million nodes and eight million edges for the others. A build also ends when the links of
	// the fetched pages take a gigabyte.
	MaxCalls, MaxNodes, MaxEdges int
	MaxCost                      float64
	MaxTime                      time.Duration
	Now                          func() time.Time // the clock of MaxTime; nil means time.Now
	// Progress is called after every query. It may be nil.
	Progress func(Progress)
}

// A Progress is the progress of a build.
type Progress struct {
	Layer, Asked, ToAsk int // layer that is being queried, number of its pages already queried, and number of pages to query
	Nodes, Edges, Calls int
	Cost                float64
}

func (o Options) withDefaults() (Options, error) {
	o.Layers = cmp.Or(o.Layers, defaultLayers)
	o.PerPage = cmp.Or(o.PerPage, defaultPerPage)
	o.MaxNodes = cmp.Or(o.MaxNodes, defaultNodes)
	o.MaxEdges = cmp.Or(o.MaxEdges, defaultEdges)
	if o.Now == nil {
		o.Now = time.Now
	}
	switch {
	case o.Asker == nil:
		return o, errors.New("no backlink provider")
	case o.Layers < 2 || o.Layers > MaxLayers:
		return o, fmt.Errorf("%d layers, must be 2 to %d", o.Layers, MaxLayers)
	case o.PerPage < 1 || o.PerPage > MaxPerPage:
		return o, fmt.Errorf("%d links per page, must be 1 to %d", o.PerPage, MaxPerPage)
	case o.Sample < 0 || o.MaxCalls < 0 || o.MaxNodes < 0 || o.MaxEdges < 0 || !(o.MaxCost >= 0):
		return o, errors.New("a bound is negative")
	case o.Fetcher == nil && (o.Dedup == Near || o.Verified):
		return o, errors.New("near-duplicates and verified links need the pages: set a fetcher")
	}
	return o, nil
}

// Build builds the context graph of targets backwards, layer by layer. It looks up the pages that link to
// the targets, then the pages that link to those, and so on. The layer of a page is its smallest known
// number of links to a target.
//
// The same answers give the same graph. A failed query is counted and the build continues, but many
// consecutive ones end it. Then, and when ctx ends, Build returns the graph so far with the error. A
// target that is not an http or https URL is an error.
func Build(ctx context.Context, targets []string, o Options) (*Graph, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("build graph %s: %w", o.Name, err)
	}
	b := &builder{
		Options: o, graph: &Graph{Name: o.Name}, edges: map[[2]int]int{}, layers: make([][]int, o.Layers), began: o.Now(),
		copies: &duplicates{dedup: o.Dedup, byURL: map[string]int{}, byBody: map[webgraph.Digest]int{}, sites: map[layerSite]bool{}},
	}
	err = b.addTargets(ctx, targets)
	for layer := 0; err == nil && layer < o.Layers-1; layer++ {
		err = b.expandLayer(ctx, layer)
	}
	if errors.Is(err, errEnded) {
		err = nil
	}
	if err != nil {
		err = fmt.Errorf("build graph %s: %w", o.Name, err)
	}
	sortEdges(b.graph.Edges)
	return b.graph, err
}

// errEnded ends a build at a limit; Graph.Ended says which.
var errEnded = errors.New("ended")

// A builder is the state of building a graph.
type builder struct {
	Options
	graph  *Graph
	copies *duplicates
	edges  map[[2]int]int // by From and To: index in graph.Edges
	links  [][]uint64     // by node: sorted keys of the links found on its page
	keys   int            // in links
	layers [][]int        // nodes by layer, in the order they were found
	began  time.Time
	calls  int
	cost   float64
	failed int // questions in a row
}

// addTargets adds the targets as layer 0, each page once.
func (b *builder) addTargets(ctx context.Context, urls []string) error {
	if len(urls) == 0 {
		return errors.New("no targets")
	}
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil {
			return fmt.Errorf("target: %w", err)
		}
		if _, known := b.copies.findNode(url); known {
			continue
		}
		page, err := b.fetchPage(ctx, url)
		if err := ctx.Err(); err != nil {
			return err
		}
		if err != nil {
			page = Page{} // a target that no longer exists may still have backlinks
		}
		if _, isCopy := b.copies.duplicateOf(url, page, 0); !isCopy {
			if err := b.addPage(url, page, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// expandLayer queries the backlinks of a layer's pages.
func (b *builder) expandLayer(ctx context.Context, layer int) error {
	b.graph.Layers = append(b.graph.Layers, Layer{})
	of := &b.graph.Layers[layer]
	nodes := b.layers[layer]
	if layer > 0 {
		nodes = sampleNodes(nodes, b.Sample, b.Seed+uint64(layer))
	}
	for i, node := range nodes {
		if err := b.checkLimits(); err != nil {
			return err
		}
		err := b.queryNode(ctx, node, of)
		if b.Progress != nil {
			b.Progress(Progress{
				Layer: layer, Asked: i + 1, ToAsk: len(nodes),
				Nodes: len(b.graph.Nodes), Edges: len(b.graph.Edges), Calls: b.calls, Cost: b.cost,
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkLimits ends the build if a limit is reached.
func (b *builder) checkLimits() error {
	reached := ""
	switch {
	case b.MaxCalls > 0 && b.calls >= b.MaxCalls:
		reached = "calls"
	case b.MaxCost > 0 && b.cost >= b.MaxCost:
		reached = "cost"
	case b.MaxTime > 0 && b.Now().Sub(b.began) >= b.MaxTime:
		reached = "time"
	}
	return b.endAt(reached)
}

// endAt ends the build at the named limit; "" means that none is reached.
func (b *builder) endAt(bound string) error {
	if bound == "" {
		return nil
	}
	b.graph.Ended = bound
	return errEnded
}
