package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"

	"github.com/spf13/cobra"
)

func newModelCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "model", Short: "Show, compare, export and replace models", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer model list\n  eventseer model card cfp\n  eventseer model diff cfp new.model\n  eventseer model promote new.model --labels held-out.tsv --pages pages.warc.gz\n  eventseer model rollback cfp",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the shipped models and those of the data directory", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Example: "  eventseer model list",
		RunE:    func(*cobra.Command, []string) error { return judges.ListModels(a) },
	}
	show := &cobra.Command{
		Use: "show MODEL", Short: "Print the parameters of a model and its strongest terms", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "json"),
		Example: "  eventseer model show cfp --top 30\n  eventseer model show my.model --format json",
	}
	top := show.Flags().Int("top", 15, "number of terms shown per class")
	show.RunE = func(_ *cobra.Command, names []string) error { return showModel(a, names[0], *top) }
	use := &cobra.Command{
		Use: "use NAME|FILE", Short: "Put a model in use: a file, a version, or a shipped model", Args: usageArgs(cobra.ExactArgs(1)),
		Long:    "Put a model in use instead of the present one of its task. A file is stored in the data directory as TASK@NUMBER. A model that\nshould replace the present one only if it is no worse is put in use by model promote.",
		Example: "  eventseer model use new.model\n  eventseer model use cfp@2\n  eventseer model use cfp            # the shipped one",
		RunE:    func(_ *cobra.Command, names []string) error { return judges.PutInUse(a, names[0]) },
	}
	rollback := &cobra.Command{
		Use: "rollback TASK", Short: "Put the model in use that was in use before", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer model rollback cfp",
		RunE:    func(_ *cobra.Command, names []string) error { return judges.RollBackModel(a, names[0]) },
	}
	shadow := &cobra.Command{
		Use: "shadow NAME|FILE|off", Short: "Let a model judge pages beside the model in use, without effect", Args: usageArgs(cobra.ExactArgs(1)),
		Long:    "Let a model of task cfp or page-type judge the pages of crawls, visits and mails beside the model in use. What it says has no\neffect and is recorded for model compare. It takes no longer in total than the models in use: a slow one skips pages.",
		Example: "  eventseer model shadow new.model\n  eventseer model compare\n  eventseer model shadow off",
		RunE:    func(_ *cobra.Command, names []string) error { return judges.SetShadowModel(a, names[0]) },
	}
	cmd.AddCommand(list, show, newModelCardCommand(a), newModelDiffCommand(a), newModelExportCommand(a), use, newModelPromoteCommand(a), rollback, shadow, newModelCompareCommand(a))
	return cmd
}

func newModelPromoteCommand(a *app.App) *cobra.Command {
	var f trainFlags
	var rf reportFlags
	cmd := &cobra.Command{
		Use: "promote NAME|FILE --labels LABELS --pages INPUT", Short: "Put a model in use if it is no worse than that in use", Args: usageArgs(cobra.ExactArgs(1)),
		Long: `Measure a model and the model in use of its task on labelled pages, as eval compare does, and
put it in use if its F1 (macro F1 of many classes) is not below that of the model in use, and
every --min is met. Otherwise the exit code is 4. A model that was trained on these pages is
refused, because its figures are too good.`,
		Example: "  eventseer model promote new.model --labels held-out.tsv --pages pages.warc.gz --min f1=0.9",
	}
	flags := cmd.Flags() // --data is the data directory here
	flags.StringArrayVar(&f.Labels, "labels", nil, dataUsage)
	flags.StringArrayVar(&f.Pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	f.addWebFiles(flags)
	rf.addGates(cmd)
	markRequired(cmd, "labels", "pages")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return judges.PromoteModel(a, names[0], func(used, candidate *classify.Model, usedName, name string) error {
			return comparePromotion(cmd.Context(), a, f, rf, [2]train.Contender{{Name: usedName, Model: used}, {Name: name, Model: candidate}})
		})
	}
	return cmd
}

// comparePromotion returns app.ErrGate unless the second model is no worse than the first and passes
// the gates.
func comparePromotion(ctx context.Context, a *app.App, f trainFlags, rf reportFlags, sides [2]train.Contender) error {
	f.Task, rf.errors = sides[0].Model.Task, -1
	plan, err := planReport(a, rf, sides[0].Model.Classes)
	if err != nil {
		return err
	}
	c, err := train.Evaluation{Folds: train.Folds}.Compare(ctx, sides, f.optionsWithSeed(a), trainingEnvironment(a))
	if err != nil {
		return err
	}
	if c.Void != "" {
		return fmt.Errorf("%w: %s; measure on pages that it has not seen", app.ErrGate, c.Void)
	}
	missed, err := c.B.MissedGates(plan.gates)
	if err != nil {
		return err
	}
	name := judges.MainFigure(sides[0].Model.Meta).Name
	used, okUsed := c.A.Figure(name)
	candidate, okCandidate := c.B.Figure(name)
	switch {
	case !okUsed || !okCandidate:
		missed = append(missed, fmt.Sprintf("%s cannot be measured: there are too few pages", name))
	case candidate.Value < used.Value:
		missed = append(missed, fmt.Sprintf("%s of %s is %.4f, and that of %s is %.4f", name, sides[1].Name, candidate.Value, sides[0].Name, used.Value))
	}
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", app.ErrGate, strings.Join(missed, ", "))
	}
	a.Logf("%s of %s is %.4f [%.4f, %.4f], and that of %s is %.4f [%.4f, %.4f]", name, sides[1].Name, candidate.Value, candidate.Low, candidate.High, sides[0].Name, used.Value, used.Low, used.High)
	return nil
}

func newModelCompareCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "compare [TASK@NUMBER]", Short: "Show where the shadow model judges differently", Args: usageArgs(cobra.MaximumNArgs(1)), Annotations: formatAnnotations("table", "json"),
		Example: "  eventseer model compare --top 50\n  eventseer model compare cfp@2 --format json",
	}
	top := cmd.Flags().Int("top", 20, "number of differences shown")
	cmd.RunE = func(_ *cobra.Command, names []string) error {
		return judges.CompareShadow(a, strings.Join(names, ""), *top)
	}
	return cmd
}

func showModel(a *app.App, name string, top int) error {
	m, err := judges.OpenModel(name)
	if err != nil {
		meta, metaErr := judges.OpenMeta(name)
		if metaErr != nil {
			return err
		}
		return a.PrintLine(meta, func(w io.Writer) error { // of another kind, without terms to show
			tw := app.NewTabWriter(w)
			judges.PrintMeta(tw, meta, "")
			return tw.Flush()
		})
	}
	return a.PrintLine(m.Meta, func(w io.Writer) error { return judges.PrintModel(w, m, top) })
}

func newModelCardCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "card MODEL", Short: "Print a model's card: purpose, training data and accuracy",
		Long: "Print a model's card. A shipped model has its own; that of a model file is made from\nthe file and lacks its weaknesses: train --card writes those.",
		Example: `  eventseer model card cfp
  eventseer model card my.model -o my.md`,
		Args: usageArgs(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, names []string) error {
			card, err := judges.ModelCardOf(names[0])
			if err != nil {
				return err
			}
			return a.Printf("%s", card)
		},
	}
}

func newModelDiffCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Show the differences between two models of one task",
		Example: `  eventseer model diff cfp new.model
  eventseer model diff cfp new.model --pages pages.warc.gz --format json`,
		Args: usageArgs(cobra.ExactArgs(2)), Annotations: formatAnnotations("table", "json"),
	}
	top := cmd.Flags().Int("top", 15, "number of terms shown of each kind")
	pages := cmd.Flags().StringArray("pages", nil, "INPUT to judge by both models, may be repeated")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if *top < 0 {
			return app.Usagef("--top %d is negative", *top)
		}
		return diffModels(cmd.Context(), a, names[0], names[1], *pages, *top)
	}
	return cmd
}

func diffModels(ctx context.Context, a *app.App, nameA, nameB string, inputs []string, top int) error {
	ma, err := judges.OpenModel(nameA)
	if err != nil {
		return err
	}
	mb, err := judges.OpenModel(nameB)
	if err != nil {
		return err
	}
	if ma.Task != mb.Task || !slices.Equal(ma.Classes, mb.Classes) {
		return fmt.Errorf("%s: %w: it is of task %s with classes %q, %s is of task %s with classes %q: only models of one task can be compared", nameB, classify.ErrIncompatible, mb.Task, mb.Classes, nameA, ma.Task, ma.Classes)
	}
	d := train.DiffModels(ma, mb, top)
	var t engine.Tally
	if len(inputs) > 0 {
		d.Pages = train.JudgePages(ma, mb, engine.PagesOfInputs(ctx, a, inputs, ""), func(err error) { t.CountInput(err) })
		if err := ctx.Err(); err != nil {
			return err
		}
		t.All += d.Pages.Judged
	}
	if err := a.PrintLine(d, func(w io.Writer) error { return judges.WriteDiff(w, d, top) }); err != nil {
		return err
	}
	return t.Err()
}

func newModelExportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export MODEL --to libsvm|liblinear|json -o FILE", Short: "Write a model for other programs",
		Long: `Write a model for other programs. svm-predict and predict of LIBLINEAR give
vectors of "data convert --model MODEL" the class that MODEL gives the page:
calibration and threshold are included in the weights, so that a decision value
is the log odds of its class. (A page without any known term is of class other
or the negative one for MODEL; for an empty vector this does not hold.)
FILE.names holds the names of classes and terms. json holds the weights as they
are, with names, calibration and threshold.`,
		Example: `  eventseer model export topic --to liblinear -o topic.liblinear
  eventseer data convert labels.tsv --pages pages.warc.gz --class is_cfp --model topic --to libsvm -o pages.svm
  liblinear-predict pages.svm topic.liblinear answers`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	to := cmd.Flags().String("to", "", "format: libsvm, liblinear or json")
	cmd.RunE = func(_ *cobra.Command, names []string) error { return judges.Export(a, names[0], *to) }
	return cmd
}
