package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify/eval"

	"github.com/spf13/cobra"
)

func newEvalCommand(a *app) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use: "eval MODEL --data LABELS --pages INPUT", Short: "Measure a model on labelled pages",
		Example: `  eventseer eval cfp.model --data labels.tsv --pages pages.warc.gz --min f1=0.9
  eventseer eval cv --task cfp --algo svm --data labels.tsv --pages pages.warc.gz`,
		Args: args(cobra.ExactArgs(1)),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.labels, "data", "", "labels: tab-separated, columns url, page_type, is_cfp, group")
	flags.StringArrayVar(&f.pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	flags.StringArrayVar(&f.exclude, "exclude-type", nil, "leave out pages of this type, may be repeated")
	gates := gateFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if f.labels == "" || len(f.pages) == 0 {
			return usagef("--data LABELS and --pages INPUT are needed")
		}
		return a.evalModel(cmd.Context(), names[0], f, *gates)
	}
	cmd.AddCommand(newEvalCVCommand(a))
	return cmd
}

func newEvalCVCommand(a *app) *cobra.Command {
	var f trainFlags
	cmd := &cobra.Command{
		Use: "cv --task TASK --data LABELS --pages INPUT", Short: "Measure an algorithm by cross-validation over groups",
		Example: `  eventseer eval cv --task cfp --algo thesis-tfidf40-svm --data labels.tsv --pages pages.warc.gz --exclude-type mail_announcement`,
		Args:    args(cobra.NoArgs),
	}
	f.add(cmd)
	folds := cmd.Flags().Int("folds", cvFolds, "number of folds; the pages of a group share one")
	gates := gateFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return a.evalCV(cmd.Context(), f, *folds, *gates)
	}
	return cmd
}

func gateFlag(cmd *cobra.Command) *[]string {
	return cmd.Flags().StringArray("min", nil, "fail with exit 4 unless a figure reaches a value, such as f1=0.9; may be repeated")
}

func (a *app) evalModel(ctx context.Context, path string, f trainFlags, gates []string) error {
	model, err := openModel(path)
	if err != nil {
		return err
	}
	c, err := a.readCorpus(ctx, model.Task, f.labels, f.pages, f.exclude)
	if err != nil {
		return err
	}
	if !slices.Equal(model.Classes, c.classes) {
		return fmt.Errorf("%s: the classes of the model are %q, those of task %s are %q", path, model.Classes, model.Task, c.classes)
	}
	ps := make([]eval.Prediction, len(c.docs))
	for i, d := range c.docs {
		scores := model.Scores(d)
		ps[i] = eval.Prediction{Truth: c.class[i], Guess: model.Class(scores), Score: scores[1], Group: c.groups[i]}
	}
	report, err := eval.New(path, c.classes, ps, a.config.Seed)
	if err != nil {
		return err
	}
	if c.digest == model.Data {
		report.Warnings = append(report.Warnings, "these are the pages the model was trained on: the figures are too good")
	}
	return a.showReport(report, gates)
}

func (a *app) evalCV(ctx context.Context, f trainFlags, k int, gates []string) error {
	_, report, err := a.crossValidate(ctx, f, k)
	if err != nil {
		return err
	}
	report.Title = f.algo + ", " + report.Title
	return a.showReport(report, gates)
}

// showReport writes the report and holds it against the gates.
func (a *app) showReport(r *eval.Report, gates []string) error {
	format, err := a.format("table", "json")
	if err != nil {
		return err
	}
	if err := a.withOutput(func(w io.Writer) error {
		if format == "json" {
			return r.WriteJSON(w)
		}
		return r.WriteText(w)
	}); err != nil {
		return err
	}
	return checkGates(r, gates)
}

// checkGates returns errGate unless every NAME=VALUE is reached.
func checkGates(r *eval.Report, gates []string) error {
	var missed []string
	for _, gate := range gates {
		name, text, _ := strings.Cut(gate, "=")
		least, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return usagef("--min %s is not NAME=VALUE, such as f1=0.9", gate)
		}
		figure, ok := r.Figure(name)
		if !ok {
			return usagef("--min %s: the report has no figure %q, only %s", gate, name, figureNames(r))
		}
		if figure.Value < least {
			missed = append(missed, fmt.Sprintf("%s is %.4f, not %s", name, figure.Value, text))
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", errGate, strings.Join(missed, ", "))
	}
	return nil
}

func figureNames(r *eval.Report) string {
	var names []string
	for _, f := range r.Figures {
		names = append(names, f.Name)
	}
	for _, c := range r.Classes {
		names = append(names, c.F1.Name)
	}
	return strings.Join(names, ", ")
}
