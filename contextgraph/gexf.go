package contextgraph

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strconv"
)

// writeGEXF writes GEXF 1.2 (gexf.net), which both networkx and Gephi read; networkx refuses 1.3.
func writeGEXF(p *printer, g *Graph) {
	p.print(xml.Header, `<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"`,
		` xsi:schemaLocation="http://www.gexf.net/1.2draft http://www.gexf.net/1.2draft/gexf.xsd" version="1.2">`, "\n",
		"  <meta>\n    <creator>EventSeer</creator>\n    <description>", xmlText(g.Name), "</description>\n  </meta>\n",
		`  <graph defaultedgetype="directed" mode="static">`, "\n")
	declareGEXF(p, "node", nodeAttributes)
	declareGEXF(p, "edge", edgeAttributes)
	p.print("    <nodes>\n")
	for i := range g.Nodes {
		p.print(`      <node id="`, strconv.Itoa(i), `" label="`, xmlText(g.Nodes[i].URL), `">`)
		valuesGEXF(p, nodeAttributes, &g.Nodes[i])
		p.print("</node>\n")
	}
	p.print("    </nodes>\n    <edges>\n")
	for i := range g.Edges {
		e := &g.Edges[i]
		p.print(`      <edge id="`, strconv.Itoa(i), `" source="`, strconv.Itoa(e.From), `" target="`, strconv.Itoa(e.To), `" weight="`, weightOf(e), `">`)
		valuesGEXF(p, edgeAttributes, e)
		p.print("</edge>\n")
	}
	p.print("    </edges>\n  </graph>\n</gexf>\n")
}

func declareGEXF[T any](p *printer, class string, attributes []attribute[T]) {
	p.printf("    <attributes class=\"%s\">\n", class)
	for _, a := range attributes {
		p.printf("      <attribute id=\"%s\" title=\"%s\" type=\"%s\"/>\n", a.name, a.name, a.kind)
	}
	p.print("    </attributes>\n")
}

func valuesGEXF[T any](p *printer, attributes []attribute[T], of *T) {
	open := false
	for _, a := range attributes {
		value := a.get(of)
		if value == "" {
			continue
		}
		if !open {
			p.print("<attvalues>")
			open = true
		}
		p.print(`<attvalue for="`, a.name, `" value="`, xmlText(value), `"/>`)
	}
	if open {
		p.print("</attvalues>")
	}
}

// readGEXF reads GEXF, including older versions as networkx and Gephi write them. Positions, colours and
// times are ignored.
func readGEXF(r io.Reader, m *importer) error {
	x := &gexf{openElements: openElements{m: m}, titles: map[string]string{}}
	return walkXML(r, "gexf", x.startElement, x.endElement)
}

type gexf struct {
	openElements
	class  string            // class of the attributes that are being declared
	titles map[string]string // titles of attributes, by class and ID
	last   string            // attribute declared last
}

func (x *gexf) startElement(e xml.StartElement) error {
	switch e.Name.Local {
	case "attributes":
		x.class = attributeValue(e, "class")
	case "attribute":
		if len(x.titles) == maxKeys {
			return fmt.Errorf("%w: more than %d attributes", ErrTooLarge, maxKeys)
		}
		x.last = attributeValue(e, "title")
		x.titles[x.class+" "+attributeValue(e, "id")] = x.last
	case "node":
		x.openNode(attributeValue(e, "id"))
		x.nodes[len(x.nodes)-1].set(x.m, "label", attributeValue(e, "label"))
	case "edge":
		x.openEdge(attributeValue(e, "source"), attributeValue(e, "target"))
		if w := attributeValue(e, "weight"); w != "" {
			x.edge.set(x.m, "weight", w)
		}
		x.edge.set(x.m, "label", attributeValue(e, "label"))
	case "attvalue":
		x.setAttribute(e)
	}
	return nil
}

// setAttribute sets an attribute of the current edge or node.
func (x *gexf) setAttribute(e xml.StartElement) {
	id := cmp.Or(attributeValue(e, "for"), attributeValue(e, "id")) // id before version 1.2
	class := "node"
	if x.edge != nil {
		class = "edge"
	}
	title, known := x.titles[class+" "+id]
	if !known {
		x.m.reportSkipped("a value of the %s attribute %.100q, which is not declared", class, id)
		return
	}
	x.setOpenAttribute(title, attributeValue(e, "value"))
}

func (x *gexf) endElement(name, text string) error {
	switch name {
	case "description":
		x.m.graph.Name = textOf(text)
	case "default":
		return x.declareDefault(x.class, x.last, text)
	case "node", "edge":
		return x.close(name)
	}
	return nil
}
