package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"text/tabwriter"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/contextgraph"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// shownReasons is how many terms --explain shows of a decision.
const shownReasons = 10

// A classification is one line of `classify --format jsonl`.
type classification struct {
	URL            string             `json:"url"`
	IsCFP          bool               `json:"is_cfp"`
	CFPScore       float64            `json:"cfp_score"`
	PageType       string             `json:"page_type"`
	PageTypeScores map[string]float64 `json:"page_type_scores"`
	Lang           *string            `json:"lang"`
	Layer          *int               `json:"layer"`
	Error          *string            `json:"error"`
	Explain        *explanation       `json:"explain,omitempty"`
}

// An explanation names the terms that decided, for or against.
type explanation struct {
	CFP      []reason `json:"cfp"`
	PageType []reason `json:"page_type"`
}

type reason struct {
	Term   string  `json:"term"`
	Weight float64 `json:"weight"`
}

func newClassifyCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "classify INPUT…", Short: "Say of pages whether they are calls for papers, and of which type",
		Example: `  eventseer classify page.html --explain
  eventseer classify pages.warc.gz --format jsonl
  curl -s https://conf.example/cfp | eventseer classify - --url https://conf.example/cfp`,
		Args: args(cobra.MinimumNArgs(1)),
	}
	flags := cmd.Flags()
	url := flags.String("url", "", "name of the page on stdin")
	explain := flags.Bool("explain", false, "also show the terms that decided")
	files := flags.StringArray("model", nil, "model file to use in place of the shipped one of its task, may be repeated")
	which := flags.String("models", "shipped", "shipped, or cross-fitted: pages of training hosts are judged by models trained without them")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		judge, err := engine.NewPageJudge(*which, *files)
		if err != nil {
			return err
		}
		layers, err := engine.NewLayerModels(judge, *which)
		if err != nil {
			return err
		}
		return runClassify(cmd.Context(), a, classifier{judge, layers}, inputs, *url, *explain)
	}
	return cmd
}

// A classifier is the models that classify applies to a page.
type classifier struct {
	engine.PageJudge
	layers *contextgraph.LayerModels
}

// layer returns how many links the page is before a call, nil for none of the
// layers.
func (c classifier) layer(t *tagtree.Tree, d *features.Document, said classify.Judgement) *int {
	layers := c.layers.Document(t, d, said)
	if k := classify.Decision(layers, 0); k < len(layers)-1 {
		return &k
	}
	return nil
}

func runClassify(ctx context.Context, a *app.App, models classifier, inputs []string, url string, explain bool) error {
	format, err := a.Format("table", "jsonl", "json", "csv")
	if err != nil {
		return err
	}
	var bad, all int
	var first error
	err = a.WithOutput(func(w io.Writer) error {
		write, flush := classificationWriter(w, format)
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, url) {
			c, err := classifyPage(models, page, err, explain)
			all++
			if err != nil {
				bad++
				if first == nil {
					first = err
				}
			}
			if err := write(c); err != nil {
				return err
			}
		}
		return flush()
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return engine.Partly(bad, all, first)
}

// classifyPage judges one page; of a page that cannot be read the line holds
// the error, which is also returned.
func classifyPage(models classifier, page *webgraph.Page, err error, explain bool) (classification, error) {
	c := classification{URL: page.URL, PageType: classify.Other, PageTypeScores: map[string]float64{}}
	var tree *tagtree.Tree
	if err == nil {
		tree, err = tagtree.Parse(page)
	}
	if err != nil {
		text := err.Error()
		c.Error = &text
		return c, err
	}
	j, doc := models.For(page.URL), features.Read(tree)
	judgement := j.Document(doc)
	c.IsCFP, c.CFPScore = judgement.IsCFP, judgement.CFPScore
	c.PageType, c.PageTypeScores = judgement.PageType, judgement.PageTypeScores
	c.Layer = models.layer(tree, doc, judgement)
	if lang := doc.Lang(); lang != "" {
		c.Lang = &lang
	}
	if explain {
		c.Explain = &explanation{
			CFP:      reasons(j.CFP(), doc, 1),
			PageType: reasons(j.PageType(), doc, slices.Index(j.PageType().Classes, c.PageType)),
		}
	}
	return c, nil
}

func reasons(m *classify.Model, d *features.Document, class int) []reason {
	list := []reason{}
	for _, r := range m.Explain(d, class, shownReasons) {
		list = append(list, reason{r.Term, r.Weight})
	}
	return list
}

// classificationWriter returns what writes a line in the given format, and
// what ends the output.
func classificationWriter(w io.Writer, format string) (write func(classification) error, flush func() error) {
	switch format {
	case "jsonl":
		return func(c classification) error { return app.WriteJSONLine(w, c) }, func() error { return nil }
	case "json":
		all := []classification{}
		return func(c classification) error { all = append(all, c); return nil }, func() error { return app.WriteJSON(w, all) }
	case "csv":
		out := csv.NewWriter(w)
		header := out.Write([]string{"url", "is_cfp", "cfp_score", "page_type", "lang", "error"})
		return func(c classification) error {
				if header != nil {
					return header
				}
				return out.Write([]string{
					c.URL, strconv.FormatBool(c.IsCFP), strconv.FormatFloat(c.CFPScore, 'g', -1, 64), c.PageType, orEmpty(c.Lang), orEmpty(c.Error),
				})
			}, func() error {
				out.Flush()
				return out.Error()
			}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "call\tscore\ttype\tlang\tpage")
	return func(c classification) error { return printClassification(tw, c) }, tw.Flush
}

func orEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func printClassification(w io.Writer, c classification) error {
	if c.Error != nil {
		_, err := fmt.Fprintf(w, "-\t-\terror\t\t%s: %s\n", text.Printable(c.URL), text.Printable(*c.Error))
		return err
	}
	call := "no"
	if c.IsCFP {
		call = "yes"
	}
	if _, err := fmt.Fprintf(w, "%s\t%.3f\t%s\t%s\t%s\n", call, c.CFPScore, c.PageType, text.Printable(orEmpty(c.Lang)), text.Printable(c.URL)); err != nil {
		return err
	}
	if c.Explain == nil {
		return nil
	}
	if err := printReasons(w, "\t\t\t\t  ", "a call", c.Explain.CFP); err != nil {
		return err
	}
	return printReasons(w, "\t\t\t\t  ", "type "+c.PageType, c.Explain.PageType)
}
