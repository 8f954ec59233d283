package contextgraph

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"golang.org/x/text/encoding/htmlindex"
)

// writeGraphML writes GraphML (graphml.graphdrawing.org, 1.0). A node's URL is
// its attribute label, as in Gephi.
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

// readGraphML also takes what networkx, Gephi, igraph and yEd write: ports,
// hyperedges and data of other kinds are passed over, nodes within nodes are
// nodes like others.
func readGraphML(r io.Reader, m *importer) error {
	x := &graphML{openElements: openElements{m: m}, keys: map[string]graphMLKey{}}
	return walkXML(r, "graphml", x.start, x.end)
}

// A graphMLKey is an attribute that a file declares.
type graphMLKey struct{ of, name, preset string }

type graphML struct {
	openElements
	keys  map[string]graphMLKey
	order []string // of the keys
	key   string   // of the data or the key element that is open
}

func (x *graphML) start(e xml.StartElement) error {
	switch e.Name.Local {
	case "key":
		if len(x.order) == maxKeys {
			return fmt.Errorf("%w: more than %d keys", ErrTooLarge, maxKeys)
		}
		id, name := attr(e, "id"), attr(e, "attr.name")
		if name == "" {
			name = id
		}
		x.key = id
		x.keys[id] = graphMLKey{of: attr(e, "for"), name: name}
		x.order = append(x.order, id)
	case "node":
		n := x.m.newNode(attr(e, "id"))
		x.preset("node", func(name, value string) { n.set(x.m, name, value) })
		x.nodes = append(x.nodes, n)
	case "edge":
		edge := x.m.newEdge(attr(e, "source"), attr(e, "target"))
		x.preset("edge", func(name, value string) { edge.set(x.m, name, value) })
		x.edge = &edge
	case "data":
		x.key = attr(e, "key")
	}
	return nil
}

// preset sets what is declared as the default of nodes or edges.
func (x *graphML) preset(of string, set func(name, value string)) {
	for _, id := range x.order {
		if k := x.keys[id]; k.preset != "" && (k.of == of || k.of == "all") {
			set(k.name, k.preset)
		}
	}
}

func (x *graphML) end(name, text string) error {
	switch name {
	case "default":
		k := x.keys[x.key]
		k.preset = text
		x.keys[x.key] = k
	case "data":
		key, known := x.keys[x.key]
		switch {
		case !known:
			x.m.report("data of key %.100q, which is not declared", x.key)
		case x.set(key.name, text):
		case key.name == "name":
			x.m.graph.Name = textOf(text)
		}
	case "node", "edge":
		return x.close(name)
	}
	return nil
}

// xmlReplacer writes what has a meaning in XML. Line ends and tabs are written
// as numbers because they would be spaces in an attribute.
var xmlReplacer = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;", "\n", "&#10;", "\t", "&#9;")

// xmlText is a text that may stand in an element or an attribute.
func xmlText(s string) string { return xmlReplacer.Replace(escape(s, "")) }

// attr returns an attribute by its local name.
func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// walkXML calls start and end for the elements of a document, whose first must
// have the given name; end gets the text behind the last tag before it. Names
// are without their namespace.
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
				return fmt.Errorf("%w: more than %d elements within each other", ErrTooLarge, maxDepth)
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
