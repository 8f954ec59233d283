// Package eventseer is the project's own crawl strategy.
package eventseer

import (
	"context"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
)

// eventSeer combines the best parts of the other strategies (doc/decisions/013).
//
//   - The rules of back-and-forward crawling (paper 002 §3.4) give every link a score, from the type of its page and its words.
//   - A corrector learns during the crawl how reliable these scores are: from the results of links of each kind, each source and each site, the weight of the trained link model (learn.go), and which words of links lead to calls (words.go).
//   - Each page with links has an account of their results. If these are better or worse than for other pages of its type, the scores of its waiting links are changed (origin.go). With each visit some other waiting links are scored again, so that all follow what was learned.
//   - Backlinks are requested if earlier ones found more than waiting links
//     (backlinks.go).
//
// The worth of a page is 1 for a call, otherwise the best rate of expected calls per page among its new
// links, including its own visit. So lists, homepages and entries to a conference's site are all measured
// in pages of budget.
//
// It is safe for concurrent use; with one worker the same pages in the same order give the same verdicts.
type eventSeer struct {
	part.Parts
	without Ability

	mu            sync.Mutex // guards below
	learned       corrector
	backlinkValue backlinkValue
	sites         map[string]*siteAccount // registered domain → worth of its pages
	visited       map[uint64]bool         // hashes of URLs
	origins       map[string]*origin      // pages with waiting links, by URL
	links         map[string]*waitingLink // waiting links
	order         []aged                  // the origins, the oldest first
	born          int                     // of the next origin
	next          int                     // number of the origin whose links are scored again next
	cited         map[string]int          // source → number of sites whose backlinks contain it
}

var (
	_ crawler.Rememberer = (*eventSeer)(nil)
	_ crawler.Ranker     = (*eventSeer)(nil)
)

// Limits on the stored state; beyond them the oldest is removed or the newest is not stored.
const (
	maxOrigins  = 5_000   // pages whose links wait
	maxOffers   = 100     // links stored of a page, the best
	maxCiting   = 6       // pages stored for a link
	maxAccounts = 100_000 // sites
	maxVisited  = 1 << 20 // URLs
	maxCited    = 100_000 // sources of backlinks
)

// An Ability is a part of the strategy that can be disabled to measure its effect.
type Ability string

// The abilities. Each comment says what happens if the ability is disabled.
const (
	Nothing     Ability = ""
	LinkModel   Ability = "link-model"   // the trained link model is not used
	Learning    Ability = "learning"     // links keep the score of the rules and the link model
	Words       Ability = "words"        // the words of links are not learned from
	Backlinks   Ability = "backlinks"    // backlinks are not queried
	HostContext Ability = "host-context" // each page is judged alone, without the other pages of its host
	Deadlines   Ability = "deadlines"    // a call counts the same after its deadlines
)

// New makes the strategy. Of p it needs the judge.
func New(p part.Parts) (crawler.Strategy, error) { return Without(Nothing)(p) }

// Without returns a function that makes the strategy without one of its abilities.
func Without(what Ability) func(part.Parts) (crawler.Strategy, error) {
	return func(p part.Parts) (crawler.Strategy, error) {
		switch what {
		case LinkModel:
			p.Links = nil
		case HostContext:
			p.Hosts = nil
		case Deadlines:
			p.Deadlines = nil
		}
		return newWithout(p, what)
	}
}

func newWithout(p part.Parts, what Ability) (crawler.Strategy, error) {
	if p.Finds == nil {
		p.Finds = part.NewFinds()
	}
	return &eventSeer{
		Parts: p, without: what, learned: newCorrector(), backlinkValue: newBacklinkValue(), sites: map[string]*siteAccount{}, visited: map[uint64]bool{},
		origins: map[string]*origin{}, links: map[string]*waitingLink{}, cited: map[string]int{},
	}, nil
}

// Visit judges the page, proposes its links and backlinks, and learns the worth of the path that led to
// the page.
func (s *eventSeer) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	p := s.computeFeatures(a.Tree, v, call)
	s.mu.Lock()
	defer s.mu.Unlock()
	if p != nil {
		p.worth = p.share * s.Value(a, &v, call)
	}
	s.fillVerdict(a, p, &v)
	return v, nil
}

// A pageView holds the features of a page.
type pageView struct {
	url, site string
	kind      string  // page type; callPage for a call that is not a mail
	worth     float64 // of the page itself as a find, 0 to 1; see part.Parts.Value
	share     float64 // factor on the scores of its backlinks, see share
	links     []scoredLink
}

// A scoredLink is a link with its features.
type scoredLink struct {
	part.CuedLink
	told  bool    // the link is in running text, see part.IsInRunningText
	model float64 // the link model's probability of a call, -1 without a model
	share float64 // factor on its score for the topic
	words wordSet // nil if words are not used
}

// callPage is the kind of all calls, whatever their page type; mailPage is that of mails.
const (
	callPage = "call"
	mailPage = part.MailPage
)

// computeFeatures computes the features of a page; nil for none.
func (s *eventSeer) computeFeatures(t *tagtree.Tree, v crawler.Verdict, call bool) *pageView {
	if t == nil {
		return nil
	}
	p := &pageView{url: t.Page.URL, site: part.Site(t.Page.URL), kind: v.PageType, share: s.TopicFactor(v.TopicScore)}
	if call && v.PageType != mailPage {
		p.kind = callPage
	}
	var words []wordSet
	if s.without != Words && s.without != Learning {
		words = linkWords(t)
	}
	var model []float64
	if s.Links != nil {
		model = s.Links.LinkProbabilities(t)
	}
	for i, l := range part.CuedLinks(t, p.site) {
		x := scoredLink{CuedLink: l, told: part.IsInRunningText(t.LinkPlace(i)), model: noModel, share: s.LinkTopicFactor(v.TopicScore, l.Anchor)}
		if i < len(model) {
			x.model = part.ClampUnit(model[i])
		}
		if i < len(words) {
			x.words = words[i]
		}
		p.links = append(p.links, x)
	}
	return p
}

// noModel is the probability of a link without a model.
const noModel = -1

// fillVerdict fills the verdict on a page with features, or on nil. The order matters: the worth of a
// page depends on its links.
func (s *eventSeer) fillVerdict(a crawler.Arrival, p *pageView, v *crawler.Verdict) {
	w := s.removeFollowed(a)
	s.learned.recordScore(a.Lease.Score)
	if a.CostsBudget() {
		s.countFetched(a.URL(), p)
	}
	var promised []float64
	worth := 0.0
	if p != nil {
		worth = p.worth
		promised = s.proposeLinks(v, p)
		if p.kind == callPage {
			s.requestBacklinks(v, p)
		}
	}
	r := bestRate(worth, 1, promised)
	if a.CostsBudget() {
		s.rewardPath(v, a.URL(), w, r)
	}
	if p != nil {
		s.raiseParkedLinks(v, w, p.kind)
	}
	s.recordVisit(v, a, w)
}
