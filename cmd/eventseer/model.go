package main

import (
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/models"

	"github.com/spf13/cobra"
)

func newModelCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "model", Short: "Look at models, compare and export them", Args: args(cobra.NoArgs),
		Example: "  eventseer model list\n  eventseer model card cfp\n  eventseer model diff cfp new.model",
	}
	list := &cobra.Command{
		Use: "list", Short: "List the shipped models", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl"),
		Example: "  eventseer model list",
		RunE:    func(*cobra.Command, []string) error { return listModels(a) },
	}
	show := &cobra.Command{
		Use: "show MODEL", Short: "Print what a model is made of and its strongest terms", Args: args(cobra.ExactArgs(1)), Annotations: formats("table", "json"),
		Example: "  eventseer model show cfp --top 30\n  eventseer model show my.model --format json",
	}
	top := show.Flags().Int("top", 15, "terms shown of each class")
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

// mainFigure is the figure a model of its kind is compared by.
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
		return err
	}
	if a.Config.Format == "json" {
		return a.WithOutput(func(w io.Writer) error { return app.WriteJSONLine(w, m.Meta) })
	}
	return a.WithOutput(func(w io.Writer) error { return printModel(w, m, top) })
}

func printModel(w io.Writer, m *classify.Model, top int) error {
	tw := app.NewTabWriter(w)
	for _, row := range [][2]string{
		{"task", m.Task}, {"algorithm", m.Algo}, {"options", m.Options}, {"seed", fmt.Sprint(m.Seed)},
		{"terms", fmt.Sprint(m.Vectorizer.Size())}, {"data", m.Data}, {"groups", fmt.Sprint(m.Groups)},
	} {
		fmt.Fprintf(tw, "%s\t%s\n", row[0], row[1])
	}
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
