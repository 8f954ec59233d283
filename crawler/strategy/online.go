package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/webgraph"
)

// onlineLearner is the adaptive crawler of Barbosa and Freire (2007), "An adaptive crawler for locating
// hidden-web entry points", as implemented in ACHE. During the crawl it trains a link classifier on
// the links followed and their results, and scores the waiting ones. The features of a link are the
// words of its address, of its anchor and of the text around it.
//
// It goes back as ACHE's bipartite crawling does (Barbosa, Bangalore and Rangarajan Sridhar 2011):
// it requests the backlinks of a call, and a separate classifier learns which of those pages are
// hubs. On the frozen web this finds 1.4 times as much as following links alone. Two differences
// improve it: ACHE follows only links of hubs and all of them before the next hub, here both kinds
// of links are ordered together by probability; ACHE follows links of relevant pages only, or of
// all (hard and soft focus), here of all.
//
// Further differences from ACHE's source: its examples are balanced by class, here all are used; it
// retrains after 500 pages, here after learningLimit.
//
// Until there is both a call and another page to learn from, the score of a link is the relevance
// of its page (ACHE's baseline). Variants are
//
//   - online-levels, ACHE's LEVELS: classes by the number of links to a call.
//   - online-warm, which begins with the trained link model, and later uses the mean of it and the learned one.
//   - q-learning after Rennie and McCallum (1999), "Using reinforcement learning to spider the web
//     efficiently": the score of a link is its Q-value, the discounted reward of following the best links
//     from it, estimated by a classifier of bins of Q-values whose values are averaged by their
//     probabilities. Bins are here those of online-levels: discount to the power of the links to the nearest
//     call. Two things differ: they train on whole sites known beforehand, here it learns while it crawls;
//     they use naive Bayes, here Parts.Learner. Like theirs it never goes back.
type onlineLearner struct {
	part.Parts
	kind onlineKind

	mu       sync.Mutex // guards below
	waiting  *waitingLinks
	examples *examples
	asked    askedSites // sites whose backlinks were requested
	state    onlineState
}

// onlineState is the result of training.
type onlineState struct {
	Links *linkClassifier // of links of pages; nil until trained
	Hubs  *linkClassifier // of backlinks; nil until trained
	// Trained is the number of pages learned from at the last training.
	Trained int
	// Cursor and End are the present position and the end of rescoring among the waiting links.
	// Links found after training have their scores.
	Cursor, End int
}

var (
	_ crawler.Rememberer = (*onlineLearner)(nil)
	_ crawler.Ranker     = (*onlineLearner)(nil)
)

// The classifiers are trained again after learningLimit pages, or after a tenth of all pages if
// that is more. With ACHE's limit of 500, a fifth fewer calls are found in 1,000 pages.
const (
	learningLimit = 25
	learningShare = 10
)

// maxRescored bounds the waiting links rescored with one page.
const maxRescored = crawler.DefaultMaxForward

// An onlineKind selects one of the strategies above.
type onlineKind struct {
	levels   bool // classes by the distance to a call
	expected bool // the score of a link is the mean of the values of its classes
	warm     bool // the link model is used too
	forward  bool // backlinks are not requested
}

// discount is the factor on a reward one link farther away; Rennie and McCallum use 0.5.
const discount = 0.5

func newOnline(p part.Parts) (crawler.Strategy, error) { return newOnlineLearner(p, onlineKind{}) }
func newOnlineLevels(p part.Parts) (crawler.Strategy, error) {
	return newOnlineLearner(p, onlineKind{levels: true})
}
func newOnlineWarm(p part.Parts) (crawler.Strategy, error) {
	if p.Links == nil {
		return nil, errNoLinkModel
	}
	return newOnlineLearner(p, onlineKind{warm: true})
}
func newQLearning(p part.Parts) (crawler.Strategy, error) {
	return newOnlineLearner(p, onlineKind{levels: true, expected: true, forward: true})
}

func newOnlineLearner(p part.Parts, kind onlineKind) (crawler.Strategy, error) {
	if p.Learner == nil {
		return nil, errors.New("an online strategy needs a learner")
	}
	return &onlineLearner{
		Parts: p, kind: kind,
		waiting: newWaitingLinks(), examples: newExamples(), asked: askedSites{},
	}, nil
}

// Visit learns from the link that was followed, and scores the links of its page.
func (s *onlineLearner) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	var links []neighborhood
	if a.Tree != nil {
		links = neighborhoods(a.Tree)
		if s.kind.warm {
			scores := s.Links.LinkProbabilities(a.Tree)
			for i := range links[:min(len(links), len(scores))] {
				links[i].model = part.ClampUnit(scores[i])
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.learnFromLink(ctx, a, &v, s.IsSuccess(s.Value(a, &v, call))); err != nil {
		return crawler.Verdict{}, err
	}
	s.scoreLinks(&v, links)
	if call && !s.kind.forward {
		s.requestBacklinks(&v, part.Site(a.URL()))
	}
	s.rescoreWaiting(&v)
	return v, nil
}

// learnFromLink makes a training example of the link that led to a page, and trains when it is time. success
// is that of part.Parts.IsSuccess.
func (s *onlineLearner) learnFromLink(ctx context.Context, a crawler.Arrival, v *crawler.Verdict, success bool) error {
	l, ok := s.waiting.takeLink(a.Lease.URL, &v.Notes)
	if !ok && a.Tree == nil {
		return nil // nothing was followed
	}
	s.examples.addExample(a, l, success, &v.Notes)
	seen := s.examples.nextIndex()
	if seen-s.state.Trained < max(learningLimit, seen/learningShare) {
		return nil
	}
	links, hubs, err := s.examples.trainClassifiers(ctx, s.Learner, s.kind.levels)
	if err != nil {
		return fmt.Errorf("train the link classifier: %w", err)
	}
	s.state = onlineState{links, hubs, seen, s.waiting.first, s.waiting.nextIndex()}
	v.Notes = append(v.Notes, part.NoteOf("state/", s.state))
	return nil
}

// scoreLinks scores the links of a page that were not followed yet. A link found before keeps its
// position and gets the words of both.
func (s *onlineLearner) scoreLinks(v *crawler.Verdict, links []neighborhood) {
	prior := part.FormatWhy("online: not trained yet, its page scores %.2f", v.Relevance)
	if s.kind.warm {
		prior = "online: not trained yet, the link model scores it"
	}
	for _, n := range links {
		if s.examples.containsPage(n.link.Target) {
			continue
		}
		c := part.Candidate(n.link, v.Relevance, prior)
		l := s.waiting.addLink(n.link.Target, waitingLink{
			Words: componentIndexes(n.words), Share: s.LinkTopicFactor(v.TopicScore, n.link.Anchor), Model: n.model,
		}, &v.Notes)
		if s.kind.warm {
			c.Score = l.Model
		}
		if m := s.state.Links; m != nil {
			c.Score = s.linkScore(m, l)
			c.Why = part.FormatWhy("online: p=%.2f%s", c.Score, m.describeReason(n.words))
		}
		c.Score *= l.Share
		v.Forward = append(v.Forward, c)
	}
	v.Notes = append(v.Notes, s.nextNumberNote()...)
}

// nextNumberNote stores the number of the next link to be found.
func (s *onlineLearner) nextNumberNote() []crawler.Note {
	if s.waiting.nextIndex() == 0 {
		return nil
	}
	return []crawler.Note{part.NoteOf("next/", s.waiting.nextIndex())}
}

// requestBacklinks requests the backlinks of a call, once per site.
func (s *onlineLearner) requestBacklinks(v *crawler.Verdict, here string) {
	if !s.asked.askSiteOnce(v, here) {
		return
	}
	of := *v
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) { return s.Rank("", of, links) }
}

// Rank scores backlinks as likely hubs, or before training by the page to which they link.
func (s *onlineLearner) Rank(_ string, v crawler.Verdict, links []webgraph.Link) (cs []crawler.Candidate, notes []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range links {
		if s.examples.containsPage(l.Source) {
			continue
		}
		words := hubWords(l)
		c := crawler.Candidate{URL: l.Source, Anchor: l.Anchor, Score: v.Relevance, Why: part.FormatWhy("online: links to a call, not trained yet")}
		w := s.waiting.addLink(l.Source, waitingLink{Words: componentIndexes(words), Hub: true, Share: s.TopicFactor(v.TopicScore)}, &notes)
		if m := s.classifierFor(w); m != nil {
			c.Score = s.linkScore(m, w)
			c.Why = part.FormatWhy("online: a hub with p=%.2f%s", c.Score, m.describeReason(words))
		}
		c.Score *= w.Share
		cs = append(cs, c)
	}
	return cs, append(notes, s.nextNumberNote()...)
}

// classifierFor returns the classifier for a link, nil if there is none yet.
func (s *onlineLearner) classifierFor(l waitingLink) *linkClassifier {
	if l.Hub {
		return s.state.Hubs
	}
	return s.state.Links
}

// linkScore returns the score of a link by a classifier, depending on the strategy.
func (s *onlineLearner) linkScore(m *linkClassifier, l waitingLink) float64 {
	switch {
	case s.kind.expected && !l.Hub:
		return m.expectedValue(l.Words)
	case s.kind.warm && !l.Hub:
		return (m.bestProbability(l.Words) + l.Model) / 2
	}
	return m.bestProbability(l.Words)
}

// rescoreWaiting continues scoring the links that were waiting when the classifiers were trained.
func (s *onlineLearner) rescoreWaiting(v *crawler.Verdict) {
	if s.state.Cursor >= s.state.End {
		return
	}
	for ; s.state.Cursor < s.state.End && len(v.Rescore) < maxRescored; s.state.Cursor++ {
		url, l, ok := s.waiting.linkAt(s.state.Cursor)
		if !ok {
			continue
		}
		if m := s.classifierFor(l); m != nil {
			score := s.linkScore(m, l)
			v.Rescore = append(v.Rescore, crawler.Candidate{URL: url, Score: l.Share * score, Why: part.FormatWhy("online: p=%.2f after %d pages", score, s.state.Trained)})
		}
	}
	v.Notes = append(v.Notes, part.NoteOf("cursor/", s.state.Cursor))
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *onlineLearner) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var cursor, next int
	err := s.RecallNotes(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "asked":
			s.asked[name] = true
		case "waiting":
			return s.waiting.restoreLink(name, value)
		case "example":
			return s.examples.restoreExample(value)
		case "state":
			return json.Unmarshal(value, &s.state)
		case "cursor":
			return json.Unmarshal(value, &cursor)
		case "next":
			return json.Unmarshal(value, &next)
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.waiting.sortRestored(next)
	s.examples.sortRestored()
	s.state.Cursor = max(cursor, s.state.Cursor, s.waiting.first)
	s.state.End = min(s.state.End, s.waiting.nextIndex())
	return nil
}
