package main

import (
	"context"
	"fmt"
	"strings"

	"eventseer/classify"
	"eventseer/classify/centroid"
	"eventseer/classify/eval"
	"eventseer/classify/svm"
	"eventseer/datasets"
	"eventseer/features"
)

// A recipe is an algorithm with everything set: what becomes of a page, and
// what learns from it.
type recipe struct {
	algo      string
	features  features.Options
	reference *features.DocumentFrequencies // nil: those of the training pages
	terms     int                           // chosen for each class by chi-squared; 0 keeps all
	trainer   classify.Trainer
	options   string // all of the above, for people
}

// algos names the algorithms newRecipe knows.
const algos = "svm, thesis-tfidf40-svm or centroid"

// newRecipe returns the recipe of an algorithm for a task.
func newRecipe(algo, task string) (recipe, error) {
	r := recipe{algo: algo, features: features.Default(), terms: 6000}
	r.features.MaxTerms = features.MaxVocabulary // the best are chosen by class
	if task == classify.TaskPageType {
		r.features.Blocks = append(r.features.Blocks, features.Anchors)
		r.terms = 1000
	}
	if algo == "centroid" { // one block of unit length, so that a decision value is a cosine
		r.features.Blocks, r.features.Bigrams = []string{features.Body}, false
	}
	what := fmt.Sprintf("%s; the best %d terms of each class by chi-squared", strings.Join(r.features.Blocks, ", "), r.terms)
	switch algo {
	case "svm":
		r.trainer = svm.Trainer{C: svmCost, Balanced: true}
		r.options = fmt.Sprintf("linear C-SVC, C=%g, classes balanced; sublinear TF-IDF of single stems and pairs in %s", svmCost, what)
	case "centroid":
		r.trainer = centroid.Trainer{}
		r.options = "nearest centroid by cosine; sublinear TF-IDF of stems in " + what
	case "thesis-tfidf40-svm":
		newsgroups, err := datasets.Newsgroups()
		if err != nil {
			return recipe{}, err
		}
		r.features, r.reference, r.terms = features.Thesis(), newsgroups, 0
		r.features.Normalize = true
		r.trainer = svm.Trainer{C: thesisCost}
		r.options = fmt.Sprintf("linear C-SVC, C=%d; the 40 highest TF-IDF stems of the body, document frequencies of 20 Newsgroups (paper 002, section 3.1), scaled to unit length", thesisCost)
	default:
		return recipe{}, usagef("unknown algorithm %q, the algorithms are %s", algo, algos)
	}
	return r, nil
}

// Costs of a training error: the best of 0.25, 0.5, 1 and 2, and of 0.3, 1, 2
// and 4, by grouped cross-validation.
const (
	svmCost    = 0.5
	thesisCost = 1
)

// A fitted is the outcome of one training.
type fitted struct {
	vectorizer *features.Vectorizer
	linear     *classify.Linear
}

// fit trains on the documents that use selects.
func (r recipe) fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error) {
	var docs []*features.Document
	var index []int
	for i, d := range c.docs {
		if use(i) {
			docs = append(docs, d)
			index = append(index, i)
		}
	}
	vectorizer, err := features.Fit(r.features, r.reference, docs)
	if err != nil {
		return fitted{}, err
	}
	vectors := func() []classify.Example {
		examples := make([]classify.Example, len(docs))
		for n, d := range docs {
			examples[n] = classify.Example{X: vectorizer.Vector(d), Class: c.class[index[n]], Group: c.groups[index[n]]}
		}
		return examples
	}
	examples := vectors()
	if r.terms > 0 {
		best := classify.SelectTerms(len(c.classes), examples, vectorizer.Size(), r.terms)
		vectorizer = vectorizer.Select(func(i int) bool { return best[i] })
		examples = vectors()
	}
	classifier, err := r.trainer.Train(ctx, c.classes, examples)
	if err != nil {
		return fitted{}, err
	}
	linear, ok := classifier.(*classify.Linear)
	if !ok {
		return fitted{}, fmt.Errorf("algorithm %s gives no linear model, only those can be kept", r.algo)
	}
	return fitted{vectorizer, linear.Rounded()}, nil
}

// A crossValidation holds, for each fold, the model trained without it, and for
// each document the decision values of the model that has not seen it.
type crossValidation struct {
	recipe    recipe
	corpus    *corpus
	folds     []int // of each document
	k         int
	models    []fitted
	decisions [][]float64 // of each document; nil for an empty vector
}

func (r recipe) crossValidate(ctx context.Context, c *corpus, folds []int, k int, progress func(fold int)) (*crossValidation, error) {
	cv := &crossValidation{recipe: r, corpus: c, folds: folds, k: k, decisions: make([][]float64, len(c.docs))}
	for f := range k {
		model, err := r.fit(ctx, c, func(i int) bool { return folds[i] != f })
		if err != nil {
			return nil, fmt.Errorf("fold %d: %w", f, err)
		}
		cv.models = append(cv.models, model)
		for i, d := range c.docs {
			if folds[i] != f {
				continue
			}
			if x := model.vectorizer.Vector(d); x.Len() > 0 {
				cv.decisions[i] = model.linear.Decide(x)
			}
		}
		progress(f)
	}
	return cv, nil
}

// calibration is what turns decision values into an answer.
type calibration struct {
	platt     []classify.Platt
	threshold float64
}

// calibrate fits sigmoids and the threshold of highest F1 to held-out decision
// values of all documents but those of fold except; -1 leaves out none.
func (cv *crossValidation) calibrate(except int) (calibration, error) {
	c := cv.corpus
	var use []int
	for i := range c.docs {
		if cv.folds[i] != except && cv.decisions[i] != nil {
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
		platt, err := classify.FitPlatt(decisions, positive)
		if err != nil {
			return cal, fmt.Errorf("class %s: %w", c.classes[k], err)
		}
		cal.platt = append(cal.platt, platt)
	}
	if len(c.classes) == 2 {
		ps := make([]eval.Prediction, len(use))
		for n, i := range use {
			ps[n] = eval.Prediction{Truth: c.class[i], Score: classify.Calibrated(cal.platt, cv.decisions[i])[1]}
		}
		cal.threshold = eval.BestThreshold(ps)
	}
	return cal, nil
}

// predictions judges each document by the model that has not seen its group,
// calibrated on the other folds.
func (cv *crossValidation) predictions() ([]eval.Prediction, error) {
	c := cv.corpus
	ps := make([]eval.Prediction, len(c.docs))
	for f := range cv.k {
		cal, err := cv.calibrate(f)
		if err != nil {
			return nil, err
		}
		for i := range c.docs {
			if cv.folds[i] != f {
				continue
			}
			ps[i] = eval.Prediction{Truth: c.class[i], Group: c.groups[i], Guess: classify.Fallback(c.classes)}
			if d := cv.decisions[i]; d != nil {
				scores := classify.Calibrated(cal.platt, d)
				ps[i].Score, ps[i].Guess = scores[1], classify.Decision(scores, cal.threshold)
			}
		}
	}
	return ps, nil
}
