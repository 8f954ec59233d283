package main

import (
	"context"
	"io"
	"net/http"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/report"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// analyzeFlags are the flags of analyze.
type analyzeFlags struct {
	url, analyzer, report, keywords string
	synonyms                        []string
	bouras                          tagtree.BourasOptions
}

func newAnalyzeCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "analyze INPUT…", Short: "Partition pages into informational, hub and navigation areas",
		Example: `  eventseer analyze page.html
  eventseer analyze page.html --report areas.html
  eventseer analyze pages.warc.gz --format jsonl
  eventseer analyze page.html --keywords keywords.txt --format jsonl
  eventseer analyze site/ --analyzer bouras --thr-iv 500 --thr-hv 5 --format csv`,
		Long: `Partition pages into areas: informational text, hubs of links worth following,
and navigation. Every area has its informational value IV, hub value HV, link to
text ratio LTR and link average ratio LAR (Bouras, Kounenis, Misedakis 2004). The
text of a page is that of its informational areas. Frames count as parts of the
page if they are in the same WARC files, or, in live pages, on the same host.

--analyzer eventseer (the default) assigns every piece of text to one area. For
several pages of one host, in files that can be read twice, it also uses what
repeats on them. --analyzer bouras is algorithm 1 of the paper, with its thresholds.
--keywords names a file of keywords, one per line, for which clips are cut from the
informational areas: a title, and the sentence with the keyword between its
neighbours. Links to pages on the keywords are listed.
--report writes one HTML page that shows each page with its areas outlined.
Table and CSV count areas, bytes of text and clips; jsonl, json and the report hold them.`,
		Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
	}
	var f analyzeFlags
	flags := cmd.Flags()
	flags.StringVar(&f.url, "url", "", "URL of the page on stdin")
	flags.StringVar(&f.analyzer, "analyzer", "eventseer", "eventseer, or bouras for the paper's algorithm")
	flags.Float64Var(&f.bouras.ThrIV, "thr-iv", 0, "with bouras: informational value above which an element is an informational area (default 1000)")
	flags.Float64Var(&f.bouras.ThrHV, "thr-hv", 0, "with bouras: hub value above which an element is a hub area (default 2)")
	flags.BoolVar(&f.bouras.DropNavigation, "drop-navigation", false, "with bouras: separate menus from hub areas by the length of their link texts")
	flags.StringVar(&f.keywords, "keywords", "", "file of keywords for which clips are cut")
	flags.StringSliceVar(&f.synonyms, "synonyms", []string{app.OwnSynonyms}, "synonyms of keywords: own for the built-in sets, a file of sets, a MyThes .dat file, a WordNet folder; empty for none")
	flags.StringVar(&f.report, "report", "", "also write an HTML page that shows the areas")
	for _, name := range []string{"thr-iv", "thr-hv"} {
		flags.Lookup(name).DefValue = "0" // not shown: the usage text has it
	}
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return analyzeInputs(cmd.Context(), a, f, inputs)
	}
	return cmd
}

// check returns a usage error for meaningless combinations of flags.
func (f analyzeFlags) check(cmd *cobra.Command) error {
	switch f.analyzer {
	case "bouras":
		for _, name := range []string{"thr-iv", "thr-hv"} {
			if flag := cmd.Flags().Lookup(name); flag.Changed {
				if v, err := cmd.Flags().GetFloat64(name); err != nil || !(v > 0) {
					return app.Usagef("--%s %s: a threshold is a number above 0", name, flag.Value)
				}
			}
		}
		return nil
	case "eventseer":
		for _, name := range []string{"thr-iv", "thr-hv", "drop-navigation"} {
			if cmd.Flags().Changed(name) {
				return app.Usagef("--%s needs --analyzer bouras", name)
			}
		}
		return nil
	}
	return app.Usagef("--analyzer %q is neither eventseer nor bouras", f.analyzer)
}

func analyzeInputs(ctx context.Context, a *app.App, f analyzeFlags, inputs []string) error {
	r, err := newAnalysisReader(a, f, inputs)
	if err != nil {
		return err
	}
	if f.analyzer == "eventseer" {
		r.sites = learnSites(ctx, a, r.frames, inputs)
	}
	return writePages(ctx, a, inputs, f.url, r.analysisRows(a), func(page *webgraph.Page, err error) (report.Page, error) { return r.analysePage(ctx, page, err) })
}

// analysisRows writes the analyses of pages, and at the end the report if requested.
func (r *analysisReader) analysisRows(a *app.App) app.Rows[report.Page] {
	return func(w io.Writer) (func(report.Page) error, func() error) {
		write, end := analysisTable.RowsIn(a.Config.Format)(w)
		return write, func() error {
			if err := end(); err != nil || r.report == nil {
				return err
			}
			if err := report.WriteFile(r.flags.report, r.report); err != nil {
				return err
			}
			a.Logf("wrote %s", r.flags.report)
			return nil
		}
	}
}

// analysisTable is the output of analyze, one page per row.
var analysisTable = app.Table[report.Page]{Head: report.Head, Line: report.Page.TableLine, Columns: report.Columns, Record: report.Page.CSVRow}

// An analysisReader converts pages to records and, if requested, to a report.
type analysisReader struct {
	flags  analyzeFlags
	frames *frameReader
	sites  siteProperties
	clips  *clip.Extractor
	report *report.Report // nil if not requested
}

func newAnalysisReader(a *app.App, f analyzeFlags, inputs []string) (*analysisReader, error) {
	r := &analysisReader{flags: f, frames: newFrameReader(a, inputs)}
	if f.report != "" {
		r.report = &report.Report{Analyzer: f.analyzer}
	}
	var lists []clip.List
	var synonyms *dictionary.Dictionary
	var err error
	if f.keywords != "" {
		if lists, err = clip.ReadFile(f.keywords, func(err error) { a.Logf("%v: skipped", err) }); err != nil {
			return nil, err
		}
		if synonyms, err = openSynonyms(a, f.synonyms); err != nil {
			return nil, err
		}
	}
	r.clips, err = clip.New(clip.Options{Lists: lists, Dictionary: synonyms})
	return r, err
}

// analysePage analyses one page. If it cannot be read the record contains the error, which is also
// returned.
func (r *analysisReader) analysePage(ctx context.Context, page *webgraph.Page, err error) (report.Page, error) {
	var tree *tagtree.Tree
	if err == nil {
		tree, err = r.frames.parse(ctx, page)
	}
	if err != nil {
		record := report.Page{URL: page.URL, Areas: []report.Area{}, Clips: []report.Clip{}, Error: err.Error()}
		if r.report != nil {
			r.report.AddError(record)
		}
		return record, err
	}
	analysis := r.partitionPage(tree)
	record := report.NewPage(tree, analysis)
	found := r.clips.Extract(tree, clip.Context{})
	for _, c := range found.Clips {
		for _, m := range c.DistinctMatches() { // one line for each keyword of each clip
			record.Clips = append(record.Clips, report.Clip{Keyword: m.Term, Title: c.Title, Summary: c.Summary, Path: c.Path})
		}
	}
	for _, f := range found.Follow {
		l := tree.Links()[f.Link]
		record.Follow = append(record.Follow, report.FollowedLink{Link: report.Link{URL: l.Target, Anchor: l.Anchor}, Teaser: f.Teaser, Keywords: f.Terms})
	}
	if r.report != nil {
		r.report.Add(tree, analysis, record)
	}
	return record, nil
}

// partitionPage analyses a page by the analyzer the flags name.
func (r *analysisReader) partitionPage(t *tagtree.Tree) *tagtree.Analysis {
	if r.flags.analyzer == "bouras" {
		return tagtree.AnalyzeBouras(t, r.flags.bouras)
	}
	if site := r.sites.siteOf(t.Page); site != nil {
		return t.AnalysisAt(site)
	}
	return t.Analysis()
}

// A frameReader parses pages together with their frames. Frames of pages in WARC files are read
// from there; those of live pages only if they are on the same host.
type frameReader struct {
	app     *app.App
	paths   []string // WARC files among the inputs
	indexes []*warc.Index
	opened  bool
}

func newFrameReader(a *app.App, inputs []string) *frameReader {
	r := &frameReader{app: a}
	for _, input := range inputs {
		if ext, _ := engine.Extension(input); ext == ".warc" && !strings.Contains(input, "://") {
			r.paths = append(r.paths, input)
		}
	}
	return r
}

// parse parses a page. A frame that cannot be loaded remains a link.
func (r *frameReader) parse(ctx context.Context, p *webgraph.Page) (*tagtree.Tree, error) {
	return tagtree.ParseWithFrames(p, func(url string) *webgraph.Page {
		if frame := r.archivedPage(url); frame != nil {
			return frame
		}
		if r.app.Live == nil || webgraph.HostOf(url) != webgraph.HostOf(p.URL) {
			return nil
		}
		frame, err := engine.FetchPage(ctx, r.app, url)
		if err != nil {
			return nil
		}
		return frame
	})
}

// archivedPage returns the page of a URL in one of the WARC files, nil if none has it. The files are
// indexed when the first frame is found.
func (r *frameReader) archivedPage(url string) *webgraph.Page {
	if !r.opened {
		r.opened = true
		for _, path := range r.paths {
			if x, err := warc.OpenIndex(path); err == nil { // errors of the file are reported when its pages are read
				r.indexes = append(r.indexes, x)
				r.app.OnClose(x.Close)
			}
		}
	}
	for _, x := range r.indexes {
		rec, err := x.FindCanonical(url)
		if err != nil {
			continue
		}
		if page, err := rec.Page(); err == nil && page.Status == http.StatusOK {
			return page
		}
	}
	return nil
}

// maxSites bounds the hosts from which analyze learns; pages of others are analysed individually.
const maxSites = 10_000

// siteProperties are the properties common to the input pages of each host.
type siteProperties map[webgraph.Host]*tagtree.Site

// learnSites reads the inputs that can be read twice, which are all but stdin and URLs. Pages
// without a host, such as single files, belong to no site. Errors are left for the second reading
// to report.
func learnSites(ctx context.Context, a *app.App, frames *frameReader, inputs []string) siteProperties {
	var files []string
	for _, input := range inputs {
		if input != "-" && !strings.HasPrefix(input, "http://") && !strings.HasPrefix(input, "https://") {
			files = append(files, input)
		}
	}
	known := siteProperties{}
	for page, err := range engine.PagesOfInputs(ctx, a, files, "") {
		host := webgraph.HostOf(page.URL)
		if err != nil || host == "" {
			continue
		}
		if known[host] == nil && len(known) < maxSites {
			known[host] = tagtree.NewSite()
		}
		if tree, err := frames.parse(ctx, page); err == nil && known[host] != nil {
			known[host].Add(tree)
		}
	}
	return known
}

// siteOf returns the site of a page, nil if nothing is known about it.
func (s siteProperties) siteOf(page *webgraph.Page) *tagtree.Site {
	if site := s[webgraph.HostOf(page.URL)]; site != nil && site.Pages() > 1 {
		return site
	}
	return nil
}
