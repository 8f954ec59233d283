package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/record"
	"eventseer/internal/text"

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
		Args: args(cobra.MinimumNArgs(1)),
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

// A recordsRecord is one line of `wrapper records --format jsonl`.
type recordsRecord struct {
	URL     string         `json:"url"`
	Regions []regionRecord `json:"regions"`
	Error   string         `json:"error,omitempty"`
}

type regionRecord struct {
	Path    string       `json:"path"`
	Kind    string       `json:"kind"` // of the area it lies in
	Records []listRecord `json:"records"`
}

type listRecord struct {
	Text    string         `json:"text"`
	Links   []linkRecord   `json:"links"`
	Fields  []string       `json:"fields"`
	Regions []regionRecord `json:"regions,omitempty"` // nested
}

func newRegionRecords(regions []record.Region) []regionRecord {
	out := make([]regionRecord, 0, len(regions))
	for _, region := range regions {
		r := regionRecord{Path: region.Path, Kind: region.Kind.String(), Records: make([]listRecord, 0, len(region.Records))}
		for _, record := range region.Records {
			l := listRecord{Text: record.Text(), Links: make([]linkRecord, 0, len(record.Links)), Fields: make([]string, len(record.Fields))}
			for i, f := range record.Fields {
				l.Fields[i] = f.Text
			}
			for _, link := range record.Links {
				l.Links = append(l.Links, linkRecord{URL: link.URL, Anchor: link.Anchor})
			}
			if len(record.Regions) > 0 {
				l.Regions = newRegionRecords(record.Regions)
			}
			r.Records = append(r.Records, l)
		}
		out = append(out, r)
	}
	return out
}

func wrapperRecords(ctx context.Context, a *app.App, regions func(*tagtree.Tree) []record.Region, name string, inputs []string) error {
	format, err := a.Format("table", "jsonl", "json", "csv")
	if err != nil {
		return err
	}
	var bad, all int
	var first error
	err = a.WithOutput(func(w io.Writer) error {
		out := newRecordsWriter(w, format)
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			record := recordsRecord{URL: page.URL, Regions: []regionRecord{}}
			var tree *tagtree.Tree
			if err == nil {
				tree, err = tagtree.Parse(page)
			}
			all++
			if err == nil {
				record.Regions = newRegionRecords(regions(tree))
			} else {
				record.Error = err.Error()
				if bad++; first == nil {
					first = err
				}
			}
			if err := out.write(record); err != nil {
				return err
			}
		}
		return out.close()
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return engine.Partly(bad, all, first)
}

// A recordsWriter writes the records of pages in one format.
type recordsWriter struct {
	write func(recordsRecord) error
	close func() error
}

func newRecordsWriter(w io.Writer, format string) recordsWriter {
	nothing := func() error { return nil }
	switch format {
	case "jsonl":
		return recordsWriter{func(r recordsRecord) error { return app.WriteJSONLine(w, r) }, nothing}
	case "json":
		all := []recordsRecord{}
		return recordsWriter{
			func(r recordsRecord) error { all = append(all, r); return nil },
			func() error {
				enc := json.NewEncoder(w)
				enc.SetEscapeHTML(false)
				enc.SetIndent("", " ")
				return enc.Encode(all)
			},
		}
	case "csv":
		c := csv.NewWriter(w)
		head := c.Write([]string{"url", "path", "record", "link", "anchor", "text", "field…"})
		return recordsWriter{
			func(r recordsRecord) error {
				if head != nil {
					return head
				}
				return writeRecordsCSV(c, r)
			},
			func() error { c.Flush(); return c.Error() },
		}
	}
	return recordsWriter{func(r recordsRecord) error { return writeRecordsText(w, r) }, nothing}
}

func writeRecordsCSV(c *csv.Writer, r recordsRecord) error {
	for _, region := range r.Regions {
		for i, record := range region.Records {
			var link linkRecord
			if len(record.Links) > 0 {
				link = record.Links[0]
			}
			row := append([]string{r.URL, region.Path, strconv.Itoa(i + 1), link.URL, link.Anchor, record.Text}, record.Fields...)
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeRecordsText(w io.Writer, r recordsRecord) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(r.URL), text.Printable(r.Error))
		return err
	}
	if _, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(r.URL), text.Count(len(r.Regions), "list", "lists")); err != nil {
		return err
	}
	for _, region := range r.Regions {
		if _, err := fmt.Fprintf(w, "\n%s: %s\n", text.Printable(region.Path), text.Count(len(region.Records), "record", "records")); err != nil {
			return err
		}
		for _, record := range region.Records {
			content := inColumns(record)
			if _, err := fmt.Fprintf(w, "  %s\n", text.Printable(content)); err != nil {
				return err
			}
		}
	}
	return nil
}

// inColumns returns the fields that a record has, parted by bars.
func inColumns(r listRecord) string {
	var fields []string
	for _, f := range r.Fields {
		if f != "" {
			fields = append(fields, f)
		}
	}
	return strings.Join(fields, " | ")
}
