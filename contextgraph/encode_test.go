package contextgraph

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func exampleGraphs() []*Graph {
	return []*Graph{
		{
			Name: "physics", Ended: "calls",
			Nodes: []Node{
				{URL: "https://conf.example/cfp", Status: 200, PageType: "cfp", CFPScore: .97, Bytes: 4000, Pages: 1},
				{URL: "https://conf.example/list", Layer: 1, Status: 200, PageType: "cfp_list", CFPScore: .1, Bytes: 90, Pages: 1},
				{URL: "http://home.example/~a/", Layer: 2, Pages: 1},
			},
			Edges: []Edge{
				{From: 1, To: 0, Anchor: "Conf 2027", Verified: true, Weight: 1},
				{From: 2, To: 0, Anchor: "Conf 2027", NoFollow: true, Weight: 1},
				{From: 2, To: 1, Weight: 3},
			},
			Layers: []Layer{{Asked: 1, Calls: 2, Cost: 2.5, Told: 3, Gone: 1}, {Asked: 1, Alone: 1}},
		},
		{Name: "of hosts", Nodes: []Node{{URL: "a.example", Layer: NoLayer, Pages: 12}}},
		{},
	}
}

func write(t testing.TB, graphs ...*Graph) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, graphs...); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestWriteRead(t *testing.T) {
	want := exampleGraphs()
	file := write(t, want...)
	got, err := Read(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read (-want +got):\n%s", diff)
	}
	if !bytes.Equal(file, write(t, got...)) {
		t.Error("the same graphs gave other bytes")
	}
}

func TestWriteRefuses(t *testing.T) {
	tests := map[string]func(g *Graph){
		"layer":      func(g *Graph) { g.Nodes[0].Layer = MaxLayers },
		"score":      func(g *Graph) { g.Nodes[0].CFPScore = math.NaN() },
		"edge":       func(g *Graph) { g.Edges[0].To = 3 },
		"negative":   func(g *Graph) { g.Edges[0].From = -1 },
		"count":      func(g *Graph) { g.Layers[0].Calls = -1 },
		"cost":       func(g *Graph) { g.Layers[0].Cost = math.Inf(1) },
		"no cost":    func(g *Graph) { g.Layers[0].Cost = math.NaN() },
		"long name":  func(g *Graph) { g.Name = strings.Repeat("x", maxName+1) },
		"long URL":   func(g *Graph) { g.Nodes[0].URL = strings.Repeat("x", 1<<16) },
		"many rings": func(g *Graph) { g.Layers = make([]Layer, MaxLayers+1) },
	}
	for name, spoil := range tests {
		g := exampleGraphs()[0]
		spoil(g)
		if err := Write(&bytes.Buffer{}, g); err == nil {
			t.Errorf("%s: written", name)
		}
	}
}

// seal makes a file of a body.
func seal(body []byte) []byte {
	b := append(binary.LittleEndian.AppendUint32([]byte(graphMagic), graphVersion), body...)
	sum := sha256.Sum256(b)
	return append(b, sum[:]...)
}

func TestReadRefuses(t *testing.T) {
	good := write(t, exampleGraphs()...)
	changed := bytes.Clone(good)
	changed[20] ^= 1
	later := bytes.Clone(good)
	later[len(graphMagic)]++
	many := binary.AppendUvarint([]byte{1, 0, 0, 0, 0, 0}, 1<<20) // one graph of a million nodes in no bytes
	tests := map[string]struct {
		file []byte
		want string
	}{
		"empty":         {nil, "another kind"},
		"another kind":  {[]byte("url\tkind\n"), "another kind"},
		"truncated":     {good[:30], "truncated"},
		"changed":       {changed, "checksum"},
		"later version": {later, "version 2"},
		"too long":      {seal(append(good[12:len(good)-32:len(good)-32], 0)), "bytes too many"},
		"a bomb":        {seal(many), "truncated"},
		"no body":       {seal(nil), "truncated"},
	}
	for name, test := range tests {
		_, err := Read(bytes.NewReader(test.file))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want an error with %q", name, err, test.want)
		}
	}
	if _, err := Read(bytes.NewReader(later)); !errors.Is(err, ErrIncompatible) {
		t.Errorf("a later version is %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(write(f, exampleGraphs()...)[12:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, body []byte) {
		graphs, err := Read(bytes.NewReader(seal(body)))
		if err != nil {
			return
		}
		again, err := Read(bytes.NewReader(write(t, graphs...)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(graphs, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("read again (-want +got):\n%s", diff)
		}
		for _, g := range graphs {
			g.Stats()
		}
	})
}
