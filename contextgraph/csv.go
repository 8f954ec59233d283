package contextgraph

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// maxRecord bounds one line of a table, in bytes, all its fields with line ends
// within quotes included.
const maxRecord = 4 << 20

// tablePaths returns the names of both tables for that of a graph, or of one of
// them.
func tablePaths(path string) (nodes, edges string) {
	base := strings.TrimSuffix(path, ".csv")
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".nodes"), ".edges")
	return base + ".nodes.csv", base + ".edges.csv"
}

// csvText escapes what encoding/csv would change.
func csvText(s string) string { return escape(s, "\r") }

// writeNodeTable writes the table of nodes; their ids are numbers, for a graph
// may have a URL twice.
func writeNodeTable(p *printer, g *Graph) {
	header := []string{"Id", "Label"}
	for _, a := range nodeAttributes {
		header = append(header, a.name)
	}
	writeTable(p, header, func(row []string, write func([]string)) {
		for i := range g.Nodes {
			row = append(row[:0], strconv.Itoa(i), csvText(g.Nodes[i].URL))
			for _, a := range nodeAttributes {
				row = append(row, csvText(a.get(&g.Nodes[i])))
			}
			write(row)
		}
	})
}

// writeEdgeTable writes the table of edges, with the URLs for those who have
// only this table.
func writeEdgeTable(p *printer, g *Graph) {
	header := []string{"Source", "Target", "Type", "Weight"}
	for _, a := range edgeAttributes {
		header = append(header, a.name)
	}
	header = append(header, "source_url", "target_url")
	writeTable(p, header, func(row []string, write func([]string)) {
		for i := range g.Edges {
			e := &g.Edges[i]
			row = append(row[:0], strconv.Itoa(e.From), strconv.Itoa(e.To), "Directed", weightOf(e))
			for _, a := range edgeAttributes {
				row = append(row, csvText(a.get(e)))
			}
			write(append(row, csvText(g.Nodes[e.From].URL), csvText(g.Nodes[e.To].URL)))
		}
	})
}

func writeTable(p *printer, header []string, rows func(row []string, write func([]string))) {
	w := csv.NewWriter(p.out)
	write := func(row []string) {
		if p.err == nil {
			p.err = w.Write(row)
		}
	}
	write(header)
	rows(make([]string, 0, len(header)), write)
	w.Flush()
	if p.err == nil {
		p.err = w.Error()
	}
}

// readNodeTable reads a table with a column Id.
func readNodeTable(r io.Reader, m *importer) error {
	return readTable(r, m, []string{"id"}, func(names, row []string) error {
		n := m.newNode(row[slices.Index(names, "id")])
		for i, name := range names {
			if name != "id" {
				n.set(m, name, row[i])
			}
		}
		return m.addNode(n)
	})
}

// readEdgeTable reads a table with the columns Source and Target. Where it comes
// alone its ends are the nodes.
func readEdgeTable(r io.Reader, m *importer) error {
	m.implicit = len(m.ids) == 0
	return readTable(r, m, []string{"source", "target"}, func(names, row []string) error {
		at := func(name string) string {
			if i := slices.Index(names, name); i >= 0 {
				return row[i]
			}
			return ""
		}
		e := m.newEdge(at("source"), at("target"))
		for i, name := range names {
			e.set(m, name, row[i])
		}
		if !m.implicit {
			return m.addEdge(e)
		}
		for _, end := range [][2]string{{e.from, at("source_url")}, {e.to, at("target_url")}} {
			if _, known := m.ids[end[0]]; known {
				continue
			}
			n := m.newNode(end[0])
			n.set(m, "url", end[1])
			if err := m.addNode(n); err != nil {
				return err
			}
		}
		return m.addEdge(e)
	})
}

// readTable calls row for each line, with the columns' names in lower case. The
// comma is what the first line has most of: comma, semicolon or tab.
func readTable(r io.Reader, m *importer, need []string, row func(names, fields []string) error) error {
	limited := &recordReader{r: r}
	in := bufio.NewReaderSize(limited, 64<<10)
	head, err := in.Peek(3)
	if err == nil && string(head) == "\ufeff" {
		_, _ = in.Discard(len(head)) // they are in the buffer
	}
	table := csv.NewReader(in)
	table.Comma = commaOf(in)
	table.LazyQuotes, table.ReuseRecord, table.FieldsPerRecord = true, true, -1
	var names []string
	for {
		fields, err := table.Read()
		limited.from = limited.n
		switch {
		case errors.Is(err, io.EOF) && names == nil:
			return errors.New("the file is empty")
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if names == nil {
			for _, f := range fields {
				names = append(names, strings.ToLower(strings.TrimSpace(f)))
			}
			for _, n := range need {
				if !slices.Contains(names, n) {
					return fmt.Errorf("the first line must name the columns %s, it names %.200q", strings.Join(need, " and "), names)
				}
			}
			continue
		}
		if len(fields) != len(names) {
			line, _ := table.FieldPos(0)
			m.report("line %d: %d columns of %d", line, len(fields), len(names))
			continue
		}
		if err := row(names, fields); err != nil {
			return err
		}
	}
}

func commaOf(in *bufio.Reader) rune {
	head, _ := in.Peek(4096) // an error comes again
	line, _, _ := strings.Cut(string(head), "\n")
	best := ','
	for _, c := range ";\t" {
		if strings.Count(line, string(c)) > strings.Count(line, string(best)) {
			best = c
		}
	}
	return best
}

// A recordReader ends a table with a record that does not end.
type recordReader struct {
	r       io.Reader
	n, from int64 // bytes read, and when the last record was complete
}

func (l *recordReader) Read(p []byte) (int, error) {
	if l.n-l.from > maxRecord {
		return 0, fmt.Errorf("%w: a line of more than %d bytes; is there a quote too many?", ErrTooLarge, maxRecord)
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	return n, err
}
