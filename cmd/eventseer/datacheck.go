package main

import (
	"context"
	"fmt"
	"iter"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets/check"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newDataCheckCommand(a *app.App) *cobra.Command {
	var labels, test string
	var pages []string
	cmd := &cobra.Command{
		Use: "check --data LABELS --pages INPUT", Short: "Look for leaks, conflicts and other faults of labelled pages",
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data check --data train.tsv --test test.tsv --pages pages.warc.gz --format jsonl
  eventseer data check --data mails.tsv --pages mails.mbox --quiet && echo sound`,
		Long: `Look for leaks, conflicts and other faults of labelled pages.

Errors, with exit 4: leak_url, leak_group, leak_body (on both sides of --data and
--test), conflict_url, conflict_body (one page or body, two labels).
Warnings: duplicate_body and near_duplicate (in two groups), near_conflict (two
labels; near is a 64-bit simhash over word triples at most 3 bits apart, of texts
of 50 words or more), tiny_class (under 20), empty_text, huge_text (over 1 MiB),
no_page, bad_input.`,
		Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl", "json"),
	}
	flags := cmd.Flags()
	flags.StringVar(&labels, "data", "", "labels file")
	flags.StringVar(&test, "test", "", "labels file of the other side of a split")
	flags.StringArrayVar(&pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if labels == "" || len(pages) == 0 {
			return app.Usagef("--data LABELS and --pages INPUT are needed")
		}
		files := []string{labels}
		if test != "" {
			files = append(files, test)
		}
		return checkData(cmd.Context(), a, files, pages)
	}
	return cmd
}

func checkData(ctx context.Context, a *app.App, files, inputs []string) error {
	c := check.New()
	pages := func() iter.Seq2[*webgraph.Page, error] { return engine.PagesOfInputs(ctx, a, inputs, "") }
	if err := c.Read(ctx, files, pages); err != nil {
		return err
	}
	c.Tiny(files)
	if err := findingTable.Print(a, append([]check.Finding{}, c.Findings()...)); err != nil {
		return err
	}
	return summarize(a, c, files)
}

// summarize says how many findings there are, and is the error of those that
// are errors.
func summarize(a *app.App, c *check.Checker, files []string) error {
	var kinds []string
	for _, kind := range check.Kinds {
		if n := c.Count(kind); n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(kinds) == 0 {
		kinds = []string{"nothing found"}
	}
	a.Logf("%d pages of %s: %s", c.Pages(), strings.Join(files, " and "), strings.Join(kinds, ", "))
	if n := c.Errors(); n > 0 {
		return fmt.Errorf("%w: %d leaks or conflicts", app.ErrGate, n)
	}
	return nil
}

// findingTable is the result of data check.
var findingTable = app.Table[check.Finding]{Line: func(f check.Finding) string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return fmt.Sprintf("%s\t%s\t%s\t%s", f.Severity, f.Kind, text.Printable(place), text.Printable(strings.TrimSpace(f.URL+" "+f.Text)))
}}
