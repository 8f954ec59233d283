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
	arms  map[string]*arm
	links map[string]pull // waiting links by URL
	came  map[string]bool // pages that came
	asked askedSites      // sites whose backlinks were requested
	all   tally           // of all arms
}

var (
	_ crawler.Rememberer = (*bandit)(nil)
	_ crawler.Ranker     = (*bandit)(nil)
)

// A tally is the result of pulls.
type tally struct {
	Pulls int
	Calls float64 // value of the pages, see part.Parts.Value
	Led   float64 // value of the pages to which a link of a page led
}

// earned returns the reward of the pulls counted in t.
func (r banditRules) earned(t tally) float64 { return r.own*t.Calls + r.led*t.Led }

// An arm is the set of links in one kind of place.
type arm struct {
	Name string
	tally
	draws draws // its links that wait
}

// A pull is a link of an arm, on a page found through arm Up; "" if none.
type pull struct {
	Arm, Up string
	Chosen  bool
}

// mean returns the mean reward of an arm. For an arm never pulled it is that of all arms.
func (s *bandit) mean(m *arm) float64 {
	return (s.earned(m.tally) + s.earned(s.all)/float64(s.all.Pulls+1)) / float64(m.Pulls+1)
}

// bound returns the upper confidence bound of the mean after the pulls of all arms.
func (s *bandit) bound(m *arm) float64 {
	return s.mean(m) + s.exploration*math.Sqrt(math.Log(float64(s.all.Pulls+1))/float64(m.Pulls+1))
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
		Parts: p, banditRules: rules, arms: map[string]*arm{}, links: map[string]pull{},
		came: map[string]bool{}, asked: askedSites{},
	}, nil
}

// Visit rewards the arm that led to the page, adds the page's links, and chooses the next link.
func (s *bandit) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.payPull(a, &v, s.Value(a, &v, call))
	if a.Tree != nil {
		s.takeUp(a, &v, p.Arm)
	}
	if call && s.banditRules.back {
		s.goBack(a, &v, p.Arm)
	}
	s.choose(&v)
	s.Steer(&v)
	return v, nil
}

// payPull counts the pull that ended with a, a page of the given value, and its reward, and returns it.
func (s *bandit) payPull(a crawler.Arrival, v *crawler.Verdict, value float64) pull {
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
	s.count(p.Arm, tally{Pulls: 1})
	if value = math.Round(value*valueSteps) / valueSteps; value > 0 {
		s.count(p.Arm, tally{Calls: value})
		s.count(p.Up, tally{Led: value})
	}
	for _, name := range slices.Compact([]string{p.Arm, p.Up}) {
		if m := s.arms[name]; m != nil {
			v.Notes = append(v.Notes, part.NoteOf("arm/"+name, m))
		}
	}
	return p
}

// count adds to the results of an arm's pulls, and to those of all arms.
func (s *bandit) count(name string, t tally) {
	m := s.arms[name]
	if m == nil {
		return
	}
	for _, to := range []*tally{&m.tally, &s.all} {
		to.Pulls, to.Calls, to.Led = to.Pulls+t.Pulls, to.Calls+t.Calls, to.Led+t.Led
	}
}

// takeUp proposes the links of a page found through arm up.
func (s *bandit) takeUp(a crawler.Arrival, v *crawler.Verdict, up string) {
	here := part.Site(a.URL())
	for _, l := range a.Tree.Links() {
		c := part.Candidate(l, 0, "")
		s.wait(&c, placeOf(l, v.PageType, part.Site(l.Target) != here), up, &v.Notes)
		v.Forward = append(v.Forward, c)
	}
}

// wait adds a link to the waiting links of an arm.
func (s *bandit) wait(c *crawler.Candidate, name, up string, notes *[]crawler.Note) {
	if s.arms[name] == nil && len(s.arms) >= maxArms {
		name = otherArm
	}
	m := s.armOf(name)
	c.Score = min(1, s.mean(m))
	c.Why = part.Why("of similar links (%s), %d were visited and gave %.1f", m.Name, m.Pulls, s.earned(m.tally))
	if _, ok := s.links[c.URL]; ok || s.came[c.URL] || len(s.links) >= maxPulls {
		return
	}
	p := pull{Arm: name, Up: up}
	s.links[c.URL] = p
	m.add(c.URL, s.Seed)
	*notes = append(*notes, part.NoteOf("pull/"+c.URL, p))
}

// goBack requests the backlinks of a call, once per site.
func (s *bandit) goBack(a crawler.Arrival, v *crawler.Verdict, up string) {
	here := part.Site(a.URL())
	if !s.asked.askOnce(v, here) {
		return
	}
	worth := s.Share(v.TopicScore)
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.sources(links, up, worth)
	}
}

// Rank adds backlinks that were queried later than their page, because the budget did not allow it
// before.
func (s *bandit) Rank(_ string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sources(links, "", s.Share(v.TopicScore))
}

func (s *bandit) sources(links []webgraph.Link, up string, worth float64) (cs []crawler.Candidate, notes []crawler.Note) {
	for _, l := range links {
		c := crawler.Candidate{URL: l.Source, Anchor: l.Anchor}
		s.wait(&c, backArm, up, &notes)
		c.Score *= worth
		cs = append(cs, c)
	}
	return cs, notes
}

// choose gives a link of the best arm with waiting links the highest score.
func (s *bandit) choose(v *crawler.Verdict) {
	var best *arm
	bound := math.Inf(-1)
	for _, name := range slices.Sorted(maps.Keys(s.arms)) {
		m := s.arms[name]
		if b := s.bound(m); b > bound && s.awake(m) {
			best, bound = m, b
		}
	}
	if best == nil {
		return
	}
	url := best.takeDrawn()
	p := s.links[url]
	p.Chosen = true
	s.links[url] = p
	v.Notes = append(v.Notes, part.NoteOf("pull/"+url, p))
	v.Rescore = append(v.Rescore, crawler.Candidate{URL: url, Score: rankChosen, Why: part.Why("similar links (%s) may give up to %.2f a visit; %d visited so far", best.Name, bound, best.Pulls)})
}

// awake reports whether a link of the arm is waiting. It removes links fetched without being
// chosen.
func (s *bandit) awake(m *arm) bool {
	for len(m.draws) > 0 {
		if p, ok := s.links[m.draws[0].url]; ok && !p.Chosen && p.Arm == m.Name {
			return true
		}
		m.takeDrawn()
	}
	return false
}

// placeOf returns the name of a link's arm. It contains the last steps of its tag path without
// numbers and repetitions, the type of its page, and whether it leads to another site.
func placeOf(l webgraph.Link, pageType string, away bool) string {
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

// Recall restores the state of an interrupted crawl.
func (s *bandit) Recall(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.RecallNotes(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "asked":
			s.asked[name] = true
		case "came":
			s.came[name] = true
		case "arm":
			var m arm
			if err := json.Unmarshal(value, &m); err != nil {
				return err
			}
			s.armOf(name)
			s.count(name, m.tally)
		case "pull":
			var p pull
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
			m.add(url, s.Seed)
		}
	}
	return nil
}

// armOf returns the arm of that name, created if missing.
func (s *bandit) armOf(name string) *arm {
	m := s.arms[name]
	if m == nil {
		m = &arm{Name: name}
		s.arms[name] = m
	}
	return m
}

// draws is a heap of links in the order of their random numbers.
type draws []ticket

// A ticket is a link with its random number.
type ticket struct {
	order uint64
	url   string
}

func (d draws) Len() int { return len(d) }
func (d draws) Less(i, j int) bool {
	return d[i].order < d[j].order || d[i].order == d[j].order && d[i].url < d[j].url
}
func (d draws) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push is of heap.Interface.
func (d *draws) Push(x any) { *d = append(*d, x.(ticket)) }

// Pop is of heap.Interface.
func (d *draws) Pop() any {
	last := (*d)[len(*d)-1]
	*d = (*d)[:len(*d)-1]
	return last
}

// add adds a link at a random position determined by seed.
func (m *arm) add(url string, seed uint64) {
	h := fnv.New64a()
	h.Write([]byte(url))
	heap.Push(&m.draws, ticket{rand.NewPCG(seed, h.Sum64()).Uint64(), url})
}

// takeDrawn removes the link that is drawn next.
func (m *arm) takeDrawn() string { return heap.Pop(&m.draws).(ticket).url }
