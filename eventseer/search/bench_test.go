package search

import (
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

var benchEvents = flag.Int("events", 100_000, "events in the index of benchmarks")

var benchWithTexts = flag.Bool("texts", true, "the events of benchmarks have texts")

func benchTexts(e eventseer.Event) []eventseer.PageText {
	if !*benchWithTexts {
		return nil
	}
	return eventstest.Texts(e)
}

var benchNow = time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)

// benchQueries are what seekers ask, on the home page first.
var benchQueries = []struct {
	name string
	q    eventseer.Query
}{
	{"home", eventseer.Query{OpenAt: benchNow, ByDeadline: true}},
	{"home-facets", eventseer.Query{OpenAt: benchNow, ByDeadline: true, Facets: true}},
	{"all-facets", eventseer.Query{Now: benchNow, ByDeadline: true, Facets: true}},
	{"page-20", eventseer.Query{OpenAt: benchNow, ByDeadline: true, From: 950}},
	{"word", eventseer.Query{Text: "crawling", OpenAt: benchNow, ByDeadline: true, Passages: true}},
	{"common-word", eventseer.Query{Text: "learning", Now: benchNow, Facets: true, Passages: true}},
	{"words", eventseer.Query{Text: "deep learning optimization", OpenAt: benchNow, ByDeadline: true, Facets: true, Passages: true}},
	{"phrase", eventseer.Query{Text: `"web archives"`, Now: benchNow, Passages: true}},
	{"near", eventseer.Query{Text: `"web archives"~5`, Now: benchNow}},
	{"list", eventseer.Query{Text: `"web crawling" OR ranking OR "link analysis" OR "news clipping" OR archives -games`, OpenAt: benchNow, ByDeadline: true}},
	{"filters", eventseer.Query{Text: "due<60d where:europe rank:core>=B -where:online", OpenAt: benchNow, ByDeadline: true, Facets: true}},
	{"words-filters", eventseer.Query{Text: "networks kind:conference where:eu", OpenAt: benchNow, ByDeadline: true, Facets: true}},
	{"misspelt", eventseer.Query{Text: "crawlnig archvies", OpenAt: benchNow, ByDeadline: true}},
}

// BenchmarkFind measures queries over 100,000 events in an index on disk, with nothing
// remembered from those before.
func BenchmarkFind(b *testing.B) {
	x := benchIndex(b)
	for _, bb := range benchQueries {
		b.Run(bb.name, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				x.view.facets, x.view.facts = nil, nil // counted and found anew
				x.view.postings = postings{}
				if _, err := x.Find(b.Context(), bb.q); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
		})
	}
	b.Run("open", func(b *testing.B) {
		must2(b, x.Close())
		for b.Loop() {
			again, err := Open(x.path, Options{})
			must2(b, err)
			must2(b, again.Close())
		}
	})
}

func must2(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// benchIndex makes an index on disk, and reports its cost.
func benchIndex(b *testing.B) *Index {
	b.Helper()
	path := filepath.Join(b.TempDir(), "index")
	x, err := Open(path, Options{})
	must2(b, err)
	b.Cleanup(func() { _ = x.Close() })
	start := time.Now()
	ranks := map[string][]eventseer.Rank{}
	for _, s := range eventstest.Series(7) {
		ranks[s.ID] = s.Ranks
	}
	events := eventstest.Events(7, *benchEvents, benchNow)
	for part := range slices.Chunk(events, batchSize) {
		var docs []eventseer.Document
		for _, e := range part {
			docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e), Ranks: ranks[e.Series], Texts: benchTexts(e)})
		}
		must2(b, applyBatch(x.index, false, docs, nil, 1))
	}
	built := time.Since(start)
	must2(b, x.Close())
	events = nil
	before := heap()
	start = time.Now()
	x, err = Open(path, Options{})
	must2(b, err)
	opened, kept := time.Since(start), heap()-before
	b.Run("size", func(b *testing.B) {
		for b.Loop() {
			must2(b, x.Update(b.Context(), []eventseer.Document{{Event: eventstest.Events(8, 1, benchNow)[0]}}))
		}
		b.ReportMetric(built.Seconds(), "s-built")
		b.ReportMetric(opened.Seconds(), "s-opened")
		b.ReportMetric(float64(size(b, path)>>20), "MB-disk")
		b.ReportMetric(float64(kept>>20), "MB-memory")
	})
	return x
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func size(b *testing.B, path string) (bytes int64) {
	b.Helper()
	must2(b, filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := os.Stat(path)
		if err == nil {
			bytes += info.Size()
		}
		return err
	}))
	return bytes
}
