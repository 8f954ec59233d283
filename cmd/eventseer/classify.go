package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/spill"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// shownReasons is the number of terms that --explain prints for a decision.
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
		Use: "classify INPUT…", Short: "Classify pages: call for papers or not, and page type", Long: `Classify pages: call for papers or not, and page type.

Whether a page is a call is judged by the page alone. Its type is also judged by the other
pages of its host and folder among the INPUTs, in any order. Rows are therefore written when
all pages are read, or after 100,000 of them.`,
		Example: `  eventseer classify page.html --explain
  eventseer classify pages.warc.gz --format jsonl
  curl -s https://conf.example/cfp | eventseer classify - --url https://conf.example/cfp`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
	}
	flags := cmd.Flags()
	url := flags.String("url", "", "URL of the page on stdin")
	explain := flags.Bool("explain", false, "also show the terms with the largest weights")
	app.AddConfigFlags(cmd, app.ModelKey)
	which := flags.String("models", judges.Shipped, "shipped, or cross-fitted, where pages of training hosts are judged by models trained without them")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		set, err := judges.OpenJudging(a, *which)
		if err != nil {
			return err
		}
		judge, err := set.PageJudge()
		if err != nil {
			return err
		}
		layers, err := set.Layers(judge)
		if err != nil {
			return err
		}
		models := classifier{judge, layers}
		return models.writeClasses(cmd.Context(), a, inputs, *url, *explain)
	}
	return cmd
}

// A classifier holds the models that classify applies to a page.
type classifier struct {
	engine.PageJudge
	layers *contextgraph.LayerModels
}

// predictedLayer returns the predicted number of links from the page to a call, nil if it is in no layer.
func (c classifier) predictedLayer(t *tagtree.Tree, d *features.Document, said classify.Judgement) *int {
	layers := c.layers.Document(t, d, said)
	if k := classify.DecideClass(layers, 0); k < len(layers)-1 {
		return &k
	}
	return nil
}

// maxWaiting is the number of pages that are judged before the first is written. They are stored in a
// temporary file, about 1 kB each, or 3 kB with explanations.
const maxWaiting = 100_000

// writeClasses writes a row for each page. Pages are judged twice, alone and then with the
// judgements of the other pages of their host, so that the order of inputs does not matter. Of more
// than maxWaiting pages, each is judged with those of its batch and of earlier batches.
func (c classifier) writeClasses(ctx context.Context, a *app.App, inputs []string, name string, explain bool) error {
	hosts := engine.NewCallContext(c.For(""))
	var t engine.Tally
	err := a.WithOutput(func(w io.Writer) (err error) {
		write, end := classificationTable.RowsIn(a.Config.Format)(w)
		var waiting spill.Values[pendingPage]
		defer func() { err = cmp.Or(err, waiting.Close()) }()
		flush := func() error {
			for p, err := range waiting.RemoveAll() {
				if err := cmp.Or(err, write(p.judgedInContext(hosts))); err != nil {
					return err
				}
			}
			return nil
		}
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			p, err := classifyPage(c, page, err, hosts, explain)
			t.CountInput(err)
			hosts.Add(page.URL, p.Alone)
			if err := waiting.Add(p); err != nil {
				return err
			}
			if waiting.Len() == maxWaiting {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
		return end()
	})
	return cmp.Or(err, ctx.Err(), t.Err())
}

// A pendingPage is a page that was judged alone. It is stored in a spill.Values until the other pages
// of its host are read.
type pendingPage struct {
	Row   classification
	URL   []byte              // unchanged, even if not valid UTF-8
	Alone classify.Judgement  // empty if the page is judged without its host, and the host without it
	Call  []reason            // for a call; nil without --explain
	Types map[string][]reason // for each possible type of the page; nil without --explain
}

// judgedInContext returns the row of a page, judged with the other pages of its host.
func (p pendingPage) judgedInContext(hosts *classify.HostContext) classification {
	c := p.Row
	c.URL = string(p.URL)
	if c.Error != nil {
		return c
	}
	if len(p.Alone.PageTypeScores) > 0 {
		said := hosts.Judge(c.URL, p.Alone)
		c.IsCFP, c.CFPScore, c.PageType, c.PageTypeScores = said.IsCFP, said.CFPScore, said.PageType, said.PageTypeScores
	}
	if p.Types != nil {
		c.Explain = &explanation{CFP: p.Call, PageType: p.Types[c.PageType]}
	}
	return c
}

// classifyPage judges one page alone. If it cannot be read the line contains the error, which is
// also returned. hosts has the possible types of the page.
func classifyPage(models classifier, page *webgraph.Page, err error, hosts *classify.HostContext, explain bool) (pendingPage, error) {
	c := classification{URL: page.URL, PageType: classify.Other, PageTypeScores: map[string]float64{}}
	p := pendingPage{URL: []byte(page.URL)}
	tree, err := engine.Parse(page, err)
	if err != nil {
		text := err.Error()
		c.Error = &text
		p.Row = c
		return p, err
	}
	j, doc := models.For(page.URL), features.Read(tree)
	p.Alone = j.JudgeDocument(doc)
	c.IsCFP, c.CFPScore = p.Alone.IsCFP, p.Alone.CFPScore
	c.PageType, c.PageTypeScores = p.Alone.PageType, p.Alone.PageTypeScores
	c.Layer = models.predictedLayer(tree, doc, p.Alone)
	if lang := doc.Lang(); lang != "" {
		c.Lang = &lang
	}
	p.Row = c
	if explain {
		p.Call, p.Types = reasons(j.CFP(), doc, 1), map[string][]reason{}
		for _, name := range hosts.PossibleTypes(p.Alone) {
			p.Types[name] = reasons(j.PageType(), doc, slices.Index(j.PageType().Classes, name))
		}
	}
	if extract.Unreadable(page) != "" {
		p.Alone = classify.Judgement{} // a redirect or an error page says nothing about its host
	}
	return p, nil
}

func reasons(m *classify.Model, d *features.Document, class int) []reason {
	list := []reason{}
	for _, r := range m.Explain(d, class, shownReasons) {
		list = append(list, reason{r.Term, r.Weight})
	}
	return list
}

// classificationTable is the output of classify, one page per row.
var classificationTable = app.Table[classification]{
	Head: "call\tscore\ttype\tlang\tpage", Line: classification.tableLine,
	Columns: []string{"url", "is_cfp", "cfp_score", "page_type", "lang", "error"},
	Record: func(c classification) []string {
		return []string{c.URL, strconv.FormatBool(c.IsCFP), strconv.FormatFloat(c.CFPScore, 'g', -1, 64), c.PageType, valueOrEmpty(c.Lang), valueOrEmpty(c.Error)}
	},
}

func valueOrEmpty(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// tableLine returns a line of the table, and below it the terms that decided.
func (c classification) tableLine() string {
	if c.Error != nil {
		return fmt.Sprintf("-\t-\terror\t\t%s: %s", text.Printable(c.URL), text.Printable(*c.Error))
	}
	call := "no"
	if c.IsCFP {
		call = "yes"
	}
	line := fmt.Sprintf("%s\t%.3f\t%s\t%s\t%s", call, c.CFPScore, c.PageType, text.Printable(valueOrEmpty(c.Lang)), text.Printable(c.URL))
	if c.Explain != nil {
		line += reasonLines("a call", c.Explain.CFP) + reasonLines("type "+c.PageType, c.Explain.PageType)
	}
	return line
}

// reasonLines returns the terms for and against an answer, strongest first, one per line.
func reasonLines(answer string, list []reason) (lines string) {
	for _, side := range []struct {
		name string
		sign float64
	}{{"for", 1}, {"against", -1}} {
		var parts []string
		for _, r := range list {
			if r.Weight*side.sign > 0 {
				parts = append(parts, fmt.Sprintf("%s %.2f", features.TermText(r.Term), math.Abs(r.Weight)))
			}
		}
		if len(parts) > 0 {
			lines += fmt.Sprintf("\n\t\t\t\t  %s %s: %s", side.name, answer, text.Printable(strings.Join(parts, ", ")))
		}
	}
	return lines
}
