package contextgraph

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// page and link are nodes and edges with few attributes.
func page(url string) Node { return Node{URL: url, Layer: NoLayer, Pages: 1} }

func link(from, to int) Edge { return Edge{From: from, To: to, Weight: 1} }

// read returns a graph and the problems reported about it.
func read(t *testing.T, format, text string) (g *Graph, told []string) {
	t.Helper()
	g, err := Import(strings.NewReader(text), format, func(err error) { told = append(told, err.Error()) })
	if err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return g, told
}

// Import reads a graph in the format of that name as ImportFile does.
func Import(r io.Reader, format string, bad func(error)) (*Graph, error) {
	f, err := FormatNamed(format)
	if err != nil {
		return nil, err
	}
	m := newImporter(bad)
	return m.resolveGraph(f, f.read(boundedInput(r), m))
}

// Files as other programs write them.
func TestImportForeign(t *testing.T) {
	ab := &Graph{Nodes: []Node{page("http://a.org/"), page("http://b.org/")}, Edges: []Edge{link(0, 1)}}
	for _, c := range []struct {
		name, format, text string
		want               *Graph
		told               []string
	}{
		{"networkx GraphML", "graphml", `<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d2" for="edge" attr.name="weight" attr.type="double"/>
<key id="d1" for="node" attr.name="layer" attr.type="long"><default>3</default></key><key id="d0" for="graph" attr.name="name" attr.type="string"/>
<graph edgedefault="directed"><data key="d0">web</data><node id="http://a.org/"><data key="d1">1</data></node><node id="http://b.org/"/>
<edge source="http://a.org/" target="http://b.org/"><data key="d2">2.0</data></edge></graph></graphml>`,
			&Graph{Name: "web", Nodes: []Node{{URL: "http://a.org/", Layer: 1, Pages: 1}, {URL: "http://b.org/", Layer: 3, Pages: 1}}, Edges: []Edge{{From: 0, To: 1, Weight: 2}}}, nil},
		{"GraphML in Latin 1, nodes within nodes, edges first", "graphml", `<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n<graphml><key id='l' for='node' attr.name='Label'/><graph>" +
			"<edge source='y' target='x'><port/></edge><node id='x'><data key='l'>M\xfcnchen</data><graph><node id='y'/></graph></node></graph></graphml>",
			&Graph{Nodes: []Node{page("y"), page("München")}, Edges: []Edge{link(0, 1)}}, nil},
		{"Gephi GEXF 1.2", "gexf", `<gexf xmlns="http://www.gexf.net/1.2draft" xmlns:viz="http://www.gexf.net/1.2draft/viz" version="1.2"><graph defaultedgetype="directed">
<attributes class="node" mode="static"><attribute id="0" title="url" type="string"/><attribute id="1" title="CFP_score" type="float"><default>0.5</default></attribute></attributes>
<nodes><node id="a.0" label="A"><attvalues><attvalue for="0" value="http://a.org/"/></attvalues><viz:size value="10"/><viz:color r="1" g="2" b="3"/></node>
<node id="a.1" label="http://b.org/"/></nodes><edges><edge id="0" source="a.0" target="a.1" weight="1.5" label="here"/></edges></graph></gexf>`,
			&Graph{Nodes: []Node{{URL: "http://a.org/", Layer: NoLayer, CFPScore: 0.5, Pages: 1}, {URL: "http://b.org/", Layer: NoLayer, CFPScore: 0.5, Pages: 1}},
				Edges: []Edge{{From: 0, To: 1, Anchor: "here", Weight: 2}}}, nil},
		{"Pajek", "pajek", "% a comment\r\n*Vertices 4\r\n1 \"http://a.org/\" 0.1 0.2 0.5 ic Red bc Black\r\n 2 http://b.org/\r\n4\r\n*Arcs :1 \"links\"\r\n1 2 1 c Blue l \"to b\"\r\n*Edges\r\n2 3\r\n*Arcslist\r\n1 2 3\r\n",
			&Graph{Nodes: []Node{page("http://a.org/"), page("http://b.org/"), page("4"), page("3")},
				Edges: []Edge{{From: 0, To: 1, Anchor: "to b", Weight: 1}, link(0, 1), link(0, 3), link(1, 3)}}, nil},
		{"networkx Pajek", "pajek", "*vertices 2\n1 http://a.org/ 0.0 0.0 ellipse status 200\n2 \"http://b.org/\" 0.0 0.0 ellipse\n*arcs\n1 2 1.0 key 0\n",
			&Graph{Nodes: []Node{{URL: "http://a.org/", Layer: NoLayer, Status: 200, Pages: 1}, page("http://b.org/")}, Edges: []Edge{link(0, 1)}}, nil},
		{"DOT", "dot", `/* toy */ strict digraph { rankdir=LR; node [shape=box]; subgraph cluster_0 { a; b }
 a [label="http://a.org/"]; b [URL="http://b.org/", label="\N"]; a:n -> b:s [label="x"]; b -> {a c} -> d; # end
}`, &Graph{Nodes: []Node{page("http://a.org/"), page("http://b.org/"), page("c"), page("d")},
			Edges: []Edge{{From: 0, To: 1, Anchor: "x", Weight: 1}, link(0, 3), link(1, 0), link(1, 2), link(2, 3)}}, nil},
		{"Gephi CSV with semicolons", "csv", "\ufeffSource;Target;Type;Id;Label;Weight\nhttp://a.org/;http://b.org/;Directed;0;;1.0\n", ab, nil},
		{"CSV of two columns", "csv", "target,source\r\nhttp://b.org/,http://a.org/\r\n", ab, nil},
		{"what cannot be used", "csv", "source,target,weight,nofollow\nhttp://a.org/,http://b.org/,many,perhaps\nx\n", ab, []string{
			`edge from "http://a.org/" to "http://b.org/": weight "many": not a whole number`, `nofollow "perhaps" of "http://a.org/": neither true nor false`, "line 3: it has 1 columns instead of 4"}},
		{"unknown nodes", "gexf", `<gexf><graph><nodes><node id="1"/><node id="1"/></nodes><edges><edge source="1" target="1"/><edge source="1" target="2"/></edges></graph></gexf>`,
			&Graph{Nodes: []Node{page("1")}, Edges: []Edge{link(0, 0)}}, []string{`node "1" occurs twice: the first is used`, `edge from "1" to "2": node "2" does not exist`}},
		{"unknown vertices", "pajek", "*Vertices 1\n0 \"z\"\n1 \"a\" layer -7 cfp_score NaN\n*Arcs\n1 2\n1\n*Matrix\n1\n",
			&Graph{Nodes: []Node{page("a")}}, []string{
				`line 2: "0" is not a number of one of the 1 vertices`, `layer "-7" of "1": must be from -1 to 11`, `cfp_score "NaN" of "1": must be a number from 0 to 1`, `line 5: "2" is not a number of one of the 1 vertices`, "line 6: an arc must have two ends", `line 7: section "*Matrix" is left out`}},
	} {
		got, told := read(t, c.format, c.text)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if diff := cmp.Diff(c.told, told); diff != "" {
			t.Errorf("%s: told: %s", c.name, diff)
		}
	}
}

func TestImportRefuses(t *testing.T) {
	deep := strings.Repeat("<a>", 10_000)
	for _, c := range []struct {
		format, text string
		large        bool
	}{
		{"csv", "", false}, {"csv", "a,b\n1,2\n", false}, {"csv", "source,target\n\"" + strings.Repeat("x\n", maxRecord), true},
		{"graphml", "", false}, {"graphml", "<html/>", false}, {"graphml", "<graphml><graph>", false}, {"graphml", "<graphml>" + deep, true},
		{"graphml", `<?xml version="1.0" encoding="none"?><graphml/>`, false}, {"graphml", "<graphml>&bomb;</graphml>", false}, {"graphml", "<graphml><edge><edge/></edge></graphml>", false},
		{"graphml", "<graphml>" + numbered(`<key id="%d"/>`, maxKeys+1), true},
		{"gexf", "", false}, {"gexf", "<gexf>" + deep, true}, {"gexf", "<gexf><edge><edge/></edge></gexf>", false}, {"gexf", "<gexf>" + numbered(`<attribute id="%d"/>`, maxKeys+1), true},
		{"pajek", "", false}, {"pajek", "*Vertices many\n", false}, {"pajek", "*Vertices 1\n*Vertices 1\n", false}, {"pajek", "*Vertices 1\n" + strings.Repeat("x", maxRecord+1), true},
		{"dot", "", false}, {"dot", "digraph", false}, {"dot", "digraph {" + strings.Repeat("{", 500) + strings.Repeat("}", 501), true},
		{"xls", "", false},
	} {
		g, err := Import(strings.NewReader(c.text), c.format, nil)
		if err == nil || errors.Is(err, ErrTooLarge) != c.large {
			t.Errorf("%s %.40q: %v, %v", c.format, c.text, g, err)
		}
	}
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// A file may have a million errors: the first hundred are reported.
func TestImportTellsLittle(t *testing.T) {
	_, told := read(t, "pajek", "*Vertices 1\n*Arcs\n"+strings.Repeat("1 2\n", 5000))
	if len(told) != maxReported+1 || told[maxReported] != "4900 more of this kind" {
		t.Errorf("%d reports, the last %q", len(told), told[len(told)-1])
	}
	g, _ := read(t, "csv", "source,target,anchor\na,b,"+strings.Repeat("é", 5000)+"\n"+strings.Repeat("u", 2*maxText)+",b,\n")
	if n := len([]rune(g.Edges[0].Anchor)); n != 200 || len(g.Nodes[2].URL) != maxText {
		t.Errorf("an anchor of %d runes, a URL of %d bytes", n, len(g.Nodes[2].URL))
	}
}

func TestImportFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "web.csv")
	files, err := ExportFile(path, toyGraph(), "csv", PageLevel)
	if want := []string{filepath.Join(dir, "web.nodes.csv"), filepath.Join(dir, "web.edges.csv")}; err != nil || cmp.Diff(want, files) != "" {
		t.Fatal(files, err)
	}
	for _, name := range append(files, path) { // each stands for both
		g, err := ImportFile(name, "", nil)
		if err != nil || len(g.Nodes) != 5 || g.Nodes[0].Status != 200 {
			t.Errorf("%s: %+v, %v", name, g, err)
		}
	}
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	g, err := ImportFile(files[1], "", nil) // the table of edges alone: nodes in the order of their appearance
	if err != nil || len(g.Nodes) != 4 || g.Nodes[1].URL != "https://list.example/" || len(g.Edges) != 6 {
		t.Errorf("%+v, %v", g, err)
	}
	for _, name := range []string{"none.dot", "none.txt", "none.csv"} {
		if _, err := ImportFile(filepath.Join(dir, name), "", nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func fuzzFormat(f *testing.F, format string, more ...string) {
	var whole bytes.Buffer
	if err := Export(&whole, toyGraph(), format, PageLevel); err != nil {
		f.Fatal(err)
	}
	f.Add(whole.Bytes())
	for _, text := range more {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		g, err := Import(bytes.NewReader(data), format, nil)
		if err != nil {
			return
		}
		for _, n := range g.Nodes { // an empty name becomes the node's id
			if n.URL == "" {
				return
			}
		}
		var out bytes.Buffer
		if err := Export(&out, g, format, PageLevel); err != nil {
			t.Fatal(err)
		}
		back, err := Import(&out, format, func(err error) { t.Errorf("left out: %v", err) })
		if err != nil {
			t.Fatal(err)
		}
		if format == "csv" { // nodes without edges are not in the table
			return
		}
		if diff := cmp.Diff(g, back); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzReadCSV(f *testing.F) { fuzzFormat(f, "csv", "source\ttarget\na\tb\n") }

func FuzzReadGraphML(f *testing.F) {
	fuzzFormat(f, "graphml", `<graphml><key id="d" for="node" attr.name="layer"><default>1</default></key><node id="a"><node id="b"/></node></graphml>`)
}

func FuzzReadGEXF(f *testing.F) {
	fuzzFormat(f, "gexf", `<gexf><attributes class="node"><attribute id="1" title="layer"><default>1</default></attribute></attributes><node id="a" label="x"/></gexf>`)
}

func FuzzReadPajek(f *testing.F) { fuzzFormat(f, "pajek", "*Vertices 2\n1 a\n*Edgeslist\n1 2 2\n") }

func FuzzReadDOT(f *testing.F) {
	fuzzFormat(f, "dot", `graph { a -- {b; c -- d} -- "e\"" [weight=2] }`)
}

func FuzzEscape(f *testing.F) {
	f.Add("a\\x0a\xff\n", "\n")
	f.Fuzz(func(t *testing.T, s, also string) {
		also = strings.Map(func(r rune) rune {
			if strings.ContainsRune("\"\\\n\t\r", r) {
				return r
			}
			return -1
		}, also)
		e := escape(s, also)
		if unescape(e) != s || strings.ContainsAny(strings.ReplaceAll(e, `\x`, ""), also) {
			t.Errorf("%q became %q, and that %q", s, e, unescape(e))
		}
	})
}

// Impossible numbers are reported and left out, because counting by layer would otherwise take memory for
// each.
func TestImportBoundsNumbers(t *testing.T) {
	const table = "Id,Label,layer,status,bytes,pages\n" +
		"0,http://a.example/,1000000000000,70000,9223372036854775807,1e300\n" +
		"1,http://b.example/,11,404,12,3\n"
	path := filepath.Join(t.TempDir(), "web.csv")
	nodes, edges := tablePaths(path)
	for name, text := range map[string]string{nodes: table, edges: "Source,Target,Weight\n0,1,1e18\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	told := 0
	g, err := ImportFile(path, "", func(error) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	want := []Node{
		{URL: "http://a.example/", Layer: NoLayer, Pages: 1},
		{URL: "http://b.example/", Layer: 11, Status: 404, Bytes: 12, Pages: 3},
	}
	if diff := cmp.Diff(want, g.Nodes); diff != "" || told != 5 || g.Edges[0].Weight != 1 {
		t.Errorf("%d told, edges %v, nodes (-want +got):\n%s", told, g.Edges, diff)
	}
	if n := len(g.Stats().Layers); n != 12 {
		t.Errorf("%d layers", n)
	}
}
