package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/crawler/slicer"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// sliceFlags are the flags of `slice`.
type sliceFlags struct {
	query     string
	precision int
	metadata  bool
	synonyms  []string
	pages     int
	limit     app.Duration
	replay    []string
	backlinks string
	layout    string
	highlight bool
	url       string
}

const defaultSlicePages = 20

func newSliceCommand(a *app.App) *cobra.Command {
	f := sliceFlags{limit: app.Duration(slicer.DefaultTime)}
	cmd := &cobra.Command{
		Use: "slice INPUT", Short: "Show only the parts of a page, and of the pages around it, that match a query",
		Example: `  eventseer slice https://conf.example/ --query deadline -o out.html
  eventseer slice page.html --query '"call for papers"' --precision 2
  eventseer slice web.warc.gz#https://conf.example/ --query 'deadline AND workshop' --format jsonl
  eventseer slice https://conf.example/ --replay web.warc.gz --query committee --layout menu -o out.html`,
		Long: `Show only the parts of a page, and of the pages around it, that match a query, in their
own structure (paper 003). A precision of 0 shows the matches, 1 what is one step
away in the tree of the page, and so on. Links in these parts are followed, the
nearest first, until the time or the pages are used up.

INPUT is one page: a file, a URL, WARC#URL (whose links are followed within the
WARC), or - for stdin. The result is one page of HTML. Written to a file, each
page found stands behind the link that led to it. On stdout it streams: each
page is written as soon as it is fetched, and browsers put it in its place.

QUERY: words of which any may match, "exact phrases", AND, OR, NOT, -word, and
parentheses.`,
		Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("html", "jsonl"),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.query, "query", "", "query")
	flags.IntVar(&f.precision, "precision", 1, "maximum number of steps in the tree of a page between a match and what is shown with it")
	flags.BoolVar(&f.metadata, "metadata", false, "also match meta tags and microdata")
	flags.StringSliceVar(&f.synonyms, "synonyms", nil, "also match synonyms: own for the built-in sets, a file of sets, a MyThes .dat file, a WordNet folder")
	flags.IntVar(&f.pages, "pages", defaultSlicePages, "maximum number of pages to read")
	flags.Var(&f.limit, "time", "time to spend, counted from when the first page is there")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files to read instead of the live web")
	flags.StringVar(&f.backlinks, "backlinks", "", "links file for backlinks: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.StringVar(&f.layout, "layout", layoutTree, "layout of HTML: hierarchical, or menu for pages beside a menu")
	flags.BoolVar(&f.highlight, "highlight", false, "show whole pages with the matches marked")
	flags.StringVar(&f.url, "url", "", "URL of the page on stdin or in a file, by which its links are resolved")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error { return runSlice(cmd.Context(), a, inputs[0], f) }
	return cmd
}

// The values of --layout.
const (
	layoutTree = "hierarchical"
	layoutMenu = "menu"
)

// runSlice reads the first page and searches from it.
func runSlice(ctx context.Context, a *app.App, input string, f sliceFlags) error {
	o, err := sliceOptions(a, f)
	if err != nil {
		return err
	}
	start, fetcher, err := sliceInput(ctx, a, input, f)
	o.Fetcher = fetcher
	var fe *crawler.FetchError
	switch {
	case errors.Is(err, fetch.ErrPrivateAddress):
		return fmt.Errorf("%w: %w; --allow-private fetches it", app.ErrRefused, err)
	case errors.As(err, &fe) && fe.Fate == crawler.Refused:
		return fmt.Errorf("%w: %w", app.ErrRefused, err)
	case err != nil:
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		var out *sliceOutput // nil until the first page is read; without it there is no result
		sum, err := slicer.Run(ctx, start, o, func(r *slicer.Result) (err error) {
			if out == nil {
				if out, err = newSliceOutput(a, w, start.URL, o.Query, f); err != nil {
					return err
				}
			}
			reportSlicedPage(a, r)
			if err := out.add(r); err != nil {
				return err
			}
			if buffered, ok := w.(interface{ Flush() error }); ok {
				return buffered.Flush() // a reader sees it at once
			}
			return nil
		})
		if out == nil {
			return err
		}
		reportSliceSummary(a, sum, f)
		return errors.Join(err, out.close(sum))
	})
}

// sliceOptions checks the flags and returns the search that they describe, without its web.
func sliceOptions(a *app.App, f sliceFlags) (slicer.Options, error) {
	o := slicer.Options{Precision: f.precision, Metadata: f.metadata, MaxPages: f.pages, MaxTime: time.Duration(f.limit), Now: a.Now}
	switch {
	case f.layout != layoutTree && f.layout != layoutMenu:
		return o, app.Usagef("--layout %q is neither %s nor %s", f.layout, layoutTree, layoutMenu)
	case f.precision < 0 || f.precision > slicer.MaxPrecision:
		return o, app.Usagef("--precision %d is not between 0 and %d", f.precision, slicer.MaxPrecision)
	case f.pages < 1:
		return o, app.Usagef("--pages %d: at least one page is read", f.pages)
	case f.limit <= 0:
		return o, app.Usagef("--time must be above 0")
	}
	synonyms, err := openSynonyms(a, f.synonyms)
	if err != nil {
		return o, err
	}
	if o.Query, err = newSliceQuery(f.query, synonyms); err != nil {
		return o, app.Usagef("--query: %w", err)
	}
	if f.backlinks == "" {
		return o, nil
	}
	edges, err := engine.LinksFileSource(a, f.backlinks, true)
	if err != nil {
		return o, err
	}
	o.Backlinker, err = backlink.NewChain(backlink.ChainOptions{Sources: []backlink.Source{edges}, Now: a.Now})
	return o, err
}

// openSynonyms opens the dictionaries named by the values of --synonyms. Nil: none.
func openSynonyms(a *app.App, names []string) (*dictionary.Dictionary, error) {
	if len(names) == 0 {
		return nil, nil
	}
	d, err := app.OpenDictionary(a, names)
	if err != nil {
		return nil, fmt.Errorf("--synonyms: %w", err)
	}
	return d, nil
}

// newSliceQuery parses a query whose words match by their stems, and if there is a dictionary, by
// those of their synonyms.
func newSliceQuery(text string, synonyms *dictionary.Dictionary) (*slice.Query, error) {
	q, err := slice.ParseQuery(text)
	if err != nil {
		return nil, err
	}
	if synonyms != nil {
		q = q.WithSynonyms(synonyms.Synonyms)
	}
	return q.NormalizedBy(func(word string) string { return dictionary.Stem(word, "en") }), nil
}

// A sliceOutput writes the results of a search in order. It writes a line for each page with a
// slice or an error, or one page of HTML.
type sliceOutput struct {
	lines io.Writer          // for jsonl; nil for HTML
	html  *tools.SliceWriter // nil for jsonl
	pages slicedPages
}

func newSliceOutput(a *app.App, w io.Writer, url string, query *slice.Query, f sliceFlags) (*sliceOutput, error) {
	if a.Config.Format == "jsonl" {
		return &sliceOutput{lines: w}, nil
	}
	html, err := tools.NewSliceWriter(w, tools.SliceLayout{
		Menu: f.layout == layoutMenu, Stream: a.Config.Output == "-", Query: f.query, URL: url,
	})
	if err != nil {
		return nil, err
	}
	return &sliceOutput{html: html, pages: slicedPages{highlight: f.highlight, query: query}}, nil
}

func (s *sliceOutput) add(r *slicer.Result) error {
	if s.lines != nil {
		if r.Err == nil && !r.Shown() {
			return nil
		}
		return app.WriteJSONLine(s.lines, slicer.NewRecord(r))
	}
	p, shown := s.pages.pageForUI(r)
	if !shown {
		return nil
	}
	return s.html.Add(p)
}

func (s *sliceOutput) close(sum slicer.Summary) error {
	if s.html == nil {
		return nil
	}
	return s.html.Close(sliceEnd(sum))
}

// sliceInput returns the first page, and the web of its links: that of --replay, of a WARC, or the
// live one. Without a contact a page from a file is sliced alone, with a nil fetcher.
func sliceInput(ctx context.Context, a *app.App, input string, f sliceFlags) (*webgraph.Page, crawler.Fetcher, error) {
	file, url := splitWARC(input)
	var fetcher crawler.Fetcher
	switch {
	case file != "":
		if input = url; !isWebURL(url) {
			return nil, nil, app.Usagef("%s#%s: what follows # must be an http or https URL", file, url)
		}
		held, err := warcFetcher(a, file)
		if err != nil {
			return nil, nil, err
		}
		fetcher = held
	case len(f.replay) > 0:
		w, err := engine.OpenReplay(a, f.replay, nil)
		if err != nil {
			return nil, nil, err
		}
		fetcher = w.Fetcher
	default:
		live, err := engine.LiveFetcher(a, nil)
		switch {
		case err == nil:
			fetcher = engine.NewPaced(a, live, engine.SliceDelay)
		case isWebURL(input):
			return nil, nil, err
		default:
			a.Logf("links are not followed: %v", err)
		}
	}
	if isWebURL(input) {
		page, err := fetchStart(ctx, fetcher, input)
		return page, fetcher, err
	}
	page, err := readOnlyPage(ctx, a, input, f.url)
	return page, fetcher, err
}

// splitWARC splits WARC#URL; file is empty for other inputs.
func splitWARC(input string) (file, url string) {
	file, url, found := strings.Cut(input, "#")
	if ext, _ := engine.Extension(file); !found || ext != ".warc" {
		return "", ""
	}
	if _, err := os.Stat(file); err != nil {
		return "", ""
	}
	return file, url
}

// warcFetcher returns a fetcher for one WARC. If the WARC has no robots.txt, none is obeyed.
func warcFetcher(a *app.App, path string) (crawler.Fetcher, error) {
	frozen, err := replay.Open([]string{path}, replay.Options{})
	if err != nil {
		return nil, err
	}
	a.OnClose(frozen.Close)
	return fetch.New(fetch.Options{
		Transport: robotsOptional{frozen}, UserAgent: engine.UserAgent(), Now: a.Now, Log: a.Logger(), AnsweredAt: replay.AnsweredAt,
	})
}

// robotsOptional reports a missing robots.txt if a frozen web has none.
type robotsOptional struct{ http.RoundTripper }

func (t robotsOptional) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	var miss *replay.MissError
	if r.URL.Path == "/robots.txt" && errors.As(err, &miss) {
		return &http.Response{
			StatusCode: http.StatusNotFound, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header: http.Header{}, Body: http.NoBody, Request: r,
		}, nil
	}
	return resp, err
}

func isWebURL(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// fetchStart fetches the first page of a search.
func fetchStart(ctx context.Context, fetcher crawler.Fetcher, url string) (*webgraph.Page, error) {
	page, err := fetcher.Fetch(ctx, crawler.Request{URL: url})
	if err == nil && page.Status != http.StatusOK {
		err = fmt.Errorf("%s answered with status %d", page.URL, page.Status)
	}
	return page, err
}

// readOnlyPage reads the only page of an INPUT that is not a URL.
func readOnlyPage(ctx context.Context, a *app.App, input, url string) (first *webgraph.Page, err error) {
	for page, err := range engine.PagesOfInput(ctx, a, input, url) {
		switch {
		case err != nil:
			return nil, err
		case first != nil:
			return nil, app.Usagef("%s holds several pages: name one, as in FILE.warc.gz#URL", input)
		}
		first = page
	}
	if first == nil {
		return nil, fmt.Errorf("%s holds no page", input)
	}
	if url != "" {
		named := *first
		named.URL, named.Requested = url, url
		first = &named
	}
	return first, nil
}
