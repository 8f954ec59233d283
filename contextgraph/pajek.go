package contextgraph

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// pajekText returns a text in quotes. Pajek has no escapes and is read line by line.
func pajekText(s string) string { return `"` + escape(s, "\n\t\"") + `"` }

// writePajek writes a Pajek network. After the coordinates and shape of a vertex and the weight of an arc
// it writes attributes as pairs, like networkx; l is Pajek's own name for the label of an arc.
func writePajek(p *printer, g *Graph) {
	name := escape(g.Name, "\n\t")
	p.printf("*Network %s\n*Vertices %d\n", name, len(g.Nodes))
	for i := range g.Nodes {
		p.print(strconv.Itoa(i+1), " ", pajekText(g.Nodes[i].URL), " 0.0 0.0 ellipse")
		pajekPairs(p, nodeAttributes, &g.Nodes[i])
	}
	p.print("*Arcs\n")
	for i := range g.Edges {
		e := &g.Edges[i]
		p.print(strconv.Itoa(e.From+1), " ", strconv.Itoa(e.To+1), " ", weightOf(e))
		pajekPairs(p, edgeAttributes, e)
	}
}

func pajekPairs[T any](p *printer, attributes []attribute[T], of *T) {
	for _, a := range attributes {
		value, name := a.get(of), a.name
		switch {
		case value == "":
			continue
		case a.name == "anchor":
			name = "l"
		}
		if a.kind == "string" {
			value = pajekText(value)
		}
		p.print(" ", name, " ", value)
	}
	p.print("\n")
}

// readPajek reads the network of a .net file: vertices, arcs, edges, and lists of both. If a file only
// gives the number of vertices, a vertex is created when an arc refers to it. Matrices and other parts of
// a project are ignored.
func readPajek(r io.Reader, m *importer) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxRecord)
	x := &pajek{m: m}
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimPrefix(strings.TrimRight(lines.Text(), "\r"), "\ufeff")
		if strings.TrimSpace(line) == "" || line[0] == '%' {
			continue
		}
		if err := x.parseLine(n, line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return fmt.Errorf("%w: a line has more than %d bytes", ErrTooLarge, maxRecord)
	} else if err != nil {
		return err
	}
	if !x.vertices {
		return errors.New("the file has no line *Vertices")
	}
	return nil
}

type pajek struct {
	m        *importer
	section  string
	vertices bool // the file has a section of vertices
	count    int  // number of vertices declared
}

func (x *pajek) parseLine(n int, line string) error {
	if line[0] == '*' {
		return x.beginSection(n, line)
	}
	tokens := pajekTokens(line)
	if len(tokens) == 0 {
		return nil
	}
	switch x.section {
	case "*vertices":
		return x.readVertex(n, tokens)
	case "*arcs", "*edges":
		return x.readArc(n, tokens)
	case "*arcslist", "*edgeslist":
		for _, to := range tokens[1:] {
			if err := x.readArc(n, []string{tokens[0], to}); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginSection begins a section.
func (x *pajek) beginSection(n int, line string) error {
	name, rest, _ := strings.Cut(line, " ")
	x.section = strings.ToLower(strings.TrimSpace(name))
	switch x.section {
	case "*network":
		x.m.graph.Name = textOf(rest)
	case "*vertices":
		if x.vertices {
			return errors.New("the file has a second network; only one is supported")
		}
		x.vertices = true
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		count, err := strconv.Atoi(number)
		if err != nil || count < 0 {
			return fmt.Errorf("%.100q is not a valid number of vertices", number)
		}
		x.count = count
	case "*arcs", "*edges", "*arcslist", "*edgeslist":
	default:
		x.m.reportSkipped("line %d: section %.100q is left out", n, name)
	}
	return nil
}

// vertexID validates the number of a vertex and returns it as its ID.
func (x *pajek) vertexID(n int, s string) (string, bool) {
	v, err := strconv.Atoi(s)
	if err != nil || v < 1 || v > x.count {
		x.m.reportSkipped("line %d: %.100q is not a number of one of the %d vertices", n, s, x.count)
		return "", false
	}
	return strconv.Itoa(v), true
}

// readVertex parses a line: number label x y z shape pairs. Everything after the number is optional.
func (x *pajek) readVertex(n int, tokens []string) error {
	id, ok := x.vertexID(n, tokens[0])
	if !ok {
		return nil
	}
	node := x.m.newNode(id)
	rest := tokens[1:]
	if len(rest) > 0 {
		node.set(x.m, "label", rest[0])
		rest = rest[1:]
	}
	for i := 0; i < 3 && len(rest) > 0 && isNumber(rest[0]); i++ {
		rest = rest[1:]
	}
	if len(rest)%2 == 1 {
		rest = rest[1:] // the shape
	}
	for i := 0; i < len(rest); i += 2 {
		node.set(x.m, rest[i], rest[i+1])
	}
	return x.m.addNode(node)
}

// readArc parses a line: from to weight pairs. In Pajek a negative weight means dislike, and in lists a
// removed arc; such arcs are skipped.
func (x *pajek) readArc(n int, tokens []string) error {
	if len(tokens) < 2 {
		x.m.reportSkipped("line %d: an arc must have two ends", n)
		return nil
	}
	from, ok1 := x.vertexID(n, tokens[0])
	to, ok2 := x.vertexID(n, tokens[1])
	if !ok1 || !ok2 {
		return nil
	}
	for _, id := range []string{from, to} {
		if _, known := x.m.ids[id]; !known {
			if err := x.m.addNode(x.m.newNode(id)); err != nil {
				return err
			}
		}
	}
	e := x.m.newEdge(from, to)
	rest := tokens[2:]
	if len(rest) > 0 && isNumber(rest[0]) {
		e.set(x.m, "weight", rest[0])
		rest = rest[1:]
	}
	for i := 0; i+1 < len(rest); i += 2 {
		name := rest[i]
		if name == "l" {
			name = "anchor"
		}
		e.set(x.m, name, rest[i+1])
	}
	return x.m.addEdge(e)
}

func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil
}

// pajekTokens splits a line at spaces outside of quotes.
func pajekTokens(line string) []string {
	var tokens []string
	for {
		line = strings.TrimLeft(line, " \t")
		if line == "" {
			return tokens
		}
		end, skip := strings.IndexAny(line, " \t"), 0
		if line[0] == '"' {
			line, skip = line[1:], 1
			end = strings.IndexByte(line, '"')
		}
		if end < 0 {
			end, skip = len(line), 0
		}
		tokens = append(tokens, line[:end])
		line = line[end+skip:]
	}
}
