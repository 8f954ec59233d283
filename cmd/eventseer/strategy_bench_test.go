package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// benchJudge knows the labels of the pages of benchTree: judging pages is measured elsewhere (models).
type benchJudge struct{}

func (benchJudge) JudgePage(t *tagtree.Tree) classify.Judgement {
	n := len(t.Title())
	return classify.Judgement{
		PageType: []string{"cfp", "cfp_list", "conference", "homepage", "other"}[n%5], IsCFP: n%5 == 0, CFPScore: float64(n%10) / 10,
		PageTypeScores: map[string]float64{"cfp_list": float64(n%5) / 5},
	}
}

// benchLinks is the number of links on a page of benchTree.
const benchLinks = 60

// benchTree is pageForUI n of a web: some text, a menu, and a list of events.
func benchTree(tb testing.TB, n int) *tagtree.Tree {
	tb.Helper()
	topics := strings.Fields("graphs logic vision speech sensors markets cells rivers proofs robots")
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>Meetings%s</title></head><body><ul>", strings.Repeat("s", n%20))
	for i := range benchLinks / 3 {
		fmt.Fprintf(&b, `<li><a href="/part%d.html">Part %d</a>`, i, i)
	}
	b.WriteString("</ul><h1>Meetings of the year</h1>" + strings.Repeat("<p>We invite papers on all parts of the subject; deadlines are listed below, with the place of each meeting.</p>", 5) + "<ul>")
	for i := range benchLinks - benchLinks/3 {
		word := topics[(n+i)%len(topics)]
		fmt.Fprintf(&b, `<li><a href="http://%s%d.example/%d/cfp.html">Workshop on %s %d</a>, call for papers until %d May, in Town %d`, word, (n*7+i)%500, 2020+i%8, word, n*i%97, 1+i%28, i)
	}
	b.WriteString("</ul></body></html>")
	t, err := tagtree.Parse(&webgraph.Page{
		URL: fmt.Sprintf("http://p%d.example/", n), Status: 200, Body: []byte(b.String()), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

// cpuTime is the processor time the process has taken.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkStrategies measures how many links each strategy scores with the shipped models in a
// second of processor time. It includes the analysis of the pages and garbage collection, but not
// judging pages and reading calls: the sink needs that reading too (readonce.go). Bar: 20,000.
func BenchmarkStrategies(b *testing.B) {
	const pages = 100
	a := &app.App{Now: time.Now}
	p := engine.NewCrawl(&engine.Web{Now: time.Now}, engine.Folders{}, engine.Guide{Models: "shipped", Strategy: strategy.ContextGraph}, engine.Seeding{}, engine.Bounds{}, engine.PageRules{})
	parts, err := engine.StrategyParts(a, p, benchJudge{}, nil)
	if err != nil {
		b.Fatal(err)
	}
	parts.Deadlines = func(t *tagtree.Tree) (open, past int) { return len(t.Title()) % 2, 1 }
	for _, name := range strategy.Names() {
		if strategy.KnowsTruth(name) { // knows what it would have to score
			continue
		}
		b.Run(name, func(b *testing.B) {
			links, spent := 0, time.Duration(0)
			for b.Loop() {
				s, err := strategy.New(name, parts)
				if err != nil {
					b.Fatal(err)
				}
				trees := make([]*tagtree.Tree, pages)
				for i := range trees {
					trees[i] = benchTree(b, i)
				}
				began := cpuTime(b)
				for _, t := range trees {
					v, err := s.Visit(context.Background(), crawler.Arrival{
						Lease:   crawler.Lease{Candidate: crawler.Candidate{URL: t.Page.URL, How: crawler.Seed}},
						Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: http.StatusOK}, Tree: t,
					})
					if err != nil {
						b.Fatal(err)
					}
					links += len(v.Forward)
				}
				spent += cpuTime(b) - began
			}
			b.ReportMetric(float64(links)/max(spent, time.Microsecond).Seconds(), "links/cpu-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
