package main

import (
	"bytes"
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
	"strings"
	"text/tabwriter"

	"eventseer/eventseer/wrapper"
	"eventseer/features/tagtree"

	"github.com/spf13/cobra"
)

// maxShownValue bounds the example of a field in a table, in characters.
const maxShownValue = 60

func newWrapperInduceCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "induce INPUT… -o W", Short: "Learn the template of pages, one by one, and its fields",
		Example: `  eventseer wrapper induce talks/ -o talks.wrapper
  eventseer wrapper induce 1.html 2.html 3.html -o talks.wrapper
  eventseer wrapper induce more/ --from talks.wrapper -o talks.wrapper   # goes on learning`,
		Long: `Learn the template of pages made by one program, page by page in the order given
(those of a directory in natural order of their names: 1, 2, … 10), and write it to
the file -o names. Each page is aligned with the template so far, which grows by
what is new; nothing is learned from scratch.

A field is a place where pages differ: text, or a link, image, date or other
attribute. A place gives fields of several granularity: its text, the parts of it
that all pages share left out, its items together or each. The table names of each
field how many pages have it, whether it repeats, where it stands and an example.

Pages that are plainly of no template with the others are learned too, and spoil
it: give those of one template.`,
		Args: args(cobra.MinimumNArgs(1)),
	}
	var from, name string
	cmd.Flags().StringVar(&from, "from", "", "a wrapper that goes on learning")
	cmd.Flags().StringVar(&name, "url", "", "name of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return a.wrapperInduce(cmd.Context(), from, name, inputs)
	}
	return cmd
}

func (a *app) wrapperInduce(ctx context.Context, from, name string, inputs []string) error {
	format, err := a.format("table", "jsonl")
	if err != nil {
		return err
	}
	var w *wrapper.Wrapper
	if from != "" {
		if w, err = readWrapper(from); err != nil {
			return err
		}
	}
	if inputs, err = inNaturalOrder(inputs); err != nil {
		return err
	}
	w, bad, all, first := a.learnPages(ctx, w, name, inputs)
	if err := ctx.Err(); err != nil {
		return err
	}
	if w == nil && bad == 0 {
		return errNoPages
	}
	if w == nil {
		return partly(bad, all, first)
	}
	table := a.stderr // where the wrapper itself goes to stdout
	if a.config.Output != "-" {
		table = a.stdout
	}
	data, err := w.Encode()
	if err == nil {
		err = a.writeWrapper(data)
	}
	if err == nil && !a.config.Quiet {
		err = showFields(table, format, w)
	}
	if err != nil {
		return err
	}
	return partly(bad, all, first)
}

var errNoPages = errors.New("there is no page to learn from: give files that end in .html, or a WARC file")

// learnPages has w learn the pages one by one; where w is nil it begins with the first.
func (a *app) learnPages(ctx context.Context, w *wrapper.Wrapper, name string, inputs []string) (_ *wrapper.Wrapper, bad, all int, first error) {
	for page, err := range a.pages(ctx, inputs, name) {
		all++
		var tree *tagtree.Tree
		if err == nil {
			tree, err = tagtree.Parse(page)
		}
		if err != nil {
			if bad++; first == nil {
				first = err
			}
			fmt.Fprintf(a.stderr, "%s: %v\n", printable(page.URL), err)
			continue
		}
		if w == nil {
			w = wrapper.New(hostOf(page.URL), tagtree.URLPattern(page.URL))
		}
		w.Verify(tree, w.Add(tree), page.FetchedAt)
		if a.progressMode() != "none" {
			fmt.Fprintf(a.stderr, "page %d: %d fields, %s\n", w.Pages, len(w.Fields), printable(page.URL))
		}
	}
	return w, bad, all, first
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}

// inNaturalOrder puts in the place of each directory the files below it that are of a
// kind we read, in natural order of their names.
func inNaturalOrder(inputs []string) ([]string, error) {
	var out []string
	for _, input := range inputs {
		if info, err := os.Stat(input); err != nil || !info.IsDir() {
			out = append(out, input) // what it is says the reader
			continue
		}
		var files []string
		err := filepath.WalkDir(input, func(path string, d fs.DirEntry, err error) error {
			if ext, _ := extension(path); err == nil && !d.IsDir() && (contentType(ext) != "" || isContainer(path)) {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		slices.SortStableFunc(files, compareNatural)
		out = append(out, files...)
	}
	return out, nil
}

// compareNatural compares names with the numbers in them as numbers.
func compareNatural(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == "" || y == "" {
			if a[0] != b[0] {
				return cmp.Compare(a[0], b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		a, b = a[len(x):], b[len(y):]
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
		if c := cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(a), len(b))
}

// digits returns the digits with which s begins.
func digits(s string) string {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return s[:n]
}

// writeWrapper writes the file -o names, whole or not at all.
func (a *app) writeWrapper(data []byte) error {
	if a.config.Output == "-" {
		_, err := a.stdout.Write(data)
		return err
	}
	return writeLabFile(a.config.Output, func(w io.Writer) error {
		_, err := io.Copy(w, bytes.NewReader(data))
		return err
	})
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

func showFields(out io.Writer, format string, w *wrapper.Wrapper) error {
	if format == "jsonl" {
		for _, f := range w.Fields {
			if err := writeJSONLine(out, f); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FIELD\tPAGES\tTIMES\tPART\tLABEL\tEXAMPLE\tPATH")
	for _, f := range w.Fields {
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", printable(f.Name()), f.Seen, times(f),
			cmp.Or(f.Attr, string(f.Part), "text"), printable(f.Label), shortened(f.Examples), printable(f.Path))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d fields of %d pages\n", len(w.Fields), w.Pages)
	return err
}

// times writes how often a page has the field: 1, 0–1, 1–n or 0–n.
func times(f *wrapper.Field) string {
	least, most := "1", "1"
	if f.Optional {
		least = "0"
	}
	if f.Repeats {
		most = "n"
	}
	if least == most {
		return least
	}
	return least + "–" + most
}

func shortened(examples []wrapper.Example) string {
	if len(examples) == 0 {
		return ""
	}
	value := []rune(printable(examples[0].Value))
	if len(value) <= maxShownValue {
		return string(value)
	}
	return string(value[:maxShownValue-1]) + "…"
}
