package train

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/datasets"
)

// notGiven is the slice of the pages whose label lacks what others have.
const notGiven = "not given"

// describePages gives predictions of c's examples the URLs and the slices they
// are reported by: language, page type or is_cfp, and discipline, where labels
// say them. Vectors have their row in place of a URL.
func describePages(ps []eval.Prediction, c *corpus) {
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

// explainErrors keeps the n most confident errors and says what decided them;
// model returns the model that judged a document, nil if it cannot say.
func explainErrors(r *eval.Report, n int, c *corpus, model func(doc int) *classify.Model) {
	r.Keep(n)
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

// judges returns what finds the model that judged a document, that of its fold:
// nil where the model is of a kind that cannot say what decided.
func (cv *crossValidation) judges(r Recipe, report *eval.Report, seed uint64) func(doc int) *classify.Model {
	made := make([]*classify.Model, cv.k)
	tried := make([]bool, cv.k)
	return func(doc int) *classify.Model {
		fold := cv.folds[doc]
		if tried[fold] {
			return made[fold]
		}
		tried[fold] = true
		cal, err := cv.calibrate(fold)
		if err != nil {
			return nil
		}
		m, err := newModel(r, cv.without(fold), cv.models[fold], cal, report, seed)
		if err != nil {
			return nil
		}
		made[fold] = m
		return m
	}
}
