package main

import (
	"context"
	"fmt"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper"
	"eventseer/features/tagtree"
	"eventseer/internal/text"

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
		Args: args(cobra.MinimumNArgs(2)),
	}
	var name string
	cmd.Flags().StringVar(&name, "url", "", "name of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return wrapperApply(cmd.Context(), a, inputs[0], name, inputs[1:])
	}
	return cmd
}

// An appliedRecord is one line of `wrapper apply --format jsonl`.
type appliedRecord struct {
	URL       string              `json:"url"`
	Fields    map[string][]string `json:"fields"`
	Unmatched int                 `json:"unmatched"`
	Error     string              `json:"error,omitempty"`
}

func wrapperApply(ctx context.Context, a *app.App, path, name string, inputs []string) error {
	format, err := a.Format("table", "jsonl")
	if err != nil {
		return err
	}
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	if inputs, err = inNaturalOrder(inputs); err != nil {
		return err
	}
	var bad, all int
	var first error
	err = a.WithOutput(func(out io.Writer) error {
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			all++
			record := appliedRecord{URL: page.URL, Fields: map[string][]string{}}
			var tree *tagtree.Tree
			if err == nil {
				tree, err = tagtree.Parse(page)
			}
			if err != nil {
				record.Error = err.Error()
				if bad++; first == nil {
					first = err
				}
			} else {
				record.read(w, w.Apply(tree))
			}
			if format == "jsonl" {
				err = app.WriteJSONLine(out, record)
			} else {
				err = record.show(out, w)
			}
			if err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return engine.Partly(bad, all, first)
}

// read takes the values of the fields that the operator has not set aside. Fields of
// one meaning are one.
func (r *appliedRecord) read(w *wrapper.Wrapper, got wrapper.Reading) {
	r.Unmatched = got.Unmatched
	for _, f := range w.Fields {
		if texts := got.Texts(f); len(texts) > 0 && !f.Ignored {
			r.Fields[f.Name()] = append(r.Fields[f.Name()], texts...)
		}
	}
}

func (r *appliedRecord) show(out io.Writer, w *wrapper.Wrapper) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(out, "%s: %s\n", text.Printable(r.URL), text.Printable(r.Error))
		return err
	}
	if _, err := fmt.Fprintf(out, "%s: %d fields, %d unmatched\n", text.Printable(r.URL), len(r.Fields), r.Unmatched); err != nil {
		return err
	}
	return showValues(out, w, r.Fields)
}

// showValues shows the values of fields in the order of the template.
func showValues(out io.Writer, w *wrapper.Wrapper, values map[string][]string) error {
	shown := make(map[string]bool)
	for _, f := range w.Fields {
		name := f.Name()
		if shown[name] {
			continue
		}
		shown[name] = true
		for _, value := range values[name] {
			if _, err := fmt.Fprintf(out, "  %-20s %s\n", text.Printable(name), text.Printable(value)); err != nil {
				return err
			}
		}
	}
	return nil
}
