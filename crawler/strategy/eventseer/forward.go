package eventseer

import (
	"cmp"
	"slices"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// enter counts a fetched page in the account of its site.
func (s *eventSeer) enter(url string, p *sight) {
	here := part.Site(url)
	a := s.sites[here]
	if a == nil {
		if len(s.sites) >= maxAccounts {
			return
		}
		a = &account{}
		s.sites[here] = a
	}
	a.Visits++
	if p != nil && p.kind == callPage {
		a.Calls++
	}
}

// forward proposes the links of a page and returns the expected worth of the new ones.
func (s *eventSeer) forward(v *crawler.Verdict, p *sight) (promised []float64) {
	offers := s.offersOf(p)
	o := &origin{Kind: p.kind, Parked: isSampled(p.kind)}
	fresh := s.add(v, p.url, o, offers)
	done := map[string]bool{}
	for i, f := range offers {
		if done[f.URL] {
			continue
		}
		done[f.URL] = true
		var c crawler.Candidate
		if len(s.offers[f.URL]) > 0 {
			var promise float64
			if c, promise = s.propose(f.URL); fresh[f.URL] {
				promised = append(promised, promise)
			}
		} else {
			x := s.signals(&f, o, 0, 1)
			c = crawler.Candidate{URL: f.URL, Score: f.Share * s.learned.score(f.Hand, &x), Why: s.why(&f, o, &x)}
		}
		c.Parent, c.Anchor = p.url, p.links[i].Anchor
		v.Forward = append(v.Forward, c)
	}
	return promised
}

// offersOf returns the links of a page with their scores by the rules, in order.
func (s *eventSeer) offersOf(p *sight) []offer {
	offers := make([]offer, len(p.links))
	for i, l := range p.links {
		offers[i] = offer{
			URL: l.Target, Hand: ruleScore(p.kind, l), Worth: l.Worth, Model: l.model, Share: l.share, Away: l.Away, List: l.List, Told: l.told,
		}
	}
	if isSampled(p.kind) {
		sample(offers, p.links)
	}
	return offers
}

// sample marks the most promising links of a page.
func sample(offers []offer, links []seen) {
	order := make([]int, len(links))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(links[j].Promise(), links[i].Promise()) })
	taken := map[string]bool{}
	for _, i := range order {
		if len(taken) == samplesOf || links[i].Promise() <= 0 {
			return
		}
		if !taken[links[i].Target] {
			taken[links[i].Target] = true
			offers[i].Sample, offers[i].Hand = true, handSample(links[i].Worth)
		}
	}
}
