package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// hub is the focused crawler with a distiller (Chakrabarti, van den Berg and Dom 1999, sections 2.3 and
// 3.3). The score of a link is the relevance of its page. Periodically it finds the best hubs among the
// crawled pages and raises the scores of their waiting links.
//
// A hub here is not a page but an area of a page (papers 000/001, section 4), such as a list of calls on
// a homepage, separate from the menu next to it. Until the distiller has seen an area, its hub value on
// the page is used.
//
// It stores the last maxHubPages pages, each with its best maxHubLinks links to other sites.
type hub struct {
	part.Parts

	mu    sync.Mutex             // guards below
	pages *part.Recent[*hubPage] // by the URL that links lead to
	top   []hubArea              // areas raised by the last distillation
}

// hubPage is the stored state of a page.
type hubPage struct {
	Relevance float64 // relevance of the page as a target
	Worth     float64 // worth of its links: 1 for a list
	Share     float64 // factor on their scores for the topic of the crawl
	// Areas are the links of its areas that lead to other sites.
	Areas [][]string `json:",omitempty"`
}

// hubArea identifies an area of a stored page.
type hubArea struct {
	Page  string
	Index int
}

var _ crawler.Rememberer = (*hub)(nil)

const (
	distillEvery = 50     // pages crawled between two distillations
	topHubs      = 100    // areas whose links are raised
	maxHubLinks  = 100    // links stored of a page
	maxHubPages  = 10_000 // pages remembered
	maxRaised    = 2_000  // links raised at once
)

func newHub(p part.Parts) (crawler.Strategy, error) {
	return &hub{Parts: p, pages: part.NewRecent[*hubPage](maxHubPages)}, nil
}

// Visit proposes the links of a page by its relevance and the hub values of its areas, and distils
// at regular intervals.
func (s *hub) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	page := &hubPage{Relevance: v.Relevance, Worth: worthOf(v), Share: s.TopicFactor(v.TopicScore)}
	if a.Tree != nil {
		page.Areas = areaLinks(a.Tree)
		s.proposeLinks(a.Tree, page.Worth, &v)
		s.WeightByTopic(&v)
	}
	if a.Lease.URL == "" {
		return v, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.storePage(a.Lease.URL, page, &v)
	if url := a.URL(); url != a.Lease.URL {
		s.storePage(url, &hubPage{Relevance: page.Relevance, Worth: page.Worth, Share: page.Share}, &v)
	}
	if a.Tree != nil && s.pages.Last%distillEvery == 0 {
		s.raiseBestAreas(&v)
	}
	return v, nil
}

// worthOf returns the worth of a page's links: lists of calls count like calls, although they are
// not calls.
func worthOf(v crawler.Verdict) float64 {
	if v.PageType == part.ListPage {
		return 1
	}
	return v.Relevance
}

// proposeLinks scores the links of a page: half by the worth of the page, half by the share of their
// area in its hub value.
func (s *hub) proposeLinks(t *tagtree.Tree, worth float64, v *crawler.Verdict) {
	analysis := t.Analysis()
	most := 1.0
	for _, area := range analysis.Areas {
		most = max(most, area.HV)
	}
	for i, l := range t.Links() {
		share := 0.0
		if n := analysis.AreaOfLink(i); n >= 0 {
			share = part.ClampUnit(analysis.Areas[n].HV / most)
		}
		why := part.FormatWhy("value of the page %.2f; its area has %.0f %% of the links of the largest area", worth, 100*share)
		v.Forward = append(v.Forward, part.Candidate(l, hubScore(worth, worth*share), why))
	}
}

// hubScore returns the score of a link from the worth of its page and the hub value of its area,
// both from 0 to 1.
func hubScore(worth, hub float64) float64 { return 0.5*worth + 0.5*hub }

// areaLinks returns the links to other sites of each area that has any. If there are too many
// areas, those with the highest hub value are used.
func areaLinks(t *tagtree.Tree) [][]string {
	links, analysis := t.Links(), t.Analysis()
	here := webgraph.HostOf(t.Page.URL)
	order := make([]int, len(analysis.Areas))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(analysis.Areas[j].HV, analysis.Areas[i].HV) })
	var areas [][]string
	left := maxHubLinks
	for _, i := range order {
		var away []string
		in := analysis.Areas[i].Links
		for _, l := range links[in.Start:in.End] {
			if left > 0 && !webgraph.SameSite(here, webgraph.HostOf(l.Target)) && !slices.Contains(away, l.Target) {
				away = append(away, l.Target)
				left--
			}
		}
		if len(away) > 0 {
			areas = append(areas, away)
		}
	}
	return areas
}

const (
	hubNote = "hub"
	topNote = "hubs-raised"
)

// hubNoteContent is the content of the note of a page.
type hubNoteContent struct {
	At   uint64
	Page *hubPage
}

func (s *hub) storePage(url string, p *hubPage, v *crawler.Verdict) {
	if forgotten := s.pages.Put(url, p); forgotten != "" {
		v.Notes = append(v.Notes, crawler.Note{Key: hubNote + "/" + forgotten})
	}
	v.Notes = append(v.Notes, part.NoteOf(hubNote+"/"+url, hubNoteContent{s.pages.Last, p}))
}

// raiseBestAreas distils and rescores the links of the best areas, and of areas that are no longer among the
// best.
func (s *hub) raiseBestAreas(v *crawler.Verdict) {
	pages := make([]part.NumberedValue[*hubPage], 0, len(s.pages.Known))
	for e := s.pages.Order.Front(); e != nil; e = e.Next() {
		pages = append(pages, *e.Value.(*part.NumberedValue[*hubPage]))
	}
	ranked := rankHubAreas(pages)
	if len(ranked) > topHubs {
		ranked = ranked[:topHubs]
	}
	hubs := map[hubArea]float64{}
	for rank, area := range ranked {
		hubs[area] = 1 - float64(rank)/topHubs
	}
	best := map[string]crawler.Candidate{}
	for _, area := range append(slices.Clone(ranked), s.top...) {
		s.rescoreArea(area, hubs[area], best)
	}
	for _, c := range best {
		v.Rescore = append(v.Rescore, c)
	}
	slices.SortFunc(v.Rescore, func(x, y crawler.Candidate) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(x.URL, y.URL))
	})
	v.Rescore = v.Rescore[:min(len(v.Rescore), maxRaised)]
	s.top = ranked
	v.Notes = append(v.Notes, part.NoteOf(topNote, ranked))
}

// rescoreArea adds the waiting links of an area to best, unless they have a better score there.
func (s *hub) rescoreArea(area hubArea, value float64, best map[string]crawler.Candidate) {
	p, ok := s.pages.Get(area.Page)
	if !ok || area.Index >= len(p.Areas) {
		return
	}
	score := p.Share * hubScore(p.Worth, value)
	for _, url := range p.Areas[area.Index] {
		if _, crawled := s.pages.Get(url); crawled {
			continue
		}
		if c, ok := best[url]; !ok || c.Score < score {
			why := part.FormatWhy("in an area with the hub rank %.2f of 1; value of the page %.2f", value, p.Worth)
			best[url] = crawler.Candidate{URL: url, Score: score, Why: why}
		}
	}
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *hub) RestoreNotes(notes []crawler.Note) error {
	var pages []part.NumberedValue[*hubPage]
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.RecallNotes(notes, func(kind, url string, value []byte) error {
		switch kind {
		case topNote:
			return json.Unmarshal(value, &s.top)
		case hubNote:
			var k hubNoteContent
			if err := json.Unmarshal(value, &k); err != nil {
				return err
			}
			if k.Page != nil {
				pages = append(pages, part.NumberedValue[*hubPage]{Name: url, Value: k.Page, At: k.At})
			}
		}
		return nil
	})
	s.pages.Restore(pages)
	return err
}

// iterations is the number of iterations of the distiller; after ten the order of the best hubs is
// stable.
const iterations = 10

// rankHubAreas ranks the areas of pages as hubs, best first, by Kleinberg's iteration with Chakrabarti's
// weights (1999, section 2.3). The vote of a hub for a page is weighted by the worth of the hub's
// page, that of a page for a hub by its relevance. A page not yet crawled has the mean relevance of
// those that were. An area without a relevant linked page is not a hub.
//
// The result depends only on the pages and their order. Time and memory are linear in the number of
// links.
func rankHubAreas(pages []part.NumberedValue[*hubPage]) []hubArea {
	g := newHubGraph(pages)
	hubs, authorities := make([]float64, len(g.areas)), make([]float64, len(g.relevance))
	for i := range hubs {
		hubs[i] = 1
	}
	for range iterations {
		clear(authorities)
		for i, links := range g.links {
			for _, to := range links {
				authorities[to] += g.worth[i] * hubs[i]
			}
		}
		clear(hubs)
		for i, links := range g.links {
			for _, to := range links {
				hubs[i] += g.relevance[to] * authorities[to]
			}
		}
		scaleToUnitLength(hubs)
	}
	var ranked []int
	for i, h := range hubs {
		if h > 0 && g.proven[i] {
			ranked = append(ranked, i)
		}
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(hubs[j], hubs[i]) })
	areas := make([]hubArea, len(ranked))
	for i, n := range ranked {
		areas[i] = g.areas[n]
	}
	return areas
}

// scaleToUnitLength makes the length of x 1, if it has one.
func scaleToUnitLength(x []float64) {
	sum := 0.0
	for _, f := range x {
		sum += f * f
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i := range x {
		x[i] /= length
	}
}

// A hubGraph is the links from areas to pages.
type hubGraph struct {
	areas     []hubArea
	worth     []float64 // of each area's page
	links     [][]int   // for each area: indexes of pages
	proven    []bool    // for each area: one of its links is known to be relevant
	relevance []float64 // of each page
}

// relevant is the relevance from which a page proves a hub.
const relevant = 0.5

func newHubGraph(pages []part.NumberedValue[*hubPage]) *hubGraph {
	g := &hubGraph{}
	ids, mean := make(map[string]int, len(pages)), 0.0
	for _, p := range pages {
		ids[p.Name] = len(ids)
		g.relevance = append(g.relevance, p.Value.Relevance)
		mean += p.Value.Relevance / float64(len(pages))
	}
	for _, p := range pages {
		for i, targets := range p.Value.Areas {
			links, proven := make([]int, len(targets)), false
			for j, url := range targets {
				id, known := ids[url]
				if !known {
					id = len(ids)
					ids[url] = id
					g.relevance = append(g.relevance, mean)
				}
				links[j] = id
				proven = proven || id < len(pages) && g.relevance[id] >= relevant
			}
			g.areas = append(g.areas, hubArea{p.Name, i})
			g.worth = append(g.worth, p.Value.Worth)
			g.links = append(g.links, links)
			g.proven = append(g.proven, proven)
		}
	}
	return g
}
