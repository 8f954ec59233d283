package backlink

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// benchLinks returns the links of so many pages, 24 for each, as in internal/bench/crawl.
func benchLinks(r *rand.Rand, page, pages int) (links []webgraph.Link) {
	url := func(i int) string {
		return fmt.Sprintf("http://www.site%d.example/w20000/topic/page-%d.html", i%200, i)
	}
	for i := range 24 * pages {
		to := r.IntN(20000)
		links = append(links, webgraph.Link{Source: url(page + i/24), Target: url(to), Anchor: fmt.Sprintf("page %d of the series", to)})
	}
	return links
}

// BenchmarkLinkDB adds the links of 10 pages at a time. Add and Close are measured.
func BenchmarkLinkDB(b *testing.B) {
	path := filepath.Join(b.TempDir(), "links.db")
	d, err := OpenLinkDB(path, Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	for ; b.Loop(); n++ {
		b.StopTimer()
		links := benchLinks(r, 10*n, 10)
		b.StartTimer()
		if err := d.Add(b.Context(), links); err != nil {
			b.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(240*n), "ns/link")
	b.ReportMetric(float64(info.Size())/float64(240*n), "B/link")
}

// BenchmarkBacklinks queries the links to a page after each page that is added, among 480,000 links.
func BenchmarkBacklinks(b *testing.B) {
	d, err := OpenLinkDB(filepath.Join(b.TempDir(), "links.db"), Options{NoSync: true})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = d.Close() }()
	r := rand.New(rand.NewPCG(1, 2))
	n := 0
	for ; n < 2000; n++ {
		if err := d.Add(b.Context(), benchLinks(r, 10*n, 10)); err != nil {
			b.Fatal(err)
		}
	}
	for ; b.Loop(); n++ {
		links := benchLinks(r, 10*n, 1)
		if err := d.Add(b.Context(), links); err != nil {
			b.Fatal(err)
		}
		if a, err := d.Backlinks(b.Context(), Query{Target: links[0].Target, Limit: 20}); err != nil || len(a.Links) == 0 {
			b.Fatal(a, err)
		}
	}
}
