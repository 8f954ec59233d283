package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange/explain"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
)

func newTestcaseCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "testcase URL|FILE|WARC#URL", Short: "Reduce a page to the skeleton of a test case: its structure, none of its words",
		Example: `  eventseer testcase pages.warc.gz#https://conf.example/cfp -o eventseer/extract/testdata/shape.txtar
  eventseer testcase call.html
  go test ./eventseer/extract -run TestPages/shape -update    # once words of your own are in it`,
		Long: `Reduce a page to the skeleton of a test case of the extractor, a txtar archive.
Its page keeps elements, blocks and tables, with x and 9 in place of letters and
digits: write words of your own, so that no text of others is kept. The comment
says where in the page each field was read, and by which rule. want.json names
those fields with null or a placeholder: keep what the case is about, and fill it
in. A case compares only the fields that want.json names.`,
		Args: args(cobra.ExactArgs(1)),
	}
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return testcase(cmd.Context(), a, inputs[0])
	}
	return cmd
}

func testcase(ctx context.Context, a *app.App, input string) error {
	page, err := casePage(ctx, a, input)
	if err != nil {
		return err
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return err
	}
	event, _ := engine.NewExtractor(a).Extract(tree)
	archive, err := skeleton(tree, event)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		_, err := w.Write(txtar.Format(archive))
		return err
	})
}

// casePage reads the page of a URL, a file of one page, or WARC#URL.
func casePage(ctx context.Context, a *app.App, input string) (*webgraph.Page, error) {
	file, url := splitWARC(input)
	if file == "" {
		return onePage(ctx, a, input, "")
	}
	for page, err := range engine.PagesOfInputs(ctx, a, []string{file}, "") {
		if page.URL == url {
			return page, err
		}
	}
	return nil, cmp.Or(ctx.Err(), fmt.Errorf("%s holds no page %s", file, url))
}

// skeleton makes the archive of a page and of what was read from it.
func skeleton(t *tagtree.Tree, e eventseer.Event) (*txtar.Archive, error) {
	name := "page.html"
	if t.Root() == nil {
		name = "page.txt"
	}
	want, err := json.MarshalIndent(wanted(e), "", " ")
	if err != nil {
		return nil, err
	}
	return &txtar.Archive{
		Comment: skeletonComment(t, e),
		Files: []txtar.File{
			{Name: name, Data: ended(tagtree.Skeleton(t))},
			{Name: "want.json", Data: append(want, '\n')},
		},
	}, nil
}

// ended returns a text that ends with its last line's end, and in which no line
// is taken for the head of a file of the archive.
func ended(s string) []byte {
	return []byte(fileHead.ReplaceAllString(strings.TrimRight(s, "\n \t\r"), "==$1") + "\n")
}

// fileHead matches what txtar takes for the head of a file, as a mail may print it.
var fileHead = regexp.MustCompile(`(?m)^--( .* --\r?)$`)

// skeletonComment says where in the page each field was read, and lists the blocks.
func skeletonComment(t *tagtree.Tree, e eventseer.Event) []byte {
	var b strings.Builder
	b.WriteString("What this shows: …\n\nfields, with the bytes of the text, their block and the rule:\n")
	for _, f := range explain.Fields(e) {
		s := f.Source
		if s == (eventseer.Provenance{}) {
			fmt.Fprintf(&b, "  %-18s %s\n", f.Name, explain.Sourceless)
			continue
		}
		fmt.Fprintf(&b, "  %-18s [%d,%d) %s  %s\n", f.Name, s.Offset[0], s.Offset[1], cmp.Or(s.Path, "?"), s.Rule)
	}
	b.WriteString("\nblocks:\n")
	for _, block := range t.Blocks() {
		fmt.Fprintf(&b, "  [%d,%d) %s", block.Start, block.Start+len(block.Text), block.Path)
		if block.Table > 0 {
			fmt.Fprintf(&b, "  table %d row %d column %d", block.Table, block.Row, block.Col)
		}
		if len(block.Struck) > 0 {
			b.WriteString("  struck")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return []byte(b.String())
}

// A wantedDeadline is a deadline with placeholders for what it says.
type wantedDeadline struct {
	Kind         eventseer.DeadlineKind `json:"kind"`
	Date         string                 `json:"date"`
	ExtendedFrom string                 `json:"extended_from,omitempty"`
	Track        string                 `json:"track,omitempty"`
	TZ           string                 `json:"tz,omitempty"`
}

// Placeholders of values to be filled in.
const (
	wantedDate = "9999-99-99"
	wantedText = "…"
)

// wanted names the fields that were found, with placeholders in place of values.
func wanted(e eventseer.Event) map[string]any {
	want := map[string]any{}
	for _, f := range explain.Fields(e) {
		if want[f.Name] = wantedText; strings.HasPrefix(f.Name, "event_") {
			want[f.Name] = wantedDate
		}
	}
	for _, d := range e.Deadlines {
		delete(want, string(d.Kind))
	}
	delete(want, "year")
	if e.Location != nil {
		want["location"] = map[string]string{"city": wantedText, "country": wantedText}
	}
	deadlines := []wantedDeadline{}
	for _, d := range e.Deadlines {
		w := wantedDeadline{Kind: d.Kind, Date: wantedDate, TZ: d.TZ}
		if d.ExtendedFrom != "" {
			w.ExtendedFrom = wantedDate
		}
		if d.Track != "" {
			w.Track = wantedText
		}
		deadlines = append(deadlines, w)
	}
	for name, n := range map[string]int{"topics": len(e.Topics), "committee": len(e.Committee)} {
		if n > 0 {
			want[name] = make([]any, n)
		}
	}
	if want["deadlines"] = deadlines; len(deadlines) == 0 {
		want["deadlines"] = nil
	}
	return want
}
