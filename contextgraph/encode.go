package contextgraph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A graph file. Numbers are unsigned varints, those marked ± are signed; a string is its length and its
// bytes, a float its 8 bytes little-endian:
//
//	8 bytes   magic "ESgraph\n"
//	uint32    format version, little-endian
//	number    of graphs, then per graph:
//	          name, ended
//	          number of layers, then per layer: the fields of Layer in their order
//	          number of page types, then per page type: string
//	          number of anchors, then per anchor: string
//	          number of nodes, then per node: number of bytes that its URL shares with
//	          the previous one, rest of the URL, ±layer, status, page type from 1
//	          (0: none), float score, bytes, pages
//	          number of edges, then per edge: ±from minus that of the previous one, to,
//	          anchor from 1 (0: none), 1 nofollow + 2 verified, weight
//	32 bytes  SHA-256 of everything before
//
// Version 1 is the first.
const (
	graphMagic   = "ESgraph\n"
	graphVersion = 1
)

// Limits on the contents of a graph file.
const (
	maxGraphBytes = 1 << 30
	maxURLBytes   = 2 << 30 // of all URLs in a file, which are stored without common prefixes
	maxGraphs     = 1 << 16
	maxName       = 4 << 10 // bytes
	maxTypes      = 1 << 10
	maxCount      = 1 << 40 // of any counter
)

// ErrIncompatible is returned for a graph file with a format version that this program cannot read.
var ErrIncompatible = errors.New("graph of an unknown format version: build it again or use the program that wrote it")

// Write writes graphs to w as one file. The same graphs give the same bytes.
func Write(w io.Writer, graphs ...*Graph) error {
	c := &codec{b: binary.LittleEndian.AppendUint32([]byte(graphMagic), graphVersion)}
	codeList(c, &graphs, maxGraphs, minGraph)
	for _, g := range graphs {
		if err := g.check(); err != nil {
			return fmt.Errorf("write graph %s: %w", g.Name, err)
		}
		c.codeGraph(g)
	}
	if len(graphs) > maxGraphs || len(c.b) > maxGraphBytes-sha256.Size {
		return fmt.Errorf("write graphs: more than %d graphs or %d bytes", maxGraphs, maxGraphBytes)
	}
	sum := sha256.Sum256(c.b)
	_, err := w.Write(append(c.b, sum[:]...))
	return err
}

// check returns an error if g breaks a rule for graphs.
func (g *Graph) check() error {
	if len(g.Nodes) > maxNodes || len(g.Edges) > maxEdges || len(g.Layers) > MaxLayers {
		return fmt.Errorf("%d nodes, %d edges and %d layers are too many for a graph", len(g.Nodes), len(g.Edges), len(g.Layers))
	}
	if len(g.Name) > maxName || len(g.Ended) > maxName {
		return fmt.Errorf("a name has more than %d bytes", maxName)
	}
	for i, n := range g.Nodes {
		if n.Layer < NoLayer || n.Layer >= MaxLayers || n.Status < 0 || n.Bytes < 0 || n.Pages < 0 ||
			!(n.CFPScore >= 0 && n.CFPScore <= 1) || len(n.URL) > webgraph.MaxURL || len(n.PageType) > maxName {
			return fmt.Errorf("node %d: its layer %d, status %d, score %v or one of its sizes is out of range", i, n.Layer, n.Status, n.CFPScore)
		}
	}
	for i, e := range g.Edges {
		if e.From < 0 || e.From >= len(g.Nodes) || e.To < 0 || e.To >= len(g.Nodes) || e.Weight < 0 || len(e.Anchor) > maxName {
			return fmt.Errorf("edge %d leads from %d to %d, but there are %d nodes", i, e.From, e.To, len(g.Nodes))
		}
	}
	for i := range g.Layers {
		if cost := g.Layers[i].Cost; !(cost >= 0) || math.IsInf(cost, 1) {
			return fmt.Errorf("layer %d: its cost is %v and must be a number of at least 0", i, cost)
		}
		for _, n := range g.Layers[i].countFields() {
			if *n < 0 {
				return fmt.Errorf("layer %d: one of its counts is negative", i)
			}
		}
	}
	return nil
}

// countFields returns the counts of a layer in the order of the file.
func (l *Layer) countFields() []*int {
	return []*int{
		&l.Asked, &l.Failed, &l.Alone, &l.Calls, &l.Told, &l.Dropped, &l.SelfLinks,
		&l.InSite, &l.Gone, &l.Stale, &l.Known, &l.Duplicates,
	}
}

// Read reads a graph file to its end. It returns ErrIncompatible for an unknown format version, and an
// error that describes the damage for a truncated or changed file.
func Read(r io.Reader) ([]*Graph, error) {
	graphs, err := readGraphs(r)
	if err != nil {
		return nil, fmt.Errorf("read graph: %w", err)
	}
	return graphs, nil
}

func readGraphs(r io.Reader) ([]*Graph, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxGraphBytes+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxGraphBytes {
		return nil, fmt.Errorf("more than %d bytes", maxGraphBytes)
	}
	body, ok := bytes.CutPrefix(b, []byte(graphMagic))
	if !ok {
		return nil, fmt.Errorf("the file does not begin with %q, so it is a file of another kind", graphMagic)
	}
	if len(body) < 4+sha256.Size {
		return nil, errShort
	}
	if v := binary.LittleEndian.Uint32(body); v != graphVersion {
		return nil, fmt.Errorf("version %d: %w", v, ErrIncompatible)
	}
	end := len(b) - sha256.Size
	if sum := sha256.Sum256(b[:end]); !bytes.Equal(sum[:], b[end:]) {
		return nil, errors.New("the checksum is wrong, the file is damaged: copy or build it again")
	}
	c := &codec{reading: true, b: body[4 : len(body)-sha256.Size]}
	var graphs []*Graph
	codeList(c, &graphs, maxGraphs, minGraph)
	for i := range graphs {
		graphs[i] = new(Graph)
		c.codeGraph(graphs[i])
	}
	if len(c.b) > 0 {
		c.fail(fmt.Errorf("%d bytes too many", len(c.b)))
	}
	if c.err != nil {
		return nil, c.err
	}
	for _, g := range graphs {
		if err := g.check(); err != nil {
			return nil, err
		}
	}
	return graphs, nil
}

var errShort = errors.New("the file is truncated")

// Minimum sizes in a file, in bytes.
const (
	minGraph = 7
	minLayer = 20
	minNode  = 15
	minEdge  = 5
)

// A codec either writes the body of a graph file or reads it. Each method handles one part of the format
// in both directions. After the first error, everything it reads is zero.
type codec struct {
	reading bool
	b       []byte // bytes written, or left to read
	urls    int    // total length of the URLs read, in bytes
	err     error
}

func (c *codec) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *codec) codeGraph(g *Graph) {
	c.codeText(&g.Name, maxName)
	c.codeText(&g.Ended, maxName)
	codeList(c, &g.Layers, MaxLayers, minLayer)
	for i := range g.Layers {
		for _, n := range g.Layers[i].countFields() {
			c.codeNumber(n, maxCount)
		}
		c.codeFloat(&g.Layers[i].Cost)
	}
	types, anchors := newStringTable(), newStringTable()
	if !c.reading {
		for _, n := range g.Nodes {
			types.numberOf(n.PageType)
		}
		for _, e := range g.Edges {
			anchors.numberOf(e.Anchor)
		}
	}
	c.codeTable(types, maxTypes)
	c.codeTable(anchors, maxEdges)
	codeList(c, &g.Nodes, maxNodes, minNode)
	last := ""
	for i, n := range g.Nodes {
		c.codeNode(&n, last, types)
		if last = n.URL; c.reading {
			g.Nodes[i] = n
		}
	}
	codeList(c, &g.Edges, maxEdges, minEdge)
	from := 0
	for i, e := range g.Edges {
		c.codeEdge(&e, from, anchors)
		if from = e.From; c.reading {
			g.Edges[i] = e
		}
	}
}

// codeNode handles a node; last is the URL of the previous one.
func (c *codec) codeNode(n *Node, last string, types *stringTable) {
	shared := text.SharedPrefix(last, n.URL)
	rest := n.URL[shared:]
	c.codeNumber(&shared, uint64(len(last)))
	c.codeText(&rest, webgraph.MaxURL)
	n.URL = last[:shared] + rest
	if c.urls += len(n.URL); c.reading && c.urls > maxURLBytes {
		c.fail(fmt.Errorf("the URLs have more than %d bytes in total", maxURLBytes))
	}
	c.codeSigned(&n.Layer)
	c.codeNumber(&n.Status, math.MaxUint16)
	c.codeTableEntry(&n.PageType, types)
	c.codeFloat(&n.CFPScore)
	c.codeNumber(&n.Bytes, maxCount)
	c.codeNumber(&n.Pages, maxCount)
}

// codeEdge handles an edge; last is the From of the previous one.
func (c *codec) codeEdge(e *Edge, last int, anchors *stringTable) {
	step, flags := e.From-last, e.flagBits()
	c.codeSigned(&step)
	c.codeNumber(&e.To, maxNodes)
	c.codeTableEntry(&e.Anchor, anchors)
	c.codeNumber(&flags, flagNoFollow|flagVerified)
	c.codeNumber(&e.Weight, maxCount)
	e.From, e.NoFollow, e.Verified = last+step, flags&flagNoFollow != 0, flags&flagVerified != 0
}

// codeList handles the length of a list, and when reading allocates the list. The length is limited by limit
// and, for elements of at least size bytes, by the remaining bytes.
func codeList[T any](c *codec, all *[]T, limit, size int) {
	n := len(*all)
	c.codeNumber(&n, uint64(limit))
	switch {
	case !c.reading:
	case n > len(c.b)/size:
		c.fail(errShort)
	case n > 0:
		*all = make([]T, n)
	}
}

func (c *codec) codeTable(t *stringTable, limit int) {
	codeList(c, &t.texts, limit, 1)
	for i := range t.texts {
		c.codeText(&t.texts[i], maxName)
	}
}

// codeTableEntry handles a string that is stored as its number in a table.
func (c *codec) codeTableEntry(s *string, t *stringTable) {
	n := t.numberOf(*s)
	c.codeNumber(&n, uint64(len(t.texts)))
	if c.reading && n > 0 {
		*s = t.texts[n-1]
	}
}

// codeNumber handles a number of at most limit.
func (c *codec) codeNumber(v *int, limit uint64) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(*v))
		return
	}
	u, n := binary.Uvarint(c.b)
	switch {
	case n <= 0:
		c.fail(errShort)
	case u > limit:
		c.fail(fmt.Errorf("%d is more than the maximum of %d", u, limit))
	}
	if *v = 0; c.err == nil {
		c.b, *v = c.b[n:], int(u)
	}
}

func (c *codec) codeSigned(v *int) {
	if !c.reading {
		c.b = binary.AppendVarint(c.b, int64(*v))
		return
	}
	i, n := binary.Varint(c.b)
	switch {
	case n <= 0:
		c.fail(errShort)
	case i > maxNodes || i < -maxNodes:
		c.fail(fmt.Errorf("%d is out of range", i))
	}
	if *v = 0; c.err == nil {
		c.b, *v = c.b[n:], int(i)
	}
}

func (c *codec) codeFloat(v *float64) {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, math.Float64bits(*v))
		return
	}
	if len(c.b) < 8 {
		c.fail(errShort)
	}
	if *v = 0; c.err == nil {
		*v = math.Float64frombits(binary.LittleEndian.Uint64(c.b))
		c.b = c.b[8:]
	}
}

func (c *codec) codeText(s *string, limit int) {
	n := len(*s)
	c.codeNumber(&n, uint64(limit))
	if !c.reading {
		c.b = append(c.b, *s...)
		return
	}
	if n > len(c.b) {
		c.fail(errShort)
		n = 0
	}
	*s = strings.ToValidUTF8(string(c.b[:n]), "\ufffd")
	c.b = c.b[n:]
}

const (
	flagNoFollow = 1 << iota
	flagVerified
)

func (e Edge) flagBits() (f int) {
	if e.NoFollow {
		f |= flagNoFollow
	}
	if e.Verified {
		f |= flagVerified
	}
	return f
}

// A stringTable numbers strings from 1 in order of first use; "" is 0.
type stringTable struct {
	numbers map[string]int
	texts   []string
}

func newStringTable() *stringTable { return &stringTable{numbers: map[string]int{}} }

func (t *stringTable) numberOf(text string) int {
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
