// Package eventseer is the project's own crawl strategy.
package eventseer

import (
	"context"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
)

// eventSeer is the best crawl strategy that could be built from the others
// (doc/decisions/013).
//
//   - The rules of back-and-forward crawling (paper 002 §3.4) give every link its
//     hand worth, by the type of its page and by what its words promise.
//   - A corrector learns while it crawls how far to trust them: how good links of
//     each kind, each source and each site turned out, and how far the trained
//     link model is to be believed here (learn.go).
//   - Every page with links keeps an account of what came of them; when it turns
//     out better or worse than others of its type, its waiting links rise or sink
//     (origin.go).
//   - Backlinks are asked for when what they brought so far beats what waits
//     (back.go).
//
// The worth of a page is 1 for a call, else the best rate of calls that its new
// links promise, its own visit counted: so a list, a homepage and the way into a
// conference's site are measured by one yardstick, pages of budget.
//
// It is safe for concurrent use; with one worker the same pages in the same order
// give the same verdicts.
type eventSeer struct {
	part.Parts
	without Ability

	mu      sync.Mutex // guards below
	learned corrector
	asking  asking
	sites   map[string]*account // registered domain → what its pages were worth
	visited map[uint64]bool     // hashes of URLs
	origins map[string]*origin  // pages whose links wait, by URL
	offers  map[string][]string // waiting link → the pages it was found on
	born    int                 // of the next origin
	cited   map[string]int      // source → sites it turned up for
}

var (
	_ crawler.Rememberer = (*eventSeer)(nil)
	_ crawler.Ranker     = (*eventSeer)(nil)
)

// Limits on what is remembered; what came first is forgotten first, or what
// comes after is not remembered.
const (
	maxOrigins  = 5_000   // pages whose links wait
	maxOffers   = 100     // links remembered of a page, the best
	maxCiting   = 6       // pages remembered of a link
	maxAccounts = 100_000 // sites
	maxVisited  = 1 << 20 // URLs
	maxCited    = 100_000 // sources of backlinks
)

// An Ability is a part of the strategy that a researcher can leave out, to see what it is worth.
type Ability string

// The abilities. Host context belongs to the judge: `--models` says which judge there is.
const (
	Nothing   Ability = ""
	LinkModel Ability = "link-model" // the trained link model is not asked
	Learning  Ability = "learning"   // links keep what the rules and the link model say
	Backlinks Ability = "backlinks"  // backlinks are not queried
	Deadlines Ability = "deadlines"  // a call counts the same if its deadlines have passed
)

// New makes the strategy. Of p it needs the judge.
func New(p part.Parts) (crawler.Strategy, error) { return Without(Nothing)(p) }

// Without returns a function that makes the strategy without one of its abilities.
func Without(what Ability) func(part.Parts) (crawler.Strategy, error) {
	return func(p part.Parts) (crawler.Strategy, error) {
		switch what {
		case LinkModel:
			p.Links = nil
		case Deadlines:
			p.Deadlines = nil
		}
		return newWithout(p, what)
	}
}

func newWithout(p part.Parts, what Ability) (crawler.Strategy, error) {
	return &eventSeer{
		Parts: p, without: what, learned: newCorrector(), asking: newAsking(), sites: map[string]*account{}, visited: map[uint64]bool{},
		origins: map[string]*origin{}, offers: map[string][]string{}, cited: map[string]int{},
	}, nil
}

// Visit judges the page, goes forward and back from it, and learns what the way
// that led here was worth.
func (s *eventSeer) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	p := s.see(a.Tree, v, call)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.decide(a, p, &v)
	return v, nil
}

// A sight is what is seen of a page.
type sight struct {
	url, site string
	kind      string  // page type; callPage for a call that is no mail
	worth     float64 // of the page itself as a find, 0 to 1
	share     float64 // of its score that a backlink of it keeps, see share
	links     []seen
	open      bool // a call with a deadline to come
}

// A seen link is a link with what is known of it.
type seen struct {
	part.CuedLink
	told  bool    // in running text, see isTold
	model float64 // the link model's probability of a call, -1 without a model
	share float64 // of its score that it keeps on the topic
}

// callPage is the kind of calls, whatever their page type; mailPage that of mails.
const (
	callPage = "call"
	mailPage = "mail_announcement"
)

// mailWorth is what a call by mail is worth: what it calls for mostly has its own
// page, and there the dates are kept up.
const mailWorth = 0.2

// see reads a page; nil for none.
func (s *eventSeer) see(t *tagtree.Tree, v crawler.Verdict, call bool) *sight {
	if t == nil {
		return nil
	}
	p := &sight{url: t.Page.URL, site: part.Site(t.Page.URL), kind: v.PageType, share: s.Share(v.TopicScore)}
	switch {
	case call && v.PageType == mailPage:
		p.worth = mailWorth * p.share
	case call:
		p.kind, p.worth = callPage, p.share
	}
	if call && s.Deadlines != nil {
		open, _ := s.Deadlines(t)
		p.open = open > 0
	}
	var model []float64
	if s.Links != nil {
		model = s.Links.Links(t)
	}
	for i, l := range part.CuedLinks(t, p.site) {
		x := seen{CuedLink: l, told: part.IsTold(t.LinkPlace(i)), model: noModel, share: s.LinkShare(v.TopicScore, l.Anchor)}
		if i < len(model) {
			x.model = part.Unit(model[i])
		}
		p.links = append(p.links, x)
	}
	return p
}

// noModel stands for the probability of a link where no model gives one.
const noModel = -1

// decide fills the verdict on a page that has been seen, or on nil. The order
// matters: what the page leads to says what it was worth.
func (s *eventSeer) decide(a crawler.Arrival, p *sight, v *crawler.Verdict) {
	w := s.takeWay(a)
	s.learned.follow(a.Lease.Score)
	if a.Paid() {
		s.enter(a.URL(), p)
	}
	var promised []float64
	worth := 0.0
	if p != nil {
		worth = s.learned.found(p)
		promised = s.forward(v, p)
		if p.kind == callPage {
			s.back(v, p)
		}
	}
	r := rate(worth, 1, promised)
	if a.Paid() {
		s.credit(v, a.URL(), w, r)
	}
	if p != nil {
		s.raise(v, w, p.kind)
	}
	s.noteVisit(v, a, w)
}
