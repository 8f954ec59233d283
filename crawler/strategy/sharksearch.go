package strategy

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features/tagtree"
)

// sharkSearch is the shark-search algorithm (Hersovici, Jacovi, Maarek, Pelleg, Shtalhaim and Ur
// 1998, figure 2). Cosines to the topic replace the similarity to a query:
//
//	inherited     = δ · cos(page), or δ · what the page inherited if cos(page) = 0
//	neighbourhood = β · cos(anchor) + (1−β) · context
//	context       = 1 if cos(anchor) > 0, else cos(text around the link)
//	score         = γ · inherited + (1−γ) · neighbourhood
//
// The inherited value is stored for the last maxHeirs pages. If that of the parent is lost, the
// links of a page inherit nothing unless it is on the topic.
type sharkSearch struct {
	part.Parts

	mu     sync.Mutex
	legacy *part.Recent[float64] // page → inherited value of its links
}

var _ crawler.Rememberer = (*sharkSearch)(nil)

// The constants of the algorithm, as its authors set them.
const (
	sharkDecay   = 0.5 // δ
	sharkAnchor  = 0.8 // β
	sharkInherit = 0.5 // γ

	maxHeirs = 50_000 // pages remembered
)

func newSharkSearch(p part.Parts) (crawler.Strategy, error) {
	if p.Topic == nil {
		return nil, errors.New("shark-search needs a topic model")
	}
	return &sharkSearch{Parts: p, legacy: part.NewRecent[float64](maxHeirs)}, nil
}

// Visit proposes all links of a page with scores from inheritance and neighbourhood.
func (s *sharkSearch) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	inherited := s.inheritedScore(a, &v)
	cosine := cachedCosines(s.Topic)
	for i, l := range a.Tree.Links() {
		anchor, context := cosine(l.Anchor), 1.0
		if anchor == 0 {
			context = cosine(textAround(a.Tree, i))
		}
		score := sharkInherit*inherited + (1-sharkInherit)*(sharkAnchor*anchor+(1-sharkAnchor)*context)
		v.Forward = append(v.Forward, part.Candidate(l, score, part.FormatWhy("inherits %.2f, anchor %.2f, context %.2f", inherited, anchor, context)))
	}
	s.WeightByTopic(&v)
	return v, nil
}

// inheritedScore returns the inherited value of a page's links, and stores it.
func (s *sharkSearch) inheritedScore(a crawler.Arrival, v *crawler.Verdict) float64 {
	page := part.ClampUnit(s.Topic.PageCosine(a.Tree))
	s.mu.Lock()
	defer s.mu.Unlock()
	if page == 0 {
		page, _ = s.legacy.Get(a.Lease.Parent)
	}
	inherited := sharkDecay * page
	forgotten := s.legacy.Put(a.URL(), inherited)
	v.Notes = append(v.Notes, crawler.Note{Key: heirNote + "/" + a.URL(), Value: fmt.Appendf(nil, "%d %v", s.legacy.Last, inherited)})
	if forgotten != "" {
		v.Notes = append(v.Notes, crawler.Note{Key: heirNote + "/" + forgotten})
	}
	return inherited
}

const heirNote = "heirs"

// RestoreNotes restores the state of an interrupted crawl.
func (s *sharkSearch) RestoreNotes(notes []crawler.Note) error {
	var heirs []part.NumberedValue[float64]
	err := s.RecallNotes(notes, func(kind, page string, value []byte) error {
		if kind != heirNote {
			return nil
		}
		d := part.NumberedValue[float64]{Name: page}
		_, err := fmt.Sscan(string(value), &d.At, &d.Value)
		d.Value = part.ClampUnit(d.Value)
		heirs = append(heirs, d)
		return err
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legacy.Restore(heirs)
	return err
}

// textAround returns the text around the link Tree.Links()[i].
func textAround(t *tagtree.Tree, i int) string {
	p := t.LinkPlace(i)
	return p.Before + " " + p.After
}

// cachedCosines returns the topic's cosine of texts, each text of a page read once.
func cachedCosines(topic part.Topic) func(string) float64 {
	known := map[string]float64{}
	return func(text string) float64 {
		x, ok := known[text]
		if !ok {
			x = part.ClampUnit(topic.TextCosine(text))
			known[text] = x
		}
		return x
	}
}
