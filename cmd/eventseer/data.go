package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/check"
	"github.com/eventseer/eventseer/datasets/public"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newDataCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "data", Short: "Check, split, convert, count and fetch datasets", Args: usageArgs(cobra.NoArgs),
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data convert labels.tsv --pages pages.warc.gz --to svmlight -o pages.svm`,
	}
	cmd.AddCommand(newDataCheckCommand(a), newDataSplitCommand(a), newDataConvertCommand(a), newDataStatsCommand(a), newDataFetchCommand(a))
	return cmd
}

func newDataCheckCommand(a *app.App) *cobra.Command {
	var labels, test string
	var pages []string
	cmd := &cobra.Command{
		Use: "check --data LABELS --pages INPUT", Short: "Check labelled pages for leaks, conflicts and other faults",
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data check --data train.tsv --test test.tsv --pages pages.warc.gz --format jsonl
  eventseer data check --data mails.tsv --pages mails.mbox --quiet && echo sound`,
		Long: `Check labelled pages for leaks, conflicts and other faults.

Errors, with exit code 4: leak_url, leak_group, leak_body (on both sides of --data and
--test), conflict_url, conflict_body (one page or body, two labels).
Warnings: duplicate_body and near_duplicate (in two groups), near_conflict (two
labels; near means a 64-bit simhash over word triples at most 3 bits apart, for texts
of 50 words or more), tiny_class (under 20), empty_text, huge_text (over 1 MiB),
no_page, bad_input.`,
		Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
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
	c.CheckClassSizes(files)
	if err := findingTable.Print(a, append([]check.Finding{}, c.Findings()...)); err != nil {
		return err
	}
	return summarizeFindings(a, c, files)
}

// summarizeFindings reports the number of findings, and returns an error if some are errors.
func summarizeFindings(a *app.App, c *check.Checker, files []string) error {
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

func newDataSplitCommand(a *app.App) *cobra.Command {
	var labels string
	var test float64
	var folds int
	cmd := &cobra.Command{
		Use: "split --data LABELS -o DIR", Short: "Split labels into training and test parts by group",
		Example: `  eventseer data split --data labels.tsv --test 0.2 --seed 1 -o split      # split/train.tsv, split/test.tsv
  eventseer data split --data labels.tsv --folds 5 -o folds               # folds/1/train.tsv, folds/1/test.tsv, …`,
		Long: `Split labels into training and test parts by group.

All labels of a group are on one side; page types and calls are spread as evenly
as the groups allow. The lines are those of LABELS. The same seed gives the same
split.`,
		Args: usageArgs(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringVar(&labels, "data", "", "labels file")
	flags.Float64Var(&test, "test", 0.2, "share of the test part, above 0 and at most 0.5")
	flags.IntVar(&folds, "folds", 0, "write this number of folds, each of which is the test part once, instead of one split")
	cmd.RunE = func(*cobra.Command, []string) error {
		switch {
		case labels == "" || a.Config.Output == "-":
			return app.Usagef("--data LABELS and -o DIR are needed")
		case folds != 0 && (folds < 2 || folds > split.MaxFolds):
			return app.Usagef("--folds %d: must be 2 to %d", folds, split.MaxFolds)
		case !(test > 0 && test <= 0.5):
			return app.Usagef("--test %v: must be above 0 and at most 0.5", test)
		}
		return splitData(a, labels, test, folds, a.Config.Output)
	}
	return cmd
}

func splitData(a *app.App, file string, test float64, folds int, dir string) error {
	data, err := datasets.Open(file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, datasets.ShownProblems) }); err != nil {
		return err
	}
	k, held := folds, 1
	if folds == 0 {
		k, held = split.ShareAsFolds(test)
	}
	foldOf, err := split.Folds(data.Labels(), k, a.Config.Seed)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	wrote := func(path string, labels int) { a.Logf("%s: %d labels", path, labels) }
	lines := bytes.SplitAfter(text, []byte("\n"))
	if folds == 0 {
		return split.Write(dir, lines, data.Labels(), func(i int) bool { return foldOf[i] < held }, wrote)
	}
	for fold := range k {
		err := split.Write(filepath.Join(dir, strconv.Itoa(fold+1)), lines, data.Labels(), func(i int) bool { return foldOf[i] == fold }, wrote)
		if err != nil {
			return err
		}
	}
	return nil
}

func newDataFetchCommand(a *app.App) *cobra.Command {
	var sum string
	cmd := &cobra.Command{
		Use: "fetch NAME|URL -o DIR", Short: "Download a public dataset and check it",
		Example: `  eventseer data fetch                                        # the sets known by name
  eventseer data fetch 20newsgroups -o data
  eventseer data fetch https://example.org/set.csv.gz --sha256 9f86d081884c7d659a2feaa0c55ad015… -o data`,
		Long: `Download a public dataset and check it.

The file appears in DIR once it is complete and its SHA-256 is right. Sets whose
publishers give no checksum, and URLs, need --sha256. Downloads need --contact, which
their User-Agent names with the program; zip files are unpacked by unzip.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
	}
	cmd.Flags().StringVar(&sum, "sha256", "", "the SHA-256 the file must have, 64 hexadecimal digits")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		if len(names) == 0 {
			return a.WithOutput(writePublicSets)
		}
		set, err := public.Find(names[0], strings.ToLower(sum))
		if err != nil {
			return err
		}
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: the folder for the file")
		}
		client := func() (*http.Client, error) {
			return fetch.NewClient(fetch.Options{UserAgent: engine.UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate})
		}
		return public.Fetch(cmd.Context(), client, set, a.Config.Output, a.Logf)
	}
	return cmd
}

func writePublicSets(w io.Writer) error {
	tw := app.NewTabWriter(w)
	for _, s := range public.Sets {
		fmt.Fprintf(tw, "%s\t%s\t%s\n\t%s\t\n", s.Name, s.What, cmp.Or(s.SHA256, "needs --sha256"), s.URL)
	}
	return tw.Flush()
}
