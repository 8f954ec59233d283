package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// graphClassifyFlags are the flags of `graph classify`.
type graphClassifyFlags struct {
	replay   []string
	fetch    bool
	models   string
	perLayer int
}

func newGraphClassifyCommand(a *app.App) *cobra.Command {
	var f graphClassifyFlags
	cmd := &cobra.Command{
		Use: "classify GRAPH|INPUT…", Short: "Predict the layers of pages with the layer model", Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl"),
		Long: "Predict with the layer model how many links pages are away from a call. The pages of a .graph file are read by --replay or --fetch, and the table\nshows how often the model and the graph agree; layers that the model lacks count as other. For other INPUT one line per page is shown.",
		Example: `  eventseer graph classify disciplines.graph --replay web.warc.gz --per-layer 200
  eventseer graph classify disciplines.graph --replay web.warc.gz --format jsonl
  eventseer graph classify page.html`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that hold the pages of a graph")
	flags.BoolVar(&f.fetch, "fetch", false, "fetch the pages of a graph from the live web, politely")
	flags.StringVar(&f.models, "models", "", "own (those of model use), shipped, or cross-fitted, where pages of training hosts are judged by models trained without them (default own; cross-fitted in a replay)")
	flags.IntVar(&f.perLayer, "per-layer", 0, "number of pages drawn per layer, by --seed; 0 is all")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error { return graphClassify(cmd.Context(), a, f, inputs) }
	return cmd
}

// A layeredPage is one line of `graph classify --format jsonl`.
type layeredPage struct {
	URL string `json:"url"`
	// Layer is the most probable one, null for none.
	Layer  *int      `json:"layer"`
	Scores []float64 `json:"layer_scores"` // of layers 0, 1, … and finally of no layer
	// GraphLayer is the layer in the graph, null for a page that is not in a graph.
	GraphLayer *int    `json:"graph_layer"`
	Error      *string `json:"error"`
}

func graphClassify(ctx context.Context, a *app.App, f graphClassifyFlags, inputs []string) error {
	isGraph := func(path string) bool { return strings.HasSuffix(path, ".graph") }
	ofGraph := slices.ContainsFunc(inputs, isGraph)
	if ofGraph && slices.ContainsFunc(inputs, func(path string) bool { return !isGraph(path) }) {
		return app.Usagef("graphs and pages exclude each other")
	}
	pages, err := openGraphPages(a, f.replay, f.fetch, f.models)
	if err != nil {
		return err
	}
	if ofGraph && pages == nil {
		return app.Usagef("the pages of a graph are needed: --replay or --fetch")
	}
	which := f.models
	if which == "" {
		which = judges.Own
		if len(f.replay) > 0 {
			which = judges.CrossFitted
		}
	}
	set, err := judges.Open(a, which)
	if err != nil {
		return err
	}
	judge, err := set.PageJudge()
	if err != nil {
		return err
	}
	model, err := set.Layers(judge)
	if err != nil {
		return err
	}
	l := layering{model: model}
	if ofGraph {
		return a.WithOutput(func(w io.Writer) error { return l.predictGraphs(ctx, a, w, pages, f, inputs) })
	}
	return writePages(ctx, a, inputs, "", layerTable.RowsIn(a.Config.Format), func(page *webgraph.Page, err error) (layeredPage, error) {
		tree, err := engine.Parse(page, err)
		return l.predictLayer(page.URL, tree, err), err
	})
}

// A layering predicts the layers of pages and counts how many are right.
type layering struct {
	engine.Tally
	model     *contextgraph.LayerModels
	agreement contextgraph.Agreement
}

// predictGraphs predicts the layers of the pages of graphs.
func (l *layering) predictGraphs(ctx context.Context, a *app.App, w io.Writer, pages *graphPages, f graphClassifyFlags, paths []string) error {
	graphs, err := contextgraph.ReadFiles(paths)
	if err != nil {
		return err
	}
	for _, n := range contextgraph.DrawNodes(contextgraph.Merge("", graphs...).Nodes, f.perLayer, a.Config.Seed) {
		tree, err := pages.pageTree(ctx, n.URL)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		p := l.predictLayer(n.URL, tree, err)
		p.GraphLayer = &n.Layer
		if err == nil {
			l.agreement.Add(n.Layer, p.Scores)
		}
		if a.Config.Format == "jsonl" {
			if err := app.WriteJSONLine(w, p); err != nil {
				return err
			}
		}
	}
	if a.Config.Format == "table" {
		if err := l.printAgreement(w); err != nil {
			return err
		}
	}
	return l.Err()
}

// layerTable is the result of graph classify for pages.
var layerTable = app.Table[layeredPage]{Head: "layer\tp\tpage", Line: func(p layeredPage) string {
	if p.Error != nil {
		return fmt.Sprintf("error\t\t%s: %s", text.Printable(p.URL), text.Printable(*p.Error))
	}
	return fmt.Sprintf("%s\t%.3f\t%s", layerName(contextgraph.LikeliestLayer(p.Scores), len(p.Scores)), slices.Max(p.Scores), text.Printable(p.URL))
}}

// predictLayer returns the predicted layer of a page; err is the error of reading it.
func (l *layering) predictLayer(url string, tree *tagtree.Tree, err error) layeredPage {
	p := layeredPage{URL: url}
	if l.CountInput(err) {
		text := err.Error()
		p.Error = &text
		return p
	}
	p.Scores = l.model.Layers(tree)
	if told := contextgraph.LikeliestLayer(p.Scores); told < len(p.Scores)-1 {
		p.Layer = &told
	}
	return p
}

func layerName(layer, n int) string {
	if layer == n-1 {
		return "other"
	}
	return strconv.Itoa(layer)
}

// printAgreement prints how far the predicted layers agree with those of the graph.
func (l *layering) printAgreement(w io.Writer) error {
	counts := l.agreement.Counts()
	n := len(counts)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(t, "layer\tpages\trecall\tprecision\t")
	for told := range n {
		fmt.Fprintf(t, "told %s\t", layerName(told, n))
	}
	fmt.Fprintln(t)
	for layer, row := range counts {
		pages, told := l.agreement.LayerTotals(layer)
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t", layerName(layer, n), pages, ratioText(row[layer], pages), ratioText(row[layer], told))
		for _, c := range row {
			fmt.Fprintf(t, "%d\t", c)
		}
		fmt.Fprintln(t)
	}
	recall, ok := l.agreement.MeanRecall()
	if err := t.Flush(); err != nil || !ok {
		return err
	}
	_, err := fmt.Fprintf(w, "mean recall of layers 0 to %d: %.3f\n", n-2, recall)
	return err
}

func ratioText(part, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(all))
}
