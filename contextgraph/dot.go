package contextgraph

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/graph/formats/dot"
	"gonum.org/v1/gonum/graph/formats/dot/ast"
)

// maxDOT is the largest size of a DOT file, in bytes. The parser reads the whole file before anything is
// used.
const maxDOT = 64 << 20

// dotText returns a text in quotes. It leaves no backslash except in escapes, because a backslash before
// a quote would have a meaning. The parser treats U+FFFD as an error.
func dotText(s string) string { return `"` + dotReplacer.Replace(escape(s, `\`)) + `"` }

var dotReplacer = strings.NewReplacer(`"`, `\"`, "\ufffd", `\xef\xbf\xbd`)

// writeDOT writes a digraph in the language of Graphviz. A node's label is its URL.
func writeDOT(p *printer, g *Graph) {
	p.print("digraph ", dotText(g.Name), " {\n")
	for i := range g.Nodes {
		p.print("  n", strconv.Itoa(i), " [label=", dotText(g.Nodes[i].URL))
		dotPairs(p, nodeAttributes, &g.Nodes[i])
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		p.print("  n", strconv.Itoa(e.From), " -> n", strconv.Itoa(e.To), " [weight=", weightOf(e))
		dotPairs(p, edgeAttributes, e)
	}
	p.print("}\n")
}

func dotPairs[T any](p *printer, attributes []attribute[T], of *T) {
	for _, a := range attributes {
		if value := a.get(of); value != "" {
			p.print(", ", a.name, "=", dotText(value))
		}
	}
	p.print("];\n")
}

// readDOT reads the first graph of a file, including its clusters. Default attributes of nodes and edges,
// ports and layout attributes are ignored.
func readDOT(r io.Reader, m *importer) error {
	data, err := io.ReadAll(io.LimitReader(r, maxDOT+1))
	if err != nil {
		return err
	}
	if len(data) > maxDOT {
		return fmt.Errorf("%w: more than %d bytes of DOT", ErrTooLarge, maxDOT)
	}
	file, err := dot.ParseBytes(data)
	if err != nil {
		return fmt.Errorf("%.300s", err)
	}
	if len(file.Graphs) == 0 {
		return errors.New("no graph in it")
	}
	if len(file.Graphs) > 1 {
		m.reportSkipped("%d more graphs are not read", len(file.Graphs)-1)
	}
	g := file.Graphs[0]
	m.graph.Name = textOf(dotUnquote(g.ID))
	d := &dotReader{m: m, at: map[string]int{}}
	if _, err := d.readStatements(g.Stmts, 0); err != nil {
		return err
	}
	for _, n := range d.nodes {
		if err := m.addNode(n); err != nil {
			return err
		}
	}
	return nil
}

// A dotReader collects nodes, because an edge may refer to nodes before their declaration.
type dotReader struct {
	m     *importer
	nodes []importedNode
	at    map[string]int
}

func (d *dotReader) addNode(id string) (*importedNode, error) {
	id = dotUnquote(id)
	i, known := d.at[id]
	if !known {
		if len(d.nodes) == maxNodes {
			return nil, fmt.Errorf("%w: more than %d nodes", ErrTooLarge, maxNodes)
		}
		i = len(d.nodes)
		d.at[id] = i
		d.nodes = append(d.nodes, d.m.newNode(id))
	}
	return &d.nodes[i], nil
}

// readStatements reads statements and returns the IDs of the nodes in them, with repetitions.
func (d *dotReader) readStatements(statements []ast.Stmt, depth int) ([]string, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: clusters are nested more than %d deep", ErrTooLarge, maxDepth)
	}
	var named []string
	for _, s := range statements {
		var ids []string
		var err error
		switch s := s.(type) {
		case *ast.NodeStmt:
			ids, err = d.nodeStatement(s)
		case *ast.EdgeStmt:
			ids, err = d.edgeStatement(s, depth)
		case *ast.Subgraph:
			ids, err = d.readStatements(s.Stmts, depth+1)
		}
		if err != nil {
			return nil, err
		}
		named = append(named, ids...)
	}
	return named, nil
}

func (d *dotReader) nodeStatement(s *ast.NodeStmt) ([]string, error) {
	n, err := d.addNode(s.Node.ID)
	if err != nil {
		return nil, err
	}
	for _, a := range s.Attrs {
		if value := dotUnquote(a.Val); value != `\N` { // the node's ID, which is the default
			n.set(d.m, dotUnquote(a.Key), value)
		}
	}
	return []string{n.id}, nil
}

// edgeStatement reads a -> b -> {c d}: an edge from each node of a side to each of the next.
func (d *dotReader) edgeStatement(s *ast.EdgeStmt, depth int) ([]string, error) {
	from, err := d.vertexIDs(s.From, depth)
	if err != nil {
		return nil, err
	}
	named := slices.Clone(from)
	for to := s.To; to != nil; to = to.To {
		next, err := d.vertexIDs(to.Vertex, depth)
		if err != nil {
			return nil, err
		}
		named = append(named, next...)
		for _, a := range from {
			for _, b := range next {
				e := d.m.newEdge(a, b)
				for _, attr := range s.Attrs {
					e.set(d.m, dotUnquote(attr.Key), dotUnquote(attr.Val))
				}
				if err := d.m.addEdge(e); err != nil {
					return nil, err
				}
			}
		}
		from = next
	}
	return named, nil
}

// vertexIDs returns the IDs of one side of an edge, each once.
func (d *dotReader) vertexIDs(v ast.Vertex, depth int) ([]string, error) {
	switch v := v.(type) {
	case *ast.Node:
		n, err := d.addNode(v.ID)
		if err != nil {
			return nil, err
		}
		return []string{n.id}, nil
	case *ast.Subgraph:
		named, err := d.readStatements(v.Stmts, depth+1)
		seen := map[string]bool{}
		return slices.DeleteFunc(named, func(id string) bool {
			again := seen[id]
			seen[id] = true
			return again
		}), err
	}
	return nil, nil
}

// dotUnquote removes the quotes of an ID.
func dotUnquote(id string) string {
	if inner, ok := strings.CutPrefix(id, `"`); ok && strings.HasSuffix(inner, `"`) {
		inner = strings.ReplaceAll(inner[:len(inner)-1], "\\\n", "") // a continued line
		return strings.ReplaceAll(inner, `\"`, `"`)
	}
	return id
}
