package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"eventseer/classify"
	"eventseer/classify/eval"

	"github.com/spf13/cobra"
)

// cvFolds is the number of folds a model is calibrated and measured on.
const cvFolds = 5

// trainFlags are the flags train and eval cv share.
type trainFlags struct {
	task, algo, labels string
	pages, exclude     []string
}

func (f *trainFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.task, "task", "", "what to learn: cfp, page-type or topic")
	flags.StringVar(&f.algo, "algo", "svm", "algorithm: "+algos)
	flags.StringVar(&f.labels, "data", "", "labels: tab-separated, columns url, page_type, is_cfp, group")
	flags.StringArrayVar(&f.pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	for _, name := range []string{"task", "data", "pages"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag defined above
		}
	}
}

func newTrainCommand(a *app) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use: "train --task TASK --data LABELS --pages INPUT -o MODEL", Short: "Learn a model from labelled pages",
		Example: `  eventseer train --task cfp --data labels.tsv --pages pages.warc.gz -o cfp.model --card cfp.md
  eventseer train --task page-type --data labels.tsv --pages pages.warc.gz -o page-type.model --cross-fit crossfit`,
		Args: args(cobra.NoArgs),
	}
	f.add(cmd)
	card := cmd.Flags().String("card", "", "also write the model's card to this file")
	crossFit := cmd.Flags().String("cross-fit", "", "also write into this folder, for each fold of groups, the model trained without it, and the table of folds")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.config.Output == "-" {
			return usagef("-o MODEL is needed: the file to write")
		}
		return a.train(cmd.Context(), f, a.config.Output, *card, *crossFit)
	}
	return cmd
}

// train learns from all pages; calibration and figures come from models that
// were trained on a part of the groups and judged the rest.
func (a *app) train(ctx context.Context, f trainFlags, path, card, crossFit string) error {
	cv, report, err := a.crossValidate(ctx, f, cvFolds)
	if err != nil {
		return err
	}
	r, c := cv.recipe, cv.corpus
	full, err := r.fit(ctx, c, func(int) bool { return true })
	if err != nil {
		return err
	}
	cal, err := cv.calibrate(-1)
	if err != nil {
		return err
	}
	model, err := classify.NewModel(newModel(r, c, full, cal, report, a.config.Seed))
	if err != nil {
		return err
	}
	if err := writeModel(path, model); err != nil {
		return err
	}
	if card != "" {
		if err := os.WriteFile(card, []byte(modelCard(model, report)), 0o644); err != nil {
			return err
		}
	}
	if crossFit != "" {
		if err := cv.write(crossFit, report, a.config.Seed); err != nil {
			return err
		}
	}
	a.logf("%s: %d pages in %d groups, %d terms", path, len(c.docs), c.numGroups(), full.vectorizer.Size())
	return a.talk(report.WriteText)
}

// write writes the model of each fold, calibrated on the other folds, and the
// table of folds, as classify.ReadCrossFitted reads them.
func (cv *crossValidation) write(dir string, report *eval.Report, seed uint64) error {
	for fold, fit := range cv.models {
		cal, err := cv.calibrate(fold)
		if err != nil {
			return err
		}
		model, err := classify.NewModel(newModel(cv.recipe, cv.without(fold), fit, cal, report, seed))
		if err != nil {
			return err
		}
		sub := filepath.Join(dir, strconv.Itoa(fold))
		if err := os.MkdirAll(sub, 0o755); err != nil {
			return err
		}
		if err := writeModel(filepath.Join(sub, cv.corpus.task+".model"), model); err != nil {
			return err
		}
	}
	table, err := cv.corpus.foldTable(cv.folds, cv.k)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := classify.WriteFolds(&b, table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "folds"), b.Bytes(), 0o644)
}

// crossValidate reads the pages that f names, splits them by group into k
// folds, and trains and measures f's algorithm on them.
func (a *app) crossValidate(ctx context.Context, f trainFlags, k int) (*crossValidation, *eval.Report, error) {
	r, err := newRecipe(f.algo, f.task)
	if err != nil {
		return nil, nil, err
	}
	c, err := a.readCorpus(ctx, f.task, f.labels, f.pages, f.exclude)
	if err != nil {
		return nil, nil, err
	}
	folds, err := c.split(k, a.config.Seed)
	if err != nil {
		return nil, nil, err
	}
	cv, err := r.crossValidate(ctx, c, folds, k, func(fold int) { a.logf("fold %d of %d done", fold+1, k) })
	if err != nil {
		return nil, nil, err
	}
	report, err := cv.report(a.config.Seed)
	return cv, report, err
}

// talk has write produce talk on stderr, unless --quiet.
func (a *app) talk(write func(io.Writer) error) error {
	if a.config.Quiet {
		return nil
	}
	return write(a.stderr)
}

// report measures the held-out predictions.
func (cv *crossValidation) report(seed uint64) (*eval.Report, error) {
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s, grouped %d-fold cross-validation", cv.corpus.task, cv.k)
	return eval.New(title, cv.corpus.classes, ps, seed)
}

// without is the corpus less the documents of one fold, as its model saw it.
func (cv *crossValidation) without(fold int) *corpus {
	rest := &corpus{task: cv.corpus.task, classes: cv.corpus.classes, digest: cv.corpus.digest}
	for i, f := range cv.folds {
		if f != fold {
			rest.class = append(rest.class, cv.corpus.class[i])
			rest.groups = append(rest.groups, cv.corpus.groups[i])
		}
	}
	return rest
}

func newModel(r recipe, c *corpus, fit fitted, cal calibration, report *eval.Report, seed uint64) classify.Model {
	figures := report.Figures
	if len(c.classes) > 2 {
		for _, class := range report.Classes {
			figures = append(figures[:len(figures):len(figures)], class.F1)
		}
	}
	return classify.Model{
		Meta: classify.Meta{
			Task: c.task, Algo: r.algo, Options: r.options, Seed: seed,
			Classes: c.classes, Counts: c.counts(), Groups: c.numGroups(),
			Data: c.digest, Program: "eventseer train", Figures: figures,
		},
		Vectorizer: fit.vectorizer, Linear: fit.linear, Platt: cal.platt, Threshold: cal.threshold,
	}
}

func writeModel(path string, m *classify.Model) error {
	var b bytes.Buffer
	if err := classify.WriteModel(&b, m); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
