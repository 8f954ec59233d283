package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/exchange/intake"
	"github.com/eventseer/eventseer/eventseer/exchange/ranks"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newImportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import", Short: "Import conference lists, records, and sources to watch", Args: usageArgs(cobra.NoArgs),
		Example: `  eventseer import starting --fields databases            # shipped starting points
  eventseer import ccfddl ccf-deadlines/                  # conferences with their ranks
  eventseer import ranks CORE.csv                         # a table of ranks or rates
  eventseer import jsonl all.jsonl                        # records that export or extract wrote
  eventseer import opml feeds.opml                        # feeds to watch
  eventseer import urls lists-of-calls.txt                # pages to watch`,
	}
	cmd.AddCommand(newImportStartingCommand(a), newImportWikiCFPCommand(a), newImportCCFDDLCommand(a), newImportRecordsCommand(a), newImportOPMLCommand(a), newImportURLsCommand(a), newImportRanksCommand(a))
	return cmd
}

func newImportCCFDDLCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "ccfddl DIR|FILE…", Short: "Import conference lists in the layout of ccfddl", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer import ccfddl ccf-deadlines/conference ccf-deadlines/accept_rates\n  eventseer import ccfddl conference/AI/aaai.yml",
		Long: `Import conference lists in the layout of ccfddl, https://github.com/ccfddl/ccf-deadlines
(MIT licence), or of earlier lists with one entry per edition: series with their ranks
and DBLP keys, editions with their deadlines, days and places, and acceptance rates.

Imported values are the weakest evidence: they never override what a crawled page
says, today or later. A file or entry that cannot be understood is reported with the
reason, and the others are read.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return importCCFDDL(cmd.Context(), a, paths) },
	}
}

// importStore opens the store into which records are imported, and creates it if it does not exist.
func importStore(a *app.App) (*store.Store, error) {
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return nil, err
	}
	return engine.OpenStoreIn(a, a.Config.Data, false)
}

func importCCFDDL(ctx context.Context, a *app.App, paths []string) error {
	st, err := importStore(a)
	if err != nil {
		return err
	}
	in := intake.NewCCFDDL(st, a.Logf)
	m := app.MeterFiles(a, "importing", paths).WithNoun("files")
	defer m.RemoveBar()
	in.Done = func(bytes int64) { m.Add(bytes, 1) }
	for _, path := range paths {
		if err := in.ReadTree(ctx, path); err != nil {
			return err
		}
	}
	if err := in.PutSeries(ctx); err != nil {
		return err
	}
	a.Logf("%d files: %d editions of %d series, %d deadlines", in.Files, in.Editions, len(in.Series), in.Deadlines)
	if err := addSeeds(a, "ccfddl", in.Homes); err != nil {
		return err
	}
	a.Logf("%s", exchange.CCFDDLNotice)
	switch {
	case in.Editions == 0 && len(in.Series) == 0 && in.Bad > 0:
		return fmt.Errorf("nothing could be read, first: %w", in.First)
	case in.Bad > 0:
		return fmt.Errorf("%w: %d entries or files are not understood in part or whole, first: %w", app.ErrPartly, in.Bad, in.First)
	}
	return nil
}

func newImportRecordsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "jsonl FILE…", Short: "Import records that export, extract or a dump wrote", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer import jsonl all.jsonl\n  eventseer import jsonl dumps/events-2026-11-22.jsonl.gz\n  eventseer extract pages.warc.gz --format jsonl | eventseer import jsonl -",
		Long: `Import records of events, one per line, also compressed by gzip; - is stdin. Each
record is merged into its event as if its page had been read when it was last seen.
A line without a record is reported and left out, as are lines of pages that gave
an error. Histories are not imported: use backup for them.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return importRecords(cmd.Context(), a, paths) },
	}
}

func importRecords(ctx context.Context, a *app.App, paths []string) error {
	st, err := importStore(a)
	if err != nil {
		return err
	}
	in := intake.NewRecords(st, a.Stdin, a.Logf)
	m := app.MeterFiles(a, "importing", paths)
	defer m.RemoveBar()
	in.Read = m.Reader
	for _, path := range paths {
		if err := in.ReadFile(ctx, path); err != nil {
			return err
		}
	}
	left := ""
	if in.Left > 0 {
		left = fmt.Sprintf(", %d lines without a record left out", in.Left)
	}
	a.Logf("%d records imported%s; %d calls in the store", in.N, left, st.Len())
	switch {
	case in.Bad > 0 && in.N == 0:
		return fmt.Errorf("no line could be read, first: %w", in.First)
	case in.Bad > 0:
		return fmt.Errorf("%w: %d lines hold no record, or one with unknown fields, first: %w", app.ErrPartly, in.Bad, in.First)
	}
	return nil
}

func newImportOPMLCommand(a *app.App) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use: "opml FILE", Short: "Watch the feeds that a feed reader exported", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer import opml feeds.opml\n  eventseer import opml feeds.opml --list > seeds.txt     # for crawl --seeds",
		RunE: func(cmd *cobra.Command, given []string) error {
			text, err := readInput(a, given[0], exchange.MaxOPML)
			if err != nil {
				return err
			}
			feeds, left, err := exchange.ReadOPML(text)
			if err != nil {
				return fmt.Errorf("%s: %w", given[0], err)
			}
			urls := make([]string, len(feeds))
			for i, f := range feeds {
				urls[i] = f.URL
			}
			return importSources(cmd.Context(), a, given[0], urls, left, monitor.Feed, list)
		},
	}
	addListFlag(cmd, &list)
	return cmd
}

func newImportURLsCommand(a *app.App) *cobra.Command {
	var list bool
	cmd := &cobra.Command{
		Use: "urls FILE", Short: "Watch the pages of a list of URLs, one per line", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer import urls lists-of-calls.txt\n  eventseer import urls conferences.txt --kind event",
		Long:    "Watch the pages of a list of URLs, one per line; lines that begin with # are comments. - is stdin.",
	}
	kind := cmd.Flags().String("kind", string(monitor.Index), "kind of the pages: index (lists calls or events), event, feed or sitemap")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		text, err := readInput(a, given[0], seeds.MaxFile)
		if err != nil {
			return err
		}
		urls, bad, err := begin.ParseSeeds(a, given[0], text)
		if err != nil {
			return err
		}
		return importSources(cmd.Context(), a, given[0], urls, bad, monitor.Kind(*kind), list)
	}
	addListFlag(cmd, &list)
	return cmd
}

func addListFlag(cmd *cobra.Command, list *bool) {
	cmd.Flags().BoolVar(list, "list", false, "only print the URLs, in the form that crawl --seeds reads, and watch none")
}

// readInput reads a file, or stdin if path is "-".
func readInput(a *app.App, path string, limit int64) ([]byte, error) {
	if path == "-" {
		return lines.ReadAll(io.NopCloser(a.Stdin), limit)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	text, err := lines.ReadAll(f, limit)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return text, err
}

// addSeeds adds URLs to the seeds of a service's crawls, and reports how many were new.
func addSeeds(a *app.App, from string, urls []string) error {
	fresh, err := begin.AddSeeds(a, from, urls)
	if err == nil {
		a.Logf("%s new in %s, which `eventseer serve` crawls from", text.Count(fresh, "seed is", "seeds are"), filepath.Join(a.Config.Data, app.SeedsFile))
	}
	return err
}

// newImportStartingCommand returns `import starting`.
func newImportStartingCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "starting", Short: "Crawl from the shipped starting points, and watch the lists among them", Args: usageArgs(cobra.NoArgs),
		Long: `Add the shipped starting points to the seeds of the data directory: home pages of known
series, public lists of calls, calendars of societies and archives of mailing lists. Each
has its source; they were not checked for availability. --list prints them.`,
		Example: "  eventseer import starting\n  eventseer import starting --fields databases,security\n  eventseer import starting --list > starting.tsv",
	}
	fields := cmd.Flags().StringSlice("fields", nil, "fields of research or disciplines, such as databases (default all)")
	list := cmd.Flags().Bool("list", false, "only print the starting points, with field, kind and source")
	cmd.RunE = func(*cobra.Command, []string) error {
		points, err := begin.ChooseStarting(*fields)
		if err != nil {
			return err
		}
		if *list {
			return a.WithOutput(func(w io.Writer) error { return seeds.WriteStarting(w, points) })
		}
		fresh, watched, err := begin.AddStarting(a, points)
		if err == nil {
			a.Logf("%d of %d starting points are new seeds, %s new; next: eventseer serve", fresh, len(points), text.Count(watched, "watched list is", "watched lists are"))
		}
		return err
	}
	return cmd
}

// newImportWikiCFPCommand returns `import wikicfp`.
func newImportWikiCFPCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "wikicfp CATEGORY…", Short: "Watch the feeds of categories of WikiCFP", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer import wikicfp databases 'machine learning'",
		RunE: func(cmd *cobra.Command, categories []string) error {
			var urls []string
			for _, c := range categories {
				urls = append(urls, begin.WikiCFPFeed(c))
			}
			return importSources(cmd.Context(), a, "WikiCFP", urls, 0, monitor.Feed, false)
		},
	}
	return cmd
}

// importSources adds URLs as watched pages and seeds, or prints them. left is the number of lines
// that were not URLs.
func importSources(ctx context.Context, a *app.App, from string, urls []string, left int, kind monitor.Kind, list bool) error {
	if len(urls) == 0 {
		return fmt.Errorf("%s does not contain an http or https URL", from)
	}
	if list {
		err := a.WithOutput(func(w io.Writer) error {
			b := bufio.NewWriter(w)
			for _, u := range urls {
				fmt.Fprintln(b, u)
			}
			return b.Flush()
		})
		if err != nil {
			return err
		}
	} else if more, err := addWatchedPages(ctx, a, urls, kind); err != nil {
		return err
	} else if err := addSeeds(a, from, urls); err != nil {
		return err
	} else {
		left += more
	}
	if left > 0 {
		return fmt.Errorf("%w: %d lines are not http or https URLs", app.ErrPartly, left)
	}
	return nil
}

// maxWatched is the number of URLs added to a service with one request.
const maxWatched = 100

// addWatchedPages makes URLs sources and returns the number of failures. A running service adds them
// itself.
func addWatchedPages(ctx context.Context, a *app.App, urls []string, kind monitor.Kind) (bad int, err error) {
	m, err := engine.OpenMonitor(a, a.Config.Data, false)
	if errors.Is(err, bolt.ErrLocked) && admin.IsListening(ctx, filepath.Join(a.Config.Data, app.AdminSocket)) {
		for some := range slices.Chunk(urls, maxWatched) {
			code, err := serve.RequestCommand(ctx, a, slices.Concat([]string{"monitor", "add", "--kind", string(kind), "--"}, some))
			switch {
			case err != nil:
				return bad, err
			case code == exitPartly:
				bad++ // at least one; it was reported
			case code != 0:
				return bad, fmt.Errorf("the process that has %s open watches none of these; see its log for the reason", a.Config.Data)
			}
		}
		return bad, nil
	}
	if err != nil {
		return 0, err
	}
	fresh := 0
	var last error
	for _, u := range urls {
		added, err := m.Add(u, kind, monitor.ByOperator)
		switch {
		case errors.Is(err, bolt.ErrLocked), errors.Is(err, bolt.ErrIncompatible):
			return bad, err
		case err != nil:
			a.Logf("%s: %v", u, err)
			bad, last = bad+1, err
		case added:
			fresh++
		}
	}
	if bad == len(urls) {
		return bad, app.MarkUsage(last)
	}
	a.Logf("%d of %d URLs are watched from now on, the others were already", fresh, len(urls))
	return bad, nil
}

// rankFlags are the flags of import ranks.
type rankFlags struct {
	ranks.Defaults
	known, dryRun bool
	unmatched     string
}

func newImportRanksCommand(a *app.App) *cobra.Command {
	var f rankFlags
	cmd := &cobra.Command{
		Use: "ranks FILE…", Short: "Import tables of ranks and of acceptance rates", Args: usageArgs(cobra.MinimumNArgs(1)),
		Long: `Import tables of ranks and of acceptance rates: the export of the CORE portal, the
GGS ratings as CSV, or any table, separated by commas, semicolons or tabs, whose
first row names its columns: acronym, title or dblp; rank with system, year and
source; accepted, submitted or rate with year. Such tables are not shipped; mind
their licences.

Rows belong to the series of their DBLP key, acronym or title. A row without a known
event is stored until there is one, unless --known is given. A row whose title is
quite different from that of the series of its acronym belongs to another series and is
left out. --unmatched writes both sorts to a file. A rank replaces that of its system and
year; the same table again changes nothing.`,
		Example: `  eventseer import ranks CORE.csv
  eventseer import ranks ggs.csv --year 2021 --unmatched left.csv
  eventseer import ranks ccf.csv --system ccf --year 2026 --dry-run
  eventseer import ranks acceptance-rates.csv`,
		RunE: func(cmd *cobra.Command, files []string) error { return importRanks(cmd.Context(), a, files, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.System, "system", "", "system of the ranks if the table does not name it: core, ccf, thcpl, ggs, …")
	flags.IntVar(&f.Year, "year", 0, "year of the ranks or rates if the table does not name it")
	flags.BoolVar(&f.known, "known", false, "leave out rows of series without an event")
	flags.BoolVar(&f.dryRun, "dry-run", false, "show what would be imported, and change nothing")
	flags.StringVar(&f.unmatched, "unmatched", "", "write rows that matched no event's series to this CSV file")
	return cmd
}

// importRanks reads tables into the store.
func importRanks(ctx context.Context, a *app.App, files []string, f rankFlags) error {
	if f.Year != 0 && (f.Year < 1950 || f.Year > 2100) {
		return app.Usagef("--year %d is not a year", f.Year)
	}
	st, err := importStore(a)
	if err != nil {
		return err
	}
	broken := 0
	var left [][]string
	meter := app.MeterFiles(a, "importing", files).WithNoun("files")
	defer meter.RemoveBar()
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		text, err := lines.ReadFile(file, ranks.MaxFile)
		if err != nil {
			return err
		}
		f.Source = filepath.Base(file)
		rows, bad, err := ranks.Read(text, f.Defaults)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		var m ranks.Outcome
		if err := meter.ShowDuring(func() (err error) {
			m, err = ranks.Put(ctx, st, rows, f.known, f.dryRun)
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		meter.Add(int64(len(text)), 1)
		bad = append(bad, m.Unfit...)
		broken += len(bad)
		for _, err := range bad[:min(len(bad), maxBadRows)] {
			a.Logf("%s: %v", file, err)
		}
		if more := len(bad) - maxBadRows; more > 0 {
			a.Logf("%s: %d more rows", file, more)
		}
		fmt.Fprintf(a.Stdout, "%s: %d rows: %d of series with events, %d of others, %d of another series of the same acronym, %d not understood\n",
			file, len(rows)+len(bad), m.Matched, len(m.Alone), len(m.Other), len(bad))
		left = append(append(left, ranks.UnmatchedRows(file, "no event", m.Alone)...), ranks.UnmatchedRows(file, "another series", m.Other)...)
	}
	if f.unmatched != "" {
		if err := ranks.WriteUnmatched(f.unmatched, left); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%w: %d rows are not understood", app.ErrPartly, broken)
	}
	return nil
}

// maxBadRows is the number of bad rows of a file that are reported.
const maxBadRows = 20
