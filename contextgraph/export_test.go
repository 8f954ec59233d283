package contextgraph

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/graph/formats/dot"
	"pgregory.net/rapid"
)

// toyGraph has three layers, a cycle, a link of a page to itself and a page
// that is there twice.
func toyGraph() *Graph {
	return &Graph{
		Name: "informatics & <more>",
		Nodes: []Node{
			{URL: "https://conf.example/2027/cfp", Layer: 0, Status: 200, PageType: "cfp", CFPScore: 0.98, Bytes: 4711, Pages: 1},
			{URL: "https://list.example/calls?a=1&b=2", Layer: 1, Status: 200, PageType: "cfp_list", CFPScore: 0.25, Pages: 1},
			{URL: "https://list.example/", Layer: 2, Status: 404, Pages: 1},
			{URL: "https://prof.example/~x/", Layer: 1, Pages: 1},
			{URL: "https://list.example/", Layer: NoLayer, Pages: 1},
		},
		Edges: []Edge{
			{From: 0, To: 0, Anchor: "top", Verified: true, Weight: 1},
			{From: 0, To: 2, Weight: 1},
			{From: 1, To: 0, Anchor: `"ICX" <2027>`, Verified: true, Weight: 1},
			{From: 2, To: 1, Anchor: "Calls", NoFollow: true, Weight: 2},
			{From: 3, To: 0, Weight: 1},
			{From: 3, To: 0, Anchor: "again", Weight: 1},
		},
	}
}

func TestExportGolden(t *testing.T) {
	for _, f := range Formats {
		for _, level := range []Level{PageLevel, HostLevel} {
			var out bytes.Buffer
			if err := Export(&out, toyGraph(), f.Name, level); err != nil {
				t.Fatal(err)
			}
			golden.Check(t, "export/"+string(level)+f.Ext, out.Bytes())
		}
	}
	var nodes bytes.Buffer
	if err := Formats[0].printGraph(&nodes, toyGraph(), writeNodeTable); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "export/page.nodes.csv", nodes.Bytes())
}

// roundTrip writes a graph to a file and reads it.
func roundTrip(t rapid.TB, dir, format string, g *Graph) *Graph {
	f, err := FormatNamed(format)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "g"+f.Ext)
	if _, err := ExportFile(path, g, "", PageLevel); err != nil {
		t.Fatal(err)
	}
	back, err := ImportFile(path, "", func(err error) { t.Errorf("%s: left out: %v", format, err) })
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return back
}

func TestRoundTrip(t *testing.T) {
	for _, g := range []*Graph{toyGraph(), {Name: "nothing"}, toyGraph().HostGraph(), {Name: "x", Nodes: []Node{{URL: "u", Layer: NoLayer}}}} {
		for _, f := range Formats {
			back := roundTrip(t, t.TempDir(), f.Name, g)
			if f.Name == "csv" {
				back.Name = g.Name // a table has no name
			}
			if diff := cmp.Diff(g, back); diff != "" {
				t.Errorf("%s: %s", f.Name, diff)
			}
		}
	}
}

// Whatever a graph contains, the file is valid and contains all of it.
func TestRoundTripHostile(t *testing.T) {
	dir := t.TempDir()
	hostile := rapid.OneOf(
		rapid.SampledFrom([]string{
			`"`, `'`, "\n", "\r\n", "\t", "\x00", "\x1b[2J", "\xff\xfe", "]]>", "<![CDATA[", "&amp;", `\`, `\"`, `\x0a`, `\x5c`, `\N`, "\u2028", "\ufffe", "\ufffd", "\ufeff",
			"% comment", "*Vertices 3", "-->", "a;b,c", "=1+1", " lead", "trail ", "0.5", "{}", "#", "ellipse", strings.Repeat("long/", 2000), "\xed\xa0\x80", "é漢😀",
		}),
		rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }), rapid.String())
	texts := rapid.Map(rapid.SliceOfN(hostile, 0, 4), func(parts []string) string { return strings.Join(parts, "") })
	name := rapid.Map(texts, func(s string) string { return "u" + s })
	anchor := rapid.Map(texts, func(s string) string { return text.CutRunes(s, webgraph.MaxAnchor) })
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{Name: texts.Draw(t, "name")}
		n := rapid.IntRange(1, 5).Draw(t, "nodes")
		for range n {
			g.Nodes = append(g.Nodes, Node{
				URL: name.Draw(t, "url"), Layer: rapid.IntRange(-1, 5).Draw(t, "layer"), Status: rapid.IntRange(0, 599).Draw(t, "status"),
				PageType: texts.Draw(t, "type"), CFPScore: rapid.Float64Range(0, 1).Draw(t, "score"), Bytes: rapid.IntRange(0, 1<<40).Draw(t, "bytes"), Pages: rapid.IntRange(0, 9).Draw(t, "pages"),
			})
		}
		for range rapid.IntRange(0, 6).Draw(t, "edges") {
			g.Edges = append(g.Edges, Edge{
				From: rapid.IntRange(0, n-1).Draw(t, "from"), To: rapid.IntRange(0, n-1).Draw(t, "to"), Anchor: anchor.Draw(t, "anchor"),
				NoFollow: rapid.Bool().Draw(t, "nofollow"), Verified: rapid.Bool().Draw(t, "verified"), Weight: rapid.IntRange(0, 9).Draw(t, "weight"),
			})
		}
		sortEdges(g.Edges)
		for _, f := range Formats {
			back := roundTrip(t, dir, f.Name, g)
			if f.Name == "csv" {
				back.Name = g.Name
			}
			if diff := cmp.Diff(g, back); diff != "" {
				t.Fatalf("%s: %s", f.Name, diff)
			}
			checkValid(t, f.Name, filepath.Join(dir, "g"+f.Ext))
		}
	})
}

// checkValid holds a file against a reader that is not ours.
func checkValid(t rapid.TB, format, path string) {
	switch format {
	case "graphml", "gexf":
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for d := xml.NewDecoder(f); err == nil; {
			_, err = d.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", path, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	case "dot":
		if _, err := dot.ParseFile(path); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestHosts(t *testing.T) {
	g := toyGraph()
	want := &Graph{
		Name: g.Name,
		Nodes: []Node{
			{URL: "conf.example", Layer: 0, PageType: "cfp", CFPScore: 0.98, Bytes: 4711, Pages: 1},
			{URL: "list.example", Layer: 1, PageType: "cfp_list", CFPScore: 0.25, Pages: 3},
			{URL: "prof.example", Layer: 1, Pages: 1},
		},
		Edges: []Edge{
			{From: 0, To: 1, Weight: 1},
			{From: 1, To: 0, Anchor: `"ICX" <2027>`, Verified: true, Weight: 1},
			{From: 2, To: 0, Anchor: "again", Weight: 2},
		},
	}
	if diff := cmp.Diff(want, g.HostGraph()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, want.HostGraph()); diff != "" {
		t.Error("hosts of hosts:", diff)
	}
	if diff := cmp.Diff(toyGraph(), g); diff != "" {
		t.Error("the graph itself changed:", diff)
	}
}

func TestExportRefuses(t *testing.T) {
	broken := &Graph{Nodes: []Node{{URL: "a"}}, Edges: []Edge{{From: 0, To: 1}}}
	dir := t.TempDir()
	for name, err := range map[string]error{
		"edge without node": Export(io.Discard, broken, "dot", PageLevel),
		"format":            Export(io.Discard, toyGraph(), "xls", PageLevel),
		"level":             Export(io.Discard, toyGraph(), "dot", "site"),
		"writer":            Export(failing{}, toyGraph(), "gexf", PageLevel),
		"name of a file":    second(ExportFile(filepath.Join(dir, "x.txt"), toyGraph(), "", PageLevel)),
		"folder":            second(ExportFile(filepath.Join(dir, "none", "x.dot"), toyGraph(), "", PageLevel)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func second[T any](_ T, err error) error { return err }

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func ExampleExport() {
	g := &Graph{
		Name:  "toy",
		Nodes: []Node{{URL: "https://conf.example/cfp", Pages: 1}, {URL: "https://list.example/", Layer: 1, Pages: 1}},
		Edges: []Edge{{From: 1, To: 0, Anchor: "Call", Weight: 1}},
	}
	var out strings.Builder
	if err := Export(&out, g, "dot", PageLevel); err != nil {
		fmt.Println(err)
	}
	fmt.Print(out.String())
	back, err := Import(strings.NewReader(out.String()), "dot", nil)
	fmt.Println(back.Nodes[1].URL, back.Nodes[1].Layer, err)
	// Output:
	// digraph "toy" {
	//   n0 [label="https://conf.example/cfp", layer="0", pages="1"];
	//   n1 [label="https://list.example/", layer="1", pages="1"];
	//   n1 -> n0 [weight=1, anchor="Call"];
	// }
	// https://list.example/ 1 <nil>
}

// Every field of a node and an edge is written. The URL, both ends of an edge and its weight have separate
// columns.
func TestAttributesAreAll(t *testing.T) {
	if n := reflect.TypeFor[Node]().NumField(); n != len(nodeAttributes)+1 {
		t.Errorf("a node has %d fields, the attributes are %d and the URL", n, len(nodeAttributes))
	}
	if n := reflect.TypeFor[Edge]().NumField(); n != len(edgeAttributes)+3 {
		t.Errorf("an edge has %d fields, the attributes are %d, From, To and Weight", n, len(edgeAttributes))
	}
}
