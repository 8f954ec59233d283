package train

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/internal/usage"
	"github.com/eventseer/eventseer/webgraph"
)

// TaskPair is the task of deciding whether two records belong to the same edition.
const TaskPair = "pair"

// Settings for learning pairs: the epochs and L2 of the shipped model. L2 regularizes towards the base
// model, so that a few decisions change little.
const (
	pairEpochs = 12
	pairL2     = 1
)

// A PairResult is a model of pairs with its measurements.
type PairResult struct {
	Model *classify.LogLinear
	// RuledOut is the number of pairs that are not used for learning, see match.AreRuledOut.
	RuledOut int
	// Before and After are measurements of the base model and the new model on the given pairs. Each pair
	// is judged by a model trained without its sites. Both are nil if the pairs lie on fewer than two
	// sites.
	Before, After *eval.Report
}

// TrainPairs continues the training of a model of pairs, base or, if that is nil, the shipped one. It
// reads the pairs from files that `eventseer curation pairs --format jsonl` writes. The calibration of
// the base model is kept.
func TrainPairs(ctx context.Context, o Options, base []byte) (*PairResult, error) {
	if len(o.Labels) == 0 || len(o.Pages) > 0 {
		return nil, usage.Errorf("--task %s reads files of pairs (--data), which contain the records; leave out --pages", TaskPair)
	}
	from, err := classify.ReadLogLinear(bytes.NewReader(base))
	if err == nil {
		_, err = match.NewPairModel(from)
	}
	if err != nil {
		return nil, fmt.Errorf("base model: %w", err)
	}
	t := pairTrainer{base: from, seed: o.Seed}
	sum := sha256.New()
	for _, file := range o.Labels {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		_, _ = sum.Write(data) // a hash takes all
		pairs, err := match.ReadPairs(bytes.NewReader(data), file)
		if err != nil {
			return nil, err
		}
		t.addPairs(pairs)
	}
	if len(t.examples) == 0 {
		return nil, fmt.Errorf("%s: there is no pair to learn from, and %d pairs are ruled out by names, years or days; decide pairs at /admin/queue, or with `eventseer merge` and `eventseer curation apart`", strings.Join(o.Labels, ", "), t.ruledOut)
	}
	groups := t.setGroups()
	result := &PairResult{RuledOut: t.ruledOut}
	if groups > 1 {
		if result.Before, result.After, err = t.measureBeforeAfter(ctx, min(Folds, groups)); err != nil {
			return nil, err
		}
	}
	meta := from.Meta
	meta.Algo, meta.Seed, meta.Groups, meta.Counts, meta.Figures = "log-linear", o.Seed, groups, t.classCounts(), nil
	meta.Data = fmt.Sprintf("sha256:%x", sum.Sum(nil))
	meta.Options = fmt.Sprintf("trained further from %s: %d epochs, L2 %d", webgraph.DigestOf(base), pairEpochs, pairL2)
	meta.Program = fmt.Sprintf("eventseer train --task %s --seed %d --data %s", TaskPair, o.Seed, strings.Join(o.Labels, " --data "))
	if result.After != nil {
		meta.Figures = result.After.Figures
	}
	result.Model, err = t.fit(ctx, meta, nil)
	return result, err
}

// A pairTrainer holds pairs as training examples.
type pairTrainer struct {
	base     *classify.LogLinear
	seed     uint64
	pairs    []match.Pair
	examples []loglinear.Example
	ruledOut int
}

// addPairs adds pairs, except those that cannot be of one edition by their years or names, which the model
// never judges.
func (t *pairTrainer) addPairs(pairs []match.Pair) {
	for _, p := range pairs {
		a, b := match.NewEventKey(p.A), match.NewEventKey(p.B)
		if match.AreRuledOut(a, b) {
			t.ruledOut++
			continue
		}
		class := 0
		if p.Same {
			class = 1
		}
		t.pairs = append(t.pairs, p)
		t.examples = append(t.examples, loglinear.Example{Terms: match.PairTerms(a, b), Class: class})
	}
}

func (t *pairTrainer) classCounts() []int {
	counts := make([]int, 2)
	for _, e := range t.examples {
		counts[e.Class]++
	}
	return counts
}

// setGroups puts pairs with a common site into one group, and returns the number of groups. Archives do
// not count as sites, because their pages are about many events.
func (t *pairTrainer) setGroups() int {
	root := map[string]string{}
	find := func(site string) string {
		for root[site] != "" && root[site] != site {
			site = root[site]
		}
		return site
	}
	for _, p := range t.pairs {
		a, b := find(siteOfRecord(p.A)), find(siteOfRecord(p.B))
		root[max(a, b)] = min(a, b)
	}
	groups := map[string]bool{}
	for i, p := range t.pairs {
		t.examples[i].Group = find(siteOfRecord(p.A))
		groups[t.examples[i].Group] = true
	}
	return len(groups)
}

func siteOfRecord(e eventseer.Event) string {
	if match.IsArchive(e.URL) {
		return e.URL
	}
	return string(webgraph.HostOf(e.URL))
}

// fit continues the training of the base model with the pairs that use selects, all if use is nil.
func (t *pairTrainer) fit(ctx context.Context, meta classify.Meta, use func(i int) bool) (*classify.LogLinear, error) {
	meta.Calibration = t.base.Calibration
	return loglinear.Train(ctx, meta, 2, t.examples, use, loglinear.Options{Epochs: pairEpochs, L2: pairL2, Seed: t.seed, Base: t.base})
}

// measureBeforeAfter judges each pair by the base model and by a model trained without the pair's group.
func (t *pairTrainer) measureBeforeAfter(ctx context.Context, folds int) (before, after *eval.Report, err error) {
	classes, groups := make([]int, len(t.examples)), make([]string, len(t.examples))
	for i, e := range t.examples {
		classes[i], groups[i] = e.Class, e.Group
	}
	of, err := eval.GroupedFolds(classes, groups, 2, folds, t.seed)
	if err != nil {
		return nil, nil, err
	}
	was, is := make([]eval.Prediction, len(of)), make([]eval.Prediction, len(of))
	for f := range folds {
		m := t.base // used if one fold holds all pairs
		if slices.ContainsFunc(of, func(other int) bool { return other != f }) {
			if m, err = t.fit(ctx, classify.Meta{}, func(i int) bool { return of[i] != f }); err != nil {
				return nil, nil, err
			}
		}
		for i := range of {
			if of[i] == f {
				was[i], is[i] = t.judgePair(t.base, i), t.judgePair(m, i)
			}
		}
	}
	names := t.base.Classes
	before, err = eval.New("pairs by the original model", names, was, t.seed)
	after, err2 := eval.New(fmt.Sprintf("pairs by models trained further, grouped %d-fold cross-validation", folds), names, is, t.seed)
	return before, after, errors.Join(err, err2)
}

func (t *pairTrainer) judgePair(m *classify.LogLinear, i int) eval.Prediction {
	scores := make([]float64, 2)
	m.Scores(t.examples[i].Terms, scores)
	p := eval.Prediction{Truth: t.examples[i].Class, Score: m.Calibration.Probability(scores[1] - scores[0]), Group: t.examples[i].Group}
	p.Scores = []float64{1 - p.Score, p.Score}
	if p.Score >= 0.5 {
		p.Guess = 1
	}
	return p
}

// PairCard returns the model card of a model of pairs that was trained from a base model.
func PairCard(r *PairResult) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	m := r.Model
	p("# %s\n\nSays how likely two records of events are of one edition: the model named below, taught by decisions of editors.\n\n", m.Task)
	p("Intended use: merging records, and showing editors pairs that may be one event, within EventSeer. Not for judging people or the worth of a conference.\n\n")
	p("## How it was made\n\n- algorithm: %s: %s; seed %d\n- command: `%s`\n- %d features have a weight\n- data: %d pairs of two editions and %d of one, %d groups of sites, digest `%s`\n\n", m.Algo, m.Options, m.Seed, m.Program, m.Features(), m.Counts[0], m.Counts[1], m.Groups, m.Data)
	p("Editors decide pairs that are in doubt and correct wrong merges, so these pairs are harder than most.\n")
	if r.After == nil {
		p("\n## What it can do\n\nNot measured: the pairs lie on fewer than two sites.\n")
		return b.String()
	}
	p("\n## What it can do\n\nEach pair is judged by a model that has seen no pair of its sites. A pair is one edition from a probability of 0.5 on. Intervals are 95 %%, by bootstrap over groups.\n\n| figure | before | after | interval |\n|---|---|---|---|\n")
	was := map[string]float64{}
	for _, f := range r.Before.Figures {
		was[f.Name] = f.Value
	}
	for _, f := range r.After.Figures {
		p("| %s | %.3f | %.3f | %.3f to %.3f |\n", f.Name, was[f.Name], f.Value, f.Low, f.High)
	}
	return b.String()
}
