package eventseer

import (
	"cmp"
	"slices"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// countFetched counts a fetched page in the account of its site.
func (s *eventSeer) countFetched(url string, p *pageView) {
	here := part.Site(url)
	a := s.sites[here]
	if a == nil {
		if len(s.sites) >= maxAccounts {
			return
		}
		a = &siteAccount{}
		s.sites[here] = a
	}
	a.Visits++
	if p != nil && p.kind == callPage {
		a.Calls++
	}
}

// proposeLinks proposes the links of a page and returns the expected worth of the new ones.
func (s *eventSeer) proposeLinks(v *crawler.Verdict, p *pageView) (promised []float64) {
	offers := s.scoreByRules(p)
	o := &origin{Kind: p.kind, Parked: isSampled(p.kind)}
	fresh := s.addOffers(v, p.url, o, offers)
	done := map[string]bool{}
	for i, f := range offers {
		if done[f.URL] {
			continue
		}
		done[f.URL] = true
		var c crawler.Candidate
		if len(s.pagesOffering(f.URL)) > 0 {
			var promise float64
			if c, promise = s.proposal(f.URL); fresh[f.URL] {
				promised = append(promised, promise)
			}
		} else {
			x := s.offerFeatures(&f, o, 0, 1)
			c = crawler.Candidate{URL: f.URL, Score: s.scoreOffer(&f, &x), Why: s.explainScore(&f, o, &x)}
		}
		c.Parent, c.Anchor = p.url, p.links[i].Anchor
		v.Forward = append(v.Forward, c)
	}
	return promised
}

// scoreByRules returns the links of a page with their scores by the rules, in order.
func (s *eventSeer) scoreByRules(p *pageView) []waitingOffer {
	offers := make([]waitingOffer, len(p.links))
	for i, l := range p.links {
		offers[i] = waitingOffer{
			URL: l.Target, Hand: ruleScore(p.kind, l), Worth: l.Worth, Model: l.model, Share: l.share, Away: l.Away, List: l.List, Told: l.told, Words: l.words,
		}
	}
	if isSampled(p.kind) {
		markSamples(offers, p.links)
	}
	return offers
}

// markSamples marks the most promising links of a page.
func markSamples(offers []waitingOffer, links []scoredLink) {
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
			offers[i].Sample, offers[i].Hand = true, sampleScore(links[i].Worth)
		}
	}
}
