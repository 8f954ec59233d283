package classify

import (
	"fmt"
	"sync"
	"time"

	"github.com/eventseer/eventseer/features"
)

const (
	// shadowSlack is how much longer than the judge a Shadow may have taken in total.
	shadowSlack = 250 * time.Millisecond
	// maxShadowPanics is the number of panics after which a Shadow judges no more pages.
	maxShadowPanics = 10
)

// A Shadow lets a second model judge the pages that a Judge judges. It never changes the judgements of the
// Judge. Its cost is bounded: while it has taken longer in total than the judge, it skips pages; a panic
// skips one page, and after maxShadowPanics of them it skips all. It is safe for concurrent use.
type Shadow struct {
	model  *Model
	now    func() time.Time
	record func(Difference)
	scores func(*features.Document) []float64

	mu    sync.Mutex // guards below
	tally ShadowTally
}

// A Difference is a page that a shadow model puts into another class than the model in use.
type Difference struct {
	URL         string  `json:"url"`
	Used        string  `json:"used"`         // class by the model in use
	UsedScore   float64 `json:"used_score"`   // probability of that class by the model in use
	Shadow      string  `json:"shadow"`       // class by the shadow model
	ShadowScore float64 `json:"shadow_score"` // probability of that class by the shadow model
}

// A ShadowTally counts the work of a Shadow.
type ShadowTally struct {
	Judged  int           `json:"judged"`
	Differ  int           `json:"differ"`
	Skipped int           `json:"skipped"` // to bound the cost, or after panics
	Panics  int           `json:"panics"`
	Took    time.Duration `json:"took"`      // nanoseconds of the shadow model
	Used    time.Duration `json:"used_took"` // nanoseconds of the judge for all pages
	Panic   string        `json:"panic,omitempty"`
}

// Add returns the sum of two tallies, with the last panic of b if it has one.
func (t ShadowTally) Add(b ShadowTally) ShadowTally {
	t.Judged, t.Differ, t.Skipped, t.Panics = t.Judged+b.Judged, t.Differ+b.Differ, t.Skipped+b.Skipped, t.Panics+b.Panics
	t.Took, t.Used = t.Took+b.Took, t.Used+b.Used
	if b.Panic != "" {
		t.Panic = b.Panic
	}
	return t
}

// NewShadow returns a Shadow of a model of task cfp or page-type. now is the clock that its cost is
// measured by; record is called for each difference, one at a time.
func NewShadow(m *Model, now func() time.Time, record func(Difference)) (*Shadow, error) {
	if m.Task != TaskCFP && m.Task != TaskPageType {
		return nil, fmt.Errorf("%w: a shadow model judges pages, so it is of task %s or %s, not %s; compare others with `eventseer eval compare` or `eventseer lab run`", ErrIncompatible, TaskCFP, TaskPageType, m.Task)
	}
	return &Shadow{model: m, now: now, record: record, scores: m.Scores}, nil
}

// Task returns the task of the shadow model.
func (s *Shadow) Task() string { return s.model.Task }

// Tally returns what was counted so far.
func (s *Shadow) Tally() ShadowTally {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally
}

// judgePage returns the judgement of j, and has the shadow model judge the page too.
func (s *Shadow) judgePage(j *Judge, url string, d *features.Document) Judgement {
	begun := s.now()
	said := j.JudgeDocument(d)
	took := s.now().Sub(begun)
	s.mu.Lock()
	s.tally.Used += took
	skip := s.tally.Took > s.tally.Used+shadowSlack || s.tally.Panics >= maxShadowPanics
	if skip {
		s.tally.Skipped++
	}
	s.mu.Unlock()
	if !skip {
		s.judgeAndCompare(j, said, url, d)
	}
	return said
}

// judgeAndCompare has the shadow model judge a page, and counts and records the result.
func (s *Shadow) judgeAndCompare(j *Judge, said Judgement, url string, d *features.Document) {
	begun := s.now()
	scores, panicked := s.scoresOrPanic(d)
	took := s.now().Sub(begun)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tally.Took += took
	if panicked != "" {
		s.tally.Panics, s.tally.Panic = s.tally.Panics+1, panicked
		return
	}
	s.tally.Judged++
	class := s.model.Class(scores)
	diff := Difference{URL: url, Shadow: s.model.Classes[class], ShadowScore: scores[class]}
	if s.model.Task == TaskPageType {
		diff.Used, diff.UsedScore = said.PageType, said.PageTypeScores[said.PageType]
	} else {
		diff.Used, diff.UsedScore = j.cfp.Classes[0], 1-said.CFPScore
		if said.IsCFP {
			diff.Used, diff.UsedScore = j.cfp.Classes[1], said.CFPScore
		}
	}
	if diff.Used != diff.Shadow {
		s.tally.Differ++
		s.record(diff)
	}
}

// scoresOrPanic returns the scores of the shadow model, or what it panicked with.
func (s *Shadow) scoresOrPanic(d *features.Document) (scores []float64, panicked string) {
	defer func() {
		if r := recover(); r != nil {
			panicked = fmt.Sprint(r)
		}
	}()
	return s.scores(d), ""
}
