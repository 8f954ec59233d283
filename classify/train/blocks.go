package train

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"hash"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"
	"github.com/eventseer/eventseer/classify/loglinear"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/usage"
)

// TaskBlockRole is the task of classifying the role of each block of a page.
const TaskBlockRole = "block-role"

// Settings for learning block roles. A few values were compared on 2026-11-24 by grouped cross-validation
// over the training pages; the accuracies differed by at most 0.01.
const (
	blockEpochs = 4
	blockL1     = 0.5
	blockGroups = 3 // minimum number of sites on which a feature must occur
)

// A BlockResult is a model of block roles with its measurements.
type BlockResult struct {
	Model  *block.Model
	Report *eval.Report // measured on training pages, each judged by a model trained without its group
	Check  *eval.Report // measured on the pages marked for checking; nil if there are none
}

// A labelledPage is a page with the labelled roles of its blocks.
type labelledPage struct {
	page  *block.Page
	group string
	check bool
	roles []int
}

// TrainBlocks trains a model of block roles from the pages of one labels file. The second pass learns
// from outputs of first passes that were not trained on the page.
func TrainBlocks(ctx context.Context, o Options, env Environment) (*BlockResult, error) {
	if len(o.Labels) != 1 || len(o.Pages) == 0 {
		return nil, usage.Errorf("--task %s reads one file of block roles, --data, and the pages they are on, --pages", TaskBlockRole)
	}
	pages, digest, err := readBlockPages(ctx, o, env)
	if err != nil {
		return nil, err
	}
	t := &blockTrainer{seed: o.Seed, logf: env.Logf}
	for _, p := range pages {
		if p.check {
			t.checks = append(t.checks, p)
		} else {
			t.pages = append(t.pages, p)
		}
	}
	files, err := relativeToCommonFolder(o.Pages)
	if err != nil {
		return nil, err
	}
	meta := classify.Meta{
		Task: TaskBlockRole, Algo: "log-linear", Seed: o.Seed, Classes: block.RoleNames(), Data: digest,
		Options: fmt.Sprintf("two passes of FTRL-Proximal over hashed features: %d epochs, L1 %g, features of at least %d groups", blockEpochs, blockL1, blockGroups),
		Program: fmt.Sprintf("eventseer train --task %s --seed %d --data datasets/blocks.tsv --pages %s", TaskBlockRole, o.Seed, strings.Join(files, " --pages ")),
	}
	return t.trainModel(ctx, meta)
}

// readBlockPages reads the labelled pages. It leaves out a page whose blocks differ from those that were
// labelled, with a message, because the labels no longer fit.
func readBlockPages(ctx context.Context, o Options, env Environment) ([]labelledPage, string, error) {
	f, err := os.Open(o.Labels[0])
	if err != nil {
		return nil, "", err
	}
	all, err := datasets.ReadPageRoles(f, o.Labels[0])
	_ = f.Close() // opened for reading: an error on closing loses nothing
	if err != nil {
		return nil, "", err
	}
	of, sum := map[string]datasets.PageRoles{}, sha256.New()
	for _, p := range all {
		of[p.URL] = p
		hashPage(sum, p)
	}
	var pages []labelledPage
	for page, err := range env.ReadPages(ctx, o.Pages) {
		if err != nil {
			return nil, "", err
		}
		labels, ok := of[page.URL]
		if !ok {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			env.Logf("%s:%d: %v", o.Labels[0], labels.Line, err)
			continue
		}
		p, err := labelPage(tree, labels)
		if err != nil {
			env.Logf("%s:%d: %s: %v", o.Labels[0], labels.Line, page.URL, err)
			continue
		}
		delete(of, page.URL)
		pages = append(pages, p)
	}
	if len(of) > 0 {
		env.Logf("%s: %d of %d pages were not found in --pages, or have changed since they were labelled", o.Labels[0], len(of), len(all))
	}
	if len(pages) == 0 {
		return nil, "", fmt.Errorf("%s: none of its pages is in --pages", o.Labels[0])
	}
	return pages, fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

func hashPage(h hash.Hash, p datasets.PageRoles) {
	fmt.Fprintln(h, p.URL, p.Group, p.Check, p.Digest, strings.Join(p.Roles, " "))
}

func labelPage(tree *tagtree.Tree, labels datasets.PageRoles) (labelledPage, error) {
	blocks := extract.Blocks(tree)
	blocks = blocks[:min(len(blocks), len(labels.Roles))]
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text)
	}
	if len(blocks) != len(labels.Roles) || datasets.BlockDigest(texts) != labels.Digest {
		return labelledPage{}, fmt.Errorf("the blocks of the page differ from those that were labelled")
	}
	p := labelledPage{page: block.NewPage(tree, blocks), group: labels.Group, check: labels.Check}
	for _, name := range labels.Roles {
		r, err := block.ParseRole(name)
		if err != nil {
			return labelledPage{}, err
		}
		p.roles = append(p.roles, int(r))
	}
	return p, nil
}

// A blockTrainer trains and measures models of block roles.
type blockTrainer struct {
	seed          uint64
	logf          func(string, ...any)
	pages, checks []labelledPage
	folds         []int // by page
	first         []loglinear.Example
	of            []int // index of the page of each example
}

func (t *blockTrainer) trainModel(ctx context.Context, meta classify.Meta) (*BlockResult, error) {
	slices.SortStableFunc(t.pages, func(a, b labelledPage) int { return cmp.Compare(a.group, b.group) })
	var groups []string
	for _, p := range t.pages {
		groups = append(groups, p.group)
	}
	var err error
	if t.folds, err = eval.GroupedFolds(make([]int, len(groups)), groups, 1, Folds, t.seed); err != nil {
		return nil, err
	}
	for i, p := range t.pages {
		for b := range p.roles {
			t.first = append(t.first, loglinear.Example{Terms: p.page.AppendTerms(nil, b), Class: p.roles[b], Group: p.group})
			t.of = append(t.of, i)
		}
	}
	contexts, err := t.firstPassContexts(ctx)
	if err != nil {
		return nil, err
	}
	second := t.secondPassExamples(contexts)
	report, err := t.crossValidate(ctx, second)
	if err != nil {
		return nil, err
	}
	meta.Counts = make([]int, block.NumRoles)
	for _, e := range t.first {
		meta.Counts[e.Class]++
	}
	meta.Groups, meta.Figures = report.Groups, report.Figures
	model, err := t.joinPasses(ctx, meta, second, nil)
	if err != nil {
		return nil, err
	}
	r := &BlockResult{Model: model, Report: report}
	if len(t.checks) > 0 {
		r.Check, err = t.measureUnlearned(model)
	}
	return r, err
}

// fitPass trains one pass on the examples of the pages that use selects.
func (t *blockTrainer) fitPass(ctx context.Context, examples []loglinear.Example, use func(page int) bool) (*classify.LogLinear, error) {
	return loglinear.Train(ctx, classify.Meta{}, int(block.NumRoles), examples, func(i int) bool { return use == nil || use(t.of[i]) },
		loglinear.Options{Epochs: blockEpochs, L1: blockL1, MinGroups: blockGroups, Seed: t.seed})
}

// firstPassContexts returns the outputs of first passes for all pages; for each fold the first pass was trained on
// the other folds.
func (t *blockTrainer) firstPassContexts(ctx context.Context) ([]*block.Context, error) {
	contexts := make([]*block.Context, len(t.pages))
	for f := range Folds {
		first, err := t.fitPass(ctx, t.first, func(page int) bool { return t.folds[page] != f })
		if err != nil {
			return nil, err
		}
		for i, p := range t.pages {
			if t.folds[i] == f {
				contexts[i] = p.page.Context(firstScores(first, p.page, len(p.roles)))
			}
		}
		t.logf("first pass: %d of %d folds done", f+1, Folds)
	}
	return contexts, nil
}

func firstScores(first *classify.LogLinear, p *block.Page, blocks int) []block.Scores {
	scores, sums := make([]block.Scores, blocks), make([]float64, block.NumRoles)
	var terms []classify.Term
	for b := range scores {
		terms = p.AppendTerms(terms[:0], b)
		first.Scores(terms, sums)
		scores[b] = block.Probabilities(sums)
	}
	return scores
}

// secondPassExamples returns the examples of the second pass.
func (t *blockTrainer) secondPassExamples(contexts []*block.Context) []loglinear.Example {
	second := slices.Clone(t.first)
	i := 0
	for page, p := range t.pages {
		for b := range p.roles {
			second[i].Terms = contexts[page].AppendTerms(slices.Clip(second[i].Terms), b)
			i++
		}
	}
	return second
}

// joinPasses trains both passes on the pages that use selects and returns them as one model.
func (t *blockTrainer) joinPasses(ctx context.Context, meta classify.Meta, second []loglinear.Example, use func(page int) bool) (*block.Model, error) {
	one, err := t.fitPass(ctx, t.first, use)
	if err != nil {
		return nil, err
	}
	two, err := t.fitPass(ctx, second, use)
	if err != nil {
		return nil, err
	}
	return block.JoinPasses(meta, one, two)
}

// crossValidate judges the pages of each fold by a model trained on the others.
func (t *blockTrainer) crossValidate(ctx context.Context, second []loglinear.Example) (*eval.Report, error) {
	var ps []eval.Prediction
	for f := range Folds {
		m, err := t.joinPasses(ctx, classify.Meta{}, second, func(page int) bool { return t.folds[page] != f })
		if err != nil {
			return nil, err
		}
		for i, p := range t.pages {
			if t.folds[i] == f {
				ps = append(ps, judgeBlocks(m, p)...)
			}
		}
		t.logf("fold %d of %d done", f+1, Folds)
	}
	return eval.New(fmt.Sprintf("%s, grouped %d-fold cross-validation", TaskBlockRole, Folds), block.RoleNames(), ps, t.seed)
}

// measureUnlearned judges the pages that were not used for learning.
func (t *blockTrainer) measureUnlearned(m *block.Model) (*eval.Report, error) {
	var ps []eval.Prediction
	for _, p := range t.checks {
		ps = append(ps, judgeBlocks(m, p)...)
	}
	return eval.New(TaskBlockRole+", pages for checking", block.RoleNames(), ps, t.seed)
}

func judgeBlocks(m *block.Model, p labelledPage) []eval.Prediction {
	var ps []eval.Prediction
	for b, s := range m.PageRoles(p.page) {
		scores := make([]float64, len(s))
		for r, x := range s {
			scores[r] = float64(x)
		}
		ps = append(ps, eval.Prediction{Truth: p.roles[b], Guess: int(s.Best()), Scores: scores, Group: p.group})
	}
	return ps
}

// BlockCard returns the model card of a model of block roles: a description for readers.
func BlockCard(r *BlockResult) string {
	var b strings.Builder
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	m := r.Model
	p("# %s\n\nSays of each block of a page (a paragraph, heading, list item, table cell or line) what it is for: %s.\n\n", m.Task, strings.Join(m.Classes, ", "))
	p("Intended use: finding the parts of a page that fields of a record are read from, within EventSeer. Not for judging people or the worth of a conference.\n\n")
	p("## How it was made\n\n- algorithm: %s: %s; seed %d\n", m.Algo, m.Options, m.Seed)
	p("- command, in the root of the repository, inputs in the folder of the corpora: `%s -o models/%s.model --card models/%s.md`\n", m.Program, m.Task, m.Task)
	p("- %d features have a weight\n", m.Features())
	p("- data: %d blocks in %d groups (a group is a site or its owner), digest of the labels `%s`. The pages were read and labelled for this project; `datasets/blocks.tsv` holds addresses, block numbers and roles, no text. One page in ten, drawn by a seeded hash of its address, is for checking only: nothing was learnt or chosen on it.\n\n", m.Examples(), m.Groups, m.Data)
	p("| role | blocks |\n|---|---|\n")
	for k, class := range m.Classes {
		p("| %s | %d |\n", class, m.Counts[k])
	}
	p("\n## What it can do\n\nGrouped %d-fold cross-validation: each page is judged by a model that has seen no page of its group. Intervals are 95 %%, by bootstrap over groups.\n\n| figure | value | interval |\n|---|---|---|\n", Folds)
	for _, f := range m.Figures {
		p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	if r.Check != nil {
		p("\nThe pages for checking, %d blocks in %d groups:\n\n| figure | value | interval |\n|---|---|---|\n", r.Check.Examples, r.Check.Groups)
		for _, f := range r.Check.Figures {
			p("| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
		}
	}
	p("\nBy role (cross-validation):\n\n| role | F1 | found | most often taken for |\n|---|---|---|---|\n")
	for k, c := range r.Report.Classes {
		f1 := "–"
		if c.F1 != nil {
			f1 = fmt.Sprintf("%.2f", c.F1.Value)
		}
		p("| %s | %s | %d of %d | %s |\n", c.Name, f1, r.Report.Confusion[k][k], c.Examples, r.Report.ConfusedClasses(k))
	}
	p("\n## Licence\n\nAs the program, see LICENSE. The file holds hashes of features and weights, no page.\n")
	return b.String()
}
