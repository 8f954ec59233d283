package strategy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"eventseer/crawler"
	"eventseer/crawler/strategy/internal/part"
	"eventseer/features/tagtree"
)

// sharkSearch is the shark-search algorithm (Hersovici, Jacovi, Maarek, Pelleg,
// Shtalhaim and Ur 1998, figure 2) with cosines to the topic for the similarity
// to a query:
//
//	inherited     = δ · cos(page), or δ · what the page inherited if cos(page) = 0
//	neighbourhood = β · cos(anchor) + (1−β) · context
//	context       = 1 if cos(anchor) > 0, else cos(text around the link)
//	score         = γ · inherited + (1−γ) · neighbourhood
//
// What a page hands down is remembered of the last maxHeirs pages; the links of
// a page whose parent is forgotten inherit nothing unless it is on the topic.
type sharkSearch struct {
	judge part.Judge
	topic part.Topic
	focus part.Focus

	mu     sync.Mutex
	legacy *part.Recent[float64] // page → what its links inherit
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
	if p.Judge == nil {
		return nil, part.ErrNoJudge
	}
	if p.Topic == nil {
		return nil, errors.New("shark-search needs a topic model")
	}
	return &sharkSearch{judge: p.Judge, topic: p.Topic, focus: p.Focus, legacy: part.NewRecent[float64](maxHeirs)}, nil
}

// Visit proposes all links of a page by what they inherit and what is said
// around them.
func (s *sharkSearch) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := part.Judged(s.judge, s.focus, a)
	if a.Tree == nil {
		return v, nil
	}
	inherited := s.inherit(a, &v)
	cosine := cosines(s.topic)
	for i, l := range a.Tree.Links() {
		anchor, context := cosine(l.Anchor), 1.0
		if anchor == 0 {
			context = cosine(surroundings(a.Tree, i))
		}
		c := part.Candidate(l, sharkInherit*inherited+(1-sharkInherit)*(sharkAnchor*anchor+(1-sharkAnchor)*context))
		c.Why = part.Why("inherits %.2f, anchor %.2f, context %.2f", inherited, anchor, context)
		v.Forward = append(v.Forward, c)
	}
	part.Steer(s.focus, &v)
	return v, nil
}

// inherit returns what the links of a page inherit, and remembers it.
func (s *sharkSearch) inherit(a crawler.Arrival, v *crawler.Verdict) float64 {
	page := part.Unit(s.topic.PageCosine(a.Tree))
	s.mu.Lock()
	defer s.mu.Unlock()
	if page == 0 {
		page, _ = s.legacy.Get(a.Lease.Parent)
	}
	inherited := sharkDecay * page
	forgotten := s.legacy.Put(a.URL(), inherited)
	v.Notes = append(v.Notes, crawler.Note{Key: heirNote + a.URL(), Value: fmt.Appendf(nil, "%d %v", s.legacy.Last, inherited)})
	if forgotten != "" {
		v.Notes = append(v.Notes, crawler.Note{Key: heirNote + forgotten})
	}
	return inherited
}

const heirNote = "heirs/"

// Recall takes up where an interrupted crawl left off.
func (s *sharkSearch) Recall(notes []crawler.Note) error {
	var heirs []part.Dated[float64]
	for _, n := range notes {
		page, ok := strings.CutPrefix(n.Key, heirNote)
		if !ok {
			continue
		}
		d := part.Dated[float64]{Name: page}
		if _, err := fmt.Sscan(string(n.Value), &d.At, &d.Value); err != nil {
			return fmt.Errorf("recall %s: %w", n.Key, err)
		}
		d.Value = part.Unit(d.Value)
		heirs = append(heirs, d)
	}
	slices.SortFunc(heirs, func(a, b part.Dated[float64]) int { return cmp.Compare(a.At, b.At) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.legacy.Restore(heirs)
	return nil
}

// surroundings is the text around the link Tree.Links()[i].
func surroundings(t *tagtree.Tree, i int) string {
	p := t.Place(i)
	return p.Before + " " + p.After
}

// cosines returns the topic's cosine of texts, each text of a page read once.
func cosines(topic part.Topic) func(string) float64 {
	known := map[string]float64{}
	return func(text string) float64 {
		x, ok := known[text]
		if !ok {
			x = part.Unit(topic.TextCosine(text))
			known[text] = x
		}
		return x
	}
}
