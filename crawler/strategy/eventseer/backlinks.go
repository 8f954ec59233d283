package eventseer

import (
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/webgraph"
)

// A backlinkValue measures the value of backlink queries: the expected finds per page that the returned sources
// promised, including the cost of the call. Like every waiting link, a query competes for the budget.
type backlinkValue struct{ Answers part.Outcomes }

// Of questions for backlinks.
const (
	mostBacklinks = 20  // requested per site
	firstAnswers  = 10  // number of answers in the prior mean firstAnswer
	firstAnswer   = 0.5 // prior value of a query
	answersFade   = 0.98
	leastOfTop    = 0.3 // share of the score of the best waiting links that a query must reach
	callsAsked    = 1.3 // mean number of calls per query: some need a second scope
)

func newBacklinkValue() backlinkValue {
	return backlinkValue{part.Outcomes{N: firstAnswers, Sum: firstAnswers * firstAnswer}}
}

// requestBacklinks requests the backlinks of a call, once per site, if their value exceeds the cost. A site
// without a query may get one later, when its next call is found.
func (s *eventSeer) requestBacklinks(v *crawler.Verdict, p *pageView) {
	a := s.sites[p.site]
	if s.without == Backlinks || a == nil || a.Asked || s.backlinkValue.Answers.Mean() < leastOfTop*s.learned.Top {
		return
	}
	a.Asked = true
	v.Notes = append(v.Notes, part.NoteOf("site/"+p.site, a))
	v.Back = mostBacklinks
	url, worth := p.url, p.share
	v.Backward = func(links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.learnFromBacklinks(url, links, worth)
	}
}

// Rank ranks backlinks that were queried later than their page, because the budget did not allow it
// before.
func (s *eventSeer) Rank(url string, v crawler.Verdict, links []webgraph.Link) ([]crawler.Candidate, []crawler.Note) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.learnFromBacklinks(url, links, s.TopicFactor(v.TopicScore))
}

// learnFromBacklinks proposes the sources of backlinks and updates the value of queries. A source found for
// several sites is likely a hub.
func (s *eventSeer) learnFromBacklinks(url string, links []webgraph.Link, worth float64) ([]crawler.Candidate, []crawler.Note) {
	var v crawler.Verdict
	offers := make([]waitingOffer, len(links))
	for i, l := range links {
		if s.cited[l.Source] > 0 || len(s.cited) < maxCited {
			s.cited[l.Source]++
			v.Notes = append(v.Notes, part.NoteOf("cited/"+l.Source, s.cited[l.Source]))
		}
		c := part.LinkEvidenceOf("", l.Source)
		offers[i] = waitingOffer{
			URL: l.Source, Hand: backlinkScore(l.Source, max(1, s.cited[l.Source])), Worth: c.Worth, Model: noModel, Share: worth, Away: true, List: c.List,
		}
	}
	fresh := s.addOffers(&v, backKind+" "+url, &origin{Kind: backKind}, offers)
	var candidates []crawler.Candidate
	var promised []float64
	for _, f := range offers {
		if len(s.pagesOffering(f.URL)) == 0 {
			continue // visited
		}
		c, promise := s.proposal(f.URL)
		if fresh[f.URL] {
			promised = append(promised, promise)
			fresh[f.URL] = false
		}
		candidates = append(candidates, c)
	}
	s.backlinkValue.Answers.Add(s.expectedQueryValue(promised), answersFade)
	return candidates, append(v.Notes, s.learnedNote())
}

// expectedQueryValue returns the expected finds per page of a query, with its calls counted as pages.
func (s *eventSeer) expectedQueryValue(promised []float64) float64 {
	if len(promised) == 0 {
		return 0
	}
	cost := callsAsked * s.CallCost
	if cost == 0 {
		return 1 // free, and with new sources
	}
	return bestRate(0, cost, promised)
}
