package monitor

import (
	"context"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
)

// maxSurvivors is the number of new links of a source that are followed after one visit.
const maxSurvivors = 200

// Scores of the monitor's links in a frontier. They are above those of a crawl, so that with
// frontier.Options.Floor only they are leased.
const (
	Floor         = 1.5 * crawler.MaxScore
	discoverScore = 1.75 * crawler.MaxScore // minimum score: the new links of sources come first
)

// A Strategy is the strategy of a monitor's visits: the judgement of Judge, with the new links of
// sources instead of its links. Pages of events are always passed to the sink, which thus gets each
// new version; links of other pages are not followed.
type Strategy struct {
	DB    *DB
	Judge crawler.Strategy
	// Discover selects the new links. Nil means AllNew.
	Discover Discoverer
}

var _ crawler.Strategy = (*Strategy)(nil)

// Visit implements crawler.Strategy.
func (s *Strategy) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, err := s.Judge.Visit(ctx, a)
	v.Forward, v.Rescore, v.Drop, v.Back, v.Backward, v.Notes = nil, nil, nil, 0, nil, nil
	if err != nil || a.Tree == nil {
		return v, err
	}
	source, known, err := (&Recorder{DB: s.DB}).sourceOf(a)
	if err != nil || !known {
		return v, err
	}
	if source.Kind == Event {
		v.Related = !v.Target
		return v, nil
	}
	v.Forward, err = s.discoverLinks(source, a)
	return v, err
}

func (s *Strategy) discoverLinks(source Source, a crawler.Arrival) ([]crawler.Candidate, error) {
	old, err := s.versionBeforeVisit(source, a.Lease)
	if err != nil {
		return nil, err
	}
	y, err := s.DB.LinkResults(source.URL)
	if err != nil {
		return nil, err
	}
	d := s.Discover
	if d == nil {
		d = AllNew{}
	}
	survivors := d.Discover(old, a.Tree, Known{Source: source.URL, Kind: source.Kind, Gave: y.Links, Vain: y.Vain, Words: s.DB.Words()})
	var cs []crawler.Candidate
	for _, l := range survivors[:min(len(survivors), maxSurvivors)] {
		cs = append(cs, crawler.Candidate{
			URL: l.Link.Target, Parent: source.URL, Anchor: l.Link.Anchor, Why: l.Why, Score: discoverScore + max(0, min(l.Score, 1)),
		})
	}
	return cs, nil
}

// versionBeforeVisit returns the version whose links are in the frontier, nil if there is none. It is the last
// version, or the one before if the process was killed before the frontier got the last. Repeating
// it changes nothing.
func (s *Strategy) versionBeforeVisit(source Source, l crawler.Lease) (*tagtree.Tree, error) {
	if l.Digest == source.Digest {
		return s.DB.treeBy(source.URL, maxTime, nil)
	}
	versions, err := s.DB.Versions(source.URL)
	if err != nil {
		return nil, err
	}
	if n := len(versions); n > 0 && versions[n-1].Digest == source.Digest {
		versions = versions[:n-1]
	}
	if len(versions) == 0 {
		return nil, nil
	}
	return s.DB.treeBy(source.URL, versions[len(versions)-1].At, nil)
}
