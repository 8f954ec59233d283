package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer/exchange/testcase"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/spf13/cobra"
)

func newTestcaseCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "testcase URL|FILE|WARC#URL", Short: "Reduce a page to the skeleton of a test case: its structure without its words",
		Example: `  eventseer testcase pages.warc.gz#https://conf.example/cfp -o eventseer/extract/testdata/shape.txtar
  eventseer testcase call.html
  go test ./eventseer/extract -run TestPages/shape -update    # once words of your own are in it`,
		Long: `Reduce a page to the skeleton of a test case of the extractor, a txtar archive.
Its page keeps elements, blocks and tables, with x and 9 in place of letters and
digits: write words of your own, so that no text of others is kept. The comment
shows where in the page each field was read, and by which rule. want.json names
those fields with null or a placeholder: keep what the case is about, and fill it
in. A case compares only the fields in want.json.`,
		Args: usageArgs(cobra.ExactArgs(1)),
	}
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return writeTestcase(cmd.Context(), a, inputs[0])
	}
	return cmd
}

func writeTestcase(ctx context.Context, a *app.App, input string) error {
	page, err := readTestcasePage(ctx, a, input)
	if err != nil {
		return err
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return err
	}
	event, _ := engine.NewExtractor(a, judges.Set{}).Extract(tree)
	archive, err := testcase.Skeleton(tree, event)
	if err != nil {
		return err
	}
	return a.Printf("%s", txtar.Format(archive))
}

// readTestcasePage reads the page of a URL, a file of one page, or WARC#URL.
func readTestcasePage(ctx context.Context, a *app.App, input string) (*webgraph.Page, error) {
	file, url := splitWARC(input)
	if file == "" {
		return readOnlyPage(ctx, a, input, "")
	}
	for page, err := range engine.PagesOfInputs(ctx, a, []string{file}, "") {
		if page.URL == url {
			return page, err
		}
	}
	return nil, cmp.Or(ctx.Err(), fmt.Errorf("%s holds no page %s", file, url))
}
