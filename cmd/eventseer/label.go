package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/active"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// labelFlags are the flags common to label next and label serve.
type labelFlags struct {
	labels, task, models string
}

func (f *labelFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.labels, "labels", "", "labels file; pages in it are left out (it need not exist)")
	flags.StringVar(&f.task, "task", classify.TaskCFP, "task whose uncertainty sorts the pages: cfp or page-type")
	app.AddConfigFlags(cmd, app.ModelKey)
	flags.StringVar(&f.models, "models", "shipped", "shipped, or cross-fitted, where pages of training hosts are judged by models trained without them")
	markRequired(cmd, "labels")
}

const labelLong = `The queue holds the 1000 pages of INPUT, not in the labels file, of which the
models are least sure: those with the score nearest to the threshold (--task cfp)
or with the smallest difference between their two likeliest page types (--task
page-type); of equal pages the other task decides. At most three pages of one site
follow each other while there are pages of others.`

func newLabelCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "label", Short: "Label the pages the models are least sure of", Args: usageArgs(cobra.NoArgs),
		Example: `  eventseer label next crawl.warc.gz --labels labels.tsv
  eventseer label serve crawl.warc.gz --labels labels.tsv`,
	}
	cmd.AddCommand(newLabelNextCommand(a), newLabelServeCommand(a))
	return cmd
}

func newLabelNextCommand(a *app.App) *cobra.Command {
	var f labelFlags
	cmd := &cobra.Command{
		Use: "next INPUT… --labels FILE", Short: "List the next pages to label, most uncertain first",
		Long: "List the next pages to label.\n\n" + labelLong,
		Example: `  eventseer label next crawl.warc.gz --labels labels.tsv
  eventseer label next pages --labels labels.tsv --task page-type -n 50 --format jsonl`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl"),
	}
	f.add(cmd)
	n := cmd.Flags().IntP("number", "n", 20, "pages listed")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		if *n < 1 || *n > active.MaxQueue {
			return app.Usagef("-n %d: 1 to %d pages can be listed", *n, active.MaxQueue)
		}
		return labelNext(cmd.Context(), a, f, inputs, *n)
	}
	return cmd
}

func newLabelServeCommand(a *app.App) *cobra.Command {
	var f labelFlags
	cmd := &cobra.Command{
		Use: "serve INPUT… --labels FILE", Short: "Serve a page for labelling by keyboard",
		Long: "Serve a page for labelling by keyboard: y or n, and 1 to 8 for the type;\n" +
			"s skips, u undoes, ? shows help. Each label is appended to the file and on disk before\n" +
			"the next page is shown.\n" +
			"\n" + labelLong +
			"\n" +
			"\n" +
			"The printed address contains a token, new at each start: anyone who opens it may label.",
		Example: `  eventseer label serve crawl.warc.gz --labels labels.tsv
  eventseer label serve pages --labels labels.tsv --task page-type --source crawl-2027-01 --listen 127.0.0.1:9000`,
		Args: usageArgs(cobra.MinimumNArgs(1)),
	}
	f.add(cmd)
	listen := cmd.Flags().String("listen", "127.0.0.1:8081", "address to listen on")
	source := cmd.Flags().String("source", "", "value of the column source in new labels")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		judge, err := judges.OpenJudge(a, f.models)
		if err != nil {
			return err
		}
		if _, _, err := net.SplitHostPort(*listen); err != nil {
			return app.Usagef("--listen %s is not HOST:PORT", *listen)
		}
		token := rand.Text()
		handler, err := newLabelUI(cmd.Context(), a, judge, f, inputs, *source, token)
		if err != nil {
			return err
		}
		return serve.ServeHTTPUntilDone(cmd.Context(), a, handler, *listen, "/label?token="+token, "")
	}
	return cmd
}

func (f labelFlags) checkTask() error {
	if f.task != classify.TaskCFP && f.task != classify.TaskPageType {
		return app.Usagef("--task %s is neither cfp nor page-type", f.task)
	}
	return nil
}

// newLabelUI reads inputs into a queue and returns its page. source is the value of that column in
// new labels; access is for holders of token; without a token the mount must restrict it. The
// labels file is closed with the command.
func newLabelUI(ctx context.Context, a *app.App, judge engine.PageJudge, f labelFlags, inputs []string, source, token string) (http.Handler, error) {
	if err := f.checkTask(); err != nil {
		return nil, err
	}
	if !active.IsField(source) {
		return nil, app.Usagef("--source %q does not fit a tab-separated line", source)
	}
	file, known, err := active.OpenFile(f.labels)
	if err != nil {
		return nil, err
	}
	a.OnClose(file.Close)
	q := active.NewQueue(judge, f.task, known, engine.PagesOfInputs(ctx, a, inputs, ""), func(url string, err error) { a.Logf("%s: %v", url, err) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	q.RecordIn(file, source)
	a.Logf("%d pages to label; %s names %d", q.Size(), f.labels, len(known))
	types, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		return nil, err
	}
	return tools.NewLabel(tools.LabelOptions{Queue: q, PageTypes: types, Token: token, Now: a.Now, Version: app.FullVersion(), Log: a.Logger()})
}

func labelNext(ctx context.Context, a *app.App, f labelFlags, inputs []string, n int) error {
	if err := f.checkTask(); err != nil {
		return err
	}
	judge, err := judges.OpenJudge(a, f.models)
	if err != nil {
		return err
	}
	had, err := active.ReadFile(f.labels)
	if err != nil {
		return err
	}
	var t engine.Tally
	q := active.NewQueue(judge, f.task, had.URLs, engine.PagesOfInputs(ctx, a, inputs, ""), func(url string, err error) {
		a.Logf("%s: %v", url, err)
		t.CountInput(err)
	})
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := queueTable.Print(a, q.First(n)); err != nil {
		return err
	}
	t.All += q.Size()
	return t.Err()
}

// queueTable is the output of label next, one page per row.
var queueTable = app.Table[active.Entry]{Head: "unsure\tscore\tyes from\ttype\ttype score\tpage", Line: func(e active.Entry) string {
	return fmt.Sprintf("%.3f\t%.3f\t%.3f\t%s\t%.3f\t%s", e.Uncertainty, e.CFPScore, e.Threshold, e.PageType, e.PageTypeScore, text.Printable(e.URL))
}}
