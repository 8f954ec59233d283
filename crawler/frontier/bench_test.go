package frontier

import (
	"fmt"
	"path/filepath"
	"testing"

	"eventseer/crawler"
)

// BenchmarkPage is the frontier's whole share of a page: one Next, one Push of
// 20 links to hosts out of 10,000, one Done, with 100,000 links waiting: three
// transactions, six fdatasyncs. 2026-11-21, 2 shared cores of an EPYC: 3.2 ms with
// sync, 0.9 ms without, 110 pages written.
func BenchmarkPage(b *testing.B) {
	b.Run("sync", func(b *testing.B) { benchmarkPage(b, Options{NoWait: true}) })
	b.Run("nosync", func(b *testing.B) { benchmarkPage(b, Options{NoWait: true, NoSync: true}) })
}

func benchmarkPage(b *testing.B, o Options) {
	f := openAt(b, filepath.Join(b.TempDir(), "f.db"), o)
	defer f.Close()
	n := 0
	links := func(count int) []crawler.Candidate {
		var cs []crawler.Candidate
		for range count {
			n++
			cs = append(cs, crawler.Candidate{
				URL: fmt.Sprintf("https://host%d.example.org/some/path/of/a/page-%d.html", n*7919/2%10000, n), Score: float64(n * 31 % 101),
				Parent: "https://parent.example.org/some/path/", Anchor: "Call for Papers", How: crawler.Forward,
			})
		}
		return cs
	}
	for range 10 {
		if err := f.Push(b.Context(), links(10000)); err != nil {
			b.Fatal(err)
		}
	}
	stats := f.db.Stats()
	writes := stats.TxStats.GetWrite()
	for b.Loop() {
		l := next(b, f)
		if err := f.Push(b.Context(), links(20)); err != nil {
			b.Fatal(err)
		}
		done(b, f, l, fetched)
	}
	stats = f.db.Stats()
	b.ReportMetric(float64(stats.TxStats.GetWrite()-writes)/float64(b.N), "writes/op")
}
