package strategy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
)

// bestN is best-N-first search (Pant, Srinivasan and Menczer 2002; TOIT 2004, section 3). It fetches the N
// best links at once, and the links on their pages compete only for the next N. So a page with many promising
// links does not block all others: N = 1 is best-first, a large N explores.
//
// A frontier always leases the best link, so the N are raised above all others; the next are raised
// when all of them were fetched, or when the frontier leases another link because the rest were
// duplicates, failed, or wait for their hosts.
type bestN struct {
	bestFirst
	n int

	mu      sync.Mutex               // guards below
	born    uint64                   // number of links ever added to waiting
	waiting map[string]competingLink // links that compete for the next batch
	batch   map[string]bool          // links raised and not yet fetched
	taken   *part.Recent[struct{}]   // links that came
}

// competingLink is a waiting link.
type competingLink struct {
	Score float64
	Born  uint64 // order among links of equal score
}

var _ crawler.Rememberer = (*bestN)(nil)

const (
	// maxWaiting is the maximum number of links that compete. Others are only in the frontier and
	// are leased when no better ones are left.
	maxWaiting = 20_000
	maxTaken   = 100_000
	// raised is added to the score of links of the batch: they come before all others.
	raised = 2
)

// newBestN returns the maker of best-N-first.
func newBestN(n int) func(part.Parts) (crawler.Strategy, error) {
	return func(p part.Parts) (crawler.Strategy, error) {
		if _, err := newBestFirst(p); err != nil {
			return nil, err
		}
		return &bestN{
			bestFirst: bestFirst{p}, n: n,
			waiting: map[string]competingLink{}, batch: map[string]bool{}, taken: part.NewRecent[struct{}](maxTaken),
		}, nil
	}
}

// Visit proposes all links with their cosine, and raises the N best waiting links when a batch was
// fetched.
func (s *bestN) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, err := s.bestFirst.Visit(ctx, a)
	if err != nil {
		return v, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteArrival(a.Lease.URL, &v)
	if url := a.URL(); url != a.Lease.URL {
		s.noteArrival(url, &v)
	}
	for _, c := range v.Forward {
		s.addWaiting(c, &v)
	}
	if len(s.waiting) > maxWaiting {
		for _, url := range s.bestWaiting()[maxWaiting*3/4:] {
			delete(s.waiting, url)
			s.stateNote(url, &v)
		}
	}
	inside := a.Lease.How == crawler.Seed || a.Lease.Score >= raised
	if !inside || len(s.batch) == 0 && a.Lease.How != crawler.Seed {
		s.raiseBest(&v)
	}
	return v, nil
}

// noteArrival records that a link was fetched.
func (s *bestN) noteArrival(url string, v *crawler.Verdict) {
	if url == "" {
		return
	}
	delete(s.waiting, url)
	delete(s.batch, url)
	if forgotten := s.taken.Put(url, struct{}{}); forgotten != "" {
		s.stateNote(forgotten, v)
	}
	s.stateNote(url, v)
}

// addWaiting adds a link to those that compete for the next batch.
func (s *bestN) addWaiting(c crawler.Candidate, v *crawler.Verdict) {
	w, waits := s.waiting[c.URL]
	if _, taken := s.taken.Get(c.URL); taken || s.batch[c.URL] || waits && w.Score >= c.Score {
		return
	}
	if !waits {
		s.born++
		w.Born = s.born
	}
	w.Score = c.Score
	s.waiting[c.URL] = w
	s.stateNote(c.URL, v)
}

// raiseBest makes the N best waiting links the next batch. The remaining links of the last batch were fetched
// under another URL, or wait for their hosts.
func (s *bestN) raiseBest(v *crawler.Verdict) {
	left := make([]string, 0, len(s.batch))
	for url := range s.batch {
		left = append(left, url)
	}
	slices.Sort(left)
	for _, url := range left {
		s.noteArrival(url, v)
	}
	urls := s.bestWaiting()
	for _, url := range urls[:min(s.n, len(urls))] {
		c := crawler.Candidate{URL: url, Score: raised + s.waiting[url].Score}
		c.Why = part.FormatWhy("one of the best %d when they were chosen, cosine %.2f", s.n, s.waiting[url].Score)
		v.Rescore = append(v.Rescore, c)
		delete(s.waiting, url)
		s.batch[url] = true
		s.stateNote(url, v)
	}
}

// bestWaiting returns the links that wait, best first.
func (s *bestN) bestWaiting() []string {
	urls := make([]string, 0, len(s.waiting))
	for url := range s.waiting {
		urls = append(urls, url)
	}
	slices.SortFunc(urls, func(x, y string) int {
		a, b := s.waiting[x], s.waiting[y]
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Born, b.Born))
	})
	return urls
}

const bestNote = "best" // kind of a note

// bestState is the stored state of a link.
type bestState struct {
	Waiting *competingLink `json:",omitempty"`
	Batch   bool           `json:",omitempty"`
	Taken   uint64         `json:",omitempty"` // when it came
}

// stateNote stores the state of a link, or deletes it.
func (s *bestN) stateNote(url string, v *crawler.Verdict) {
	state := bestState{Batch: s.batch[url]}
	if w, ok := s.waiting[url]; ok {
		state.Waiting = &w
	}
	if e := s.taken.Known[url]; e != nil {
		state.Taken = e.Value.(*part.NumberedValue[struct{}]).At
	}
	n := crawler.Note{Key: bestNote + "/" + url}
	if state != (bestState{}) {
		n = part.NoteOf(n.Key, state)
	}
	v.Notes = append(v.Notes, n)
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *bestN) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var taken []part.NumberedValue[struct{}]
	err := s.RecallNotes(notes, func(kind, url string, value []byte) error {
		if kind != bestNote {
			return nil
		}
		var state bestState
		if err := json.Unmarshal(value, &state); err != nil {
			return err
		}
		if state.Waiting != nil {
			s.waiting[url] = *state.Waiting
			s.born = max(s.born, state.Waiting.Born)
		}
		if state.Batch {
			s.batch[url] = true
		}
		if state.Taken > 0 {
			taken = append(taken, part.NumberedValue[struct{}]{Name: url, At: state.Taken})
		}
		return nil
	})
	s.taken.Restore(taken)
	return err
}

// bestFirst is naive best-first search (Menczer, Pant and Srinivasan 2004). The score of a link is
// half the cosine of its page plus half the cosine of its anchor text with the centroid of known
// calls.
type bestFirst struct{ part.Parts }

var _ crawler.Strategy = (*bestFirst)(nil)

func newBestFirst(p part.Parts) (crawler.Strategy, error) {
	if p.Topic == nil {
		return nil, errors.New("best-first needs a topic model")
	}
	return &bestFirst{p}, nil
}

// Visit proposes all links by cosine.
func (s *bestFirst) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, _ := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	page, cosine := part.ClampUnit(s.Topic.PageCosine(a.Tree)), cachedCosines(s.Topic)
	for _, l := range a.Tree.Links() {
		anchor := cosine(l.Anchor)
		why := part.FormatWhy("cosine of the page %.2f, of the anchor %.2f", page, anchor)
		v.Forward = append(v.Forward, part.Candidate(l, 0.5*page+0.5*anchor, why))
	}
	s.WeightByTopic(&v)
	return v, nil
}
