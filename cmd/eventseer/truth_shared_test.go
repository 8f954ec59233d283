package main

import (
	"container/heap"
	"context"
	"encoding/csv"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/internal/golden"
)

// The ceiling reproduces the counts of the corpora's README, draw 00: 159 and
// 296 targets of kind page and pdf at 250 and 500 pages.
func TestOracleReachesTheReference(t *testing.T) {
	t.Parallel()
	web := golden.SharedPath(t, "corpora/web")
	targets, err := readTargets(filepath.Join(web, "targets.tsv"), []string{"page", "pdf"})
	if err != nil {
		t.Fatal(err)
	}
	known, err := openTruth(filepath.Join(web, "links.tsv.gz"), targets)
	if err != nil {
		t.Fatal(err)
	}
	s, err := strategy.New(strategy.Oracle, strategy.Parts{Judge: noJudge{}, Truth: known})
	if err != nil {
		t.Fatal(err)
	}
	seeds, err := begin.ReadSeeds(&app.App{Stderr: io.Discard}, filepath.Join(web, "seeds", "00.txt"), nil)
	if err != nil {
		t.Fatal(err)
	}
	q := newPaperFrontier(seeds)
	answers, pages, found := readAnswers(t, filepath.Join(web, "nodes.tsv")), 0, 0
	want := map[int]float64{250: 159, 500: 296}
	for pages < 500 && q.Len() > 0 {
		c := q.next()
		status := answers[c.URL]
		a := crawler.Arrival{Lease: crawler.Lease{Candidate: c}, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: status}}
		if status == 0 {
			a.Outcome.Fate = crawler.Refused
		} else if pages++; status == http.StatusOK && targets[c.URL] {
			found++
		}
		v, err := s.Visit(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		q.addVerdict(v)
		if n, ok := want[pages]; ok && status != 0 && math.Abs(float64(found)-n) > 0.03*n {
			t.Errorf("%d targets at %d pages, want %.0f within 3 %%", found, pages, n)
		}
	}
	if pages < 500 {
		t.Errorf("the crawl ended after %d pages", pages)
	}
}

// readAnswers returns the statuses of the pages of a frozen web that robots.txt
// allows; the rest cost nothing.
func readAnswers(t *testing.T, path string) map[string]int {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes = '\t', true
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	answers := map[string]int{}
	for _, row := range rows[1:] {
		statuses := map[string]int{"200": 200, "404": 404, "410": 410, "500": 500, "503": 503}
		if allowed := row[column["allowed"]]; allowed == "true" || allowed == "1" {
			answers[row[column["url"]]] = statuses[row[column["status"]]]
		}
	}
	return answers
}

// A paperFrontier keeps links as the frontier does, best first, of equals the one
// found first. See container/heap.
type paperFrontier struct {
	places []place
	scores map[string]float64
	born   map[string]int
	gone   map[string]bool
}

type place struct {
	crawler.Candidate
	born int
}

func newPaperFrontier(seeds []string) *paperFrontier {
	q := &paperFrontier{scores: map[string]float64{}, born: map[string]int{}, gone: map[string]bool{}}
	for _, url := range seeds {
		q.push(crawler.Candidate{URL: url, Score: crawler.MaxScore, How: crawler.Seed})
	}
	return q
}

func (q *paperFrontier) Len() int { return len(q.places) }
func (q *paperFrontier) Less(i, j int) bool {
	a, b := q.places[i], q.places[j]
	return a.Score > b.Score || a.Score == b.Score && a.born < b.born
}
func (q *paperFrontier) Swap(i, j int) { q.places[i], q.places[j] = q.places[j], q.places[i] }
func (q *paperFrontier) Push(x any)    { q.places = append(q.places, x.(place)) }
func (q *paperFrontier) Pop() any {
	last := q.places[len(q.places)-1]
	q.places = q.places[:len(q.places)-1]
	return last
}

func (q *paperFrontier) push(c crawler.Candidate) {
	if _, ok := q.born[c.URL]; !ok {
		q.born[c.URL] = len(q.born)
	}
	q.scores[c.URL] = c.Score
	heap.Push(q, place{c, q.born[c.URL]})
}

func (q *paperFrontier) addVerdict(v crawler.Verdict) {
	for _, c := range v.Forward {
		if score, ok := q.scores[c.URL]; !q.gone[c.URL] && (!ok || c.Score > score) {
			q.push(c)
		}
	}
	for _, c := range v.Rescore {
		if !q.gone[c.URL] {
			q.push(c)
		}
	}
	for len(q.places) > 0 && q.stale(q.places[0]) {
		heap.Pop(q)
	}
}

// stale reports whether a place belongs to a page that has another place now.
func (q *paperFrontier) stale(p place) bool { return q.gone[p.URL] || q.scores[p.URL] != p.Score }

// next takes the best link; take has left a valid one on top.
func (q *paperFrontier) next() crawler.Candidate {
	best := heap.Pop(q).(place)
	q.gone[best.URL] = true
	return best.Candidate
}
