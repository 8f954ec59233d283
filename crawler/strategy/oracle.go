package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// oracle is not a strategy but an approximate upper bound. It knows the links of a frozen web and
// its targets, and always fetches the page nearest to a target not yet fetched, the one found first
// of equals. Distances are computed again after every target. It is greedy, so it is not a strict
// upper bound. It follows the links of the truth, after redirects, and only those that finally lead
// to a target.
type oracle struct {
	part.Parts
	graph *truthGraph

	mu       sync.Mutex // guards below
	visits   int
	left     map[int32]bool // targets not fetched
	distance []int32        // from each page to the nearest remaining target
	state    []pageState    // of each page
	proposed []int32        // pages in the order they were first proposed
	pending  []int32        // pages whose distance has changed, nearest first
}

// pageState is the progress of the crawl with a page.
type pageState uint8

const (
	unseen pageState = iota
	proposed
	fetched
)

var _ crawler.Rememberer = (*oracle)(nil)

const (
	maxRenewed  = 4000 // pages rescored at once
	unreachable = -1000
)

func newOracle(p part.Parts) (crawler.Strategy, error) {
	if p.Truth == nil {
		return nil, errors.New("oracle must know the targets and links of the web: in a replay --targets and a links file of --backlinks, or --sim")
	}
	g := newTruthGraph(p.Truth)
	s := &oracle{Parts: p, graph: g, left: map[int32]bool{}, state: make([]pageState, len(g.urls))}
	for _, t := range g.targets {
		s.left[t] = true
	}
	s.distance = g.distances(s.left)
	return s, nil
}

// Visit proposes the pages that the page links to, the nearest to a target first.
func (s *oracle) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.URL() == "" {
		return v, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	read := a.Outcome.Fate == crawler.Fetched && a.Outcome.Status >= 200 && a.Outcome.Status <= 299
	s.visits++
	v.Notes = append(v.Notes, crawler.Note{Key: oracleNote + "/" + a.Lease.URL, Value: fmt.Appendln(nil, s.visits, read, a.URL())})
	for _, page := range s.visit(a.Lease.URL, a.URL(), read) {
		c := crawler.Candidate{URL: s.graph.urls[page], Score: s.score(page), Parent: a.URL(), Why: s.why(page)}
		v.Forward = append(v.Forward, c)
	}
	n := min(len(s.pending), maxRenewed)
	for _, page := range s.pending[:n] {
		if s.state[page] == proposed {
			v.Rescore = append(v.Rescore, crawler.Candidate{URL: s.graph.urls[page], Score: s.score(page), Why: s.why(page)})
		}
	}
	s.pending = s.pending[n:]
	return v, nil
}

// come records that a page was fetched and reports whether it is a remaining target.
func (s *oracle) come(url string) bool {
	page, ok := s.graph.ids[url]
	if !ok {
		return false
	}
	s.state[page] = fetched
	target := s.left[page]
	delete(s.left, page)
	return target
}

// visit records a page that was requested as asked and fetched as url; read is false if it was
// unreadable. It returns the pages to propose.
func (s *oracle) visit(asked, url string, read bool) []int32 {
	if was := s.come(asked); s.come(url) || was {
		s.renew()
	}
	if !read {
		return nil
	}
	var pages []int32
	for _, to := range s.Truth.Links(url) {
		page, ok := s.graph.ids[to]
		if !ok || s.state[page] == fetched {
			continue
		}
		if s.state[page] == unseen {
			s.state[page] = proposed
			s.proposed = append(s.proposed, page)
		}
		pages = append(pages, page)
	}
	return pages
}

// renew computes the distances to the remaining targets and lists the waiting pages whose distance
// changed.
func (s *oracle) renew() {
	before := s.distance
	s.distance = s.graph.distances(s.left)
	s.proposed = slices.DeleteFunc(s.proposed, func(p int32) bool { return s.state[p] == fetched })
	changed := map[int32]bool{}
	for _, p := range s.pending { // not yet reported
		changed[p] = true
	}
	s.pending = nil
	for _, p := range s.proposed {
		if changed[p] || before[p] != s.distance[p] {
			s.pending = append(s.pending, p)
		}
	}
	nearest := func(p int32) uint32 { return uint32(min(uint32(before[p]), uint32(s.distance[p]))) } // -1 is far
	slices.SortStableFunc(s.pending, func(a, b int32) int { return cmp.Compare(nearest(a), nearest(b)) })
}

func (s *oracle) score(page int32) float64 {
	if s.distance[page] < 0 {
		return unreachable
	}
	return float64(-s.distance[page]) // not -0
}

func (s *oracle) why(page int32) string {
	if s.distance[page] < 0 {
		return "no target that is left can be reached from it"
	}
	return part.Why("%d links before a target that is left", s.distance[page])
}

const oracleNote = "oracle"

// Recall restores the state of an interrupted crawl by repeating its visits.
func (s *oracle) Recall(notes []crawler.Note) error {
	type visited struct {
		at         int
		read       bool
		asked, url string
	}
	var visits []visited
	err := s.RecallNotes(notes, func(kind, asked string, value []byte) error {
		if kind != oracleNote {
			return nil
		}
		w := visited{asked: asked}
		_, err := fmt.Sscan(string(value), &w.at, &w.read, &w.url)
		visits = append(visits, w)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(visits, func(a, b visited) int { return cmp.Compare(a.at, b.at) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range visits {
		s.visits = w.at
		s.visit(w.asked, w.url, w.read)
		s.pending = s.pending[min(len(s.pending), maxRenewed):]
	}
	return nil
}

// A truthGraph is the part of a web from which targets can be reached.
type truthGraph struct {
	urls    []string
	ids     map[string]int32
	sources [][]int32 // for each page: the pages that link to it
	targets []int32
}

// newTruthGraph searches back from the targets until no new page is found.
func newTruthGraph(t part.Truth) *truthGraph {
	g := &truthGraph{ids: map[string]int32{}}
	for _, url := range t.Targets() {
		g.targets = append(g.targets, g.id(url))
	}
	for page := 0; page < len(g.urls); page++ {
		var sources []int32
		for _, url := range t.Sources(g.urls[page]) {
			sources = append(sources, g.id(url))
		}
		g.sources = append(g.sources, sources)
	}
	return g
}

// id returns the number of a page, a new one if it has none.
func (g *truthGraph) id(url string) int32 {
	id, ok := g.ids[url]
	if !ok {
		id = int32(len(g.urls))
		g.ids[url] = id
		g.urls = append(g.urls, url)
	}
	return id
}

// distances returns the number of links from each page to the nearest of targets, -1 if none can be
// reached. It is one backward breadth-first search from all of them.
func (g *truthGraph) distances(targets map[int32]bool) []int32 {
	distance := make([]int32, len(g.urls))
	for i := range distance {
		distance[i] = -1
	}
	var queue []int32
	for _, t := range g.targets {
		if targets[t] {
			distance[t] = 0
			queue = append(queue, t)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, source := range g.sources[queue[0]] {
			if distance[source] < 0 {
				distance[source] = distance[queue[0]] + 1
				queue = append(queue, source)
			}
		}
	}
	return distance
}
