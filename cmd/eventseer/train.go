package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/features"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// cvFolds is the number of folds a model is calibrated and measured on.
const cvFolds = 5

// dataUsage describes the flag --data.
const dataUsage = "labels: tab-separated, columns url, page_type, is_cfp, group, or id and is_cfp for messages; may be repeated"

// trainFlags are the flags train and eval cv share.
type trainFlags struct {
	task, algo             string
	labels, pages, exclude []string
	targets, links         string // files of a frozen web, of task layer
	against                string // a class: it against all others
	parameters
	tune time.Duration // how long to look for better settings, 0 not at all
}

func (f *trainFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.task, "task", "", "what to learn: cfp, page-type, discipline, link (which links lead to a call), layer (how many links a page is before one), or topic, of which is_cfp says what is on it; vectors: the classes of a file of vectors")
	flags.StringVar(&f.algo, "algo", "", "algorithm: "+algorithmNames()+" (default that of the task's shipped model; svm-trees wants hundreds of pages, svm does with fewer)")
	flags.StringArrayVar(&f.labels, "data", nil, dataUsage)
	flags.StringArrayVar(&f.pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	f.addWebFiles(flags)
	flags.StringVar(&f.against, "one-against-rest", "", "learn this class of the task against all others together (eval cv only)")
	flags.Float64Var(&f.cost, "cost", 0, "cost of a training error of a support vector machine (default the algorithm's)")
	flags.Float64Var(&f.alpha, "alpha", 0, "smoothing of naive Bayes (default the algorithm's)")
	flags.IntVar(&f.terms, "terms", -1, "terms chosen for each class, 0 keeps all (default the algorithm's)")
	flags.Lookup("terms").DefValue = "0" // which is not printed: -1 says nothing to people
	flags.StringVar(&f.statistic, "select", "", "how terms are chosen: chi2 or ig, information gain (default the algorithm's)")
	flags.StringSliceVar(&f.blocks, "features", nil, "blocks to switch on and off, such as +title,-url; blocks are "+strings.Join(features.BlockNames(), ", "))
	flags.StringVar(&f.calibration, "calibrate", "", "how scores become probabilities: platt, or isotonic (eval cv only)")
	flags.DurationVar(&f.tune, "tune", 0, "look that long for better --cost, --alpha, --terms, --select and --features, such as 10m")
	for _, name := range []string{"task", "data"} {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag defined above
		}
	}
}

// addWebFiles adds the flags of the files that say how far pages are from a target.
func (f *trainFlags) addWebFiles(flags *pflag.FlagSet) {
	flags.StringVar(&f.targets, "targets", "", "of task layer: the file of targets that layers are counted from, columns url and kind")
	flags.StringVar(&f.links, "links", "", "of task layer: the file of links they are counted over, columns source and target")
}

func newTrainCommand(a *app.App) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use: "train --task TASK --data LABELS --pages INPUT -o MODEL", Short: "Learn a model from labelled pages",
		Example: `  eventseer train --task cfp --data labels.tsv --pages pages.warc.gz -o cfp.model --card cfp.md
  eventseer train --task cfp --data labels.tsv --pages pages.warc.gz --data mails.tsv --pages mails.mbox.gz -o cfp.model
  eventseer train --task page-type --data labels.tsv --pages pages.warc.gz -o page-type.model --cross-fit crossfit
  eventseer train --task link --data labels.tsv --pages pages.warc.gz -o link.model
  eventseer train --task layer --data nodes.tsv --pages web.warc.gz --targets targets.tsv --links links.tsv.gz -o layer.model`,
		Args: args(cobra.NoArgs),
	}
	f.add(cmd)
	card := cmd.Flags().String("card", "", "also write the model's card to this file")
	crossFit := cmd.Flags().String("cross-fit", "", "also write into this folder, for each fold of groups, the model trained without it, and the table of folds")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.Config.Output == "-" {
			return app.Usagef("-o MODEL is needed: the file to write")
		}
		return train(cmd.Context(), a, f, a.Config.Output, *card, *crossFit)
	}
	return cmd
}

// train learns from all pages; calibration and figures come from models that
// were trained on a part of the groups and judged the rest.
func train(ctx context.Context, a *app.App, f trainFlags, path, card, crossFit string) error {
	for _, out := range []string{path, card} { // learning takes long: better now than then
		if _, err := os.Stat(filepath.Dir(out)); err != nil {
			return fmt.Errorf("%s cannot be written: %w", out, err)
		}
	}
	r, c, err := prepareModel(ctx, a, f)
	if err != nil {
		return err
	}
	if f.tune > 0 {
		t := tuner{limit: f.tune, folds: cvFolds, seed: a.Config.Seed, now: a.Now, logf: a.Logf}
		if r, err = t.tune(ctx, r, c); err != nil {
			return err
		}
	}
	if r.command, err = trainCommand(f, r, a.Config.Seed); err != nil {
		return err
	}
	full, err := r.fit(ctx, c, func(int) bool { return true })
	if err != nil {
		return fmt.Errorf("%s: %w", strings.Join(f.labels, ", "), err)
	}
	cv, report, err := measure(ctx, a, r, r.calibration, c, cvFolds)
	if err != nil {
		return err
	}
	cal, err := cv.calibrate(-1)
	if err != nil {
		return err
	}
	model, err := newModel(r, c, full, cal, report, a.Config.Seed)
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
		if err := cv.write(r, crossFit, report, a.Config.Seed); err != nil {
			return err
		}
	}
	a.Logf("%s: %d examples in %d groups, %d terms; %s", path, len(c.class), c.numGroups(), full.view.Size(), r.flags())
	return writeToLog(a, report.WriteText)
}

// write writes the model of each fold, calibrated on the other folds, and the
// table of folds, as classify.ReadCrossFitted reads them.
func (cv *crossValidation) write(r recipe, dir string, report *eval.Report, seed uint64) error {
	for fold, fit := range cv.models {
		cal, err := cv.calibrate(fold)
		if err != nil {
			return err
		}
		model, err := newModel(r, cv.without(fold), fit, cal, report, seed)
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
	table, err := cv.table(seed)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := classify.WriteFolds(&b, table); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "folds"), b.Bytes(), 0o644)
}

// table is the table of folds: of links, that of the pages they are on.
func (cv *crossValidation) table(seed uint64) (*classify.Folds, error) {
	c, folds := cv.corpus, cv.folds
	if c.pages != nil {
		var err error
		if folds, err = c.pages.split(cv.k, seed); err != nil {
			return nil, err
		}
		c = c.pages
	}
	return c.foldTable(folds, cv.k)
}

// learner returns what trains as f asks: r, or what tunes r for each of k folds
// anew, on the others.
func newLearner(a *app.App, r recipe, f trainFlags, k int) learner {
	if f.tune == 0 {
		return r
	}
	return tuned{r, tuner{limit: f.tune / time.Duration(max(1, k)), folds: cvFolds, seed: a.Config.Seed, now: a.Now, logf: a.Logf}}
}

// measure trains l without each of k folds of groups and reports how it judges
// the fold.
func measure(ctx context.Context, a *app.App, l learner, calibration string, c *corpus, k int) (*crossValidation, *eval.Report, error) {
	folds, err := c.foldsOf(k, a.Config.Seed)
	if err != nil {
		return nil, nil, err
	}
	cv, err := crossValidate(ctx, l, calibration, c, folds, k, func(done int) { a.Logf("fold %d of %d done", done, k) })
	if err != nil {
		return nil, nil, err
	}
	report, err := cv.report(a.Config.Seed)
	return cv, report, err
}

// talk has write produce talk on stderr, unless --quiet.
func writeToLog(a *app.App, write func(io.Writer) error) error {
	if a.Config.Quiet {
		return nil
	}
	return write(a.Stderr)
}

// report measures the held-out predictions.
func (cv *crossValidation) report(seed uint64) (*eval.Report, error) {
	ps, err := cv.predictions()
	if err != nil {
		return nil, err
	}
	title := fmt.Sprintf("%s, grouped %d-fold cross-validation", cv.corpus.task, cv.k)
	return cv.corpus.report(title, ps, seed)
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

func newModel(r recipe, c *corpus, fit fitted, cal calibration, report *eval.Report, seed uint64) (*classify.Model, error) {
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
			Classes: c.classes, Counts: c.counts(), Groups: c.numGroups(),
			Data: c.digest, Program: r.command, Figures: figures,
		},
		Vectorizer: pages.Vectorizer, Classifier: fit.classifier, Platt: platt, Threshold: cal.threshold,
	})
}

func writeModel(path string, m *classify.Model) error {
	var b bytes.Buffer
	if err := classify.WriteModel(&b, m); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
