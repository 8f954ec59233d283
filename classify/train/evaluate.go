package train

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/datasets"
)

// An Evaluation holds the options for measuring on labelled pages.
type Evaluation struct {
	Folds         int  // of cross-validation
	LearningCurve bool // also measure models trained on parts of the groups
	Errors        int  // number of errors to list, the most confident first
}

// maxReasons is the largest number of terms shown as reasons for an error.
const maxReasons = 10

// A Contender is a model or an algorithm to be measured.
type Contender struct {
	Name  string
	Model *classify.Model // nil for an algorithm
	// For returns the model that judges the page with a URL; if it is nil, Model judges all pages.
	For    func(pageURL string) *classify.Model
	Recipe Recipe // of an algorithm
}

// CrossValidate measures the algorithm of o by grouped cross-validation.
func (e Evaluation) CrossValidate(ctx context.Context, o Options, env Environment) (*eval.Report, error) {
	r, c, err := prepareTraining(ctx, o, env)
	if err != nil {
		return nil, err
	}
	l := newLearner(r, o, env, e.Folds)
	cv, short, err := crossValidateReport(ctx, l, r.Calibration, c, e.Folds, o.Seed, env.Logf)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(o.Labels, ", "), err)
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	addTags(ps, c)
	report, err := c.measureReport(r.algorithm.name+", "+short.Title, ps, o.Seed)
	if err != nil {
		return nil, err
	}
	report.About = []eval.Tag{
		{Name: "task", Value: o.Task}, {Name: "algorithm", Value: r.algorithm.name}, {Name: "options", Value: r.options()},
		{Name: "tuned for", Value: o.Tune.String()}, {Name: "seed", Value: strconv.FormatUint(o.Seed, 10)},
		{Name: "measured on", Value: c.digest},
	}
	report.About = slices.DeleteFunc(report.About, func(t eval.Tag) bool { return t.Value == "" || t.Value == "0s" })
	if err := addContextFigure(report, ps, c, o.Seed); err != nil {
		return nil, err
	}
	if e.LearningCurve {
		if err := addLearningCurve(ctx, l, cv, report, o.Seed, env.Logf); err != nil {
			return nil, err
		}
	}
	explainErrors(report, e.Errors, c, cv.foldModels(r, short, o.Seed))
	return report, nil
}

// Measure measures model m on the pages that o names.
func (e Evaluation) Measure(ctx context.Context, m Contender, o Options, env Environment) (*eval.Report, error) {
	c, err := readPages(ctx, o, env)
	if err != nil {
		return nil, err
	}
	ps, err := m.judge(c)
	if err != nil {
		return nil, err
	}
	report, err := c.measureReport(m.Name, ps, o.Seed)
	if err != nil {
		return nil, err
	}
	report.About = []eval.Tag{
		{Name: "model", Value: m.Name}, {Name: "task", Value: m.Model.Task}, {Name: "algorithm", Value: m.Model.Algo},
		{Name: "options", Value: m.Model.Options}, {Name: "trained on", Value: m.Model.Data}, {Name: "measured on", Value: c.digest},
	}
	if c.digest == m.Model.Data && m.For == nil {
		report.Warnings = append(report.Warnings, "the model was trained on these pages, so the figures are too good; its card names the command for held-out pages")
	}
	explainErrors(report, e.Errors, c, func(i int) *classify.Model { return m.modelFor(c, i) })
	return report, nil
}

// Compare measures two contenders on the same pages. Algorithms are cross-validated over the same folds.
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
	comparison.Truncate(e.Errors)
	return comparison, nil
}

// modelFor returns the model that judges example i.
func (m Contender) modelFor(c *corpus, i int) *classify.Model {
	if m.For == nil {
		return m.Model
	}
	return m.For(c.pageURL(i))
}

// judge returns the predictions of the contender's model for the documents of c.
func (m Contender) judge(c *corpus) ([]eval.Prediction, error) {
	if !slices.Equal(m.Model.Classes, c.classes) {
		return nil, fmt.Errorf("%s: %w: its classes are %q, those of task %s are %q: train it again", m.Name, classify.ErrIncompatible, m.Model.Classes, m.Model.Task, c.classes)
	}
	ps := make([]eval.Prediction, c.numJudged())
	for i, d := range c.docs[:len(ps)] {
		model := m.modelFor(c, i)
		scores := model.Scores(d)
		ps[i] = eval.Prediction{Truth: c.class[i], Guess: model.Class(scores), Score: scores[1], Scores: scores, Group: c.groups[i]}
	}
	addTags(ps, c)
	return ps, nil
}

// predictions returns the contender's predictions for the pages of c. An algorithm is cross-validated
// over k folds.
func (m Contender) predictions(ctx context.Context, c *corpus, k int, seed uint64, logf func(format string, args ...any)) ([]eval.Prediction, error) {
	if m.Model != nil {
		return m.judge(c)
	}
	folds, err := c.assignFolds(k, seed)
	if err != nil {
		return nil, err
	}
	cv, err := crossValidate(ctx, m.Recipe, m.Recipe.Calibration, c, folds, k, foldProgress(logf, m.Name+": ", k))
	if err != nil {
		return nil, err
	}
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	addTags(ps, c)
	return ps, nil
}

// notGiven is the slice of the pages whose labels have no value for a tag that other labels have.
const notGiven = "not given"

// addTags adds the URL and the tags for slices to the predictions for c's examples. The tags are
// language, page type or is_cfp, and discipline, as far as labels have them. Examples that are vectors
// get their row number as URL.
func addTags(ps []eval.Prediction, c *corpus) {
	for i := range c.rows {
		ps[i].URL = fmt.Sprintf("row %d", i+1)
	}
	for i, l := range c.labels[:min(len(ps), len(c.labels))] {
		ps[i].URL = l.URL
	}
	slice := func(name string, value func(datasets.Label) string) {
		if !slices.ContainsFunc(c.labels, func(l datasets.Label) bool { return value(l) != "" }) {
			return
		}
		for i, l := range c.labels[:min(len(ps), len(c.labels))] {
			ps[i].Tags = append(ps[i].Tags, eval.Tag{Name: name, Value: cmp.Or(value(l), notGiven)})
		}
	}
	slice("language", func(l datasets.Label) string { return l.Lang })
	if c.task == classify.TaskPageType {
		slice("is_cfp", func(l datasets.Label) string { return strconv.FormatBool(l.IsCFP) })
	} else {
		slice("page type", func(l datasets.Label) string { return l.PageType })
	}
	slice("discipline", func(l datasets.Label) string { return l.Discipline })
}

// explainErrors keeps the n most confident errors of r and adds the reasons for them. The function model
// returns the model that judged a document, or nil if the model cannot explain decisions.
func explainErrors(r *eval.Report, n int, c *corpus, model func(doc int) *classify.Model) {
	r.Truncate(n)
	for i := range r.Errors {
		e := &r.Errors[i]
		m := model(e.Example)
		if m == nil {
			continue
		}
		for _, reason := range m.Explain(c.docs[e.Example], slices.Index(c.classes, e.Guess), maxReasons) {
			e.Reasons = append(e.Reasons, eval.Reason{Term: reason.Term, Weight: reason.Weight})
		}
	}
}

// foldModels returns a function that returns the model of the fold that judged a document. The function
// returns nil if models of this kind cannot explain decisions.
func (cv *crossValidation) foldModels(r Recipe, report *eval.Report, seed uint64) func(doc int) *classify.Model {
	made := map[int]*classify.Model{}
	return func(doc int) *classify.Model {
		fold := cv.folds[doc]
		if _, tried := made[fold]; !tried {
			made[fold] = nil
			if cal, err := cv.calibrate(fold); err == nil {
				made[fold], _ = newModel(r, cv.trainingPart(fold), cv.models[fold], cal, report, seed) // nil if the model cannot be made
			}
		}
		return made[fold]
	}
}

// inContext names the macro-averaged F1 of page types judged in the context of their hosts.
const inContext = eval.MacroF1 + " in context"

// addContextFigure adds the figure inContext to a report on page types, unless the examples are vectors. Each
// page is judged again in the context of the other pages of its host that ps judges, as `classify` does.
// A host is in one fold, so one model judges all of its pages.
func addContextFigure(report *eval.Report, ps []eval.Prediction, c *corpus, seed uint64) error {
	if c.task != classify.TaskPageType || len(c.labels) == 0 {
		return nil
	}
	hosts := classify.NewHostContext(classify.Meta{Classes: c.classes, Counts: c.classCounts()})
	alone := make([]classify.Judgement, len(ps))
	for i, p := range ps {
		alone[i] = classify.Judgement{PageType: c.classes[p.Guess], PageTypeScores: map[string]float64{}}
		for k, score := range p.Scores {
			alone[i].PageTypeScores[c.classes[k]] = score
		}
		hosts.Add(c.pageURL(i), alone[i])
	}
	again := slices.Clone(ps)
	for i, j := range alone {
		again[i].Guess, again[i].Tags = slices.Index(c.classes, hosts.Judge(c.pageURL(i), j).PageType), nil
	}
	r, err := eval.New(report.Title, c.classes, again, seed)
	if err != nil {
		return err
	}
	f, _ := r.Figure(eval.MacroF1)
	f.Name = inContext
	report.Figures = append(report.Figures, f)
	return nil
}

// learningShares are the fractions of the training groups that a learning curve measures before all of
// them.
var learningShares = [...]float64{0.1, 0.2, 0.4, 0.7}

// learningFigures are the candidates for the figures of a learning curve. A curve has those of them that its
// task defines.
var learningFigures = [...]string{eval.F1, eval.AveragePrecision, eval.MacroF1, inContext}

// addLearningCurve adds to report the results of training l on fewer groups. All fractions are tested on
// the same held-out pages, and a smaller fraction is a part of a larger one. For fractions that are too
// small for training it adds warnings.
func addLearningCurve(ctx context.Context, l learner, cv *crossValidation, report *eval.Report, seed uint64, logf func(format string, args ...any)) error {
	place := learningOrder(cv.corpus, seed)
	for _, share := range learningShares {
		ps, err := cv.learnFrom(ctx, partialLearner{l, place, share})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report.Warnings = append(report.Warnings, fmt.Sprintf("the learning curve has no point at %.0f %%: %v", 100*share, err))
			continue
		}
		r, err := eval.New(report.Title, cv.corpus.classes, ps, seed)
		if err != nil {
			return err
		}
		if err := addContextFigure(r, ps, cv.corpus, seed); err != nil {
			return err
		}
		report.Learning = append(report.Learning, learningPoint(cv, share, place, r))
		logf("learning curve: %.0f %% done", 100*share)
	}
	report.Learning = append(report.Learning, learningPoint(cv, 1, place, report))
	return nil
}

// learnFrom cross-validates p over the folds of cv.
func (cv *crossValidation) learnFrom(ctx context.Context, p partialLearner) ([]eval.Prediction, error) {
	part, err := crossValidate(ctx, p, cv.calibration, cv.corpus, cv.folds, cv.k, func(int) {})
	if err != nil {
		return nil, err
	}
	return part.predictions()
}

// learningOrder returns for each group its position, from 0 to below 1, in a seeded order. The order is
// among the groups with the same rarest class, so every fraction of the groups has all classes.
func learningOrder(c *corpus, seed uint64) map[string]float64 {
	counts := c.classCounts()
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

// A partialLearner is a learner that trains only on the groups whose position is below share.
type partialLearner struct {
	learner
	place map[string]float64
	share float64
}

func (p partialLearner) fit(ctx context.Context, c *corpus, use func(i int) bool) (fitted, error) {
	return p.learner.fit(ctx, c, func(i int) bool { return use(i) && p.place[c.groups[i]] < p.share })
}

// learningPoint returns the point of a learning curve with the figures of r.
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
	trained := float64(cv.k-1) / float64(cv.k) // average fraction of the groups that are used for training
	p.Examples = int(math.Round(trained * float64(p.Examples)))
	p.Groups = int(math.Round(trained * float64(p.Groups)))
	return p
}
