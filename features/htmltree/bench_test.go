package htmltree_test

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"golang.org/x/net/html"
)

func BenchmarkParseCompact(b *testing.B) {
	s := tagtreetest.Synthetic()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		htmltree.ParseCompact(s).Release()
	}
}

func BenchmarkNodes(b *testing.B) {
	s := tagtreetest.Synthetic()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		d := htmltree.ParseCompact(s)
		d.Nodes()
		d.Release()
	}
}

func BenchmarkHTMLParse(b *testing.B) {
	s := tagtreetest.Synthetic()
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := html.Parse(strings.NewReader(s)); err != nil {
			b.Fatal(err)
		}
	}
}
