package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/eventseer/wrapper/fields"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/features/tagtree/report"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

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
record may be several rows or paragraphs; headings between records are not records. In
nested lists the level with the records counts; for talks grouped by session the
talks. Fields are aligned: the same column of every record of a region is the same
field, empty if a record has none. Menus, footers and other navigation are left out;
--all lists them too, each list with its kind of area: informational, hub or
navigation.

Links are absolute if the page's address is http or https, else as written.`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
	}
	var url, method string
	var all bool
	cmd.Flags().BoolVar(&all, "all", false, "include menus, footers and other navigation")
	cmd.Flags().StringVar(&method, "method", "eventseer", "eventseer, or a baseline: mdr (Liu, Grossman, Zhai 2003), iepad (Chang, Lui 2001)")
	cmd.Flags().StringVar(&url, "url", "", "URL of the page on stdin, by which its links are resolved")
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
	"eventseer": record.Find, "mdr": record.FindMDR, "iepad": record.FindIEPAD,
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
			c := text.NewCSV(w)
			_ = c.Write(report.ListColumns) // its error also occurs for the rows
			return func(r report.Lists) error { return r.WriteCSV(c) }, func() error { c.Flush(); return c.Error() }
		}
	}
	return app.RowsIn(format, func(w io.Writer, r report.Lists) error { return r.WriteText(w) })
}

// A joinedRecord is one line of `wrapper join --format jsonl`.
type joinedRecord struct {
	URL    string         `json:"url"`
	Listed []listedRecord `json:"listed"` // on category pages, the newest first
	// Fields are the values that the wrapper reads on the record's own page.
	Wrapper string              `json:"wrapper,omitempty"`
	Fields  map[string][]string `json:"fields,omitempty"`
}

type listedRecord struct {
	Category string   `json:"category"`
	Anchor   string   `json:"anchor"`
	Fields   []string `json:"fields"`
}

func newWrapperJoinCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "join", Short: "Join the records of category pages with those of their own pages", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Example: "  eventseer wrapper join\n  eventseer wrapper join --format jsonl -o records.jsonl",
		Long: `List the records of the category pages that were seen, such as lists of talks or of
calls, each joined with the record of its own page by the address of that page. If the
page is stored and its template has a wrapper, the wrapper gives the fields.`,
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		set, err := wrapperSetWithVersions(a)
		if set == nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error {
			return set.JoinRecords(func(j collection.JoinedRecord) error {
				if a.Config.Format == "jsonl" {
					return app.WriteJSONLine(w, joinedRecordOf(j))
				}
				return showJoined(w, joinedRecordOf(j), j)
			})
		})
	}
	return cmd
}

// wrapperSetWithVersions returns the wrappers of the data directory with the stored versions of pages, nil if
// there are none yet.
func wrapperSetWithVersions(a *app.App) (*collection.Set, error) {
	data, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	dir, _ := engine.WrapperFiles(data)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		a.Logf("no wrapper is learned yet; `eventseer crawl` and `eventseer monitor` learn them")
		return nil, nil
	}
	o := collection.SetOptions{Warn: func(err error) { a.Logger().Warn("wrapper", "err", err) }}
	switch m, err := engine.OpenExistingMonitor(a); {
	case err == nil:
		o.Archive = engine.Archive{State: engine.State{Monitor: m}}
	case !errors.Is(err, bolt.ErrMissing):
		return nil, err
	}
	return collection.OpenSet(dir, o)
}

func joinedRecordOf(j collection.JoinedRecord) joinedRecord {
	out := joinedRecord{URL: j.URL, Wrapper: j.Name}
	for _, r := range j.Rows {
		out.Listed = append(out.Listed, listedRecord{r.Category, r.Anchor, r.Fields})
	}
	if j.Wrapper != nil {
		read := fields.Record{Fields: make(map[string][]string)}
		read.Read(j.Wrapper, j.Reading)
		out.Fields = read.Fields
	}
	return out
}

// showJoined prints a record: its newest row, then the fields of its own page.
func showJoined(w io.Writer, r joinedRecord, j collection.JoinedRecord) error {
	if _, err := fmt.Fprintf(w, "%s\n", text.Printable(r.URL)); err != nil {
		return err
	}
	for i, content := range r.Listed[0].Fields {
		if content == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %-20s %s\n", fmt.Sprintf("column %d", i+1), text.Printable(content)); err != nil {
			return err
		}
	}
	if j.Wrapper == nil {
		return nil
	}
	return fields.WriteValues(w, j.Wrapper, r.Fields)
}
