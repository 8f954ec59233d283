package train

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify/eval"
)

// A tuner searches for parameters of a recipe that give better results in grouped cross-validation. From
// the best parameters so far it tries neighbours that differ in one setting, in a fixed order, until none
// is better or the time is over.
type tuner struct {
	// limit is the time limit of the search. No trial begins that would exceed it if it took as long as
	// the longest one so far.
	limit time.Duration
	folds int
	seed  uint64
	now   func() time.Time
	logf  func(format string, args ...any)
}

// A trial is a recipe with its measured result.
type trial struct {
	recipe Recipe
	score  float64
}

// A tuningRun is the state of one run of a tuner.
type tuningRun struct {
	tuner
	corpus  *corpus
	folds   []int // of each example
	start   time.Time
	longest time.Duration   // duration of the longest trial so far
	tried   map[string]bool // recipes by their flags
}

// tune returns the best recipe it finds, or r itself if no other is better.
func (t tuner) tune(ctx context.Context, r Recipe, c *corpus) (Recipe, error) {
	folds, err := c.assignFolds(t.folds, t.seed)
	if err != nil {
		return Recipe{}, err
	}
	s := &tuningRun{tuner: t, corpus: c, folds: folds, start: t.now(), tried: map[string]bool{}}
	best, err := s.measureRecipe(ctx, r)
	if err != nil {
		return Recipe{}, err
	}
	for {
		next, err := s.betterNeighbour(ctx, best)
		if err != nil {
			return Recipe{}, err
		}
		if next == nil {
			t.logf("tune: %d trials, best %s", len(s.tried), best.recipe.flags())
			return best.recipe, nil
		}
		best = next
	}
}

// betterNeighbour returns the first neighbour of best with a better result. It returns nil if there is none, or no
// time to find it.
func (s *tuningRun) betterNeighbour(ctx context.Context, best *trial) (*trial, error) {
	for _, asked := range neighbourParameters(best.recipe) {
		asked.Seed = best.recipe.Seed
		r, err := NewRecipe(best.recipe.algorithm.name, best.recipe.task, asked)
		if err != nil || s.tried[r.flags()] {
			continue // an invalid combination, such as a switch that leaves no block
		}
		if s.now().Add(s.longest).Sub(s.start) > s.limit {
			s.logf("tune: time is up")
			return nil, nil
		}
		next, err := s.measureRecipe(ctx, r)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			s.logf("tune: cannot train with %s: %v", r.flags(), err)
			continue
		}
		if next.score > best.score {
			return next, nil
		}
	}
	return nil, nil
}

// measureRecipe measures a recipe: by average precision for two classes, otherwise by macro F1.
func (s *tuningRun) measureRecipe(ctx context.Context, r Recipe) (*trial, error) {
	s.tried[r.flags()] = true
	began := s.now()
	defer func() { s.longest = max(s.longest, s.now().Sub(began)) }()
	cv, err := crossValidate(ctx, r, r.Calibration, s.corpus, s.folds, s.tuner.folds, func(int) {})
	if err != nil {
		return nil, err
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	name := eval.MacroF1
	if len(s.corpus.classes) == 2 {
		name = eval.AveragePrecision
	}
	score, _ := eval.FigureValue(name, len(s.corpus.classes), ps)
	s.logf("tune: %s %.4f with %s", name, score, r.flags())
	return &trial{r, score}, nil
}

// neighbourParameters returns the parameters that differ in one step from those of r, the most promising steps
// first.
func neighbourParameters(r Recipe) []Parameters {
	var list []Parameters
	add := func(change func(s *Parameters)) {
		s := r.Parameters
		change(&s)
		list = append(list, s)
	}
	for _, factor := range []float64{2, 0.5, 4, 0.25} {
		if r.Cost > 0 {
			add(func(s *Parameters) { s.Cost *= factor })
		}
		if r.Alpha > 0 {
			add(func(s *Parameters) { s.Alpha *= factor * factor })
		}
	}
	if r.Terms > 0 {
		add(func(s *Parameters) { s.Terms *= 2 })
		add(func(s *Parameters) { s.Terms = max(1, s.Terms/2) })
		for _, name := range []string{"chi2", "ig"} {
			add(func(s *Parameters) { s.Statistic = name })
		}
	}
	if r.task == TaskVectors {
		return list // they have no blocks
	}
	for _, name := range r.blockNames() {
		add(func(s *Parameters) { s.Blocks = toggleBlock(r, name) })
	}
	return list
}

// toggleBlock returns the switches of r with the switch of one block reversed.
func toggleBlock(r Recipe, name string) []string {
	others := slices.DeleteFunc(slices.Clone(r.Blocks), func(s string) bool { return strings.TrimLeft(s, "+-") == name })
	if len(others) < len(r.Blocks) {
		return others
	}
	if slices.Contains(r.features.Blocks, name) {
		return append(others, "-"+name)
	}
	return append(others, "+"+name)
}

// A tunedLearner is a learner that tunes its recipe on the selected part of the corpus and then trains.
type tunedLearner struct {
	recipe Recipe
	tuner  tuner
}

func (t tunedLearner) parallelFits() int { return 1 } // because the trials already run in parallel

func (t tunedLearner) fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error) {
	part := c.subset(use)
	r, err := t.tuner.tune(ctx, t.recipe, part)
	if err != nil {
		return fitted{}, err
	}
	return r.fit(ctx, part, func(int) bool { return true })
}
