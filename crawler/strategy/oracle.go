package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/webgraph"
)

// oracle is not a strategy but an approximate upper bound. It knows the links of a frozen web and
// its targets, and always fetches the page nearest to a target not yet fetched, the one found first
// of equals. Distances are computed again after every target. It is greedy, so it is not a strict
// upper bound. It follows the links of the truth, after redirects, and only those that finally lead
// to a target.
//
// The variant that may use backlinks also goes from a page to those of other sites that link to it, as
// context-focused crawlers do (Diligenti and others 2000, section 3.1; paper 002, section 3.2). This costs a
// call, rounded up to whole pages, and a page. Nothing was published about such a bound, so these rules are
// ours. It queries the backlinks of a page when it visits the page, never later, and only if one of the
// linking pages is nearer to a target than every waiting page. Further benefits of a call are not counted. If
// a service does not return that linking page, the call was useless. So this is not a strict upper bound
// either.
type oracle struct {
	part.Parts
	graph *truthGraph
	back  bool

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

var (
	_ crawler.Rememberer = (*oracle)(nil)
	_ crawler.Ranker     = (*oracle)(nil)
)

const (
	maxRenewed  = 4000 // pages rescored at once
	maxCallCost = 1000 // pages; beyond, no call is worth its cost
	unreachable = -1000
)

func newOracle(p part.Parts) (crawler.Strategy, error) { return openOracle(p, false) }

func newOracleBack(p part.Parts) (crawler.Strategy, error) { return openOracle(p, true) }

func openOracle(p part.Parts, back bool) (crawler.Strategy, error) {
	if p.Truth == nil {
		return nil, errors.New("the oracle must know the targets and links of the web: give --targets and a links file with --backlinks in a replay, or --sim")
	}
	g := newTruthGraph(p.Truth, back)
	g.call = int32(min(math.Ceil(max(0, p.CallCost)), maxCallCost))
	s := &oracle{Parts: p, graph: g, back: back, left: map[int32]bool{}, state: make([]pageState, len(g.urls))}
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
	for _, page := range s.recordVisit(a.Lease.URL, a.URL(), read) {
		c := crawler.Candidate{URL: s.graph.urls[page], Score: s.distanceScore(page), Parent: a.URL(), Why: s.describeDistance(page)}
		v.Forward = append(v.Forward, c)
	}
	n := min(len(s.pending), maxRenewed)
	for _, page := range s.pending[:n] {
		if s.state[page] == proposed {
			v.Rescore = append(v.Rescore, crawler.Candidate{URL: s.graph.urls[page], Score: s.distanceScore(page), Why: s.describeDistance(page)})
		}
	}
	s.pending = s.pending[n:]
	if s.back && read && s.isWorthBacklinkCall(a.URL()) {
		v.Back = backlinkLimit
		of, page := v, a.Lease.URL
		v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return s.Rank(page, of, links) }
	}
	return v, nil
}

// isWorthBacklinkCall reports whether a source of a page, with the call that names it, is nearer to a target than all
// waiting pages. s.mu must be held.
func (s *oracle) isWorthBacklinkCall(url string) bool {
	least := int32(math.MaxInt32)
	for _, p := range s.proposed {
		if d := s.distance[p]; s.state[p] == proposed && d >= 0 {
			least = min(least, d)
		}
	}
	return slices.ContainsFunc(s.Truth.Sources(url), func(source string) bool {
		p, ok := s.graph.ids[source]
		return ok && s.state[p] == unseen && s.distance[p] >= 0 && s.distance[p] < least-s.graph.call && part.Site(source) != part.Site(url)
	})
}

// Rank proposes the backlinks from which targets can be reached.
func (s *oracle) Rank(page string, _ crawler.Verdict, links []webgraph.Link) (cs []crawler.Candidate, notes []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	value := strconv.AppendInt(nil, int64(s.visits), 10)
	for _, l := range links {
		p, ok := s.graph.ids[l.Source]
		if !ok || s.distance[p] < 0 || !s.propose(p) {
			continue
		}
		cs = append(cs, crawler.Candidate{URL: l.Source, Anchor: l.Anchor, Score: s.distanceScore(p), Why: s.describeDistance(p)})
		value = append(append(value, ' '), l.Source...)
	}
	if len(cs) > 0 {
		notes = append(notes, crawler.Note{Key: sourcesNote + "/" + page, Value: value})
	}
	return cs, notes
}

// propose marks a page as waiting and reports whether it was unseen. s.mu must be held.
func (s *oracle) propose(page int32) bool {
	if s.state[page] != unseen {
		return false
	}
	s.state[page] = proposed
	s.proposed = append(s.proposed, page)
	return true
}

// recordTargetFetch records that a page was fetched and reports whether it is a remaining target.
func (s *oracle) recordTargetFetch(url string) bool {
	page, ok := s.graph.ids[url]
	if !ok {
		return false
	}
	s.state[page] = fetched
	target := s.left[page]
	delete(s.left, page)
	return target
}

// recordVisit records a page that was requested as asked and fetched as url; read is false if it was
// unreadable. It returns the pages to propose.
func (s *oracle) recordVisit(asked, url string, read bool) []int32 {
	if was := s.recordTargetFetch(asked); s.recordTargetFetch(url) || was {
		s.recomputeDistances()
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
		s.propose(page)
		pages = append(pages, page)
	}
	return pages
}

// recomputeDistances computes the distances to the remaining targets and lists the waiting pages whose distance
// changed.
func (s *oracle) recomputeDistances() {
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

func (s *oracle) distanceScore(page int32) float64 {
	if s.distance[page] < 0 {
		return unreachable
	}
	return float64(-s.distance[page]) // not -0
}

func (s *oracle) describeDistance(page int32) string {
	if s.distance[page] < 0 {
		return "none of the remaining targets can be reached from it"
	}
	if s.back {
		return part.FormatWhy("%d pages away from a remaining target, calls included", s.distance[page])
	}
	return part.FormatWhy("%d links away from a remaining target", s.distance[page])
}

// The kinds of notes: a visit with its number, and the sources proposed after that number of visits.
const (
	oracleNote  = "oracle"
	sourcesNote = "oracle-sources"
)

// RestoreNotes restores the state of an interrupted crawl by repeating its visits.
func (s *oracle) RestoreNotes(notes []crawler.Note) error {
	type visited struct {
		at         int
		read       bool
		asked, url string
	}
	var visits []visited
	sources := map[int][]string{} // by the number of visits before
	err := s.RecallNotes(notes, func(kind, asked string, value []byte) error {
		if kind == sourcesNote {
			words := strings.Fields(string(value))
			at, err := strconv.Atoi(slices.Concat(words, []string{""})[0])
			if err != nil {
				return err
			}
			sources[at] = append(sources[at], words[1:]...)
			return nil
		}
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
		s.recordVisit(w.asked, w.url, w.read)
		s.pending = s.pending[min(len(s.pending), maxRenewed):]
		for _, url := range sources[w.at] {
			if p, ok := s.graph.ids[url]; ok {
				s.propose(p)
			}
		}
	}
	return nil
}

// A truthGraph is the part of a web from which targets can be reached.
type truthGraph struct {
	urls    []string
	ids     map[string]int32
	sources [][]int32 // for each page: the pages that link to it
	linked  [][]int32 // for each page: those of other sites to which it links, whose backlinks name it; nil without backlinks
	call    int32     // pages that a backlink call costs
	targets []int32
}

// newTruthGraph searches from the targets until no new page is found. It goes against the links, and with
// back also along those between sites.
func newTruthGraph(t part.Truth, back bool) *truthGraph {
	g := &truthGraph{ids: map[string]int32{}}
	for _, url := range t.Targets() {
		g.targets = append(g.targets, g.pageNumber(url))
	}
	for page := 0; page < len(g.urls); page++ {
		var sources []int32
		for _, url := range t.Sources(g.urls[page]) {
			sources = append(sources, g.pageNumber(url))
		}
		g.sources = append(g.sources, sources)
		if !back {
			continue
		}
		var linked []int32
		site := part.Site(g.urls[page])
		for _, url := range t.Links(g.urls[page]) {
			if part.Site(url) != site {
				linked = append(linked, g.pageNumber(url))
			}
		}
		g.linked = append(g.linked, linked)
	}
	return g
}

// pageNumber returns the number of a page, a new one if it has none.
func (g *truthGraph) pageNumber(url string) int32 {
	id, ok := g.ids[url]
	if !ok {
		id = int32(len(g.urls))
		g.ids[url] = id
		g.urls = append(g.urls, url)
	}
	return id
}

// distances returns the cost of the cheapest way from each page to the nearest target, or -1 if no target can
// be reached. The cost is the number of pages on the way plus the cost of its backlink calls. It is
// Dijkstra's search, begun at all targets at once. Since a step has one of only two costs, two queues in
// ascending order replace a heap.
func (g *truthGraph) distances(targets map[int32]bool) []int32 {
	distance := make([]int32, len(g.urls))
	for i := range distance {
		distance[i] = -1
	}
	type reached struct{ page, at int32 }
	var byLink, byCall []reached
	reach := func(queue *[]reached, page, at int32) {
		if d := distance[page]; d < 0 || at < d {
			distance[page] = at
			*queue = append(*queue, reached{page, at})
		}
	}
	for _, t := range g.targets {
		if targets[t] {
			reach(&byLink, t, 0)
		}
	}
	for len(byLink)+len(byCall) > 0 {
		next := &byLink
		if len(byLink) == 0 || len(byCall) > 0 && byCall[0].at < byLink[0].at {
			next = &byCall
		}
		r := (*next)[0]
		*next = (*next)[1:]
		if r.at > distance[r.page] {
			continue // reached by a shorter way
		}
		for _, source := range g.sources[r.page] {
			reach(&byLink, source, r.at+1)
		}
		if g.linked == nil {
			continue
		}
		for _, page := range g.linked[r.page] {
			reach(&byCall, page, r.at+1+g.call)
		}
	}
	return distance
}
