package tagtree_test

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"golang.org/x/net/html"
)

// BenchmarkHTML is what BenchmarkParse cannot go below: decoding, walking and
// resolving links cost about half as much again (2026-11).
func BenchmarkHTML(b *testing.B) {
	s := tagtreetest.Synthetic()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := html.Parse(strings.NewReader(s)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	p := tagtreetest.Page(tagtreetest.Synthetic(), "text/html; charset=utf-8")
	b.SetBytes(int64(len(p.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := tagtree.Parse(p); err != nil {
			b.Fatal(err)
		}
	}
}
