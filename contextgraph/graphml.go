package contextgraph

import (
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// writeGraphML writes GraphML (graphml.graphdrawing.org, 1.0). A node's URL is its attribute label, as in
// Gephi.
func writeGraphML(p *printer, g *Graph) {
	p.print(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns"`,
		` xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`,
		` xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">`, "\n")
	key := func(of, name, kind string) {
		p.printf("  <key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", of, name, of, name, kind)
	}
	key("graph", "name", "string")
	key("node", "label", "string")
	for _, a := range nodeAttributes {
		key("node", a.name, a.kind)
	}
	key("edge", "weight", "long")
	for _, a := range edgeAttributes {
		key("edge", a.name, a.kind)
	}
	p.print(`  <graph id="G" edgedefault="directed">`, "\n")
	data := func(of, name, value string) {
		if value != "" {
			p.print("      <data key=\"", of, "_", name, "\">", xmlText(value), "</data>\n")
		}
	}
	data("graph", "name", g.Name)
	for i := range g.Nodes {
		p.print(`    <node id="n`, strconv.Itoa(i), "\">\n")
		data("node", "label", g.Nodes[i].URL)
		for _, a := range nodeAttributes {
			data("node", a.name, a.get(&g.Nodes[i]))
		}
		p.print("    </node>\n")
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		p.print(`    <edge source="n`, strconv.Itoa(e.From), `" target="n`, strconv.Itoa(e.To), "\">\n")
		data("edge", "weight", weightOf(e))
		for _, a := range edgeAttributes {
			data("edge", a.name, a.get(e))
		}
		p.print("    </edge>\n")
	}
	p.print("  </graph>\n</graphml>\n")
}

// readGraphML reads GraphML, as networkx, Gephi, igraph and yEd write it. Ports, hyperedges and data of
// other kinds are skipped. Nested nodes are read like others.
func readGraphML(r io.Reader, m *importer) error {
	x := &graphML{openElements: openElements{m: m}, keys: map[string]graphMLKey{}}
	return walkXML(r, "graphml", x.startElement, x.endElement)
}

// A graphMLKey is an attribute that a file declares.
type graphMLKey struct{ of, name string }

type graphML struct {
	openElements
	keys map[string]graphMLKey
	key  string // key of the current data or key element
}

func (x *graphML) startElement(e xml.StartElement) error {
	switch e.Name.Local {
	case "key":
		if len(x.keys) == maxKeys {
			return fmt.Errorf("%w: more than %d keys", ErrTooLarge, maxKeys)
		}
		x.key = attributeValue(e, "id")
		x.keys[x.key] = graphMLKey{of: attributeValue(e, "for"), name: cmp.Or(attributeValue(e, "attr.name"), x.key)}
	case "node":
		x.openNode(attributeValue(e, "id"))
	case "edge":
		x.openEdge(attributeValue(e, "source"), attributeValue(e, "target"))
	case "data":
		x.key = attributeValue(e, "key")
	}
	return nil
}

func (x *graphML) endElement(name, text string) error {
	switch name {
	case "default":
		key := x.keys[x.key]
		return x.declareDefault(key.of, key.name, text)
	case "data":
		key, known := x.keys[x.key]
		switch {
		case !known:
			x.m.reportSkipped("data with the key %.100q, which is not declared", x.key)
		case x.setOpenAttribute(key.name, text):
		case key.name == "name":
			x.m.graph.Name = textOf(text)
		}
	case "node", "edge":
		return x.close(name)
	}
	return nil
}

// xmlReplacer escapes characters that have a meaning in XML. Line ends and tabs become numeric references
// because in an attribute they would be read as spaces.
var xmlReplacer = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "\n", "&#10;", "\t", "&#9;")

// xmlText returns a text escaped for an element or an attribute.
func xmlText(s string) string { return xmlReplacer.Replace(escape(s, "")) }

// attributeValue returns the value of an attribute by its local name.
func attributeValue(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walkXML calls startElement and end for the elements of a document, whose root must have the given name. The
// argument text of end is the text since the last tag. Names are without their namespace.
func walkXML(r io.Reader, root string, start func(xml.StartElement) error, end func(name, text string) error) error {
	d := xml.NewDecoder(r)
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		e, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return e.NewDecoder().Reader(in), nil
	}
	depth, seen := 0, false
	var text []byte
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && seen {
			return nil
		}
		if errors.Is(err, io.EOF) {
			return errors.New("no element in it")
		}
		if err != nil {
			return err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if depth == 0 && t.Name.Local != root {
				return fmt.Errorf("its root element is %.100q and not %q", t.Name.Local, root)
			}
			if depth++; depth > maxDepth {
				return fmt.Errorf("%w: elements are nested more than %d deep", ErrTooLarge, maxDepth)
			}
			seen, text = true, text[:0]
			err = start(t)
		case xml.EndElement:
			depth--
			err = end(t.Name.Local, string(text))
			text = text[:0]
		case xml.CharData:
			if n := maxText - len(text); n > 0 {
				text = append(text, t[:min(n, len(t))]...)
			}
		}
		if err != nil {
			return err
		}
	}
}

// An openElements holds the open node and edge elements of an XML format, and the declared default
// values. Nodes may contain nodes; edges contain none.
type openElements struct {
	m        *importer
	nodes    []importedNode
	edge     *importedEdge
	defaults []xmlDefault
}

// An xmlDefault is the default value of an attribute of a class: node, edge or all.
type xmlDefault struct{ class, name, value string }

func (o *openElements) declareDefault(class, name, value string) error {
	if value == "" {
		return nil
	}
	if len(o.defaults) == maxKeys {
		return fmt.Errorf("%w: more than %d defaults", ErrTooLarge, maxKeys)
	}
	o.defaults = append(o.defaults, xmlDefault{class, name, value})
	return nil
}

func (o *openElements) openNode(id string) {
	n := o.m.newNode(id)
	for _, d := range o.defaults {
		if d.class == "node" || d.class == "all" {
			n.set(o.m, d.name, d.value)
		}
	}
	o.nodes = append(o.nodes, n)
}

func (o *openElements) openEdge(from, to string) {
	e := o.m.newEdge(from, to)
	for _, d := range o.defaults {
		if d.class == "edge" || d.class == "all" {
			e.set(o.m, d.name, d.value)
		}
	}
	o.edge = &e
}

// setOpenAttribute sets an attribute of the innermost open element, and reports whether there is one.
func (o *openElements) setOpenAttribute(name, value string) bool {
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
		return errors.New("an edge is nested in an edge")
	}
	e := *o.edge
	o.edge = nil
	return o.m.addEdge(e)
}
