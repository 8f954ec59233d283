package models_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
)

// samplePages returns about n pages of the shared corpus, evenly spread.
func samplePages(tb testing.TB, n int) []*tagtree.Tree {
	tb.Helper()
	var pages []*webgraph.Page
	for p, err := range warc.Pages(golden.SharedPath(tb, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			tb.Fatal(err)
		}
		pages = append(pages, p)
	}
	var trees []*tagtree.Tree
	for i := 0; i < len(pages); i += max(1, len(pages)/n) {
		t, err := tagtree.Parse(pages[i])
		if err != nil {
			tb.Fatal(err)
		}
		trees = append(trees, t)
	}
	return trees
}

// BenchmarkJudge measures the cost of all features and both models on parsed pages. The unit is the time of
// html.Parse for the same pages in the same round; the median of the rounds counts, because a machine may do
// other work meanwhile.
func BenchmarkJudge(b *testing.B) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		b.Fatal(err)
	}
	trees := samplePages(b, 300)
	var ratios, judging []float64
	for b.Loop() {
		start := time.Now()
		for _, t := range trees {
			if _, err := html.Parse(bytes.NewReader(t.Page.Body)); err != nil {
				b.Fatal(err)
			}
		}
		parsed := time.Now()
		for _, t := range trees {
			judge.JudgePage(t)
		}
		judging = append(judging, time.Since(parsed).Seconds())
		ratios = append(ratios, judging[len(judging)-1]/parsed.Sub(start).Seconds())
	}
	b.ReportMetric(median(ratios), "×html.Parse")
	b.ReportMetric(1e6*median(judging)/float64(len(trees)), "µs/page")
	b.ReportMetric(0, "ns/op")
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}

// BenchmarkReadJudge measures how much the two models add to the start.
func BenchmarkReadJudge(b *testing.B) {
	for b.Loop() {
		if _, err := classify.ReadJudge(models.Files(), "."); err != nil {
			b.Fatal(err)
		}
	}
}
