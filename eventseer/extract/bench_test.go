package extract_test

import (
	"bytes"
	"math"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
)

// A stage is one way to read a page.
type stage struct {
	name string
	read func(*webgraph.Page)
}

// BenchmarkExtract reads the same pages by each stage in turn. It reports for each stage the milliseconds
// per page in its fastest round. "x-parse" is the time relative to html.Parse, including parsing;
// "x-extract" is the same for a parsed page. The pages are those with known records and every twelfth
// labelled HTML page:
//
//	go test -run '^$' -bench Extract -benchtime 3x ./eventseer/extract
func BenchmarkExtract(b *testing.B) {
	pages := append(everyNth(b, 1, "gold"), everyNth(b, 12, "pages")...)
	stages := []stage{
		{"html.Parse", func(p *webgraph.Page) { _, _ = html.Parse(bytes.NewReader(p.Body)) }},
		{"tagtree.Parse", func(p *webgraph.Page) { _, _ = tagtree.Parse(p) }},
		{"extract", reading(b, extract.Options{})},
	}
	fastest := make([]float64, len(stages))
	for i := range fastest {
		fastest[i] = math.Inf(1)
	}
	for b.Loop() {
		for i, s := range stages {
			runtime.GC()
			start := time.Now()
			for _, p := range pages {
				s.read(p)
			}
			fastest[i] = min(fastest[i], float64(time.Since(start).Microseconds())/1000/float64(len(pages)))
		}
	}
	for i, s := range stages {
		b.ReportMetric(fastest[i], s.name+"-ms/page")
	}
	b.ReportMetric(fastest[2]/fastest[0], "x-parse")
	b.ReportMetric((fastest[2]-fastest[1])/fastest[0], "x-extract")
	b.ReportMetric(float64(len(pages)), "pages")
	b.ReportMetric(0, "ns/op") // the time of a round is not meaningful
}

// BenchmarkOurs measures only extraction, for profiles.
func BenchmarkOurs(b *testing.B) {
	pages, read := everyNth(b, 1, "gold"), reading(b, extract.Options{})
	for b.Loop() {
		for _, p := range pages {
			read(p)
		}
	}
}

// reading returns a function that parses and reads a page, with the gazetteer.
func reading(b *testing.B, o extract.Options) func(*webgraph.Page) {
	b.Helper()
	cities, err := datasets.Cities()
	if err != nil {
		b.Fatal(err)
	}
	o.Cities = func(name string) []extract.City {
		var all []extract.City
		for _, c := range cities.Lookup(name) {
			all = append(all, extract.City(c))
		}
		return all
	}
	x := extract.New(o)
	return func(p *webgraph.Page) {
		if t, err := tagtree.Parse(p); err == nil {
			x.Extract(t)
		}
	}
}

// everyNth returns every n-th HTML page of a corpus.
func everyNth(b *testing.B, n int, corpus string) []*webgraph.Page {
	b.Helper()
	var pages []*webgraph.Page
	i := 0
	for p, err := range warc.Pages(filepath.Join(golden.SharedPath(b, "corpora"), corpus, "pages.warc.gz")) {
		if err != nil {
			b.Fatal(err)
		}
		if strings.Contains(p.Header.Get("Content-Type"), "html") {
			if i%n == 0 {
				pages = append(pages, p)
			}
			i++
		}
	}
	return pages
}
