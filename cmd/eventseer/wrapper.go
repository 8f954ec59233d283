package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/eventseer/wrapper/fields"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newWrapperCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "wrapper", Short: "Read pages by learned templates, and lists by their structure", Args: usageArgs(cobra.NoArgs),
		Example: `  eventseer wrapper induce talks/ -o talks.wrapper
  eventseer wrapper apply talks.wrapper talks/ --format jsonl
  eventseer wrapper annotate talks.wrapper talks/
  eventseer wrapper verify talks.wrapper talks/
  eventseer wrapper list
  eventseer wrapper records list.html`,
	}
	cmd.AddCommand(newWrapperInduceCommand(a), newWrapperApplyCommand(a), newWrapperRecordsCommand(a), newWrapperAnnotateCommand(a), newWrapperVerifyCommand(a), newWrapperListCommand(a), newWrapperJoinCommand(a))
	return cmd
}

// A listedWrapper is a line of wrapper list.
type listedWrapper struct {
	Name    string         `json:"name"`
	Host    string         `json:"host"`
	Pattern string         `json:"pattern"`
	Kind    wrapper.Kind   `json:"kind"`
	Status  wrapper.Status `json:"status"`
	Pages   int            `json:"pages"`
	// Named is the number of fields with a meaning, Open of those without; ignored fields are not
	// counted.
	Named int `json:"named"`
	Open  int `json:"open"`
	// Failed are the last pages that the wrapper could not read correctly.
	Failed []wrapper.Check `json:"failed,omitempty"`
}

func newWrapperListCommand(a *app.App) *cobra.Command {
	var notices bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the wrappers of the data directory, or their notices", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Example: "  eventseer wrapper list\n  eventseer wrapper list --notices\n  eventseer wrapper list --format jsonl",
		Long: `List the wrappers that crawls and the monitor learned: how many pages they have learned,
whether they are trusted, and how many of their fields have a meaning. An active wrapper
reads the pages of its template. While it learns, or after its pages changed so that it
broke, the general extractor reads them.

--notices lists the notices: new fields to name, wrappers disabled, learned again and
trusted again.`,
	}
	cmd.Flags().BoolVar(&notices, "notices", false, "list the notices instead")
	cmd.RunE = func(*cobra.Command, []string) error {
		named, log, err := wrappersAndNotices(a)
		if log == nil {
			return err
		}
		if notices {
			return listNotices(a, log)
		}
		if writeErr := printWrappers(a, named); writeErr != nil {
			return writeErr
		}
		return err
	}
	return cmd
}

// wrappersAndNotices returns the wrappers of the data directory and their notices. With an error about
// damaged files it returns the others; the log is nil without a data directory.
func wrappersAndNotices(a *app.App) ([]collection.Named, *collection.NoticeLog, error) {
	data, err := app.DataDir(a)
	if err != nil {
		return nil, nil, err
	}
	dir, notices := engine.WrapperFiles(data)
	log := collection.NewNoticeLog(notices)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		a.Logf("no wrapper is learned yet; `eventseer crawl` and `eventseer monitor` learn them")
		return nil, log, nil
	}
	set, err := collection.OpenSet(dir, collection.SetOptions{})
	if err != nil {
		return nil, nil, err
	}
	named, err := set.List()
	if err != nil {
		err = fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return named, log, err
}

func printWrappers(a *app.App, named []collection.Named) error {
	list := make([]listedWrapper, len(named))
	for i, n := range named {
		list[i] = listedWrapperOf(n)
	}
	return listedWrapperTable.Print(a, list)
}

var listedWrapperTable = app.Table[listedWrapper]{Head: "NAME\tKIND\tSTATUS\tPAGES\tNAMED\tOPEN\tPATTERN", Line: func(l listedWrapper) string {
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s", text.Printable(l.Name), l.Kind, l.Status, l.Pages, l.Named, l.Open, text.Printable(l.Pattern))
}}

func listedWrapperOf(n collection.Named) listedWrapper {
	w := n.Wrapper
	l := listedWrapper{Name: n.Name, Host: w.Host, Pattern: w.Pattern, Kind: w.Kind, Status: w.Status, Pages: w.Pages, Named: w.CountAnnotated()}
	for _, f := range w.Fields {
		if f.Meaning == "" && !f.Ignored {
			l.Open++
		}
	}
	for _, c := range w.Ledger.Recent {
		if !c.Passed {
			l.Failed = append(l.Failed, c)
		}
	}
	return l
}

func listNotices(a *app.App, log *collection.NoticeLog) error {
	notices, err := log.List()
	if err != nil {
		return err
	}
	return noticeTable.Print(a, notices)
}

var noticeTable = app.Table[wrapper.Notice]{Line: func(n wrapper.Notice) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s", n.At.UTC().Format(time.DateTime), n.Kind, text.Printable(n.Pattern), text.Printable(n.Text))
}}

// A verifiedPage is a line of wrapper verify.
type verifiedPage struct {
	URL    string   `json:"url"`
	Passed bool     `json:"passed"`
	Failed []string `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"`
}

func newWrapperVerifyCommand(a *app.App) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "verify [W INPUT…]", Short: "Check whether wrappers still read their pages correctly",
		Example: `  eventseer wrapper verify                            # those of the data directory
  eventseer wrapper verify talks.wrapper talks/       # a wrapper on pages
  eventseer wrapper verify talks.wrapper talks/ --format jsonl`,
		Long: `Check whether wrappers still read their pages correctly. What a wrapper reads on a page is
compared with what it read while it learned (Kushmerick 2000). A page fails if a third
of the fields that it should have, those with a meaning if any has one, are gone or
hold values of another type by length, digits, letters and signs, or if the template
matches less than half of its texts.

With W and INPUT one line per page shows whether it passes; exit code 4 means that more
than half fail. Without them the wrappers of the data directory that the last pages broke
are listed, with exit code 4 if there are any.`,
		Args: usageArgs(cobra.ArbitraryArgs), Annotations: formatAnnotations("table", "jsonl"),
	}
	cmd.Flags().StringVar(&name, "url", "", "URL of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		switch len(given) {
		case 0:
			return verifyWrappers(a)
		case 1:
			return app.Usagef("verify %s needs pages: name them after it", given[0])
		}
		return verifyPages(cmd.Context(), a, given[0], name, given[1:])
	}
	return cmd
}

// verifyWrappers lists the quarantined wrappers of the data directory.
func verifyWrappers(a *app.App) error {
	named, log, err := wrappersAndNotices(a)
	if log == nil {
		return err
	}
	var broken []collection.Named
	for _, n := range named {
		if n.Wrapper.Status == wrapper.Broken {
			broken = append(broken, n)
		}
	}
	if writeErr := printWrappers(a, broken); writeErr != nil {
		return writeErr
	}
	switch {
	case err != nil:
		return err
	case len(broken) > 0:
		return fmt.Errorf("%w: %d of %d wrappers are disabled", app.ErrGate, len(broken), len(named))
	}
	a.Logf("none of %d wrappers is disabled", len(named))
	return nil
}

// verifyPages prints for each page whether a wrapper reads it correctly.
func verifyPages(ctx context.Context, a *app.App, path, name string, inputs []string) error {
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	if len(w.Ledger.Stats) == 0 {
		a.Logf("%s has no statistics of its fields, so only the share of each page's text that it matches is checked", path)
	}
	failed, all := 0, 0
	err = writePages(ctx, a, inputs, name, app.RowsIn(a.Config.Format, showVerified), func(page *webgraph.Page, err error) (verifiedPage, error) {
		all++
		v := verifiedPage{URL: page.URL}
		tree, err := engine.Parse(page, err)
		if err != nil {
			v.Error = err.Error()
			return v, err
		}
		c := w.CheckPage(w.Apply(tree))
		if v.Passed, v.Failed = c.Passed, c.Failed; !c.Passed {
			failed++
		}
		return v, nil
	})
	if err == nil && 2*failed > all {
		err = fmt.Errorf("%w: %d of %d pages fail", app.ErrGate, failed, all)
	}
	return err
}

func showVerified(w io.Writer, v verifiedPage) error {
	said := "passes"
	switch {
	case v.Error != "":
		said = "error: " + v.Error
	case !v.Passed:
		said = "fails"
	}
	if len(v.Failed) > 0 {
		said += ": " + strings.Join(v.Failed, ", ")
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(v.URL), text.Printable(said))
	return err
}

func newWrapperApplyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "apply W INPUT…", Short: "Read pages with a wrapper",
		Example: `  eventseer wrapper apply talks.wrapper talks/ --format jsonl
  eventseer wrapper apply talks.wrapper https://conf.example/talks/7`,
		Long: `Read pages with a wrapper that induce learned, of its own pages or of others of the same
template, one record per page. Values are as written, under the names of the table that
induce prints (f12, or the meaning that annotate gave). A repeated field has one value
per item, and missing fields are left out. "unmatched" is the number of texts and links
of the page without a place in the template: many mean that the page is of another
template.`,
		Args: usageArgs(cobra.MinimumNArgs(2)), Annotations: formatAnnotations("table", "jsonl"),
	}
	var name string
	cmd.Flags().StringVar(&name, "url", "", "URL of the page on stdin")
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
