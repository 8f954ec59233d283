package main

import (
	"context"
	"io"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper"
	"eventseer/eventseer/wrapper/annotate"
	"eventseer/internal/atomicfile"

	"github.com/spf13/cobra"
)

func newWrapperAnnotateCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "annotate W [INPUT…]", Short: "Say what the fields of a wrapper mean, one after the other",
		Example: `  eventseer wrapper annotate talks.wrapper
  eventseer wrapper annotate conf.example-3             # a wrapper of the data directory, see wrapper list
  eventseer wrapper annotate talks.wrapper talks/       # proposals from what is read on these pages
  printf 'y\ni\n= venue\nq\n' | eventseer wrapper annotate talks.wrapper`,
		Long: `Say what the fields of a wrapper mean: of a file, or of the data directory by its
name. Of each field that nobody has said anything of, examples are shown and the
meanings that its values speak for, the surest first; INPUT are pages of the
template to learn these from. An answer is a line:

` + annotate.Help + `
Each answer is saved at once, into W or the file -o names. The end of the input
quits.`,
		Args: args(cobra.MinimumNArgs(1)),
	}
	all := cmd.Flags().Bool("all", false, "ask of every field, also those that have an answer")
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
	t := weighPages(ctx, a, w, inputs)
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

// wrapperPath returns the file that is given, or that of the wrapper of this name in the
// data directory, whose store is then locked against crawls, which learn wrappers too.
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

// weighPages compares what the fields hold on pages with what the extractor reads there,
// and returns the pages that could not be read.
func weighPages(ctx context.Context, a *app.App, w *wrapper.Wrapper, inputs []string) (bad engine.Tally) {
	x := engine.NewExtractor(a)
	for page, err := range engine.PagesOfInputs(ctx, a, inputs, "") {
		tree, err := engine.Parse(page, err)
		if err != nil {
			bad.Note(err)
			a.Logf("%s: %v", page.URL, err)
			continue
		}
		e, _ := x.Extract(tree)
		w.Weigh(tree, w.Apply(tree), e)
	}
	return bad
}
