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

	"eventseer/webgraph"
)

// Read reads a graph file to its end. Its error is ErrIncompatible for an unknown
// format version, and says what is wrong with a file that is cut off or changed.
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
		return nil, fmt.Errorf("the file does not begin with %q, it is of another kind", graphMagic)
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
	d := &decoder{b: body[4 : len(body)-sha256.Size]}
	graphs := make([]*Graph, d.count(maxGraphs, minGraph))
	for i := range graphs {
		graphs[i] = d.graph()
	}
	if d.err == nil && len(d.b) > 0 {
		d.err = fmt.Errorf("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	for _, g := range graphs {
		if err := g.check(); err != nil {
			return nil, err
		}
	}
	return graphs, nil
}

var errShort = errors.New("the file is cut off")

// Bytes that things take in a file at least.
const (
	minGraph = 7
	minLayer = 20
	minNode  = 15
	minEdge  = 5
)

// A decoder reads the body of a graph file. After the first error all it reads is
// zero.
type decoder struct {
	b    []byte
	urls int // bytes of all URLs so far
	err  error
}

func (d *decoder) graph() *Graph {
	g := &Graph{Name: d.text(maxName), Ended: d.text(maxName)}
	if n := d.count(MaxLayers, minLayer); n > 0 {
		g.Layers = make([]Layer, n)
	}
	for i := range g.Layers {
		for _, n := range g.Layers[i].counts() {
			*n = d.number(maxCount)
		}
		g.Layers[i].Cost = d.float()
	}
	types, anchors := d.texts(maxTypes), d.texts(maxEdges)
	if n := d.count(maxNodes, minNode); n > 0 {
		g.Nodes = make([]Node, n)
	}
	last := ""
	for i := range g.Nodes {
		if d.err != nil {
			return g
		}
		g.Nodes[i] = d.node(last, types)
		last = g.Nodes[i].URL
	}
	if n := d.count(maxEdges, minEdge); n > 0 {
		g.Edges = make([]Edge, n)
	}
	from := 0
	for i := range g.Edges {
		if d.err != nil {
			return g
		}
		from += d.signed()
		g.Edges[i] = Edge{From: from, To: d.number(maxNodes), Anchor: pick(d, anchors)}
		f := d.number(flagNoFollow | flagVerified)
		g.Edges[i].NoFollow, g.Edges[i].Verified, g.Edges[i].Weight = f&flagNoFollow != 0, f&flagVerified != 0, d.number(maxCount)
	}
	return g
}

func (d *decoder) node(last string, types []string) Node {
	shared := d.number(uint64(len(last)))
	n := Node{URL: last[:shared] + d.text(webgraph.MaxURL), Layer: d.signed(), Status: d.number(math.MaxUint16), PageType: pick(d, types)}
	n.CFPScore, n.Bytes, n.Pages = d.float(), d.number(maxCount), d.number(maxCount)
	if d.urls += len(n.URL); d.urls > maxURLBytes && d.err == nil {
		d.err = fmt.Errorf("URLs of more than %d bytes", maxURLBytes)
	}
	return n
}

// pick reads the number of a text in a table.
func pick(d *decoder, table []string) string {
	if n := d.number(uint64(len(table))); n > 0 {
		return table[n-1]
	}
	return ""
}

// number reads a number up to a limit.
func (d *decoder) number(limit uint64) int {
	v, n := binary.Uvarint(d.b)
	switch {
	case d.err != nil:
	case n <= 0:
		d.err = errShort
	case v > limit:
		d.err = fmt.Errorf("%d is more than %d", v, limit)
	default:
		d.b = d.b[n:]
		return int(v)
	}
	return 0
}

// count reads how many things follow, each of at least so many bytes: no more are
// believed than there is room for.
func (d *decoder) count(limit, size int) int {
	n := d.number(uint64(limit))
	if n > len(d.b)/size {
		d.err = errShort
		return 0
	}
	return n
}

func (d *decoder) signed() int {
	v, n := binary.Varint(d.b)
	switch {
	case d.err != nil:
	case n <= 0:
		d.err = errShort
	case v > maxNodes || v < -maxNodes:
		d.err = fmt.Errorf("%d is out of range", v)
	default:
		d.b = d.b[n:]
		return int(v)
	}
	return 0
}

func (d *decoder) float() float64 {
	if d.err == nil && len(d.b) < 8 {
		d.err = errShort
	}
	if d.err != nil {
		return 0
	}
	v := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return v
}

func (d *decoder) text(limit int) string {
	n := d.number(uint64(limit))
	if n > len(d.b) {
		d.err = errShort
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return strings.ToValidUTF8(s, "\ufffd")
}

func (d *decoder) texts(limit int) []string {
	var all []string
	for range d.count(limit, 1) {
		if d.err != nil {
			break
		}
		all = append(all, d.text(maxName))
	}
	return all
}
