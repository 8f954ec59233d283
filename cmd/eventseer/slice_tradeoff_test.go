package main

import (
	"context"
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/slicer"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

// BenchmarkSliceTradeOff answers paper 003's question whether, within the ten
// seconds, many pages without synonyms or few with them are better. On the
// frozen web each fetch takes 200 ms of a clock that runs on with the analysis;
// precision is the share of pages shown, beside the first, whose label says that
// they are about the query. The labels were given by readers who knew of no query;
// pages without one are left out.
//
//	go test ./cmd/eventseer -run '^$' -bench SliceTradeOff -benchtime 1x
func BenchmarkSliceTradeOff(b *testing.B) {
	dir := filepath.Dir(golden.SharedPath(b, "corpora/web/nodes.tsv"))
	nodes, starts := readNodes(b, filepath.Join(dir, "nodes.tsv"))
	a := &app.App{Stderr: b.Output(), Now: time.Now}
	b.Cleanup(func() { _ = a.Close() })
	web, err := engine.OpenReplay(a, []string{filepath.Join(dir, "web.warc.gz")}, nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		names []string
	}{{"none", nil}, {"own", []string{app.OwnSynonyms}}, {"mythes", []string{"/usr/share/mythes/th_en_US_v2.dat"}}, {"wordnet", []string{"/usr/share/wordnet"}}} {
		b.Run(tt.name, func(b *testing.B) {
			d, err := openSynonyms(a, tt.names)
			if err != nil {
				b.Skip(err)
			}
			var c tradeOff
			for b.Loop() {
				c = tradeOff{}
				for _, q := range tradeOffQueries {
					query, err := newSliceQuery(q.text, d)
					if err != nil {
						b.Fatal(err)
					}
					for _, url := range starts {
						c.add(b, web.Fetcher, url, nodes, q.about, slicer.Options{Query: query, Precision: 3, MaxPages: 1000})
					}
				}
			}
			c.report(b)
		})
	}
}

// tradeOffQueries are the queries, with the labels of pages that are about them.
var tradeOffQueries = []struct {
	text  string
	about func(node) bool
}{
	{"deadline", node.calls}, {"cfp", node.calls},
	{"workshop", func(n node) bool {
		return n.calls() || n.pageType == "conference" || n.pageType == "mail_announcement"
	}},
	{"research", func(n node) bool { return n.pageType == "institution_topic" || n.pageType == "homepage" }},
}

// A node is a page of the frozen web as it is labelled.
type node struct {
	pageType string
	isCFP    bool
}

func (n node) calls() bool { return n.isCFP || n.pageType == "cfp_list" }

// startsOfType is the number of pages of each type from which a search starts.
const startsOfType = 15

// readNodes returns the labels of all pages, and pages to start from: of each
// type as many, evenly spread over the file.
func readNodes(b *testing.B, path string) (nodes map[string]node, starts []string) {
	b.Helper()
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		b.Fatal(err)
	}
	nodes = map[string]node{}
	ofType := map[string][]string{}
	types := []string{"cfp_list", "conference", "institution_topic", "homepage"}
	for _, row := range rows[1:] {
		nodes[row[0]] = node{row[2], row[3] == "true"}
		if row[1] == "200" && row[7] == "real" && row[9] == "true" && slices.Contains(types, row[2]) {
			ofType[row[2]] = append(ofType[row[2]], row[0])
		}
	}
	for _, t := range types {
		for i := range startsOfType {
			starts = append(starts, ofType[t][i*len(ofType[t])/startsOfType])
		}
	}
	return nodes, starts
}

// A tradeOff counts what searches found.
type tradeOff struct {
	searches, pages, asked, shown, labelled, about, timeUp int
	analysis                                               time.Duration
}

// fetchTime is what a fetch takes.
const fetchTime = 200 * time.Millisecond

// slowWeb is a fetcher whose fetches take fetchTime on its own clock, and no
// time else.
type slowWeb struct {
	fetcher crawler.Fetcher
	asked   int
	waited  time.Duration // by the real clock
}

func (w *slowWeb) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	began := time.Now()
	p, err := w.fetcher.Fetch(ctx, r)
	w.asked++
	w.waited += time.Since(began)
	return p, err
}

func (w *slowWeb) now() time.Time {
	return time.Now().Add(time.Duration(w.asked)*fetchTime - w.waited)
}

func (c *tradeOff) add(b *testing.B, web crawler.Fetcher, url string, nodes map[string]node, about func(node) bool, o slicer.Options) {
	b.Helper()
	slow := &slowWeb{fetcher: web}
	start, err := fetchStart(b.Context(), slow, url)
	if err != nil {
		b.Fatal(err)
	}
	o.Fetcher, o.Now = slow, slow.now
	sum, err := slicer.Run(b.Context(), start, o, func(r *slicer.Result) error {
		if n, known := nodes[r.URL]; r.Shown() && r.How != slicer.Start {
			c.shown++
			if known && n.pageType != "" {
				c.labelled++
				if about(n) {
					c.about++
				}
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	c.searches++
	c.pages += sum.Pages
	c.asked += slow.asked
	c.analysis += sum.Took - time.Duration(slow.asked-1)*fetchTime
	if sum.End == slicer.TimeUp {
		c.timeUp++
	}
}

func (c *tradeOff) report(b *testing.B) {
	searches := float64(c.searches)
	b.ReportMetric(float64(c.asked)/searches, "fetches/search")
	b.ReportMetric(float64(c.pages)/searches, "pages/search")
	b.ReportMetric(float64(c.shown)/searches, "shown/search")
	b.ReportMetric(float64(c.about)/searches, "about/search")
	b.ReportMetric(100*float64(c.about)/float64(max(c.labelled, 1)), "%precision")
	b.ReportMetric(100*float64(c.labelled)/float64(max(c.shown, 1)), "%labelled")
	b.ReportMetric(100*float64(c.timeUp)/searches, "%time-up")
	b.ReportMetric(float64(c.analysis.Microseconds())/1000/float64(c.pages), "ms-analysis/page")
}
