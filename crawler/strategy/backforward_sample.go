package strategy

import (
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"eventseer/crawler"
	"eventseer/crawler/strategy/internal/part"
	"eventseer/webgraph"
)

// sampled is a page whose links are being sampled.
type sampled struct {
	Born     int      // orders pages by age
	Samples  []string // not yet fetched
	Children []child  // the other links
}

type child struct{ URL, Anchor string }

// sample proposes some links of a page, drawn at random, and remembers the
// others. The page that led here is no sample of it; of one that was fetched
// before it is known what it is.
func (s *backAndForward) sample(a crawler.Arrival, v *crawler.Verdict, links []webgraph.Link) {
	page, hit := a.URL(), false
	p := &sampled{Born: s.born}
	drawn, others := s.draw(page, a.Lease.Parent, links)
	for _, l := range drawn {
		call, known := s.known[l.Target]
		if hit = hit || call; !known {
			p.Samples = append(p.Samples, l.Target)
			v.Forward = append(v.Forward, part.Candidate(l, rankSample, part.Why("sampled: its page is a %s", v.PageType)))
		}
	}
	for _, l := range others[:min(len(others), maxChildren)] {
		p.Children = append(p.Children, child{l.Target, l.Anchor})
	}
	if hit {
		s.follow(page, p, v)
	}
	if hit || len(p.Samples) == 0 || len(p.Children) == 0 {
		return
	}
	s.remember(page, p)
	v.Notes = append(v.Notes, s.note(page))
	if len(s.pages) > maxSampling {
		page = s.oldest()
		s.forget(page)
		v.Notes = append(v.Notes, s.note(page))
	}
}

// draw parts the distinct links of a page, that to parent left out, into samples
// and others, both in page order. The same page gives the same samples.
func (s *backAndForward) draw(page, parent string, links []webgraph.Link) (drawn, others []webgraph.Link) {
	seen := map[string]bool{page: true, parent: true}
	var distinct []webgraph.Link
	for _, l := range links {
		if !seen[l.Target] {
			seen[l.Target] = true
			distinct = append(distinct, l)
		}
	}
	h := fnv.New64a()
	h.Write([]byte(page))
	order := rand.New(rand.NewPCG(s.Seed, h.Sum64())).Perm(len(distinct))
	chosen := map[int]bool{}
	for _, i := range order[:min(len(order), sampleSize)] {
		chosen[i] = true
	}
	for i, l := range distinct {
		if chosen[i] {
			drawn = append(drawn, l)
		} else {
			others = append(others, l)
		}
	}
	return drawn, others
}

// follow proposes all the links of a page of which a sample was a call.
func (s *backAndForward) follow(page string, p *sampled, v *crawler.Verdict) {
	for _, c := range p.Children {
		l := webgraph.Link{Source: page, Target: c.URL, Anchor: c.Anchor}
		v.Forward = append(v.Forward, part.Candidate(l, rankGood, "forward: a sampled link of its page was a call"))
	}
}

// conclude ends or advances the sampling of the pages that a was a sample of.
func (s *backAndForward) conclude(a crawler.Arrival, v *crawler.Verdict, call bool) {
	pages := s.sampler[a.Lease.URL]
	delete(s.sampler, a.Lease.URL)
	slices.Sort(pages) // the same order after a resume
	for _, page := range pages {
		p := s.pages[page]
		if p == nil {
			continue
		}
		p.Samples = slices.DeleteFunc(p.Samples, func(u string) bool { return u == a.Lease.URL })
		if call {
			s.follow(page, p, v)
		}
		if call || len(p.Samples) == 0 {
			s.forget(page)
		}
		v.Notes = append(v.Notes, s.note(page))
	}
}

func (s *backAndForward) remember(page string, p *sampled) {
	s.forget(page)
	s.born = max(s.born, p.Born+1)
	s.pages[page] = p
	for _, url := range p.Samples {
		s.sampler[url] = append(s.sampler[url], page)
	}
}

func (s *backAndForward) forget(page string) {
	p := s.pages[page]
	if p == nil {
		return
	}
	delete(s.pages, page)
	for _, url := range p.Samples {
		others := slices.DeleteFunc(s.sampler[url], func(other string) bool { return other == page })
		if s.sampler[url] = others; len(others) == 0 {
			delete(s.sampler, url)
		}
	}
}

// oldest returns the page that has been sampled for longest. Most likely its
// samples will not come: they failed, or wait behind better links.
func (s *backAndForward) oldest() string {
	oldest, born := "", s.born
	for page, p := range s.pages {
		if p.Born < born {
			oldest, born = page, p.Born
		}
	}
	return oldest
}
