package contextgraph

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits on a graph of another program.
const (
	maxNodes    = 5_000_000
	maxEdges    = 10_000_000
	maxText     = 64 << 10 // bytes of one text; a longer one is cut
	maxFile     = 1 << 30  // bytes
	maxKeys     = 200      // attributes that are declared
	maxDepth    = 100      // of nested elements or clusters
	maxReported = 100      // skipped parts that are reported one by one; further ones are counted
)

// ErrTooLarge means that a graph exceeds a limit on the size of the file or the numbers of nodes, edges,
// attributes or nested elements.
var ErrTooLarge = errors.New("the graph is too large")

// ImportFile reads the graph in the file at path; for csv both tables if they exist, see ExportFile. If
// format is "" the extension of path determines it.
//
// It calls bad, if not nil, for everything it skips and for values it cannot use, a limited number of
// times: edges of missing nodes, duplicate nodes, attributes that should be numbers. An undirected edge
// is read as a link from its first node to its second. A node's URL is its attribute url, else its label,
// name or ID. Anchors are cut to webgraph.MaxAnchor runes, any other text to 64 KB. A file that does not
// have the format is an error.
func ImportFile(path, format string, bad func(error)) (*Graph, error) {
	f, err := formatFor(path, format)
	if err != nil {
		return nil, err
	}
	m := newImporter(bad)
	paths, reads := []string{path}, []func(io.Reader, *importer) error{f.read}
	if nodes, edges := tablePaths(path); f.Name == "csv" && exists(nodes) && exists(edges) {
		paths, reads = []string{nodes, edges}, []func(io.Reader, *importer) error{readNodeTable, readEdgeTable}
	}
	for i, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		err = errors.Join(reads[i](boundedInput(file), m), file.Close())
		if err != nil {
			return nil, fmt.Errorf("%s: not read as %s: %w", path, f.Name, err)
		}
	}
	return m.resolveGraph(f, nil)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// boundedInput returns a reader that fails after maxFile bytes.
func boundedInput(r io.Reader) io.Reader {
	return io.MultiReader(io.LimitReader(r, maxFile), endOrError{r})
}

// An endOrError is a reader that fails if r has any more bytes.
type endOrError struct{ r io.Reader }

func (t endOrError) Read([]byte) (int, error) {
	if _, err := io.ReadFull(t.r, make([]byte, 1)); err != nil {
		return 0, err
	}
	return 0, fmt.Errorf("%w: more than %d bytes", ErrTooLarge, maxFile)
}

// An importer collects the nodes and edges of a file, which may be in any order.
type importer struct {
	graph Graph
	ids   map[string]int
	edges []importedEdge
	// implicit means that nodes may be declared only by the edges that use them.
	implicit bool
	bad      func(error)
	nBad     int
}

// An importedNode is a node with the texts that may be its URL.
type importedNode struct {
	Node
	id    string
	names [len(nodeNames)]string
}

// nodeNames are the attributes that may hold a node's URL, in order of preference.
var nodeNames = [...]string{"url", "label", "name"}

// An importedEdge refers to its nodes by their IDs.
type importedEdge struct {
	Edge
	from, to string
	label    string // used as the anchor if the edge has none
}

func newImporter(bad func(error)) *importer {
	if bad == nil {
		bad = func(error) {}
	}
	return &importer{ids: map[string]int{}, bad: bad}
}

// reportSkipped reports a part that is skipped.
func (m *importer) reportSkipped(format string, args ...any) {
	if m.nBad++; m.nBad <= maxReported {
		m.bad(fmt.Errorf(format, args...))
	}
}

// set sets an attribute of a node. Unknown attributes are ignored.
func (n *importedNode) set(m *importer, name, value string) {
	name = strings.ToLower(name)
	for i, known := range nodeNames {
		if name == known {
			n.names[i] = textOf(value)
			return
		}
	}
	setAttribute(m, nodeAttributes, &n.Node, name, value, n.id)
}

func (e *importedEdge) set(m *importer, name, value string) {
	switch name = strings.ToLower(name); name {
	case "weight":
		if err := parseIntInto(&e.Weight, value, 0, maxCount); err != nil {
			m.reportSkipped("edge from %.100q to %.100q: weight %.100q: %w", e.from, e.to, value, err)
		}
	case "label":
		e.label = textOf(value)
	default:
		setAttribute(m, edgeAttributes, &e.Edge, name, value, e.from)
	}
}

func setAttribute[T any](m *importer, attributes []attribute[T], to *T, name, value, of string) {
	for _, a := range attributes {
		if a.name != name || value == "" {
			continue
		}
		if err := a.set(to, textOf(value)); err != nil {
			m.reportSkipped("%s %.100q of %.100q: %w", name, value, of, err)
		}
		return
	}
}

// textOf returns the original of an escaped text, cut to its length limit.
func textOf(s string) string {
	if len(s) > maxText {
		s = s[:maxText]
	}
	return unescape(s)
}

// newNode and newEdge return values with the defaults of all attributes.
func (m *importer) newNode(id string) importedNode {
	return importedNode{Node: Node{Layer: NoLayer, Pages: 1}, id: id}
}

func (m *importer) newEdge(from, to string) importedEdge {
	return importedEdge{Edge: Edge{Weight: 1}, from: from, to: to}
}

// addNode takes a node.
func (m *importer) addNode(n importedNode) error {
	if _, twice := m.ids[n.id]; twice {
		m.reportSkipped("node %.100q occurs twice: the first is used", n.id)
		return nil
	}
	if len(m.graph.Nodes) == maxNodes {
		return fmt.Errorf("%w: more than %d nodes", ErrTooLarge, maxNodes)
	}
	n.URL = textOf(n.id)
	for _, name := range n.names {
		if name != "" {
			n.URL = name
			break
		}
	}
	m.ids[n.id] = len(m.graph.Nodes)
	m.graph.Nodes = append(m.graph.Nodes, n.Node)
	return nil
}

// addEdge takes an edge.
func (m *importer) addEdge(e importedEdge) error {
	if len(m.edges) == maxEdges {
		return fmt.Errorf("%w: more than %d edges", ErrTooLarge, maxEdges)
	}
	e.Anchor = cmp.Or(e.Anchor, e.label)
	e.Anchor, e.label = text.CutRunes(e.Anchor, webgraph.MaxAnchor), ""
	m.edges = append(m.edges, e)
	return nil
}

// resolveGraph resolves the node IDs of the edges and returns the graph.
func (m *importer) resolveGraph(f Format, err error) (*Graph, error) {
	for i := 0; err == nil && i < len(m.edges); i++ {
		err = m.joinEdge(m.edges[i])
	}
	if err != nil {
		return nil, fmt.Errorf("not read as %s: %w", f.Name, err)
	}
	if m.nBad > maxReported {
		m.bad(fmt.Errorf("%d more of this kind", m.nBad-maxReported))
	}
	sortEdges(m.graph.Edges)
	return &m.graph, nil
}

func (m *importer) joinEdge(e importedEdge) error {
	for _, id := range []string{e.from, e.to} {
		if _, known := m.ids[id]; known {
			continue
		}
		if !m.implicit {
			m.reportSkipped("edge from %.100q to %.100q: node %.100q does not exist", e.from, e.to, id)
			return nil
		}
		if err := m.addNode(m.newNode(id)); err != nil {
			return err
		}
	}
	e.Edge.From, e.Edge.To = m.ids[e.from], m.ids[e.to]
	m.graph.Edges = append(m.graph.Edges, e.Edge)
	return nil
}
