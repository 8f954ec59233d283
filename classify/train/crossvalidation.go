package train

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/sync/errgroup"
)

// A learner trains a model on a part of a corpus.
type learner interface {
	// fit trains on the examples that use selects. It is safe for concurrent use.
	fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error)
	// parallelFits returns how many calls of fit may usefully run at the same time.
	parallelFits() int
}

// A fitted is the result of one training.
type fitted struct {
	view       view
	classifier classify.Classifier
}

func (r Recipe) parallelFits() int {
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
		v = v.withSelected(classify.SelectTerms(r.by, len(c.classes), examples, v.Size(), r.Terms))
		examples = r.examples(c, v, index)
	}
	if pages, ok := v.(pageView); ok && len(r.passages) > 0 {
		v = pageView{pages.WithPassages(r.passages...)}
		examples = r.examples(c, v, index)
	}
	if r.requiredComponents(v) == 0 {
		return fitted{}, errors.New("no term is left to learn from: more pages, more --terms or other --features are needed")
	}
	classifier, err := r.learner(v).Train(ctx, c.classes, examples)
	if err != nil {
		return fitted{}, err
	}
	return fitted{v, classify.Rounded(classifier)}, nil
}

// examples returns the training examples that r makes of the documents of c at index.
func (r Recipe) examples(c *corpus, v view, index []int) []classify.Example {
	examples := make([]classify.Example, len(index))
	for n, i := range index {
		examples[n] = classify.Example{X: v.vectorOf(c, i), Class: c.learntClass(i), Group: c.groups[i]}
	}
	if r.bySite {
		return sumBySite(examples, r.features.Normalize)
	}
	return examples
}

// A crossValidation holds, for each fold, the model trained without it. For each example it holds
// the decision values of the model that has not seen it.
type crossValidation struct {
	calibration string // name of the calibration method, one of calibrations
	corpus      *corpus
	folds       []int // of each example
	k           int
	models      []fitted
	decisions   [][]float64 // by example; nil for an empty vector
}

// foldProgress returns a function that logs how many of k folds are done. After more than two seconds it
// adds the estimated time left.
func foldProgress(logf func(format string, args ...any), prefix string, k int) func(done int) {
	start := time.Now()
	return func(done int) {
		took := time.Since(start)
		if took < 2*time.Second || done == k {
			logf("%sfold %d of %d done", prefix, done, k)
			return
		}
		left := took * time.Duration(k-done) / time.Duration(done)
		logf("%sfold %d of %d done, %s left", prefix, done, k, left.Round(time.Second))
	}
}

// crossValidate trains for each of k folds a model on the other folds, several at the same time. It calls
// progress with the number of folds done, never concurrently.
func crossValidate(ctx context.Context, l learner, calibration string, c *corpus, folds []int, k int, progress func(done int)) (*crossValidation, error) {
	cv := &crossValidation{calibration: calibration, corpus: c, folds: folds, k: k, models: make([]fitted, k), decisions: make([][]float64, len(c.class))}
	var mu sync.Mutex // guards done and progress
	done := 0
	errs := make([]error, k) // by fold, so that the same one of several errors is always reported
	var group errgroup.Group
	group.SetLimit(l.parallelFits())
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
				if x := model.view.vectorOf(c, i); x.Len() > 0 {
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

// calibrations are the methods that convert decision values into probabilities. The first is that of
// model files.
var calibrations = [...]string{"platt", "isotonic"}

// A calibration holds what is needed to make a decision from decision values.
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
			return nil, fmt.Errorf("a model file cannot hold a classifier of type %T", each)
		}
		sigmoids = append(sigmoids, p)
	}
	return sigmoids, nil
}

// balancedCalibrator returns a calibrator for the case that half of the examples are of the class. A page is then
// assigned to the layer it resembles most, not to the largest one. Isotonic calibrators are returned
// unchanged.
func balancedCalibrator(c classify.Calibrator, positive []bool) classify.Calibrator {
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

// mostFalseCalls is the largest accepted fraction of other pages that are classified as calls: a crawl
// makes an event of each.
const mostFalseCalls = 0.015

// calibrate fits calibrators and the threshold to held-out decision values of all examples except those
// of fold except; -1 excludes none. The threshold is that of the highest F1; for calls
// eval.CalibratedThreshold chooses it. Calibrators learn from corrected labels. The threshold uses the
// original labels, because figures are measured on these.
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
			positive[n] = c.learntClass(i) == k
		}
		calibrator, err := fitCalibrator(cv.calibration, decisions, positive)
		if err != nil {
			return cal, fmt.Errorf("class %s: %w", c.classes[k], err)
		}
		if c.task == classify.TaskLayer {
			calibrator = balancedCalibrator(calibrator, positive)
		}
		cal.calibrators = append(cal.calibrators, calibrator)
	}
	if len(c.classes) == 2 {
		ps := make([]eval.Prediction, len(use))
		for n, i := range use {
			ps[n] = eval.Prediction{Truth: c.class[i], Score: classify.CalibratedProbabilities(cal.calibrators, cv.decisions[i])[1]}
		}
		cal.threshold = eval.BestThreshold(ps)
		if c.task == classify.TaskCFP {
			cal.threshold = eval.CalibratedThreshold(ps, mostFalseCalls)
		}
	}
	return cal, nil
}

// predictions judges each example by the model that was trained without its group and calibrated on the
// other folds.
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
			guess, scores := classify.FallbackClass(c.classes), make([]float64, len(c.classes))
			scores[guess] = 1
			if d := cv.decisions[i]; d != nil {
				scores = classify.CalibratedProbabilities(cal.calibrators, d)
				guess = classify.DecideClass(scores, cal.threshold)
			}
			ps[i] = eval.Prediction{Truth: c.class[i], Guess: guess, Score: scores[1], Scores: scores, Group: c.groups[i]}
		}
	}
	return ps, nil
}

// A view converts the examples of a corpus to vectors.
type view interface {
	vectorOf(c *corpus, i int) features.Vector
	// Size returns the number of components of the vectors.
	Size() int
	// withSelected returns a view with only those components for which selected is true.
	withSelected(selected []bool) view
}

// view returns the view of the recipe, fitted to the examples at index.
func (r Recipe) view(c *corpus, index []int) (view, error) {
	if c.rows != nil {
		return rowView{binary: r.features.Weights == features.Binary, unit: r.features.Normalize, dims: c.dims}, nil
	}
	docs := make([]*features.Document, len(index))
	for n, i := range index {
		docs[n] = c.docs[i]
	}
	v, err := features.FitVectorizer(r.features, r.reference, docs)
	return pageView{v}, err
}

// A pageView computes vectors of the documents of a corpus.
type pageView struct{ *features.Vectorizer }

func (v pageView) vectorOf(c *corpus, i int) features.Vector { return v.Vector(c.docs[i]) }

func (v pageView) withSelected(selected []bool) view {
	return pageView{v.Select(func(component int) bool { return selected[component] })}
}

// A rowView returns the rows of a corpus of vectors. If binary is set, values above 0 become 1; if unit
// is set, rows are scaled to Euclidean length 1.
type rowView struct {
	binary   bool
	unit     bool
	dims     int
	selected []bool // nil: all
}

// Size returns the number of components of a row.
func (v rowView) Size() int { return v.dims }

func (v rowView) withSelected(selected []bool) view {
	v.selected = selected
	return v
}

func (v rowView) vectorOf(c *corpus, i int) features.Vector {
	row := c.rows[i]
	var x features.Vector
	var sum float64
	for n, ix := range row.Index {
		if v.selected != nil && !v.selected[ix] {
			continue
		}
		value := row.Value[n]
		if v.binary && value > 0 {
			value = 1
		}
		x.Index = append(x.Index, ix)
		x.Value = append(x.Value, value)
		sum += float64(value * value)
	}
	if length := math.Sqrt(sum); v.unit && length > 0 {
		for n := range x.Value {
			x.Value[n] /= length
		}
	}
	return x
}

// splitIntoFolds assigns the documents of each group to one of k folds.
//
// Page types and calls are evenly spread, so that the tasks that use all pages share their folds;
// disciplines are evenly spread if they are learned. The documents of a labels file are assigned without
// regard to later files. Adding a file therefore moves no document of another, unless its messages
// connect two groups.
func (c *corpus) splitIntoFolds(k int, seed uint64) ([]int, error) {
	if c.pages != nil {
		return c.splitPages(k, seed)
	}
	strata, n, err := c.strata()
	if err != nil {
		return nil, err
	}
	folds := make([]int, 0, len(strata))
	foldOf := map[string]int{}
	for _, size := range c.sizes {
		if size == 0 {
			continue
		}
		from := len(folds)
		part, err := eval.GroupedFolds(strata[from:from+size], c.groups[from:from+size], n, k, seed)
		if err != nil {
			return nil, err
		}
		for i, fold := range part {
			group := c.groups[from+i]
			if first, ok := foldOf[group]; ok {
				fold = first
			}
			foldOf[group] = fold
			folds = append(folds, fold)
		}
	}
	return folds, nil
}

// splitPages assigns links to the folds of their pages.
func (c *corpus) splitPages(k int, seed uint64) ([]int, error) {
	of, err := c.pages.splitIntoFolds(k, seed)
	if err != nil {
		return nil, err
	}
	folds := make([]int, len(c.pageOf))
	for i, page := range c.pageOf {
		folds[i] = of[page]
	}
	return folds, nil
}

// strata returns the stratum of each document and the number of strata. Each stratum is spread evenly
// over the folds.
func (c *corpus) strata() (strata []int, n int, err error) {
	if c.task == classify.TaskDiscipline || c.task == classify.TaskLayer {
		return c.class, len(c.classes), nil
	}
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		return nil, 0, err
	}
	strata = make([]int, len(c.labels))
	for i, l := range c.labels {
		strata[i] = 2 * (slices.Index(types, l.PageType) + 1) // 0 if the type is unknown
		if l.IsCFP {
			strata[i]++
		}
	}
	return strata, 2 * (len(types) + 1), nil
}

// foldTable returns a table with the fold in which each page was held out. The table has one entry per
// host, unless the groups of a host are in several folds, as for a mail archive: then it has one per
// page.
func (c *corpus) foldTable(folds []int, k int) (*classify.Folds, error) {
	const several = -1
	hosts := map[string]int{}
	for i, l := range c.labels {
		host := webgraph.HostKey(l.URL)
		if f, ok := hosts[host]; ok && f != folds[i] {
			hosts[host] = several
		} else if !ok {
			hosts[host] = folds[i]
		}
	}
	foldOf := map[string]int{}
	for i, l := range c.labels {
		if host := webgraph.HostKey(l.URL); hosts[host] == several {
			foldOf[l.URL] = folds[i]
		} else {
			foldOf[host] = folds[i]
		}
	}
	return classify.NewFolds(k, foldOf)
}
