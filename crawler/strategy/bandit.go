package strategy

import (
	"container/heap"
	"context"
	"encoding/json"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/webgraph"
)

// bandit learns which places on pages contain links to calls, as SB-CLASSIFIER does (Gauquier, Manolescu
// and Senellart 2026, arXiv 2602.11874). Each arm is the links of one kind of tag path; it sleeps while
// none of them waits. After each page it chooses one arm, that of the highest upper confidence bound
// (UCB1, Auer, Cesa-Bianchi and Fischer 2002), and one of its links at random. A pull earns the value
// of the page, which is 1 for a call with a page of its own, and a little of that of each call to which a
// link of that page leads, so an arm that leads to lists is rewarded for them.
//
// In that paper a crawl stays on one site and targets are recognized by their addresses. Here tag paths
// of many sites are mixed, so they are cut to their last steps. Pages of other types and links to other
// sites have separate arms, and so have the backlinks of calls, as in DISCO (Pham, Santos and Freire
// 2019).
//
// The chosen link gets the highest score. The others are ordered by the mean reward of their arm when
// they were found, and are fetched while the host of the chosen one may not be requested.
//
// The strategy sb-classifier uses the rewards of the paper: a pull earns the value of each call to which
// a link of its page leads and nothing for the page itself, the confidence bound has the weight 2√2 (AUER,
// Kleinberg, Niculescu-Mizil and Sharma 2010), and it never queries backlinks. The paper's classifier
// recognizes targets by their addresses at once. Here calls are recognized by their text, so rewards are
// known only when the pages are fetched.
type bandit struct {
	part.Parts
	banditRules

	mu    sync.Mutex // guards below
	arms  map[string]*banditArm
	links map[string]armPull // waiting links by URL
	came  map[string]bool    // pages that came
	asked askedSites         // sites whose backlinks were requested
	all   pullResults        // of all arms
}

var (
	_ crawler.Rememberer = (*bandit)(nil)
	_ crawler.Ranker     = (*bandit)(nil)
)

// A pullResults is the result of pulls.
type pullResults struct {
	Pulls int
	Calls float64 // value of the pages, see part.Parts.Value
	Led   float64 // value of the pages to which a link of a page led
}

// rewardOf returns the reward of the pulls counted in t.
func (r banditRules) rewardOf(t pullResults) float64 { return r.own*t.Calls + r.led*t.Led }

// A banditArm is the set of links in one kind of place.
type banditArm struct {
	Name string
	pullResults
	draws ticketHeap // its links that wait
}

// An armPull is a link of an arm, on a page found through arm Up; "" if none.
type armPull struct {
	Arm, Up string
	Chosen  bool
}

// meanReward returns the mean reward of an arm. For an arm never pulled it is that of all arms.
func (s *bandit) meanReward(m *banditArm) float64 {
	return (s.rewardOf(m.pullResults) + s.rewardOf(s.all)/float64(s.all.Pulls+1)) / float64(m.Pulls+1)
}

// upperBound returns the upper confidence bound of the mean after the pulls of all arms.
func (s *bandit) upperBound(m *banditArm) float64 {
	return s.meanReward(m) + s.exploration*math.Sqrt(math.Log(float64(s.all.Pulls+1))/float64(m.Pulls+1))
}

// banditRules are the differences between the bandit strategies.
type banditRules struct {
	own, led    float64 // factors on the value of a page, and on that of each call to which a link of it leads
	exploration float64 // weight of the confidence bound
	back        bool    // backlinks are requested for calls
}

const (
	maxArms    = 1000    // further kinds of places share one arm
	maxPulls   = 200_000 // links stored for all arms; further ones have no arm
	maxCame    = 1 << 20 // pages remembered
	pathSteps  = 4       // steps of a tag path that are used
	valueSteps = 1 << 10 // values are multiples of 1/valueSteps, so that sums are exact in any order and the same after a resume
	rankChosen = 2       // above the score of any waiting link
)

// The arms other than tag paths.
const (
	backArm  = "backlinks"
	otherArm = "rare places"
)

func newBandit(p part.Parts) (crawler.Strategy, error) {
	return newBanditOf(p, banditRules{own: 1, led: 0.1, exploration: 0.02, back: true})
}

func newSBClassifier(p part.Parts) (crawler.Strategy, error) {
	return newBanditOf(p, banditRules{led: 1, exploration: 2 * math.Sqrt2})
}

func newBanditOf(p part.Parts, rules banditRules) (crawler.Strategy, error) {
	return &bandit{
		Parts: p, banditRules: rules, arms: map[string]*banditArm{}, links: map[string]armPull{},
		came: map[string]bool{}, asked: askedSites{},
	}, nil
}

// Visit rewards the arm that led to the page, adds the page's links, and chooses the next link.
func (s *bandit) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.rewardPull(a, &v, s.Value(a, &v, call))
	if a.Tree != nil {
		s.proposeLinks(a, &v, p.Arm)
	}
	if call && s.banditRules.back {
		s.requestBacklinks(a, &v, p.Arm)
	}
	s.raiseBestArm(&v)
	s.WeightByTopic(&v)
	return v, nil
}

// rewardPull counts the pull that led to a, a page of the given value. It adds the reward of the pull to the
// results of its arm, and returns the pull.
func (s *bandit) rewardPull(a crawler.Arrival, v *crawler.Verdict, value float64) armPull {
	url := a.Lease.URL
	for _, u := range []string{url, a.Outcome.FinalURL} {
		if u != "" && !s.came[u] && len(s.came) < maxCame {
			s.came[u] = true
			v.Notes = append(v.Notes, crawler.Note{Key: "came/" + u, Value: []byte{1}})
		}
	}
	p, ok := s.links[url]
	if !ok {
		return p
	}
	delete(s.links, url)
	v.Notes = append(v.Notes, crawler.Note{Key: "pull/" + url})
	s.addResults(p.Arm, pullResults{Pulls: 1})
	if value = math.Round(value*valueSteps) / valueSteps; value > 0 {
		s.addResults(p.Arm, pullResults{Calls: value})
		s.addResults(p.Up, pullResults{Led: value})
	}
	for _, name := range slices.Compact([]string{p.Arm, p.Up}) {
		if m := s.arms[name]; m != nil {
			v.Notes = append(v.Notes, part.NoteOf("arm/"+name, m))
		}
	}
	return p
}

// addResults adds to the results of an arm's pulls, and to those of all arms.
func (s *bandit) addResults(name string, t pullResults) {
	m := s.arms[name]
	if m == nil {
		return
	}
	for _, to := range []*pullResults{&m.pullResults, &s.all} {
		to.Pulls, to.Calls, to.Led = to.Pulls+t.Pulls, to.Calls+t.Calls, to.Led+t.Led
	}
}

// proposeLinks proposes the links of a page found through arm up.
func (s *bandit) proposeLinks(a crawler.Arrival, v *crawler.Verdict, up string) {
	here := part.Site(a.URL())
	for _, l := range a.Tree.Links() {
		c := part.Candidate(l, 0, "")
		s.addWaiting(&c, armName(l, v.PageType, part.Site(l.Target) != here), up, &v.Notes)
		v.Forward = append(v.Forward, c)
	}
}

// addWaiting adds a link to the waiting links of an arm.
func (s *bandit) addWaiting(c *crawler.Candidate, name, up string, notes *[]crawler.Note) {
	if s.arms[name] == nil && len(s.arms) >= maxArms {
		name = otherArm
	}
	m := s.armOf(name)
	c.Score = min(1, s.meanReward(m))
	c.Why = part.FormatWhy("%d similar links (%s) were visited, with a total value of %.1f", m.Pulls, m.Name, s.rewardOf(m.pullResults))
	if _, ok := s.links[c.URL]; ok || s.came[c.URL] || len(s.links) >= maxPulls {
		return
	}
	p := armPull{Arm: name, Up: up}
	s.links[c.URL] = p
	m.addLink(c.URL, s.Seed)
	*notes = append(*notes, part.NoteOf("pull/"+c.URL, p))
}

// requestBacklinks requests the backlinks of a call, once per site.
func (s *bandit) requestBacklinks(a crawler.Arrival, v *crawler.Verdict, up string) {
	here := part.Site(a.URL())
	if !s.asked.askSiteOnce(v, here) {
		return
	}
	worth := s.TopicFactor(v.TopicScore)
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.sourceCandidates(links, up, worth)
	}
}

// Rank adds backlinks that were queried later than their page, because the budget did not allow it
// before.
func (s *bandit) Rank(_ string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sourceCandidates(links, "", s.TopicFactor(v.TopicScore))
}

func (s *bandit) sourceCandidates(links []webgraph.Link, up string, worth float64) (cs []crawler.Candidate, notes []crawler.Note) {
	for _, l := range links {
		c := crawler.Candidate{URL: l.Source, Anchor: l.Anchor}
		s.addWaiting(&c, backArm, up, &notes)
		c.Score *= worth
		cs = append(cs, c)
	}
	return cs, notes
}

// raiseBestArm gives a link of the best arm with waiting links the highest score.
func (s *bandit) raiseBestArm(v *crawler.Verdict) {
	var best *banditArm
	bound := math.Inf(-1)
	for _, name := range slices.Sorted(maps.Keys(s.arms)) {
		m := s.arms[name]
		if b := s.upperBound(m); b > bound && s.isAwake(m) {
			best, bound = m, b
		}
	}
	if best == nil {
		return
	}
	url := best.removeNext()
	p := s.links[url]
	p.Chosen = true
	s.links[url] = p
	v.Notes = append(v.Notes, part.NoteOf("pull/"+url, p))
	v.Rescore = append(v.Rescore, crawler.Candidate{URL: url, Score: rankChosen, Why: part.FormatWhy("similar links (%s) may give up to %.2f a visit; %d visited so far", best.Name, bound, best.Pulls)})
}

// isAwake reports whether a link of the arm is waiting. It removes links fetched without being
// chosen.
func (s *bandit) isAwake(m *banditArm) bool {
	for len(m.draws) > 0 {
		if p, ok := s.links[m.draws[0].url]; ok && !p.Chosen && p.Arm == m.Name {
			return true
		}
		m.removeNext()
	}
	return false
}

// armName returns the name of a link's arm. It contains the last steps of its tag path without
// numbers and repetitions, the type of its page, and whether it leads to another site.
func armName(l webgraph.Link, pageType string, away bool) string {
	var steps []string
	for step := range strings.SplitSeq(l.Path, "/") {
		step, _, _ = strings.Cut(step, "[")
		if len(steps) == 0 || steps[len(steps)-1] != step {
			steps = append(steps, step)
		}
	}
	name := strings.Join(steps[max(0, len(steps)-pathSteps):], "/")
	if away {
		name += " away"
	}
	return pageType + " " + name
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *bandit) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.RecallNotes(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "asked":
			s.asked[name] = true
		case "came":
			s.came[name] = true
		case "arm":
			var m banditArm
			if err := json.Unmarshal(value, &m); err != nil {
				return err
			}
			s.armOf(name)
			s.addResults(name, m.pullResults)
		case "pull":
			var p armPull
			if err := json.Unmarshal(value, &p); err != nil {
				return err
			}
			s.links[name] = p
		}
		return nil
	})
	if err != nil {
		return err
	}
	for url, p := range s.links {
		if m := s.armOf(p.Arm); !p.Chosen {
			m.addLink(url, s.Seed)
		}
	}
	return nil
}

// armOf returns the arm of that name, created if missing.
func (s *bandit) armOf(name string) *banditArm {
	m := s.arms[name]
	if m == nil {
		m = &banditArm{Name: name}
		s.arms[name] = m
	}
	return m
}

// ticketHeap is a heap of links in the order of their random numbers.
type ticketHeap []drawnLink

// A drawnLink is a link with its random number.
type drawnLink struct {
	order uint64
	url   string
}

func (d ticketHeap) Len() int { return len(d) }
func (d ticketHeap) Less(i, j int) bool {
	return d[i].order < d[j].order || d[i].order == d[j].order && d[i].url < d[j].url
}
func (d ticketHeap) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push is of heap.Interface.
func (d *ticketHeap) Push(x any) { *d = append(*d, x.(drawnLink)) }

// Pop is of heap.Interface.
func (d *ticketHeap) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// addLink adds a link at a random position determined by seed.
func (m *banditArm) addLink(url string, seed uint64) {
	h := fnv.New64a()
	h.Write([]byte(url))
	heap.Push(&m.draws, drawnLink{rand.NewPCG(seed, h.Sum64()).Uint64(), url})
}

// removeNext removes the link that is drawn next.
func (m *banditArm) removeNext() string { return heap.Pop(&m.draws).(drawnLink).url }
