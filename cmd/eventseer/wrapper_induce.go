package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/annotate"
	"github.com/eventseer/eventseer/eventseer/wrapper/fields"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newWrapperInduceCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "induce INPUT… -o W", Short: "Learn the template of pages, one by one, and its fields",
		Example: `  eventseer wrapper induce talks/ -o talks.wrapper
  eventseer wrapper induce 1.html 2.html 3.html -o talks.wrapper
  eventseer wrapper induce more/ --from talks.wrapper -o talks.wrapper   # continues learning`,
		Long: `Learn the template of pages made by one program, page by page in the order given
(those of a directory in natural order of their names: 1, 2, … 10), and write it to
the file of -o. Each page is aligned with the template so far, which grows by
what is new; nothing is learned from scratch.

A field is a place where pages differ: text, or a link, image, date or other
attribute. For each field the table shows how many pages have it, how often a page
has it, which part of its place it is, an example and where it stands; elements that
hold other places come last. A place gives fields of several granularity, which
stand indented under the first: the text without the words that all pages share
(core) or without the texts that they share (rest); the parts between commas or other
separators (piece by its place, pieces); the lines between br elements (first, last,
butfirst, butlast); items of a list by place (item) or as one value (joined); the
children of one kind (family), or those on any level (deep); what follows a heading or
block up to the next (section). Fields with a label are the values that stand after it.

Names such as f12 stay with their field for the life of the wrapper, also when it
learns more: apply writes its values under them, or under the meaning that
annotate gave it. The table may later leave out a field that all pages turned out to
share; its name is not used again.

Pages that clearly belong to another template are learned too, and spoil the wrapper:
give pages of one template only.`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl"),
	}
	var from, name string
	cmd.Flags().StringVar(&from, "from", "", "wrapper that continues learning")
	cmd.Flags().StringVar(&name, "url", "", "URL of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return wrapperInduce(cmd.Context(), a, from, name, inputs)
	}
	return cmd
}

func wrapperInduce(ctx context.Context, a *app.App, from, name string, inputs []string) error {
	var w *wrapper.Wrapper
	var err error
	if from != "" {
		if w, err = readWrapper(from); err != nil {
			return err
		}
	}
	if inputs, err = inNaturalOrder(inputs); err != nil {
		return err
	}
	w, t := trainOnPages(ctx, a, w, name, inputs)
	if err := ctx.Err(); err != nil {
		return err
	}
	if w == nil {
		return cmp.Or(t.Err(), errNoPages)
	}
	table := a.Stderr // if the wrapper itself goes to stdout
	if a.Config.Output != "-" {
		table = a.Stdout
	}
	if a.Config.Output != "-" {
		err = saveWrapper(a.Config.Output, w)
	} else {
		var data []byte
		if data, err = w.Encode(); err == nil {
			_, err = a.Stdout.Write(data)
		}
	}
	switch {
	case err != nil || a.Config.Quiet:
	case a.Config.Format == "jsonl":
		err = app.WriteJSONLines(table, w.Fields)
	default:
		err = fields.WriteTable(table, w)
	}
	if err != nil {
		return err
	}
	return t.Err()
}

var errNoPages = errors.New("there is no page to learn from: give files that end in .html, or a WARC file")

// trainOnPages trains w on the pages one by one; if w is nil it is created from the first.
func trainOnPages(ctx context.Context, a *app.App, w *wrapper.Wrapper, name string, inputs []string) (_ *wrapper.Wrapper, t engine.Tally) {
	for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
		tree, err := engine.Parse(page, err)
		if t.CountInput(err) {
			fmt.Fprintf(a.Stderr, "%s: %v\n", text.Printable(page.URL), err)
			continue
		}
		if w == nil {
			w = wrapper.New(hostOf(page.URL), template.URLPattern(page.URL))
		}
		before := w.LeftOut
		w.Verify(tree, w.Add(tree), page.FetchedAt)
		if n := w.LeftOut - before; n > 0 {
			a.Logf("%s: left out %s: the page or the template is too large, or nested too deep", page.URL, text.Count(n, "element or text", "elements and texts"))
		}
		if a.ProgressMode() != "none" {
			fmt.Fprintf(a.Stderr, "page %d: %d fields, %s\n", w.Pages, len(w.Fields), text.Printable(page.URL))
		}
	}
	return w, t
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// inNaturalOrder replaces each directory by its files of supported types, in natural order of their
// names.
func inNaturalOrder(inputs []string) ([]string, error) {
	var out []string
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			out = append(out, input) // its type is determined when it is read
			continue
		}
		var files []string
		err := filepath.WalkDir(input, func(path string, d fs.DirEntry, err error) error {
			if ext, _ := engine.Extension(path); err == nil && !d.IsDir() && (engine.ContentType(ext) != "" || engine.IsContainer(path)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(files, text.CompareNatural)
		out = append(out, files...)
	}
	return out, nil
}

func readWrapper(path string) (*wrapper.Wrapper, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w, err := wrapper.Decode(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return w, nil
}

func newWrapperAnnotateCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "annotate W [INPUT…]", Short: "Name the fields of a wrapper, one after the other",
		Example: `  eventseer wrapper annotate talks.wrapper
  eventseer wrapper annotate conf.example-3             # a wrapper of the data directory, see wrapper list
  eventseer wrapper annotate talks.wrapper talks/       # proposals from what is read on these pages
  printf 'y\ni\n= venue\nq\n' | eventseer wrapper annotate talks.wrapper`,
		Long: `Name the fields of a wrapper, given by file or by its name in the data directory. For each
field without a name it shows examples and the meanings that fit its values, the most
likely first; INPUT are pages of the template from which these are learned. An answer is a line:

` + annotate.Help + `
Each answer is saved at once, to W or the file of -o. The end of the input quits.`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
	}
	all := cmd.Flags().Bool("all", false, "ask about every field, also those with an answer")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return wrapperAnnotate(cmd.Context(), a, given[0], given[1:], *all)
	}
	return cmd
}

func wrapperAnnotate(ctx context.Context, a *app.App, given string, inputs []string, all bool) error {
	path, err := wrapperPath(a, given)
	if err != nil {
		return err
	}
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	t := compareFieldValues(ctx, a, w, inputs)
	if err := ctx.Err(); err != nil {
		return err
	}
	target := path
	if a.Config.Output != "-" {
		target = a.Config.Output
	}
	n := annotate.New(w, func(w *wrapper.Wrapper) error { return saveWrapper(target, w) })
	if len(inputs) > 0 {
		if err := saveWrapper(target, w); err != nil {
			return err
		}
	}
	if err := annotate.NewDialog(n, a.Stdin, a.Stdout, all).Run(ctx); err != nil {
		return err
	}
	return t.Err()
}

// wrapperPath returns the given file, or that of the named wrapper in the data directory. The
// wrapper store is then locked against crawls, which train wrappers too.
func wrapperPath(a *app.App, given string) (string, error) {
	if _, err := os.Stat(given); err == nil || filepath.Base(given) != given {
		return given, nil
	}
	dir, _ := engine.WrapperFiles(a.Config.Data)
	path := filepath.Join(dir, given+".wrapper")
	if _, err := os.Stat(path); err != nil {
		return given, nil
	}
	_, err := engine.OpenStore(a)
	return path, err
}

func saveWrapper(path string, w *wrapper.Wrapper) error {
	data, err := w.Encode()
	if err != nil {
		return err
	}
	return atomicfile.Write(path, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// compareFieldValues compares the values of the fields on pages with those of the extractor, and returns
// the pages that could not be read.
func compareFieldValues(ctx context.Context, a *app.App, w *wrapper.Wrapper, inputs []string) (bad engine.Tally) {
	x := engine.NewExtractor(a, judges.Set{})
	for page, err := range engine.PagesOfInputs(ctx, a, inputs, "") {
		tree, err := engine.Parse(page, err)
		if err != nil {
			bad.CountInput(err)
			a.Logf("%s: %v", page.URL, err)
			continue
		}
		e, _ := x.Extract(tree)
		w.AddEvidence(tree, w.Apply(tree), e)
	}
	return bad
}
