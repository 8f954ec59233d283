package contextgraph

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"eventseer/internal/text"
	"eventseer/webgraph"
)

// A graph file. Numbers are varints, unsigned but for those marked ±; a string is
// its length and its bytes, a float its 8 bytes little-endian:
//
//	8 bytes   magic "ESgraph\n"
//	uint32    format version, little-endian
//	number    of graphs, then a graph:
//	          name, ended
//	          number of layers, a layer: the fields of Layer in their order
//	          number of page types, a page type: string
//	          number of anchors, an anchor: string
//	          number of nodes, a node: length of what its URL shares with the one
//	          before, rest of the URL, ±layer, status, page type from 1 (0: none),
//	          float score, bytes, pages
//	          number of edges, an edge: ±from, less that of the one before, to,
//	          anchor from 1 (0: none), 1 nofollow + 2 verified, weight
//	32 bytes  SHA-256 of everything before
//
// Version 1 is the first.
const (
	graphMagic   = "ESgraph\n"
	graphVersion = 1
)

// Limits on what a graph file may hold.
const (
	maxGraphBytes = 1 << 30
	maxURLBytes   = 2 << 30 // of a file, where each is as long as what it shares with others
	maxGraphs     = 1 << 16
	maxName       = 4 << 10 // bytes
	maxTypes      = 1 << 10
	maxCount      = 1 << 40 // of anything that is counted
)

// ErrIncompatible is returned for a graph file in a format version that this
// program does not read.
var ErrIncompatible = errors.New("graph of an unknown format version: build it again or use the program that wrote it")

// Write writes graphs to w as one file. The same graphs give the same bytes.
func Write(w io.Writer, graphs ...*Graph) error {
	b := binary.LittleEndian.AppendUint32([]byte(graphMagic), graphVersion)
	b = appendInt(b, len(graphs))
	for _, g := range graphs {
		if err := g.check(); err != nil {
			return fmt.Errorf("write graph %s: %w", g.Name, err)
		}
		b = g.append(b)
	}
	if len(graphs) > maxGraphs || len(b) > maxGraphBytes-sha256.Size {
		return fmt.Errorf("write graphs: more than %d graphs or %d bytes", maxGraphs, maxGraphBytes)
	}
	sum := sha256.Sum256(b)
	_, err := w.Write(append(b, sum[:]...))
	return err
}

// check reports what no graph may hold.
func (g *Graph) check() error {
	if len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges || len(g.Layers) > MaxLayers {
		return fmt.Errorf("%d nodes, %d edges and %d layers are too many", len(g.Nodes), len(g.Edges), len(g.Layers))
	}
	if len(g.Name) > maxName || len(g.Ended) > maxName {
		return fmt.Errorf("a name is longer than %d bytes", maxName)
	}
	for i, n := range g.Nodes {
		if n.Layer < NoLayer || n.Layer >= MaxLayers || n.Status < 0 || n.Bytes < 0 || n.Pages < 0 ||
			!(n.CFPScore >= 0 && n.CFPScore <= 1) || len(n.URL) > webgraph.MaxURL || len(n.PageType) > maxName {
			return fmt.Errorf("node %d: layer %d, status %d, score %v or a size is out of range", i, n.Layer, n.Status, n.CFPScore)
		}
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) || e.Weight < 0 || len(e.Anchor) > maxName {
			return fmt.Errorf("edge %d from %d to %d: there are %d nodes", i, e.From, e.To, len(g.Nodes))
		}
	}
	for i := range g.Layers {
		if cost := g.Layers[i].Cost; !(cost >= 0) || math.IsInf(cost, 1) {
			return fmt.Errorf("layer %d: %v is no cost", i, cost)
		}
		for _, n := range g.Layers[i].counts() {
			if *n < 0 {
				return fmt.Errorf("layer %d: a count is negative", i)
			}
		}
	}
	return nil
}

// counts are the counts of a layer in the order of the file.
func (l *Layer) counts() []*int {
	return []*int{
		&l.Asked, &l.Failed, &l.Alone, &l.Calls, &l.Told, &l.Dropped, &l.SelfLinks,
		&l.InSite, &l.Gone, &l.Stale, &l.Known, &l.Duplicates,
	}
}

func (g *Graph) append(b []byte) []byte {
	b = appendString(appendString(b, g.Name), g.Ended)
	b = appendInt(b, len(g.Layers))
	for i := range g.Layers {
		for _, n := range g.Layers[i].counts() {
			b = appendInt(b, *n)
		}
		b = appendFloat(b, g.Layers[i].Cost)
	}
	types, anchors := newTable(), newTable()
	for _, n := range g.Nodes {
		types.number(n.PageType)
	}
	for _, e := range g.Edges {
		anchors.number(e.Anchor)
	}
	b = anchors.append(types.append(b))
	b = appendInt(b, len(g.Nodes))
	last := ""
	for _, n := range g.Nodes {
		shared := text.SharedPrefix(last, n.URL)
		b = appendString(appendInt(b, shared), n.URL[shared:])
		b = binary.AppendVarint(b, int64(n.Layer))
		b = appendInt(appendInt(b, n.Status), types.number(n.PageType))
		b = appendInt(appendInt(appendFloat(b, n.CFPScore), n.Bytes), n.Pages)
		last = n.URL
	}
	b = appendInt(b, len(g.Edges))
	from := 0
	for _, e := range g.Edges {
		b = binary.AppendVarint(b, int64(e.From-from))
		b = appendInt(appendInt(appendInt(appendInt(b, e.To), anchors.number(e.Anchor)), e.flags()), e.Weight)
		from = e.From
	}
	return b
}

const (
	flagNoFollow = 1 << iota
	flagVerified
)

func (e Edge) flags() (f int) {
	if e.NoFollow {
		f |= flagNoFollow
	}
	if e.Verified {
		f |= flagVerified
	}
	return f
}

// A table numbers strings from 1 in the order they come; "" is 0.
type table struct {
	numbers map[string]int
	texts   []string
}

func newTable() *table { return &table{numbers: map[string]int{}} }

func (t *table) number(text string) int {
	if text == "" {
		return 0
	}
	n, ok := t.numbers[text]
	if !ok {
		t.texts = append(t.texts, text)
		n = len(t.texts)
		t.numbers[text] = n
	}
	return n
}

func (t *table) append(b []byte) []byte {
	b = appendInt(b, len(t.texts))
	for _, text := range t.texts {
		b = appendString(b, text)
	}
	return b
}

func appendInt(b []byte, n int) []byte { return binary.AppendUvarint(b, uint64(n)) }

func appendString(b []byte, s string) []byte { return append(appendInt(b, len(s)), s...) }

func appendFloat(b []byte, v float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
}
