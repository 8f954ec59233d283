// Package train trains models on labelled pages. It has recipes, corpora, grouped cross-validation, a
// search for better parameters, and model cards.
package train

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
)

// Folds is the number of folds for calibrating and measuring a model.
const Folds = 5

// A Result is a trained model with its measurements.
type Result struct {
	recipe Recipe
	Model  *classify.Model
	Report *eval.Report // of pages held out
	cv     *crossValidation
}

// Train trains a model on all pages. Its calibration and figures come from cross-validation: models
// trained on a part of the groups judge the others.
func Train(ctx context.Context, o Options, env Environment) (*Result, error) {
	r, c, err := prepareModel(ctx, o, env)
	if err != nil {
		return nil, err
	}
	if o.Tune > 0 {
		t := tuner{limit: o.Tune, folds: Folds, seed: o.Seed, now: env.Now, logf: env.Logf}
		if r, err = t.tune(ctx, r, c); err != nil {
			return nil, err
		}
	}
	if r.command, err = commandLine(o, r, env); err != nil {
		return nil, err
	}
	full, err := r.fit(ctx, c, func(int) bool { return true })
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.Labels, ", "), err)
	}
	cv, report, err := crossValidateReport(ctx, r, r.Calibration, c, Folds, o.Seed, env.Logf)
	if err != nil {
		return nil, err
	}
	cal, err := cv.calibrate(-1)
	if err != nil {
		return nil, err
	}
	model, err := newModel(r, c, full, cal, report, o.Seed)
	if err != nil {
		return nil, err
	}
	return &Result{recipe: r, Model: model, Report: report, cv: cv}, nil
}

// String returns a summary of the data that the model was trained on.
func (t *Result) String() string {
	return fmt.Sprintf("%d examples in %d groups, %d terms; %s", len(t.cv.corpus.class), t.cv.corpus.numGroups(), t.Model.Vectorizer.Size(), t.recipe.flags())
}

// WriteFolds writes the model of each fold, calibrated on the other folds, and the table of folds to a
// folder, for classify.ReadCrossFitted.
func (t *Result) WriteFolds(dir string) error {
	cv, seed := t.cv, t.recipe.Seed
	for fold, fit := range cv.models {
		cal, err := cv.calibrate(fold)
		if err != nil {
			return err
		}
		model, err := newModel(t.recipe, cv.trainingPart(fold), fit, cal, t.Report, seed)
		if err != nil {
			return err
		}
		sub := filepath.Join(dir, strconv.Itoa(fold))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		if err := WriteModel(filepath.Join(sub, cv.corpus.task+".model"), model); err != nil {
			return err
		}
	}
	table, err := cv.foldTable(seed)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := classify.WriteFolds(&b, table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "folds"), b.Bytes(), 0o644)
}

// foldTable returns the table of folds. For links it is that of the pages they are on.
func (cv *crossValidation) foldTable(seed uint64) (*classify.Folds, error) {
	c, folds := cv.corpus, cv.folds
	if c.pages != nil {
		var err error
		if folds, err = c.pages.splitIntoFolds(cv.k, seed); err != nil {
			return nil, err
		}
		c = c.pages
	}
	return c.foldTable(folds, cv.k)
}

// newLearner returns the learner for o. It is r itself, or if o asks for tuning, a learner that tunes r
// separately for each of k folds on the others.
func newLearner(r Recipe, o Options, env Environment, k int) learner {
	if o.Tune == 0 {
		return r
	}
	return tunedLearner{r, tuner{limit: o.Tune / time.Duration(max(1, k)), folds: Folds, seed: o.Seed, now: env.Now, logf: env.Logf}}
}

// crossValidateReport cross-validates l over k folds of groups and returns the models and a report on the held-out
// predictions.
func crossValidateReport(ctx context.Context, l learner, calibration string, c *corpus, k int, seed uint64, logf func(format string, args ...any)) (*crossValidation, *eval.Report, error) {
	folds, err := c.assignFolds(k, seed)
	if err != nil {
		return nil, nil, err
	}
	cv, err := crossValidate(ctx, l, calibration, c, folds, k, foldProgress(logf, "", k))
	if err != nil {
		return nil, nil, err
	}
	report, err := cv.report(seed)
	return cv, report, err
}

// report measures the held-out predictions.
func (cv *crossValidation) report(seed uint64) (*eval.Report, error) {
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s, grouped %d-fold cross-validation", cv.corpus.task, cv.k)
	return cv.corpus.measureReport(title, ps, seed)
}

// trainingPart returns the corpus without the documents of one fold: the training data of its model.
func (cv *crossValidation) trainingPart(fold int) *corpus {
	rest := &corpus{task: cv.corpus.task, classes: cv.corpus.classes, digest: cv.corpus.digest}
	for i, f := range cv.folds {
		if f != fold {
			rest.class = append(rest.class, cv.corpus.class[i])
			rest.groups = append(rest.groups, cv.corpus.groups[i])
		}
	}
	return rest
}

func newModel(r Recipe, c *corpus, fit fitted, cal calibration, report *eval.Report, seed uint64) (*classify.Model, error) {
	figures := report.Figures
	if len(c.classes) > 2 {
		for _, class := range report.Classes {
			if class.F1 != nil { // not withheld
				figures = append(figures[:len(figures):len(figures)], *class.F1)
			}
		}
	}
	pages, ok := fit.view.(pageView)
	if !ok {
		return nil, errors.New("a model file judges pages, not vectors")
	}
	platt, err := cal.platt()
	if err != nil {
		return nil, err
	}
	return classify.NewModel(classify.Model{
		Meta: classify.Meta{
			Task: c.task, Algo: r.algorithm.name, Options: r.options(), Seed: seed,
			Classes: c.classes, Counts: c.classCounts(), Groups: c.numGroups(),
			Data: c.digest, Program: r.command, Figures: figures,
		},
		Vectorizer: pages.Vectorizer, Classifier: fit.classifier, Platt: platt, Threshold: cal.threshold,
	})
}

// WriteModel writes a model file.
func WriteModel(path string, m *classify.Model) error {
	var b bytes.Buffer
	if err := classify.WriteModel(&b, m); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
