package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// backAndForward is back-and-forward crawling as paper 002 §3.4 concludes it:
// the combination of classifying parents and sampling their children.
//
//   - Back: once a site of a call, its backlinks are asked for. Sources whose
//     URL promises a list, and those that turn up for several sites, come first.
//   - Forward: all links of a list; on a conference's site the links that
//     promise the call, then those its text tells of; of a mail the links out
//     of its archive.
//   - Pages that may or may not lead to calls (homepages, institutions, weblogs)
//     are sampled: if one of the sampled links is a call, a conference or a list
//     all their links are taken, else the rest stay parked at the end of the
//     queue (the paper drops them; here another page may still raise them).
//
// The stop rules of the paper (low harvest, time, harvest limit) are the
// crawler's.
type backAndForward struct {
	judge Judge
	focus Focus

	mu      sync.Mutex          // guards below
	asked   map[string]bool     // sites whose backlinks were asked for
	cited   map[string]int      // source → sites it turned up for
	pages   map[string]*sampled // pages being sampled, by URL
	sampler map[string][]string // sampled link → the pages it is a sample of
	born    int                 // of the next page to be sampled
}

var (
	_ crawler.Rememberer = (*backAndForward)(nil)
	_ crawler.Ranker     = (*backAndForward)(nil)
)

// Link scores, 0 to about 1.5. Set by hand from what each kind of link is
// worth, checked on the development web over draws of seeds of all kinds.
const (
	backlinkLimit  = 20   // backlinks asked for a site
	scoreListed    = 0.7  // link from a list to another site
	scoreListSelf  = 0.35 // link from a list to its own site
	scoreCallSite  = 0.1  // link within the site of a call, before cues
	scoreCallOut   = 0.35 // link from the site of a call to another site
	scoreMailOut   = 0.4
	scoreMailSelf  = 0.15
	scoreSample    = 0.4
	scoreUnsampled = 0.03
	scoreElsewhere = 0.02
	scoreBackList  = 0.95 // backlink whose URL promises a list
	scoreBackHome  = 0.3  // backlink that looks like a homepage
	scoreBackOther = 0.4
	bonusList      = 0.25 // link whose words promise a list
	bonusTold      = 0.2  // link in the running text of the site of a call
	bonusCited     = 0.15 // for each further site a source turned up for
)

const (
	sampleSize  = 3      // links sampled of a page that may lead to calls
	maxChildren = 200    // links remembered of such a page
	maxSampling = 10_000 // pages being sampled; the oldest are given up
)

// sampled is a page whose links are being sampled.
type sampled struct {
	Born     int      // orders pages by age
	Samples  []string // not yet fetched
	Children []child  // the other links
}

type child struct {
	URL, Anchor string
	Worth       float64 // of the link's cue
}

func newBackAndForward(p Parts) (crawler.Strategy, error) {
	if p.Judge == nil {
		return nil, errNoJudge
	}
	return &backAndForward{
		judge: p.Judge, focus: p.Focus, asked: map[string]bool{}, cited: map[string]int{},
		pages: map[string]*sampled{}, sampler: map[string][]string{},
	}, nil
}

// Visit judges the page, draws the conclusion for the pages it was a sample
// of, and goes forward or back by its type.
func (s *backAndForward) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := judged(s.judge, s.focus, a)
	s.decide(a, &v, call)
	steer(s.focus, &v)
	return v, nil
}

// decide fills the verdict on a page that has been judged.
func (s *backAndForward) decide(a crawler.Arrival, v *crawler.Verdict, call bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conclude(a, v, call)
	if a.Tree == nil {
		return
	}
	here := site(a.Tree.Page.URL)
	links := cuedLinks(a.Tree, here)
	switch {
	case v.PageType == list:
		s.fromList(v, links)
	case call || v.PageType == "cfp" || v.PageType == "conference":
		s.fromCall(v, links, a.Tree)
		if call {
			s.back(v, here)
		}
	case v.PageType == "mail_announcement":
		s.fromMail(v, links)
	case v.PageType == "homepage" || v.PageType == "institution_topic" || v.PageType == "weblog":
		s.sample(a, v, links)
	default:
		for _, l := range links {
			v.Forward = append(v.Forward, candidate(l.Link, scoreElsewhere+0.3*max(0, l.worth)))
		}
	}
}

func (s *backAndForward) fromList(v *crawler.Verdict, links []cuedLink) {
	for _, l := range links {
		score := scoreListed + 0.2*l.worth
		if !l.away {
			score = scoreListSelf + 0.25*l.worth
			if l.list {
				score += bonusList
			}
		}
		v.Forward = append(v.Forward, candidate(l.Link, score))
	}
}

// fromCall takes the links of t in order.
func (s *backAndForward) fromCall(v *crawler.Verdict, links []cuedLink, t *tagtree.Tree) {
	for i, l := range links {
		score := scoreCallSite + 0.85*l.worth
		if l.away {
			score = scoreCallOut + 0.3*l.worth
		}
		if isTold(t.Place(i)) {
			score += bonusTold
		}
		v.Forward = append(v.Forward, candidate(l.Link, score))
	}
}

func (s *backAndForward) fromMail(v *crawler.Verdict, links []cuedLink) {
	for _, l := range links {
		score := scoreMailSelf
		if l.away {
			score = scoreMailOut + 0.3*l.worth
		}
		v.Forward = append(v.Forward, candidate(l.Link, score))
	}
}

// back asks for the backlinks of a call, once a site.
func (s *backAndForward) back(v *crawler.Verdict, here string) {
	if s.asked[here] {
		return
	}
	s.asked[here] = true
	v.Notes = append(v.Notes, crawler.Note{Key: "asked/" + here, Value: []byte{1}})
	v.Back = backlinkLimit
	worth := share(s.focus, v.TopicScore)
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.rank(links, worth)
	}
}

// Rank ranks backlinks that an earlier part of the crawl could not pay for.
func (s *backAndForward) Rank(_ string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rank(links, share(s.focus, v.TopicScore))
}

// rank scores the sources of backlinks: a source found for several sites is
// likely a hub. worth is what a link of the call that asked keeps of its score.
func (s *backAndForward) rank(links []webgraph.Link, worth float64) ([]crawler.Candidate, []crawler.Note) {
	var candidates []crawler.Candidate
	var notes []crawler.Note
	for _, l := range links {
		s.cited[l.Source]++
		notes = append(notes, crawler.Note{Key: "cited/" + l.Source, Value: fmt.Append(nil, s.cited[l.Source])})
		candidates = append(candidates, crawler.Candidate{
			URL: l.Source, Score: worth * (s.sourceScore(l.Source) + bonusCited*float64(s.cited[l.Source]-1)),
		})
	}
	return candidates, notes
}

func (s *backAndForward) sourceScore(source string) float64 {
	switch c := linkCue("", source); {
	case c.list || c.worth == 1:
		return scoreBackList
	case isHomePage(source):
		return scoreBackHome
	}
	return scoreBackOther
}

// sample proposes the most promising links of a page and parks the others.
func (s *backAndForward) sample(a crawler.Arrival, v *crawler.Verdict, links []cuedLink) {
	slices.SortStableFunc(links, func(x, y cuedLink) int { return cmp.Compare(y.promise(), x.promise()) })
	page := a.URL()
	var p sampled
	for _, l := range links {
		score := scoreUnsampled + 0.2*max(0, l.worth)
		if len(p.Samples) < sampleSize && l.promise() > 0 && !slices.Contains(p.Samples, l.Target) {
			p.Samples = append(p.Samples, l.Target)
			score = scoreSample + 0.3*l.worth
		} else if len(p.Children) < maxChildren {
			p.Children = append(p.Children, child{l.Target, l.Anchor, l.worth})
		}
		v.Forward = append(v.Forward, candidate(l.Link, score))
	}
	if len(p.Samples) == 0 || len(p.Children) == 0 {
		return
	}
	p.Born = s.born
	s.remember(page, &p)
	v.Notes = append(v.Notes, s.note(page))
	if len(s.pages) > maxSampling {
		page = s.oldest()
		s.forget(page)
		v.Notes = append(v.Notes, s.note(page))
	}
}

// oldest returns the page that has been sampled for longest. Most likely its
// samples will not come: they were fetched before, or failed.
func (s *backAndForward) oldest() string {
	oldest, born := "", s.born
	for page, p := range s.pages {
		if p.Born < born {
			oldest, born = page, p.Born
		}
	}
	return oldest
}

// conclude ends or advances the sampling of the pages that a was a sample of.
// Links of a page that failed stay parked: another page may still raise them.
func (s *backAndForward) conclude(a crawler.Arrival, v *crawler.Verdict, call bool) {
	hit := call || v.PageType == "cfp" || v.PageType == "conference" || v.PageType == list
	pages := s.sampler[a.Lease.URL]
	delete(s.sampler, a.Lease.URL)
	slices.Sort(pages) // the same order after a resume
	for _, page := range pages {
		p := s.pages[page]
		if p == nil {
			continue
		}
		p.Samples = slices.DeleteFunc(p.Samples, func(u string) bool { return u == a.Lease.URL })
		if hit {
			for _, c := range p.Children {
				l := webgraph.Link{Source: page, Target: c.URL, Anchor: c.Anchor}
				v.Forward = append(v.Forward, candidate(l, scoreSample+0.3*c.Worth))
			}
		}
		if hit || len(p.Samples) == 0 {
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

// note keeps what is known of a page being sampled, or forgets the page.
func (s *backAndForward) note(page string) crawler.Note {
	n := crawler.Note{Key: "sampled/" + page}
	if p := s.pages[page]; p != nil {
		n.Value, _ = json.Marshal(p) // strings and finite numbers always encode
	}
	return n
}

// Recall takes up where an interrupted crawl left off.
func (s *backAndForward) Recall(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, n := range notes {
		kind, name, _ := strings.Cut(n.Key, "/")
		switch kind {
		case "asked":
			s.asked[name] = true
		case "cited":
			var count int
			if _, err := fmt.Sscan(string(n.Value), &count); err != nil {
				return fmt.Errorf("recall %s: %w", n.Key, err)
			}
			s.cited[name] = count
		case "sampled":
			var p sampled
			if err := json.Unmarshal(n.Value, &p); err != nil {
				return fmt.Errorf("recall %s: %w", n.Key, err)
			}
			s.remember(name, &p)
		}
	}
	return nil
}
