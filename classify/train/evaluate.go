package train

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
)

// An Evaluation says how labelled pages are measured on.
type Evaluation struct {
	Folds         int  // of cross-validation
	LearningCurve bool // also what is learnt from parts of the groups
	Errors        int  // so many errors are listed, the most confident first
}

// maxReasons is how many terms are shown of an error.
const maxReasons = 10

// A Contender is what is measured: a model, or an algorithm.
type Contender struct {
	Name  string
	Model *classify.Model // nil for an algorithm
	// For returns the model that judges the page of a URL; nil for Model.
	For    func(pageURL string) *classify.Model
	Recipe Recipe // of an algorithm
}

// CrossValidate measures what o asks for by cross-validation over groups.
func (e Evaluation) CrossValidate(ctx context.Context, o Options, env Environment) (*eval.Report, error) {
	r, c, err := prepare(ctx, o, env)
	if err != nil {
		return nil, err
	}
	l := newLearner(r, o, env, e.Folds)
	cv, short, err := measure(ctx, l, r.Calibration, c, e.Folds, o.Seed, env.Logf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.Labels, ", "), err)
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	describePages(ps, c)
	report, err := c.report(r.algorithm.name+", "+short.Title, ps, o.Seed)
	if err != nil {
		return nil, err
	}
	report.About = []eval.Tag{
		{Name: "task", Value: o.Task}, {Name: "algorithm", Value: r.algorithm.name}, {Name: "options", Value: r.options()},
		{Name: "tuned for", Value: o.Tune.String()}, {Name: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		{Name: "measured on", Value: c.digest},
	}
	report.About = slices.DeleteFunc(report.About, func(t eval.Tag) bool { return t.Value == "" || t.Value == "0s" })
	if e.LearningCurve {
		if err := addLearningCurve(ctx, l, cv, report, o.Seed, env.Logf); err != nil {
			return nil, err
		}
	}
	explainErrors(report, e.Errors, c, cv.judges(r, short, o.Seed))
	return report, nil
}

// Measure measures a model on the pages that o names.
func (e Evaluation) Measure(ctx context.Context, m Contender, o Options, env Environment) (*eval.Report, error) {
	c, err := readPages(ctx, o, env)
	if err != nil {
		return nil, err
	}
	ps, err := m.judge(c)
	if err != nil {
		return nil, err
	}
	report, err := c.report(m.Name, ps, o.Seed)
	if err != nil {
		return nil, err
	}
	report.About = []eval.Tag{
		{Name: "model", Value: m.Name}, {Name: "task", Value: m.Model.Task}, {Name: "algorithm", Value: m.Model.Algo},
		{Name: "options", Value: m.Model.Options}, {Name: "trained on", Value: m.Model.Data}, {Name: "measured on", Value: c.digest},
	}
	if c.digest == m.Model.Data && m.For == nil {
		report.Warnings = append(report.Warnings, "these are the pages the model was trained on: the figures are too good; its card names the command for held-out pages")
	}
	explainErrors(report, e.Errors, c, func(i int) *classify.Model { return m.of(c, i) })
	return report, nil
}

// Compare measures two contenders on the same pages, algorithms over the same folds.
func (e Evaluation) Compare(ctx context.Context, sides [2]Contender, o Options, env Environment) (*eval.Comparison, error) {
	c, err := readExamples(ctx, o, env)
	if err != nil {
		return nil, err
	}
	var ps [2][]eval.Prediction
	var seen []string
	for i, side := range sides {
		if ps[i], err = side.predictions(ctx, c, e.Folds, o.Seed, env.Logf); err != nil {
			return nil, err
		}
		if side.Model != nil && side.Model.Data == c.digest {
			seen = append(seen, side.Name)
		}
	}
	comparison, err := eval.Compare(sides[0].Name, sides[1].Name, c.classes, ps[0], ps[1], o.Seed)
	if err != nil {
		return nil, err
	}
	if len(seen) > 0 {
		comparison.Void = strings.Join(seen, " and ") + " saw these pages in training, so the figures are too good"
	}
	comparison.Keep(e.Errors)
	return comparison, nil
}

// of returns the model that judges an example.
func (m Contender) of(c *corpus, i int) *classify.Model {
	if m.For == nil {
		return m.Model
	}
	return m.For(c.pageURL(i))
}

// judge has a model judge the documents of c.
func (m Contender) judge(c *corpus) ([]eval.Prediction, error) {
	if !slices.Equal(m.Model.Classes, c.classes) {
		return nil, fmt.Errorf("%s: %w: its classes are %q, those of task %s are %q: train it again", m.Name, classify.ErrIncompatible, m.Model.Classes, m.Model.Task, c.classes)
	}
	ps := make([]eval.Prediction, c.numJudged())
	for i, d := range c.docs[:len(ps)] {
		model := m.of(c, i)
		scores := model.Scores(d)
		ps[i] = eval.Prediction{Truth: c.class[i], Guess: model.Class(scores), Score: scores[1], Scores: scores, Group: c.groups[i]}
	}
	describePages(ps, c)
	return ps, nil
}

// predictions has the contender judge the pages of c, an algorithm by cross-validation
// over k folds.
func (m Contender) predictions(ctx context.Context, c *corpus, k int, seed uint64, logf func(format string, args ...any)) ([]eval.Prediction, error) {
	if m.Model != nil {
		return m.judge(c)
	}
	folds, err := c.foldsOf(k, seed)
	if err != nil {
		return nil, err
	}
	cv, err := crossValidate(ctx, m.Recipe, m.Recipe.Calibration, c, folds, k, func(done int) { logf("%s: fold %d of %d done", m.Name, done, k) })
	if err != nil {
		return nil, err
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	describePages(ps, c)
	return ps, nil
}
