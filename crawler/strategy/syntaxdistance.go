package strategy

import (
	"context"
	"math"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

// syntaxDistance is best-first search by the ontological distance of paper 003. The score of a link is 1/D. D
// combines d_T, its distance in the page to the words of a call, with d_P and d_D, the pages and domains
// between a seed and its page.
//
// Links outside the slice wait after all others, nearest page first. The paper drops them (design
// decision 4), but a crawl has a budget to spend, and in one draw dropping them left nothing to fetch
// after 243 pages. Pages more than five links from a seed add no links (design decision 3).
//
// It has no state: the distance of a page follows from the score of its link.
type syntaxDistance struct {
	part.Parts
}

var _ crawler.Strategy = (*syntaxDistance)(nil)

// CallWords is the query of syntax-distance: words near links to calls, in the languages of calls.
const CallWords = `"call for papers" OR "calls for papers" OR "call for abstracts" OR "call for participation" OR cfp OR cfps OR
	"important dates" OR deadline OR deadlines OR submission OR submissions OR conference OR conferences OR workshop OR workshops OR symposium OR
	"appel à communications" OR "convocatoria" OR "chamada de trabalhos" OR tagung OR colloque OR congreso OR convegno`

const (
	slicePrecision = 1 // edges between a match and a relevant node; of the values 1, 2 and 4 it finds most
	maxPages       = 5 // links from a seed, design decision 3
)

func newSyntaxDistance(p part.Parts) (crawler.Strategy, error) {
	if p.Query == nil {
		var err error
		if p.Query, err = slice.ParseQuery(CallWords); err != nil {
			return nil, err
		}
	}
	return &syntaxDistance{p}, nil
}

// Visit proposes the links of the page's slice by relevance, and the others after them.
func (s *syntaxDistance) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	here := distanceOf(a)
	if a.Tree == nil || here.Pages >= maxPages {
		return v, nil
	}
	about := slice.NewSlice(a.Tree, s.Query, slice.Options{Precision: slicePrecision})
	nearest := map[int]int{} // link → d_T
	for _, l := range about.Links() {
		nearest[l.Link] = l.Distance
	}
	for i, l := range a.Tree.Links() {
		d := here
		var in bool
		if d.Tree, in = nearest[i]; !in {
			d.Tree = slicePrecision + 1
		}
		d.Tree = stretchDistance(d.Tree, s.LinkTopicFactor(v.TopicScore, l.Anchor))
		why := part.FormatWhy("%d steps away from the words of calls, %d pages and %d domains away from a seed", d.Tree, d.Pages, d.Domains)
		if !in {
			why = part.FormatWhy("far from the words of calls, %d pages and %d domains away from a seed", d.Pages, d.Domains)
		}
		v.Forward = append(v.Forward, part.Candidate(l, distanceScore(d, in), why))
	}
	return v, nil
}

// outside is added to the relevance of a link outside the slice, so that it comes after all links
// within.
const outside = -2

// distanceScore returns the score of a link at d, inside or outside of a slice.
func distanceScore(d crawler.Distance, in bool) float64 {
	score := crawler.Relevance(d.OntologicalDistance(crawler.PageWeight, crawler.DomainWeight))
	if !in {
		score = min(score, 1) + outside
	}
	return crawler.ClampScore(score)
}

// distanceOf computes from the score of the link how many pages and domains a page is away from a
// seed. Pages found in another way count as one page away.
func distanceOf(a crawler.Arrival) crawler.Distance {
	if a.Lease.How != crawler.Forward {
		return crawler.Distance{}
	}
	score := a.Lease.Score
	if score < 0 {
		score -= outside
	}
	if score < 1.0/math.MaxInt32 { // of another strategy, whose crawl is continued
		return crawler.Distance{Pages: 1}
	}
	d := int(math.Round(1 / score))
	from := crawler.Distance{Pages: d % crawler.DomainWeight / crawler.PageWeight, Domains: d / crawler.DomainWeight}
	from.Pages++
	if !webgraph.SameSite(webgraph.HostOf(a.Lease.Parent), webgraph.HostOf(a.URL())) {
		from.Domains++
	}
	return from
}

// stretchDistance increases the distance of a link that is probably off the topic of the crawl. For a link
// certainly off the topic it is multiplied by ten.
func stretchDistance(tree int, share float64) int {
	return int(math.Round(float64(tree+1)/share)) - 1
}
