package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"

	"eventseer/classify"
	"eventseer/classify/eval"

	"golang.org/x/sync/errgroup"
)

// A learner makes a model of a part of a corpus.
type learner interface {
	// fit trains on the examples that use selects. It may be called at the
	// same time from many goroutines.
	fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error)
	// atOnce is how many calls of fit make sense at the same time.
	atOnce() int
}

// A fitted is the outcome of one training.
type fitted struct {
	view       view
	classifier classify.Classifier
}

func (r Recipe) atOnce() int {
	if r.algorithm.serial {
		return 1
	}
	return runtime.GOMAXPROCS(0)
}

func (r Recipe) fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error) {
	var index []int
	for i := range c.class {
		if use(i) {
			index = append(index, i)
		}
	}
	if c.task == classify.TaskDiscipline {
		c, index = c.addLists(index)
	}
	v, err := r.view(c, index)
	if err != nil {
		return fitted{}, err
	}
	examples := r.examples(c, v, index)
	if r.Terms > 0 {
		v = v.keep(classify.SelectTerms(r.by, len(c.classes), examples, v.Size(), r.Terms))
		examples = r.examples(c, v, index)
	}
	if r.words(v) == 0 {
		return fitted{}, errors.New("no term is left to learn from: more pages, more --terms or other --features are needed")
	}
	classifier, err := r.learner(v).Train(ctx, c.classes, examples)
	if err != nil {
		return fitted{}, err
	}
	return fitted{v, classify.Rounded(classifier)}, nil
}

// examples are what r learns from the examples of c at index.
func (r Recipe) examples(c *corpus, v view, index []int) []classify.Example {
	examples := c.examples(v, index)
	if r.bySite {
		return bySite(examples, r.features.Normalize)
	}
	return examples
}

// examples are the examples of c at index as v sees them.
func (c *corpus) examples(v view, index []int) []classify.Example {
	examples := make([]classify.Example, len(index))
	for n, i := range index {
		examples[n] = classify.Example{X: v.of(c, i), Class: c.class[i], Group: c.groups[i]}
	}
	return examples
}

// A crossValidation holds, for each fold, the model trained without it, and for
// each example the decision values of the model that has not seen it.
type crossValidation struct {
	calibration string // how decision values become probabilities
	corpus      *corpus
	folds       []int // of each example
	k           int
	models      []fitted
	decisions   [][]float64 // of each example; nil for an empty vector
}

// crossValidate trains a model without each of k folds, some at the same time.
// progress is called with the number of folds done, never twice at once.
func crossValidate(ctx context.Context, l learner, calibration string, c *corpus, folds []int, k int, progress func(done int)) (*crossValidation, error) {
	cv := &crossValidation{calibration: calibration, corpus: c, folds: folds, k: k, models: make([]fitted, k), decisions: make([][]float64, len(c.class))}
	var mu sync.Mutex // guards done and progress
	done := 0
	errs := make([]error, k) // of several failures always the same one is told
	var group errgroup.Group
	group.SetLimit(l.atOnce())
	for f := range k {
		group.Go(func() error {
			model, err := l.fit(ctx, c, func(i int) bool { return folds[i] != f })
			if err != nil {
				errs[f] = fmt.Errorf("fold %d: %w", f, err)
				return nil
			}
			cv.models[f] = model
			for i := range c.class {
				if folds[i] != f {
					continue
				}
				if x := model.view.of(c, i); x.Len() > 0 {
					cv.decisions[i] = model.classifier.Decide(x)
				}
			}
			mu.Lock()
			defer mu.Unlock()
			done++
			progress(done)
			return nil
		})
	}
	return cv, cmp.Or(group.Wait(), cmp.Or(errs...))
}

// Ways to turn decision values into probabilities; the first is that of model files.
var calibrations = [...]string{"platt", "isotonic"}

// A calibration is what turns decision values into an answer.
type calibration struct {
	calibrators []classify.Calibrator // one a class
	threshold   float64
}

// platt returns the calibration in the form a model file holds.
func (c calibration) platt() ([]classify.Platt, error) {
	var sigmoids []classify.Platt
	for _, each := range c.calibrators {
		p, ok := each.(classify.Platt)
		if !ok {
			return nil, fmt.Errorf("a model file holds no %T", each)
		}
		sigmoids = append(sigmoids, p)
	}
	return sigmoids, nil
}

// balanced turns the probability of a class into what it would be if half of the
// examples were of it: a page is put into the layer it is most like, not into the
// largest. An isotonic calibration stays as it is.
func balanced(c classify.Calibrator, positive []bool) classify.Calibrator {
	p, ok := c.(classify.Platt)
	if !ok {
		return c
	}
	var yes float64
	for _, is := range positive {
		if is {
			yes++
		}
	}
	p.B += math.Log(yes / (float64(len(positive)) - yes))
	return p
}

func fitCalibrator(name string, decisions []float64, positive []bool) (classify.Calibrator, error) {
	if name == "isotonic" {
		return classify.FitIsotonic(decisions, positive)
	}
	return classify.FitPlatt(decisions, positive)
}

// calibrate fits calibrators and the threshold of highest F1 to held-out decision
// values of all examples but those of fold except; -1 leaves out none.
func (cv *crossValidation) calibrate(except int) (calibration, error) {
	c := cv.corpus
	var use []int
	for i := range c.class {
		if cv.folds[i] != except && cv.decisions[i] != nil && i < c.numJudged() {
			use = append(use, i)
		}
	}
	var cal calibration
	for k := range c.classes {
		decisions := make([]float64, len(use))
		positive := make([]bool, len(use))
		for n, i := range use {
			decisions[n] = cv.decisions[i][k]
			positive[n] = c.class[i] == k
		}
		calibrator, err := fitCalibrator(cv.calibration, decisions, positive)
		if err != nil {
			return cal, fmt.Errorf("class %s: %w", c.classes[k], err)
		}
		if c.task == classify.TaskLayer {
			calibrator = balanced(calibrator, positive)
		}
		cal.calibrators = append(cal.calibrators, calibrator)
	}
	if len(c.classes) == 2 {
		ps := make([]eval.Prediction, len(use))
		for n, i := range use {
			ps[n] = eval.Prediction{Truth: c.class[i], Score: classify.Calibrated(cal.calibrators, cv.decisions[i])[1]}
		}
		cal.threshold = eval.BestThreshold(ps)
	}
	return cal, nil
}

// predictions judges each example by the model that has not seen its group,
// calibrated on the other folds.
func (cv *crossValidation) predictions() ([]eval.Prediction, error) {
	c := cv.corpus
	ps := make([]eval.Prediction, c.numJudged())
	for f := range cv.k {
		cal, err := cv.calibrate(f)
		if err != nil {
			return nil, err
		}
		for i := range ps {
			if cv.folds[i] != f {
				continue
			}
			guess, scores := classify.Fallback(c.classes), make([]float64, len(c.classes))
			scores[guess] = 1
			if d := cv.decisions[i]; d != nil {
				scores = classify.Calibrated(cal.calibrators, d)
				guess = classify.Decision(scores, cal.threshold)
			}
			ps[i] = eval.Prediction{Truth: c.class[i], Guess: guess, Score: scores[1], Scores: scores, Group: c.groups[i]}
		}
	}
	return ps, nil
}
