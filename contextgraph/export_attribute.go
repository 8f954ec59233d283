package contextgraph

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An attribute is a property of nodes or edges, with the name used in all formats.
type attribute[T any] struct {
	name string
	kind string // type name in GraphML: long, double, boolean or string
	// get returns the value as text, "" if it is unknown.
	get func(*T) string
	// set parses the text of a value. Without a call the value is that of a new T.
	set func(*T, string) error
}

var nodeAttributes = []attribute[Node]{
	{"layer", "long",
		func(n *Node) string {
			if n.Layer == NoLayer {
				return ""
			}
			return strconv.Itoa(n.Layer)
		},
		func(n *Node, s string) error { return parseIntInto(&n.Layer, s, NoLayer, MaxLayers-1) }},
	{"status", "long", func(n *Node) string { return textUnlessZero(n.Status) }, func(n *Node, s string) error { return parseIntInto(&n.Status, s, 0, math.MaxUint16) }},
	{"page_type", "string", func(n *Node) string { return n.PageType }, func(n *Node, s string) error { n.PageType = s; return nil }},
	{"cfp_score", "double", func(n *Node) string { return scoreText(n.CFPScore) }, func(n *Node, s string) error { return parseScoreInto(&n.CFPScore, s) }},
	{"bytes", "long", func(n *Node) string { return textUnlessZero(n.Bytes) }, func(n *Node, s string) error { return parseIntInto(&n.Bytes, s, 0, maxCount) }},
	{"pages", "long", func(n *Node) string { return strconv.Itoa(n.Pages) }, func(n *Node, s string) error { return parseIntInto(&n.Pages, s, 0, maxCount) }},
}

// weightOf is separate from the attributes, because most formats store weights in a special way.
func weightOf(e *Edge) string { return strconv.Itoa(e.Weight) }

var edgeAttributes = []attribute[Edge]{
	{"anchor", "string", func(e *Edge) string { return e.Anchor }, func(e *Edge, s string) error { e.Anchor = s; return nil }},
	{"nofollow", "boolean", func(e *Edge) string { return textIfTrue(e.NoFollow) }, func(e *Edge, s string) error { return parseBoolInto(&e.NoFollow, s) }},
	{"verified", "boolean", func(e *Edge) string { return textIfTrue(e.Verified) }, func(e *Edge, s string) error { return parseBoolInto(&e.Verified, s) }},
}

func textUnlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func textIfTrue(b bool) string {
	if !b {
		return ""
	}
	return "true"
}

// scoreText returns a score as text, "" if it is not a score.
func scoreText(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// parseIntInto parses a whole number from least to most, the range in a .graph file. Other programs may write
// it with a fraction of 0.
func parseIntInto(to *int, s string, least, most int) error {
	s = strings.TrimSpace(s)
	n, err := strconv.Atoi(s)
	if err != nil {
		v, floatErr := strconv.ParseFloat(s, 64)
		if floatErr != nil || !(math.Abs(v) < math.MaxInt32) {
			return errors.New("not a whole number")
		}
		n = int(math.Round(v))
	}
	if n < least || n > most {
		return fmt.Errorf("must be from %d to %d", least, most)
	}
	*to = n
	return nil
}

func parseScoreInto(to *float64, s string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("must be a number from 0 to 1")
	}
	*to = v
	return nil
}

func parseBoolInto(to *bool, s string) error {
	v, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s)))
	if err != nil {
		return errors.New("neither true nor false")
	}
	*to = v
	return nil
}

// escape returns a text that every format can hold. Invalid UTF-8, control characters other than tab and
// newline, characters outside XML, and the bytes in also become \x and two hexadecimal digits. So does a
// backslash that would otherwise begin such an escape.
func escape(s, also string) string {
	if !mustEscape(s, also) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		_, ambiguous := escapedByte(s[i:])
		if ambiguous || needsEscape(r, n) || strings.IndexByte(also, s[i]) >= 0 {
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func mustEscape(s, also string) bool {
	if also != "" && strings.ContainsAny(s, also) {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || r == '\\' || needsEscape(r, 0) })
}

// needsEscape reports whether a rune of n bytes is invalid UTF-8, or cannot be stored in some format.
func needsEscape(r rune, n int) bool {
	return r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0xfffe || r == 0xffff
}

// escapedByte returns the byte of the escape at the beginning of s.
func escapedByte(s string) (byte, bool) {
	if len(s) < 4 || s[0] != '\\' || s[1] != 'x' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:4], 16, 8)
	c := byte(v)
	return c, err == nil && (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
}

// unescape undoes escape.
func unescape(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := escapedByte(s[i:]); ok {
			b = append(b, c)
			i += 3
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}

// maxRecord is the largest size of a record of a table, in bytes, including line ends within quotes.
const maxRecord = 4 << 20

// tablePaths returns the names of both tables for the name of a graph or of one of its tables.
func tablePaths(path string) (nodes, edges string) {
	base := strings.TrimSuffix(path, ".csv")
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".nodes"), ".edges")
	return base + ".nodes.csv", base + ".edges.csv"
}

// csvText escapes carriage returns, which encoding/csv would change.
func csvText(s string) string { return escape(s, "\r") }

// writeNodeTable writes the table of nodes. Their IDs are numbers, because a graph may have two nodes
// with the same URL.
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

// writeEdgeTable writes the table of edges with URLs, so that it can be used without the nodes.
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

// readEdgeTable reads a table with the columns Source and Target. Without a table of nodes, the ends of
// edges are the nodes.
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

// readTable calls row for each line, with the column names in lower case. The separator is the most
// frequent one in the first line: comma, semicolon or tab.
func readTable(r io.Reader, m *importer, need []string, row func(names, fields []string) error) error {
	limited := &recordReader{r: r}
	in := bufio.NewReaderSize(limited, 64<<10)
	head, err := in.Peek(3)
	if err == nil && string(head) == "\ufeff" {
		_, _ = in.Discard(len(head)) // these bytes are in the buffer, so Discard cannot fail
	}
	table := csv.NewReader(in)
	table.Comma = separatorOf(in)
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
			m.reportSkipped("line %d: it has %d columns instead of %d", line, len(fields), len(names))
			continue
		}
		if err := row(names, fields); err != nil {
			return err
		}
	}
}

func separatorOf(in *bufio.Reader) rune {
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

// A recordReader returns an error when a record grows longer than maxRecord.
type recordReader struct {
	r       io.Reader
	n, from int64 // n: bytes read; from: value of n at the end of the last record
}

func (l *recordReader) Read(p []byte) (int, error) {
	if l.n-l.from > maxRecord {
		return 0, fmt.Errorf("%w: a line has more than %d bytes; is there a quote too many?", ErrTooLarge, maxRecord)
	}
	n, err := l.r.Read(p)
	l.n += int64(n)
	return n, err
}
