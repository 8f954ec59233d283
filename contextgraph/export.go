package contextgraph

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/webgraph"
)

// A Level determines what the nodes of an exported graph are.
type Level string

// The levels.
const (
	PageLevel Level = "page"
	HostLevel Level = "host" // see Graph.Hosts
)

// A Format is a file format for graphs that other programs read and write.
//
// The files are valid whatever the graph holds, and reading them gives the same graph: bytes that the
// format cannot hold are written as \x and two hexadecimal digits. Attributes are layer, status,
// page_type, cfp_score, bytes and pages of nodes, and weight, anchor, nofollow and verified of edges;
// unknown values are left out. The costs of building a graph (Graph.Layers, Graph.Ended) are not written.
type Format struct {
	Name string
	Ext  string // extension of file names, with its dot

	write func(*printer, *Graph)
	read  func(io.Reader, *importer) error
}

// Formats are all formats.
//
//	csv      two tables as Gephi reads them, nodes and edges; Export writes only the
//	         edges, with the URLs of both ends, and no name
//	graphml  GraphML 1.0
//	gexf     GEXF 1.2
//	pajek    Pajek .net, attributes as pairs after the coordinates as in networkx
//	dot      the language of Graphviz
var Formats = []Format{
	{"csv", ".csv", writeEdgeTable, readEdgeTable},
	{"graphml", ".graphml", writeGraphML, readGraphML},
	{"gexf", ".gexf", writeGEXF, readGEXF},
	{"pajek", ".net", writePajek, readPajek},
	{"dot", ".dot", writeDOT, readDOT},
}

// FormatNamed returns the format with a name.
func FormatNamed(name string) (Format, error) {
	for _, f := range Formats {
		if f.Name == name {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("no graph format %.100q; there are %s", name, formatNames())
}

// FormatOf returns the format for the extension of a file; .gv is DOT too.
func FormatOf(path string) (Format, error) {
	ext := strings.ToLower(filepath.Ext(path))
	if ext == ".gv" {
		ext = ".dot"
	}
	for _, f := range Formats {
		if f.Ext == ext {
			return f, nil
		}
	}
	return Format{}, fmt.Errorf("%s: its extension is not that of a graph format; give the format: %s", path, formatNames())
}

func formatNames() string {
	var names []string
	for _, f := range Formats {
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// Export writes g in the named format; for csv only the table of edges.
func Export(w io.Writer, g *Graph, format string, level Level) error {
	f, err := FormatNamed(format)
	if err != nil {
		return err
	}
	if g, err = g.atLevel(level); err != nil {
		return err
	}
	return f.printGraph(w, g, f.write)
}

func (f Format) printGraph(w io.Writer, g *Graph, write func(*printer, *Graph)) error {
	p := &printer{out: bufio.NewWriterSize(w, 64<<10)}
	write(p, g)
	if err := cmp.Or(p.err, p.out.Flush()); err != nil {
		return fmt.Errorf("export as %s: %w", f.Name, err)
	}
	return nil
}

// atLevel returns g with the nodes of a level.
func (g *Graph) atLevel(level Level) (*Graph, error) {
	for _, e := range g.Edges {
		if min(e.From, e.To) < 0 || max(e.From, e.To) >= len(g.Nodes) {
			return nil, fmt.Errorf("edge from node %d to %d of %d nodes", e.From, e.To, len(g.Nodes))
		}
	}
	switch level {
	case PageLevel:
		return g, nil
	case HostLevel:
		return g.HostGraph(), nil
	}
	return nil, fmt.Errorf("no level %.100q of a graph; there are %s and %s", level, PageLevel, HostLevel)
}

// ExportFile writes all of g to the file at path, or nothing, and returns the names of the files it
// wrote. For csv it writes two, such as web.nodes.csv and web.edges.csv for web.csv. If format is "" the
// extension of path determines it.
func ExportFile(path string, g *Graph, format string, level Level) ([]string, error) {
	f, err := formatFor(path, format)
	if err != nil {
		return nil, err
	}
	if g, err = g.atLevel(level); err != nil {
		return nil, err
	}
	if f.Name != "csv" {
		return []string{path}, f.writeFile(path, g, f.write)
	}
	nodes, edges := tablePaths(path)
	if err := f.writeFile(nodes, g, writeNodeTable); err != nil {
		return nil, err
	}
	return []string{nodes, edges}, f.writeFile(edges, g, writeEdgeTable)
}

func formatFor(path, name string) (Format, error) {
	if name == "" {
		return FormatOf(path)
	}
	return FormatNamed(name)
}

// writeFile replaces the file at path after everything was written.
func (f Format) writeFile(path string, g *Graph, write func(*printer, *Graph)) error {
	return atomicfile.Write(path, func(w io.Writer) error { return f.printGraph(w, g, write) })
}

// HostGraph returns the graph of hosts. A node combines its pages: the smallest of their layers, their most
// frequent type, the highest score, and the sum of their bytes. An edge combines all links from one host
// to another: its weight is their number, its anchor the first one. It is verified if any link is and
// nofollow if all are. Links within a host are left out. A URL without a host counts as a host.
func (g *Graph) HostGraph() *Graph {
	hosts := &Graph{Name: g.Name}
	at := make(map[string]int, len(g.Nodes))
	of := make([]int, len(g.Nodes))
	var types []map[string]int
	for i, n := range g.Nodes {
		host := cmp.Or(string(webgraph.HostOf(n.URL)), n.URL)
		k, known := at[host]
		if !known {
			k = len(hosts.Nodes)
			at[host] = k
			hosts.Nodes = append(hosts.Nodes, Node{URL: host, Layer: NoLayer})
			types = append(types, map[string]int{})
		}
		of[i] = k
		h := &hosts.Nodes[k]
		if n.Layer != NoLayer && (h.Layer == NoLayer || n.Layer < h.Layer) {
			h.Layer = n.Layer
		}
		h.CFPScore = max(h.CFPScore, n.CFPScore)
		h.Bytes += n.Bytes
		h.Pages += n.Pages
		if n.PageType != "" {
			types[k][n.PageType]++
			if c, best := types[k][n.PageType], types[k][h.PageType]; c > best || c == best && n.PageType < h.PageType {
				h.PageType = n.PageType
			}
		}
	}
	hosts.Edges = joinEdges(g.Edges, of)
	return hosts
}

// joinEdges combines all edges between the same two hosts into one; of maps nodes to hosts.
func joinEdges(edges []Edge, of []int) []Edge {
	var joined []Edge
	for _, e := range edges {
		if e.From, e.To = of[e.From], of[e.To]; e.From != e.To {
			joined = append(joined, e)
		}
	}
	sortEdges(joined)
	n := 0
	for i, e := range joined {
		if i == 0 || e.From != joined[n-1].From || e.To != joined[n-1].To {
			joined[n] = e
			n++
			continue
		}
		all := &joined[n-1]
		all.Weight += e.Weight
		all.Anchor = cmp.Or(all.Anchor, e.Anchor)
		all.Verified = all.Verified || e.Verified
		all.NoFollow = all.NoFollow && e.NoFollow
	}
	return joined[:n]
}

func sortEdges(edges []Edge) {
	slices.SortStableFunc(edges, func(a, b Edge) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
}

// A printer writes text and stores the first error.
type printer struct {
	out *bufio.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.out, format, args...)
	}
}

func (p *printer) print(texts ...string) {
	for _, s := range texts {
		if p.err == nil {
			_, p.err = p.out.WriteString(s)
		}
	}
}
