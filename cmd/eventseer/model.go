package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/models"

	"github.com/spf13/cobra"
)

func newModelCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "model", Short: "Show, compare and export models", Args: args(cobra.NoArgs),
		Example: "  eventseer model list\n  eventseer model card cfp\n  eventseer model diff cfp new.model",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the shipped models", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl"),
		Example: "  eventseer model list",
		RunE:    func(*cobra.Command, []string) error { return listModels(a) },
	}
	show := &cobra.Command{
		Use: "show MODEL", Short: "Print the parameters of a model and its strongest terms", Args: args(cobra.ExactArgs(1)), Annotations: formats("table", "json"),
		Example: "  eventseer model show cfp --top 30\n  eventseer model show my.model --format json",
	}
	top := show.Flags().Int("top", 15, "number of terms shown per class")
	show.RunE = func(_ *cobra.Command, names []string) error { return showModel(a, names[0], *top) }
	cmd.AddCommand(list, show, newModelCardCommand(a), newModelDiffCommand(a), newModelExportCommand(a))
	return cmd
}

func listModels(a *app.App) error {
	names, err := fs.Glob(models.Files(), "*.model")
	if err != nil {
		return err
	}
	list := make([]listedModel, len(names))
	for i, file := range names {
		m, err := engine.ShippedMeta(file)
		if err != nil {
			return err
		}
		list[i] = listedModel{strings.TrimSuffix(path.Base(file), ".model"), m}
	}
	return modelTable.Print(a, list)
}

// A listedModel is a line of model list.
type listedModel struct {
	Name string `json:"name"`
	classify.Meta
}

var modelTable = app.Table[listedModel]{Head: "name\ttask\talgorithm\texamples\tclasses\tfigure", Line: func(m listedModel) string {
	figure := mainFigure(m.Meta)
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%s %.3f", m.Name, m.Task, m.Algo, m.Examples(), len(m.Classes), figure.Name, figure.Value)
}}

// mainFigure returns the figure by which models of the same task are compared.
func mainFigure(m classify.Meta) classify.Figure {
	for _, f := range m.Figures {
		if f.Name == "f1" || f.Name == "macro_f1" {
			return f
		}
	}
	return classify.Figure{Name: "not measured"}
}

func showModel(a *app.App, name string, top int) error {
	m, err := engine.OpenModel(name)
	if err != nil {
		meta, metaErr := engine.OpenMeta(name)
		if metaErr != nil {
			return err
		}
		return a.PrintLine(meta, func(w io.Writer) error { // of another kind, without terms to show
			tw := app.NewTabWriter(w)
			printMeta(tw, meta, "")
			return tw.Flush()
		})
	}
	return a.PrintLine(m.Meta, func(w io.Writer) error { return printModel(w, m, top) })
}

// printMeta prints the origin of a model; terms is the size of its vocabulary, "" if it has none.
func printMeta(w io.Writer, m classify.Meta, terms string) {
	for _, row := range [][2]string{
		{"task", m.Task}, {"algorithm", m.Algo}, {"options", m.Options}, {"seed", fmt.Sprint(m.Seed)},
		{"terms", terms}, {"data", m.Data}, {"groups", fmt.Sprint(m.Groups)},
	} {
		if row[1] != "" {
			fmt.Fprintf(w, "%s\t%s\n", row[0], row[1])
		}
	}
}

func printModel(w io.Writer, m *classify.Model, top int) error {
	tw := app.NewTabWriter(w)
	printMeta(tw, m.Meta, fmt.Sprint(m.Vectorizer.Size()))
	if m.Binary() {
		fmt.Fprintf(tw, "threshold\t%.4f\n", m.Threshold)
	}
	for _, f := range m.Figures {
		fmt.Fprintf(tw, "%s\t%.3f\t[%.3f, %.3f]\n", f.Name, f.Value, f.Low, f.High)
	}
	for k, class := range m.Classes {
		if m.Binary() && k == 0 {
			continue
		}
		fmt.Fprintf(tw, "\n%s (%d examples)\n", class, m.Counts[k])
		for _, r := range m.Top(k, top) {
			fmt.Fprintf(tw, "  %s\t%+.3f\n", r.Term, r.Weight)
		}
	}
	return tw.Flush()
}

func newModelCardCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "card MODEL", Short: "Print a model's card: purpose, training data and accuracy",
		Long: "Print a model's card. A shipped model has its own; that of a model file is made from\nthe file and lacks its weaknesses: train --card writes those.",
		Example: `  eventseer model card cfp
  eventseer model card my.model -o my.md`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, names []string) error {
			card, err := cardOf(names[0])
			if err != nil {
				return err
			}
			return a.Printf("%s", card)
		},
	}
}

// cardOf returns the card of a model file, or of a shipped model by its name.
func cardOf(name string) (string, error) {
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.Contains(name, "/") {
		card, err := fs.ReadFile(models.Files(), strings.TrimSuffix(name, ".model")+".md")
		if err == nil {
			return string(card), nil
		}
	}
	m, err := engine.OpenModel(name)
	if err != nil {
		return "", err
	}
	return train.Card(m, nil), nil
}

// longFact is the length from which a fact is printed on separate lines, in bytes.
const longFact = 40

func newModelDiffCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "diff A B", Short: "Show the differences between two models of one task",
		Example: `  eventseer model diff cfp new.model
  eventseer model diff cfp new.model --pages pages.warc.gz --format json`,
		Args: args(cobra.ExactArgs(2)), Annotations: formats("table", "json"),
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
	ma, err := engine.OpenModel(nameA)
	if err != nil {
		return err
	}
	mb, err := engine.OpenModel(nameB)
	if err != nil {
		return err
	}
	if ma.Task != mb.Task || !slices.Equal(ma.Classes, mb.Classes) {
		return fmt.Errorf("%s: %w: it is of task %s with classes %q, %s is of task %s with classes %q: only models of one task can be compared", nameB, classify.ErrIncompatible, mb.Task, mb.Classes, nameA, ma.Task, ma.Classes)
	}
	d := train.DiffModels(ma, mb, top)
	var t engine.Tally
	if len(inputs) > 0 {
		d.Pages = train.JudgePages(ma, mb, engine.PagesOfInputs(ctx, a, inputs, ""), func(err error) { t.Note(err) })
		if err := ctx.Err(); err != nil {
			return err
		}
		t.All += d.Pages.Judged
	}
	if err := a.PrintLine(d, func(w io.Writer) error { return writeModelDiff(w, d, top) }); err != nil {
		return err
	}
	return t.Err()
}

// writeModelDiff prints d for people, n terms of each kind.
func writeModelDiff(w io.Writer, d *train.Diff, n int) error {
	tw := app.NewTabWriter(w)
	p := func(format string, args ...any) { fmt.Fprintf(tw, format, args...) }
	for _, f := range d.Facts {
		if len(f.A) > longFact || len(f.B) > longFact {
			p("%s\n    %s\n  → %s\n", f.Name, f.A, f.B)
			continue
		}
		p("%s\t%s\t→ %s\n", f.Name, f.A, f.B)
	}
	for _, f := range d.Figures {
		p("%s\t%s\t→ %s\n", f.Name, figureText(f.A), figureText(f.B))
	}
	for _, part := range []struct {
		name  string
		terms []string
	}{{"new", d.Added}, {"gone", d.Removed}} {
		if len(part.terms) > 0 && n > 0 {
			p("\n%s terms: %d, such as %s\n", part.name, len(part.terms), strings.Join(part.terms[:min(n, len(part.terms))], ", "))
		}
	}
	class := ""
	for _, c := range d.Weights {
		if c.Class != class {
			class = c.Class
			p("\nweights for %s that changed most\n", class)
		}
		p("  %s\t%+.3f\t→ %+.3f\n", c.Term, c.A, c.B)
	}
	if d.Pages != nil {
		p("\npages judged differently: %d of %d\n", len(d.Pages.Differ), d.Pages.Judged)
		for _, c := range d.Pages.Differ {
			p("  %s %.3f\t→ %s %.3f\t%s\n", c.A, c.AScore, c.B, c.BScore, text.Printable(c.URL))
		}
	}
	return tw.Flush()
}

func figureText(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *v)
}

// The formats of model export.
const (
	toLIBSVM    = "libsvm"
	toLIBLINEAR = "liblinear"
	toJSON      = "json"
)

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
		Args: args(cobra.ExactArgs(1)),
	}
	to := cmd.Flags().String("to", "", "format: libsvm, liblinear or json")
	cmd.RunE = func(_ *cobra.Command, names []string) error { return exportModel(a, names[0], *to) }
	return cmd
}

func exportModel(a *app.App, name, to string) error {
	if to != toLIBSVM && to != toLIBLINEAR && to != toJSON {
		return app.Usagef("--to %q: the formats are libsvm, liblinear and json", to)
	}
	if a.Config.Output == "-" && to != toJSON {
		return app.Usagef("-o FILE is needed: the file to write, with FILE.names beside it")
	}
	m, err := engine.OpenModel(name)
	if err != nil {
		return err
	}
	if to == toJSON {
		exported, err := train.NewLinearModel(m)
		if err != nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error { return app.WriteJSONLine(w, exported) })
	}
	l, err := train.LogOdds(m)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	err = a.WithOutput(func(w io.Writer) error {
		if to == toLIBLINEAR {
			return svm.WriteLIBLINEAR(w, l, m.Classes)
		}
		return svm.WriteLIBSVM(w, l, m.Classes)
	})
	if err != nil {
		return err
	}
	return writeNames(a.Config.Output+".names", m)
}

// writeNames writes the names of a model's classes and terms, like data convert for vectors.
func writeNames(path string, m *classify.Model) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return datasets.WriteNames(f, &datasets.Vectors{Names: train.Terms(m), Classes: m.Classes})
}
