package contextgraph

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkFormats writes and reads a graph of the size of a crawl of some
// thousand pages: 20,000 nodes, 100,000 edges.
func BenchmarkFormats(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	g := &Graph{Name: "crawl"}
	for i := range 20_000 {
		g.Nodes = append(g.Nodes, Node{URL: fmt.Sprintf("https://www.host-%d.example/section/page-%d.html", i%700, i), Layer: i % 5, Status: 200, PageType: "cfp_list", CFPScore: rnd.Float64(), Pages: 1})
	}
	for i := range 100_000 {
		g.Edges = append(g.Edges, Edge{From: rnd.IntN(len(g.Nodes)), To: rnd.IntN(len(g.Nodes)), Anchor: fmt.Sprintf("Call for papers & more %d", i), Weight: 1, Verified: i%2 == 0})
	}
	sortEdges(g.Edges)
	for _, f := range Formats {
		var file bytes.Buffer
		b.Run("write/"+f.Name, func(b *testing.B) {
			for b.Loop() {
				file.Reset()
				if err := Export(&file, g, f.Name, PageLevel); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(g.Edges))/b.Elapsed().Seconds(), "edges/s")
			b.SetBytes(int64(file.Len()))
		})
		b.Run("read/"+f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Import(bytes.NewReader(file.Bytes()), f.Name, nil); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(g.Edges))/b.Elapsed().Seconds(), "edges/s")
			b.SetBytes(int64(file.Len()))
		})
	}
}
