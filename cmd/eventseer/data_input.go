package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/files"
	"github.com/eventseer/eventseer/datasets/stats"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// dataFlags are the flags for reading a dataset.
type dataFlags struct{ files.Source }

func (f *dataFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.From, "from", "", "format of IN: "+strings.Join(files.ReadFormats, ", ")+" (default: by its name)")
	flags.StringArrayVar(&f.Pages, "pages", nil, "INPUT that holds the pages of a labels file, may be repeated")
	flags.StringVar(&f.Class, "class", "", "column that names the class; for labels one of "+strings.Join(datasets.Columns[1:], ", ")+" (default page_type; for vectors the last column)")
	flags.StringVar(&f.Group, "group", "", "column of groups in a table or an ARFF file (default group or _group)")
	flags.StringVar(&f.ID, "id", "", "column of IDs or URLs in a table or an ARFF file (default url, id or _id)")
	flags.StringVar(&f.Text, "text", "", "column of texts in a table (default text)")
	flags.StringVar(&f.HTML, "html", "", "column of markup in a table (default html)")
	flags.StringVar(&f.Missing, "missing", "error", "what to do with missing values of vectors: error, or zero to count them as 0")
	flags.StringVar(&f.Names, "names", "", "names of components and classes of an svmlight file (default IN.names, if it is there)")
}

// source returns the source the flags describe, whose pages a reads.
func (f *dataFlags) source(a *app.App) *files.Source {
	s := &f.Source
	s.Stdin = a.Stdin
	// Local files have no time, so that the same files give the same bytes.
	s.ReadPages = func(ctx context.Context, inputs []string) iter.Seq2[*webgraph.Page, error] {
		still := *a
		still.Now = func() time.Time { return time.Unix(0, 0) }
		return engine.PagesOfInputs(ctx, &still, inputs, "")
	}
	s.ReadFile = func(ctx context.Context, body []byte, name string) (*webgraph.Page, error) {
		return filePage(ctx, a, body, name)
	}
	return s
}

// filePage reads one file of a folder of files. Files without a known extension are read as
// messages if they begin with a header, like those of 20 Newsgroups, otherwise as text.
func filePage(ctx context.Context, a *app.App, body []byte, name string) (*webgraph.Page, error) {
	ext := strings.ToLower(path.Ext(name))
	known := engine.ContentType(ext)
	if ext == ".eml" || known == "" && mailbox.IsMessage(body[:min(len(body), mailbox.SniffLen)]) {
		page, err := mailbox.Message(bytes.NewReader(body))
		if err == nil || known != "" {
			return page, err
		}
	}
	if known == "" && !strings.HasPrefix(http.DetectContentType(body), "text/html") {
		known = "text/plain"
	}
	page, err := engine.ReadPage(ctx, a, bytes.NewReader(body), name, known)
	page.FetchedAt = time.Time{} // the same files give the same bytes
	return page, err
}

// An unreadInputs counts inputs that could not be read, and prints the first ones.
type unreadInputs struct {
	engine.Tally
	a *app.App
}

// countFailure records err, if any.
func (t *unreadInputs) countFailure(err error) bool {
	bad := t.CountInput(err)
	if bad && t.Bad <= datasets.ShownProblems {
		t.a.Logf("%v", err)
	}
	return bad
}

func newDataStatsCommand(a *app.App) *cobra.Command {
	var f dataFlags
	cmd := &cobra.Command{
		Use: "stats IN", Short: "Count a dataset by class, group, language, discipline and size",
		Example: `  eventseer data stats labels.tsv                             # the labels alone
  eventseer data stats labels.tsv --pages pages.warc.gz       # and the sizes of their pages
  eventseer data stats dbworld_bodies.arff --format json`,
		Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "json"),
	}
	f.add(cmd.Flags())
	cmd.RunE = func(cmd *cobra.Command, names []string) error {
		return readDataStats(cmd.Context(), a, &f, names[0])
	}
	return cmd
}

func readDataStats(ctx context.Context, a *app.App, f *dataFlags, input string) error {
	source := f.source(a)
	labelsOnly, err := source.LabelsOnly(input)
	if err != nil {
		return err
	}
	if labelsOnly {
		data, err := datasets.Open(input)
		if err != nil {
			return err
		}
		var c stats.Counter
		for _, l := range data.Labels() {
			c.Add(datasets.Example{Label: l}, source.ClassOf(datasets.Example{Label: l}))
		}
		return errors.Join(writeToLog(a, func(w io.Writer) error { return data.Problems.Write(w, datasets.ShownProblems) }), printStats(a, c.Stats()))
	}
	if err := source.Check(input); err != nil {
		return err
	}
	texts, err := source.HoldsTexts(input)
	if err != nil {
		return err
	}
	if !texts {
		v, err := source.Vectors(input)
		if err != nil {
			return err
		}
		return printStats(a, stats.OfVectors(v))
	}
	t, c := unreadInputs{a: a}, stats.Counter{}
	for e, err := range source.Examples(ctx, input) {
		if !t.countFailure(err) {
			c.Add(e, source.ClassOf(e))
		}
	}
	return errors.Join(ctx.Err(), printStats(a, c.Stats()), t.Err())
}

func printStats(a *app.App, s stats.Stats) error {
	return a.PrintRecord(s, func(w io.Writer) error {
		tw := app.NewTabWriter(w)
		fmt.Fprintf(tw, "examples\t%d\ngroups\t%d\n", s.Examples, s.Groups)
		if s.Components > 0 {
			fmt.Fprintf(tw, "components\t%d\nmissing values\t%d\n", s.Components, s.Missing)
		}
		for _, c := range s.Counts {
			fmt.Fprintf(tw, "\n%s\n", c.Column)
			for _, v := range c.Values {
				fmt.Fprintf(tw, "  %s\t%d\t%.1f %%\n", text.Printable(cmp.Or(v.Value, "-")), v.Count, 100*float64(v.Count)/float64(s.Examples))
			}
		}
		if len(s.Sizes) > 0 {
			fmt.Fprintf(tw, "\n\tleast\t25 %%\tmedian\t75 %%\t95 %%\tmost\n")
		}
		for _, z := range s.Sizes {
			fmt.Fprintf(tw, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", z.Name, z.Min, z.Q25, z.Median, z.Q75, z.P95, z.Max)
		}
		return tw.Flush()
	})
}
