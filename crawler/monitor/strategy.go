package monitor

import (
	"context"

	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// A Discoverer says which of the links that are new on a source are worth a visit. It is
// pure and safe for concurrent use.
type Discoverer interface {
	// Discover looks at two versions of a source; old is nil at the first visit. Of the
	// links of new that old has not it returns those that survive, best first.
	Discover(old, new *tagtree.Tree, known Known) []Survivor
}

// Known is what is known of a source besides its versions.
type Known struct {
	Source string
	Kind   Kind
	// Gave are links of the source whose pages gave records, the last maxLinks of them,
	// canonical.
	Gave []string
}

// A Survivor is a new link that is worth a visit.
type Survivor struct {
	Link  webgraph.Link
	Score float64 // 0 to 1; higher is visited sooner
	Why   string  // for people
}

// AllNew takes all new links, in the order of the page.
type AllNew struct{}

var _ Discoverer = AllNew{}

// Discover implements Discoverer.
func (AllNew) Discover(old, new *tagtree.Tree, _ Known) []Survivor {
	var all []Survivor
	for _, l := range NewLinks(old, new) {
		all = append(all, Survivor{Link: l, Why: "new on the page"})
	}
	return all
}

// NewLinks returns the links of a version that the one before has not, each target once
// and not the page itself; all where there is none before.
func NewLinks(old, new *tagtree.Tree) []webgraph.Link {
	seen := map[string]bool{new.Page.URL: true}
	if old != nil {
		for _, l := range old.Links() {
			seen[l.Target] = true
		}
	}
	var fresh []webgraph.Link
	for _, l := range new.Links() {
		if !seen[l.Target] {
			seen[l.Target] = true
			fresh = append(fresh, l)
		}
	}
	return fresh
}

// maxSurvivors is how many new links of a source are followed after one visit.
const maxSurvivors = 200

// Scores of the monitor's links in a frontier. They stand above all of a crawl, so that
// with frontier.Options.Floor only they are handed out.
const (
	Floor         = 1.5 * crawler.MaxScore
	discoverScore = 1.75 * crawler.MaxScore // and up: the new links of sources come first
)

// A Strategy is that of a monitor's visits: what Judge says of a page, with the new links
// of sources instead of its own. Pages of events always go to the sink, which so sees each
// new version; of pages that are no sources no link is followed.
type Strategy struct {
	DB    *DB
	Judge crawler.Strategy
	// Discover picks the new links. Nil means AllNew.
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
	v.Forward, err = s.discover(source, a.Tree)
	return v, err
}

func (s *Strategy) discover(source Source, tree *tagtree.Tree) ([]crawler.Candidate, error) {
	old, err := lastTree(s.DB, source.URL, nil)
	if err != nil {
		return nil, err
	}
	y, err := s.DB.Yielded(source.URL)
	if err != nil {
		return nil, err
	}
	d := s.Discover
	if d == nil {
		d = AllNew{}
	}
	survivors := d.Discover(old, tree, Known{Source: source.URL, Kind: source.Kind, Gave: y.Links})
	var cs []crawler.Candidate
	for _, l := range survivors[:min(len(survivors), maxSurvivors)] {
		cs = append(cs, crawler.Candidate{
			URL: l.Link.Target, Parent: source.URL, Anchor: l.Link.Anchor, Why: l.Why, Score: discoverScore + max(0, min(l.Score, 1)),
		})
	}
	return cs, nil
}
