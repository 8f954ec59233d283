package main

import (
	"bytes"
	"context"
	"iter"
	"net/http"
	"path"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"
	"eventseer/datasets/files"
	"eventseer/eventseer/mailbox"
	"eventseer/webgraph"

	"github.com/spf13/pflag"
)

// dataFlags say how a dataset is read.
type dataFlags struct{ files.Source }

func (f *dataFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.From, "from", "", "format of IN: "+strings.Join(files.ReadFormats, ", ")+" (default: by its name)")
	flags.StringArrayVar(&f.Pages, "pages", nil, "INPUT that holds the pages of a labels file, may be repeated")
	flags.StringVar(&f.Class, "class", "", "the column that names the class; of labels one of "+strings.Join(datasets.Columns[1:], ", ")+" (default page_type; of vectors the last column)")
	flags.StringVar(&f.Group, "group", "", "the column of groups in a table or an ARFF file (default group or _group)")
	flags.StringVar(&f.ID, "id", "", "the column of IDs or URLs in a table or an ARFF file (default url, id or _id)")
	flags.StringVar(&f.Text, "text", "", "the column of texts in a table (default text)")
	flags.StringVar(&f.HTML, "html", "", "the column of markup in a table (default html)")
	flags.StringVar(&f.Missing, "missing", "error", "what becomes of missing values of vectors: error, or zero to count them as 0")
	flags.StringVar(&f.Names, "names", "", "names of components and classes of an svmlight file (default IN.names, if it is there)")
}

// source returns the source the flags describe, whose pages a reads.
func (f *dataFlags) source(a *app.App) *files.Source {
	s := &f.Source
	s.Stdin = a.Stdin
	// Local files have no time of their own: the same files give the same bytes.
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

// filePage reads one file of a folder of files. Those without a known ending are
// read as messages where they begin with a header, as those of 20 Newsgroups do,
// else as text.
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

// tally counts what could not be read, and says the first ones.
type tally struct {
	engine.Tally
	a *app.App
}

// failed notes err, if any.
func (t *tally) failed(err error) bool {
	bad := t.Note(err)
	if bad && t.Bad <= datasets.ShownProblems {
		t.a.Logf("%v", err)
	}
	return bad
}
