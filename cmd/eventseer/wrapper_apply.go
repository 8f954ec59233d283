package main

import (
	"context"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper/fields"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newWrapperApplyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply W INPUT…", Short: "Read pages by a wrapper",
		Example: `  eventseer wrapper apply talks.wrapper talks/ --format jsonl
  eventseer wrapper apply talks.wrapper https://conf.example/talks/7`,
		Long: `Read pages by a wrapper that induce learned, of its pages or of others of the same
template, a record a page. Values are as written, under the names of the table that
induce prints (f12, or the meaning that annotate gave); a repeated field has one value
an item, and a field that a page has not is left out. "unmatched" is the number of texts and links of the page that the template
has no place for: many say that the page is of another template.`,
		Args: args(cobra.MinimumNArgs(2)), Annotations: formats("table", "jsonl"),
	}
	var name string
	cmd.Flags().StringVar(&name, "url", "", "name of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return wrapperApply(cmd.Context(), a, inputs[0], name, inputs[1:])
	}
	return cmd
}

func wrapperApply(ctx context.Context, a *app.App, path, name string, inputs []string) error {
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	if inputs, err = inNaturalOrder(inputs); err != nil {
		return err
	}
	rows := app.RowsIn(a.Config.Format, func(out io.Writer, r fields.Record) error { return r.Show(out, w) })
	return writePages(ctx, a, inputs, name, rows, func(page *webgraph.Page, err error) (fields.Record, error) {
		record := fields.Record{URL: page.URL, Fields: map[string][]string{}}
		tree, err := engine.Parse(page, err)
		if err != nil {
			record.Error = err.Error()
			return record, err
		}
		record.Read(w, w.Apply(tree))
		return record, nil
	})
}
