package main

import (
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// sampled is one page in how many the corpus test judges.
const sampled = 10

// TestCrossFittedModels checks that the shipped cross-fitted models reach their measured figures: each page
// is judged by models that have not seen its group.
func TestCrossFittedModels(t *testing.T) {
	t.Parallel()
	data, err := datasets.Open(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	judge, err := judges.CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	layers, err := judges.CrossFittedSet().Layers(judge)
	if err != nil {
		t.Fatal(err)
	}
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		t.Fatal(err)
	}
	var calls, pageTypes []eval.Prediction
	n, hosts := 0, classify.NewHostContext(judge.For("").PageType().Meta)
	for e := range data.Examples(warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz"))) {
		if n++; n%sampled != 0 {
			continue
		}
		p, err := classifyPage(classifier{judge, layers}, e.Page, nil, hosts, false)
		if err != nil {
			t.Errorf("%s: %v", e.URL, err)
		}
		c := p.Row
		call := eval.Prediction{Score: c.CFPScore, Group: e.Group}
		if e.IsCFP {
			call.Truth = 1
		}
		if c.IsCFP {
			call.Guess = 1
		}
		calls = append(calls, call)
		pageTypes = append(pageTypes, eval.Prediction{
			Truth: slices.Index(types, e.PageType), Guess: slices.Index(types, c.PageType), Group: e.Group,
		})
	}
	for _, test := range []struct {
		classes []string
		ps      []eval.Prediction
		figure  string
		least   float64
	}{
		{[]string{"not_cfp", "cfp"}, calls, eval.F1, 0.82},
		{[]string{"not_cfp", "cfp"}, calls, eval.AveragePrecision, 0.88},
		{types, pageTypes, eval.MacroF1, 0.70},
	} {
		r, err := eval.New("sample", test.classes, test.ps, 1)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := r.Figure(test.figure)
		t.Logf("%s %.3f on %d pages", test.figure, got.Value, r.Examples)
		if got.Value < test.least {
			t.Errorf("%s is %.3f on %d pages, at least %.2f is expected", test.figure, got.Value, r.Examples, test.least)
		}
	}
}
