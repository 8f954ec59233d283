package strategy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
)

// crawlBy crawls a web of pages "title" with links, by the scores that s gives. As a frontier it
// fetches the best first, of equals the one found first. It returns the pages in the order fetched.
func crawlBy(t *testing.T, s crawler.Strategy, web map[string][]string, title func(url string) string, seed string) []string {
	t.Helper()
	type waits struct {
		crawler.Candidate
		born int
	}
	queue := []waits{{crawler.Candidate{URL: seed, Score: crawler.MaxScore, How: crawler.Seed}, 0}}
	seen, born := map[string]bool{seed: true}, 1
	var order []string
	for len(queue) > 0 {
		slices.SortFunc(queue, func(a, b waits) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.born, b.born)) })
		next := queue[0]
		queue = queue[1:]
		order = append(order, next.URL)
		a := strategytest.Arrive(t, next.URL, title(next.URL), web[next.URL]...)
		a.Lease = crawler.Lease{Candidate: next.Candidate}
		v := strategytest.Visit(t, s, a)
		for _, c := range v.Forward {
			if !seen[c.URL] {
				seen[c.URL] = true
				c.How = crawler.Forward
				queue = append(queue, waits{c, born})
				born++
			}
		}
		for _, c := range v.Rescore {
			if i := slices.IndexFunc(queue, func(w waits) bool { return w.URL == c.URL }); i >= 0 {
				queue[i].Score = c.Score
			}
		}
	}
	return order
}

// A good link found within a batch waits for its end.
func TestBestNFirstTakesNAtOnce(t *testing.T) {
	web := map[string][]string{
		"http://s.example/": {"http://a.example/ a", "http://b.example/ b", "http://c.example/ c"},
		"http://a.example/": {"http://a1.example/ call"},
		"http://b.example/": {"http://b1.example/ call"},
	}
	order := func(n int) string {
		s, err := newBestN(n)(fullParts())
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, url := range crawlBy(t, s, web, func(string) string { return "other" }, "http://s.example/") {
			got += url[len("http://"):len(url)-len(".example/")] + " "
		}
		return got
	}
	// The first page after the seeds is taken before any batch is chosen.
	for n, want := range map[int]string{1: "s a a1 b b1 c ", 2: "s a a1 b b1 c ", 16: "s a a1 b c b1 "} {
		if got := order(n); got != want {
			t.Errorf("N = %d: %s, want %s", n, got, want)
		}
	}
}

func TestBestNFirstIsBounded(t *testing.T) {
	s := newStrategy(t, "best-first-16").(*bestN)
	kept := map[string]bool{}
	for i := range 60 {
		links := make([]string, 500)
		for j := range links {
			links[j] = fmt.Sprintf("http://h%d.example/%d call", i, j)
		}
		a := strategytest.Arrive(t, fmt.Sprintf("http://p%d.example/", i), "other", links...)
		a.Lease.How = crawler.Seed
		for _, n := range strategytest.Visit(t, s, a).Notes {
			if strings.HasPrefix(n.Key, "hosts/") {
				continue // of its judge, see part.Judged
			}
			if kept[n.Key] = len(n.Value) > 0; !kept[n.Key] {
				delete(kept, n.Key)
			}
		}
	}
	if len(s.waiting) > maxWaiting || len(kept) != len(s.waiting)+len(s.batch)+len(s.taken.Known) {
		t.Errorf("%d wait, %d notes are kept of %d", len(s.waiting), len(kept), len(s.waiting)+len(s.batch)+len(s.taken.Known))
	}
}
