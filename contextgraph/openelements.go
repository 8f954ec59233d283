package contextgraph

import "errors"

// openElements are the node and edge elements of an XML format that are open.
// Nodes may hold nodes, edges hold none.
type openElements struct {
	m     *importer
	nodes []importedNode
	edge  *importedEdge
}

// set sets an attribute of the element that is open, and reports whether one is.
func (o *openElements) set(name, value string) bool {
	switch {
	case o.edge != nil:
		o.edge.set(o.m, name, value)
	case len(o.nodes) > 0:
		o.nodes[len(o.nodes)-1].set(o.m, name, value)
	default:
		return false
	}
	return true
}

// close ends a node or an edge element and adds it to the graph.
func (o *openElements) close(name string) error {
	if name == "node" {
		n := o.nodes[len(o.nodes)-1]
		o.nodes = o.nodes[:len(o.nodes)-1]
		return o.m.addNode(n)
	}
	if o.edge == nil {
		return errors.New("an edge within an edge")
	}
	e := *o.edge
	o.edge = nil
	return o.m.addEdge(e)
}
