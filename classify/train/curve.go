package train

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"eventseer/classify/eval"
)

// learningShares are the parts of the training groups a learning curve tries
// before all of them.
var learningShares = [...]float64{0.1, 0.2, 0.4, 0.7}

// learningFigures are the figures of a learning curve: those of the two that
// the task has.
var learningFigures = [...]string{eval.F1, eval.AveragePrecision, eval.MacroF1}

// addLearningCurve adds to report what l learns from fewer groups. Every share is
// tested on the same held-out pages; a smaller share is part of a larger one.
// Shares that cannot be trained on are warnings.
func addLearningCurve(ctx context.Context, l learner, cv *crossValidation, report *eval.Report, seed uint64, logf func(format string, args ...any)) error {
	place := learningOrder(cv.corpus, seed)
	for _, share := range learningShares {
		ps, err := cv.learnFrom(ctx, partial{l, place, share})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report.Warnings = append(report.Warnings, fmt.Sprintf("no point of the learning curve at %.0f %%: %v", 100*share, err))
			continue
		}
		r, err := eval.New(report.Title, cv.corpus.classes, ps, seed)
		if err != nil {
			return err
		}
		report.Learning = append(report.Learning, learningPoint(cv, share, place, r))
		logf("learning curve: %.0f %% done", 100*share)
	}
	report.Learning = append(report.Learning, learningPoint(cv, 1, place, report))
	return nil
}

// learnFrom cross-validates p over the folds of cv.
func (cv *crossValidation) learnFrom(ctx context.Context, p partial) ([]eval.Prediction, error) {
	part, err := crossValidate(ctx, p, cv.calibration, cv.corpus, cv.folds, cv.k, func(int) {})
	if err != nil {
		return nil, err
	}
	return part.predictions()
}

// learningOrder gives each group its place in a seeded order of the groups whose
// rarest class is the same, from 0 below 1: every share holds all classes.
func learningOrder(c *corpus, seed uint64) map[string]float64 {
	counts := c.counts()
	rarest := map[string]int{}
	var names []string
	for i, g := range c.groups {
		k, known := rarest[g]
		if !known {
			names = append(names, g)
		}
		if !known || counts[c.class[i]] < counts[k] {
			rarest[g] = c.class[i]
		}
	}
	rng := rand.New(rand.NewPCG(seed, 2))
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	sizes := make([]int, len(c.classes))
	for _, name := range names {
		sizes[rarest[name]]++
	}
	place, next := map[string]float64{}, make([]int, len(c.classes))
	for _, name := range names {
		k := rarest[name]
		place[name] = float64(next[k]) / float64(sizes[k])
		next[k]++
	}
	return place
}

// A partial learner sees only the groups whose place is below share.
type partial struct {
	learner
	place map[string]float64
	share float64
}

func (p partial) fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error) {
	return p.learner.fit(ctx, c, func(i int) bool { return use(i) && p.place[c.groups[i]] < p.share })
}

// learningPoint takes the figures of a learning curve from r.
func learningPoint(cv *crossValidation, share float64, place map[string]float64, r *eval.Report) eval.LearningPoint {
	p := eval.LearningPoint{Share: share}
	for _, name := range learningFigures {
		if f, ok := r.Figure(name); ok && (name != eval.MacroF1 || len(r.Classes) > 2) {
			p.Figures = append(p.Figures, f)
		}
	}
	seen := map[string]bool{}
	for _, g := range cv.corpus.groups {
		if place[g] < share {
			p.Examples++
			if !seen[g] {
				seen[g] = true
				p.Groups++
			}
		}
	}
	trained := float64(cv.k-1) / float64(cv.k) // of the share, on average
	p.Examples = int(math.Round(trained * float64(p.Examples)))
	p.Groups = int(math.Round(trained * float64(p.Groups)))
	return p
}
