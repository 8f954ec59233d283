package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/record"
	"eventseer/features/tagtree/report"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

func newWrapperRecordsCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "records INPUT…", Short: "List the records of list pages",
		Example: `  eventseer wrapper records list.html
  eventseer wrapper records pages.warc.gz --format jsonl
  eventseer wrapper records list.html --format csv -o records.csv`,
		Long: `List the records of list pages: regions of a page whose parts look alike, such as
the rows of a table, the entries of a calendar or the talks of a programme. A
record may be several rows or paragraphs; headings between records are none. Of
lists within lists the level is taken whose entries are records; of talks grouped
by session the talks. Fields are aligned: the same column of every record of a
region is the same field, empty where a record has none. Menus, footers and other
navigation are left out; --all lists them too, each list with the kind of area it
is in: informational, hub or navigation.

Links are absolute where the page's address is http or https, else as written.`,
		Args: args(cobra.MinimumNArgs(1)), Annotations: formats("table", "jsonl", "json", "csv"),
	}
	var url, method string
	var all bool
	cmd.Flags().BoolVar(&all, "all", false, "also menus, footers and other navigation")
	cmd.Flags().StringVar(&method, "method", "eventseer", "eventseer, or a baseline: mdr (Liu, Grossman, Zhai 2003), iepad (Chang, Lui 2001)")
	cmd.Flags().StringVar(&url, "url", "", "name of the page on stdin, by which its links are resolved")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		regions := regionMethods[method]
		if regions == nil {
			return app.Usagef("--method %q is neither eventseer, mdr nor iepad", method)
		}
		if !all {
			regions = withoutNavigation(regions)
		}
		return wrapperRecords(cmd.Context(), a, regions, url, inputs)
	}
	return cmd
}

// regionMethods are the values of --method.
var regionMethods = map[string]func(*tagtree.Tree) []record.Region{
	"eventseer": record.Find, "mdr": record.MDR, "iepad": record.IEPAD,
}

// withoutNavigation leaves out the lists that are menus and the like.
func withoutNavigation(regions func(*tagtree.Tree) []record.Region) func(*tagtree.Tree) []record.Region {
	return func(t *tagtree.Tree) []record.Region {
		return slices.DeleteFunc(regions(t), func(r record.Region) bool { return r.Kind == tagtree.Navigation })
	}
}

func wrapperRecords(ctx context.Context, a *app.App, regions func(*tagtree.Tree) []record.Region, name string, inputs []string) error {
	return writePages(ctx, a, inputs, name, listRows(a.Config.Format), func(page *webgraph.Page, err error) (report.Lists, error) {
		lists := report.Lists{URL: page.URL, Regions: []report.List{}}
		tree, err := engine.Parse(page, err)
		if err != nil {
			lists.Error = err.Error()
			return lists, err
		}
		lists.Regions = report.NewLists(regions(tree))
		return lists, nil
	})
}

// listRows writes the records of pages in a format.
func listRows(format string) app.Rows[report.Lists] {
	switch format {
	case "json":
		return func(w io.Writer) (func(report.Lists) error, func() error) {
			all := []report.Lists{}
			enc := json.NewEncoder(w)
			enc.SetEscapeHTML(false)
			enc.SetIndent("", " ")
			return func(r report.Lists) error { all = append(all, r); return nil }, func() error { return enc.Encode(all) }
		}
	case "csv":
		return func(w io.Writer) (func(report.Lists) error, func() error) {
			c := csv.NewWriter(w)
			_ = c.Write(report.ListColumns) // its error is also that of the rows
			return func(r report.Lists) error { return r.WriteCSV(c) }, func() error { c.Flush(); return c.Error() }
		}
	}
	return app.RowsIn(format, func(w io.Writer, r report.Lists) error { return r.WriteText(w) })
}
