package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// backAndForward is the back-and-forward crawling of paper 002, section 3.4. It queries the pages that
// link to a page, judges each of them, continues with the good ones and discards the others. A plan
// decides which are good: by the class of the parent, by sampling its children, or by both, which the
// paper concludes is best.
//
//   - Back: query the parents of a call, or of a conference, once per site.
//   - Forward: follow all links of a good parent.
//   - Sampled: fetch a few random links of a parent. If one of
//     them is a call that counts (part.Parts.IsSuccess), follow all its links, otherwise discard the page. Only
//     seeds and pages that were found by their link to a call are parents:
//     the pages that a sample links to are not sampled in turn.
//
// It implements only what the paper describes: no words of links, no learned scores. Links of good
// parents come first, then parents, then samples, each in order of discovery. Links of discarded pages
// are never pushed into the frontier, so another page may still propose them.
//
// Two further strategies work in the same way but use more information. They sample the most promising
// links instead of random ones, and order all links by the mean of rank and promise.
// back-and-forward-words computes the promise from the words of anchor and address (part.LinkEvidenceOf);
// back-and-forward-model uses the trained link model, or the words for backlinks, which the model cannot
// score.
//
// The paper ends the loop when the harvest rate becomes low, or at a limit on time or harvest; those are
// crawler.Options.MinHarvest, MaxTime and UntilFound.
type backAndForward struct {
	part.Parts
	plan    actionPlan
	promise linkPromise // nil: links of one rank have equal scores

	mu      sync.Mutex              // guards below
	asked   askedSites              // sites whose backlinks were requested
	known   map[string]bool         // fetched pages, with whether they were calls that count
	pages   map[string]*sampledPage // pages being sampled, by URL
	sampler map[string][]string     // sampled link → the pages it is a sample of
	born    int                     // number of the next page to be sampled
}

var (
	_ crawler.Rememberer = (*backAndForward)(nil)
	_ crawler.Ranker     = (*backAndForward)(nil)
)

// The ranks of links, used as scores: all links of one rank come before the next. They are close
// together, so that in a crawl on a topic the topic has more influence.
const (
	rankSample = 0.8 // of a page that must still be judged
	rankParent = 0.9 // the page links to a call or conference
	rankGood   = 1   // of a good parent
)

const (
	backlinkLimit = 20      // backlinks requested per site
	sampleSize    = 5       // links sampled per page
	maxChildren   = 200     // links stored of a page that is being sampled
	maxSampling   = 10_000  // pages being sampled; the oldest are removed
	maxKnown      = 1 << 20 // pages remembered as fetched
)

// A pageActions is the set of actions for a page.
type pageActions struct{ back, forward, sample bool }

// An actionPlan decides the actions for a page by its type. Whether it is a call does not depend on its
// type alone.
type actionPlan func(pageType string, call bool) pageActions

// byParent decides by the class of a page alone (paper 002, section 3.4).
func byParent(pageType string, call bool) pageActions {
	switch {
	case call || pageType == "cfp" || pageType == "conference":
		return pageActions{back: true}
	case pageType == part.ListPage || pageType == "institution_topic" || pageType == "mail_announcement":
		return pageActions{forward: true}
	}
	return pageActions{}
}

// bySample decides by the children of a page alone.
func bySample(_ string, call bool) pageActions { return pageActions{back: call, sample: true} }

// byParentOrSample decides by the class of a page if that is sufficient, otherwise by its children.
func byParentOrSample(pageType string, call bool) pageActions {
	switch {
	case pageType == part.ListPage || pageType == "mail_announcement":
		return pageActions{forward: true}
	case call || pageType == "cfp" || pageType == "conference":
		return pageActions{back: true, sample: true}
	}
	return pageActions{sample: true}
}

// A linkPromise estimates for each of t.Links() the probability that it leads to a call.
type linkPromise func(t *tagtree.Tree) []float64

// promiseOfWords computes the promise from the words of a link's anchor and address.
func promiseOfWords(t *tagtree.Tree) []float64 {
	p := make([]float64, len(t.Links()))
	for i, l := range t.Links() {
		p[i] = promiseOfWordsIn(l.Anchor, l.Target)
	}
	return p
}

// promiseOfWordsIn returns 1 for words of a call, 0.5 for words of a list, and 0 for words that are evidence
// against a call.
func promiseOfWordsIn(anchor, url string) float64 {
	c := part.LinkEvidenceOf(anchor, url)
	if c.List {
		c.Worth = max(c.Worth, 0.5)
	}
	return part.ClampUnit(c.Worth)
}

func newBackAndForward(p part.Parts) (crawler.Strategy, error) {
	return newBackAndForwardBy(p, byParentOrSample, nil)
}
func newBackAndForwardParents(p part.Parts) (crawler.Strategy, error) {
	return newBackAndForwardBy(p, byParent, nil)
}
func newBackAndForwardSamples(p part.Parts) (crawler.Strategy, error) {
	return newBackAndForwardBy(p, bySample, nil)
}
func newBackAndForwardWords(p part.Parts) (crawler.Strategy, error) {
	return newBackAndForwardBy(p, byParentOrSample, promiseOfWords)
}
func newBackAndForwardModel(p part.Parts) (crawler.Strategy, error) {
	if p.Links == nil {
		return nil, errNoLinkModel
	}
	return newBackAndForwardBy(p, byParentOrSample, p.Links.LinkProbabilities)
}

func newBackAndForwardBy(p part.Parts, plan actionPlan, promise linkPromise) (crawler.Strategy, error) {
	return &backAndForward{
		Parts: p, plan: plan, promise: promise, asked: askedSites{}, known: map[string]bool{},
		pages: map[string]*sampledPage{}, sampler: map[string][]string{},
	}, nil
}

// Visit judges the page, updates the pages of which it was a sample, and chooses to go back,
// forward or nowhere.
func (s *backAndForward) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	s.decideActions(a, &v, call)
	s.WeightByTopic(&v)
	return v, nil
}

// decideActions fills the verdict on a page that has been judged.
func (s *backAndForward) decideActions(a crawler.Arrival, v *crawler.Verdict, call bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	success := s.IsSuccess(s.Value(a, v, call))
	s.advanceSampling(a, v, success)
	if a.Tree == nil {
		return
	}
	s.storePage(a, v, success)
	m := s.plan(v.PageType, call)
	if m.back {
		s.requestBacklinks(v, part.Site(a.Tree.Page.URL))
	}
	switch {
	case m.forward:
		for _, l := range s.linksWithPromises(a.Tree) {
			v.Forward = append(v.Forward, part.Candidate(l.Link, s.linkScore(rankGood, l.promise), part.FormatWhy("forward: its page is a %s", v.PageType)))
		}
	case m.sample && (a.Lease.How == crawler.Back || a.Lease.How == crawler.Seed):
		s.sampleLinks(a, v, s.linksWithPromises(a.Tree))
	}
}

// A promisedLink is a link with its promise, 0 if there is none.
type promisedLink struct {
	webgraph.Link
	promise float64
}

// linksWithPromises returns the links of a page, in order.
func (s *backAndForward) linksWithPromises(t *tagtree.Tree) []promisedLink {
	links := make([]promisedLink, len(t.Links()))
	var promises []float64
	if s.promise != nil {
		promises = s.promise(t)
	}
	for i, l := range t.Links() {
		links[i].Link = l
		if i < len(promises) {
			links[i].promise = part.ClampUnit(promises[i])
		}
	}
	return links
}

// linkScore returns the score of a link of a rank.
func (s *backAndForward) linkScore(rank, promise float64) float64 {
	if s.promise == nil {
		return rank
	}
	return (rank + promise) / 2
}

// storePage stores the page, so that it is not sampled again.
func (s *backAndForward) storePage(a crawler.Arrival, v *crawler.Verdict, call bool) {
	for _, url := range []string{a.Lease.URL, a.Outcome.FinalURL} {
		if _, ok := s.known[url]; ok || url == "" || len(s.known) >= maxKnown {
			continue
		}
		s.known[url] = call
		v.Notes = append(v.Notes, crawler.Note{Key: "known/" + url, Value: fmt.Append(nil, call)})
	}
}

// requestBacklinks requests the backlinks of a page, once per site.
func (s *backAndForward) requestBacklinks(v *crawler.Verdict, here string) {
	if !s.asked.askSiteOnce(v, here) {
		return
	}
	worth := s.TopicFactor(v.TopicScore)
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
		return s.parentCandidates(links, worth), nil
	}
}

// Rank ranks backlinks that were queried later than their page, because the budget did not allow it
// before.
func (s *backAndForward) Rank(_ string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	return s.parentCandidates(links, s.TopicFactor(v.TopicScore)), nil
}

// parentCandidates proposes the sources of backlinks. worth is the factor on the scores of the queried
// page's links.
func (s *backAndForward) parentCandidates(links []webgraph.Link, worth float64) []crawler.Candidate {
	candidates := make([]crawler.Candidate, 0, len(links))
	for _, l := range links {
		candidates = append(candidates, crawler.Candidate{
			URL: l.Source, Score: worth * s.linkScore(rankParent, promiseOfWordsIn("", l.Source)), Anchor: l.Anchor, Why: "back: it links to a call or conference",
		})
	}
	return candidates
}

// sampledNote stores the state of a page being sampled, or deletes it.
func (s *backAndForward) sampledNote(page string) crawler.Note {
	if p := s.pages[page]; p != nil {
		return part.NoteOf("sampled/"+page, p)
	}
	return crawler.Note{Key: "sampled/" + page}
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *backAndForward) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.RecallNotes(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "asked":
			s.asked[name] = true
		case "known":
			s.known[name] = string(value) == "true"
		case "sampled":
			var p sampledPage
			if err := json.Unmarshal(value, &p); err != nil {
				return err
			}
			s.storeSampled(name, &p)
		}
		return nil
	})
}

// sampledPage is a page whose links are being sampled.
type sampledPage struct {
	Born     int            // orders pages by age
	Samples  []string       // not yet fetched
	Children []sampledChild // the other links
}

type sampledChild struct {
	URL, Anchor string
	Promise     float64 `json:",omitempty"`
}

// sampleLinks proposes some links of a page, chosen at random or the most promising, and stores the
// others. The page that led here is not a sample of it; the type of an already fetched page is
// known.
func (s *backAndForward) sampleLinks(a crawler.Arrival, v *crawler.Verdict, links []promisedLink) {
	page, hit := a.URL(), false
	p := &sampledPage{Born: s.born}
	drawn, others := s.drawSamples(page, a.Lease.Parent, links)
	for _, l := range drawn {
		call, known := s.known[l.Target]
		if hit = hit || call; !known {
			p.Samples = append(p.Samples, l.Target)
			v.Forward = append(v.Forward, part.Candidate(l.Link, s.linkScore(rankSample, l.promise), part.FormatWhy("sampled: its page is a %s", v.PageType)))
		}
	}
	for _, l := range others[:min(len(others), maxChildren)] {
		p.Children = append(p.Children, sampledChild{l.Target, l.Anchor, l.promise})
	}
	if hit {
		s.followAllLinks(page, p, v)
	}
	if hit || len(p.Samples) == 0 || len(p.Children) == 0 {
		return
	}
	s.storeSampled(page, p)
	v.Notes = append(v.Notes, s.sampledNote(page))
	if len(s.pages) > maxSampling {
		page = s.oldestSampled()
		s.removeSampled(page)
		v.Notes = append(v.Notes, s.sampledNote(page))
	}
}

// drawSamples splits the distinct links of a page, without those to parent, into samples and others, both
// in page order. The same page gives the same samples.
func (s *backAndForward) drawSamples(page, parent string, links []promisedLink) (drawn, others []promisedLink) {
	seen := map[string]bool{page: true, parent: true}
	var distinct []promisedLink
	for _, l := range links {
		if !seen[l.Target] {
			seen[l.Target] = true
			distinct = append(distinct, l)
		}
	}
	h := fnv.New64a()
	h.Write([]byte(page))
	order := rand.New(rand.NewPCG(s.Seed, h.Sum64())).Perm(len(distinct))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(distinct[j].promise, distinct[i].promise) })
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

// followAllLinks proposes all links of a page whose sample was a call.
func (s *backAndForward) followAllLinks(page string, p *sampledPage, v *crawler.Verdict) {
	for _, c := range p.Children {
		l := webgraph.Link{Source: page, Target: c.URL, Anchor: c.Anchor}
		v.Forward = append(v.Forward, part.Candidate(l, s.linkScore(rankGood, c.Promise), "forward: a sampled link of its page was a call"))
	}
}

// advanceSampling ends or advances the sampling of the pages that a was a sample of.
func (s *backAndForward) advanceSampling(a crawler.Arrival, v *crawler.Verdict, call bool) {
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
			s.followAllLinks(page, p, v)
		}
		if call || len(p.Samples) == 0 {
			s.removeSampled(page)
		}
		v.Notes = append(v.Notes, s.sampledNote(page))
	}
}

func (s *backAndForward) storeSampled(page string, p *sampledPage) {
	s.removeSampled(page)
	s.born = max(s.born, p.Born+1)
	s.pages[page] = p
	for _, url := range p.Samples {
		s.sampler[url] = append(s.sampler[url], page)
	}
}

func (s *backAndForward) removeSampled(page string) {
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

// oldestSampled returns the page that has been sampled for longest. Its samples will most likely not be
// fetched: they failed, or wait after better links.
func (s *backAndForward) oldestSampled() string {
	oldest, born := "", s.born
	for page, p := range s.pages {
		if p.Born < born {
			oldest, born = page, p.Born
		}
	}
	return oldest
}
