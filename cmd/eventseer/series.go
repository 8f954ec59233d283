package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/lists"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newSeriesCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "series", Short: "Manage the table of known series",
		Example: `  eventseer series list --rank 'core>=A'
  eventseer series show caise
  eventseer series list caise --format jsonl > own.jsonl   # to be edited
  eventseer series import own.jsonl`,
		Long: `Manage the table of known series, with their names, acronyms, fields, ranks and home
pages. It is shipped with the program; imported series are stored in the data directory
and take precedence, field by field. A page belongs to a known series if two witnesses
agree: its acronym, the words of its name, its address, its topics; show --format json
lists them.`,
		Args: usageArgs(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("series needs a command: list, show, import, merge, remove or build")
		},
	}
	cmd.AddCommand(newSeriesListCommand(a), newSeriesShowCommand(a), newSeriesImportCommand(a), newSeriesMergeCommand(a), newSeriesRemoveCommand(a), newSeriesBuildCommand(a))
	return cmd
}

// knownSeriesTable returns the table of the data directory, or the shipped one without a store.
func knownSeriesTable(ctx context.Context, a *app.App) (*series.Table, *store.Store, error) {
	st, err := engine.OpenStoreIn(a, a.Config.Data, true)
	if errors.Is(err, bolt.ErrMissing) {
		return series.Shipped(), nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	table, err := st.Table(ctx)
	return table, st, err
}

var seriesTable = app.Table[eventseer.Series]{
	Head: "SERIES\tACRONYM\tRANKS\tNAME",
	Line: func(s eventseer.Series) string {
		name := text.OneLine(s.Name, 80)
		if s.Into != "" {
			name = "merged into " + s.Into
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", s.ID, text.OneLine(s.Acronym, 24), shortRanks(s), name)
	},
	Columns: []string{"id", "acronym", "name", "acronyms", "names", "fields", "ranks", "homepage", "homepage_year", "months", "parent", "into", "sources"},
	Record: func(s eventseer.Series) []string {
		var months []string
		for _, m := range s.Months {
			months = append(months, strconv.Itoa(m))
		}
		year := ""
		if s.HomepageYear > 0 {
			year = strconv.Itoa(s.HomepageYear)
		}
		list := func(items []string) string { return strings.Join(items, "; ") }
		return []string{
			s.ID, s.Acronym, s.Name, list(s.Acronyms), list(s.Names), list(s.Fields), shortRanks(s), s.Homepage, year, list(months), s.Parent, s.Into, list(s.Sources),
		}
	},
}

// shortRanks returns the newest ranks of a series: "CCF B, CORE A".
func shortRanks(s eventseer.Series) string {
	var ranks []string
	for _, r := range query.LatestRanks(s.Ranks) {
		ranks = append(ranks, strings.ToUpper(r.System)+" "+text.OneLine(r.Value, 10))
	}
	return strings.Join(ranks, ", ")
}

func newSeriesListCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "list [WORDS…]", Short: "List known series", Args: usageArgs(cobra.ArbitraryArgs), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
		Example: "  eventseer series list\n  eventseer series list software engineering --rank 'core>=B'\n  eventseer series list --format jsonl > series.jsonl",
		Long: `List known series in order of id: those with all WORDS in an acronym, a name or a
field. The format jsonl is what series import reads.`,
	}
	rank := cmd.Flags().String("rank", "", "`RANK` of the series, such as core:A*,A or core>=B")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		fits := func(eventseer.Series) bool { return true }
		if *rank != "" {
			var err error
			if fits, err = rankFilter(*rank); err != nil {
				return err
			}
		}
		table, _, err := knownSeriesTable(cmd.Context(), a)
		if err != nil {
			return err
		}
		wanted := strings.Fields(text.FoldForComparison(strings.Join(words, " ")))
		rows := slices.DeleteFunc(table.All(), func(s eventseer.Series) bool {
			all := " " + text.FoldForComparison(strings.Join(slices.Concat([]string{s.ID}, series.AcronymsOf(s), series.NamesOf(s), s.Fields), " ")) + " "
			return !fits(s) || slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(all, " "+w+" ") })
		})
		if err := seriesTable.Print(a, rows); err != nil {
			return err
		}
		if len(rows) == 0 {
			a.Logf("no known series matches; `eventseer series import` adds some")
		}
		return nil
	}
	return cmd
}

// rankFilter returns a function that reports whether a series has a rank that matches the query
// term rank:.
func rankFilter(rank string) (func(eventseer.Series) bool, error) {
	x, err := query.Parse(termFlag{field: "rank"}.queryTerm(rank))
	if err != nil || len(x.Clauses) != 1 || len(x.Clauses[0]) != 1 {
		return nil, app.Usagef("--rank %s is not a rank such as core>=A", rank)
	}
	test := x.Clauses[0][0].FactTest(time.Time{})
	if test == nil {
		return nil, app.Usagef("--rank %s is not a rank such as core>=A", rank)
	}
	return func(s eventseer.Series) bool { return test(&query.Facts{Ranks: query.LatestRanks(s.Ranks)}) }, nil
}

// A seriesRecord is the output of series show.
type seriesRecord struct {
	Series   eventseer.Series `json:"series"`
	Editions []seriesEdition  `json:"editions"`
}

type seriesEdition struct {
	ID    eventseer.EventID `json:"id"`
	Year  int               `json:"year,omitempty"`
	Title string            `json:"title,omitempty"`
	URL   string            `json:"url"`
}

func newSeriesShowCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "show SERIES", Short: "Show all data of a series, and its editions found", Args: usageArgs(cobra.MinimumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer series show caise\n  eventseer series show 'USENIX Security' --format json",
		Long:    "Show all data of a series, named by its id, an acronym or its name, with the source of each rank, and the editions in the store.",
		RunE: func(cmd *cobra.Command, given []string) error {
			return showSeries(cmd.Context(), a, strings.Join(given, " "))
		},
	}
}

func showSeries(ctx context.Context, a *app.App, name string) error {
	table, st, err := knownSeriesTable(ctx, a)
	if err != nil {
		return err
	}
	s, err := seriesNamed(ctx, table, st, name)
	if err != nil {
		return err
	}
	record := seriesRecord{s, []seriesEdition{}}
	var unread error
	if st != nil {
		var editions []eventseer.Event
		editions, unread = st.Editions(ctx, s.ID)
		for _, e := range editions {
			record.Editions = append(record.Editions, seriesEdition{e.ID, e.Year, e.Title, e.URL})
		}
	}
	err = a.WithOutput(func(w io.Writer) error {
		switch a.Config.Format {
		case "json":
			return app.WriteJSON(w, record)
		case "jsonl":
			return app.WriteJSONLine(w, record)
		}
		return writeSeries(w, record)
	})
	if err == nil && unread != nil {
		err = fmt.Errorf("%w: some editions cannot be read: %w", app.ErrPartly, unread)
	}
	return err
}

// seriesNamed returns the series of an id, an acronym or a name.
func seriesNamed(ctx context.Context, table *series.Table, st *store.Store, name string) (eventseer.Series, error) {
	if s, ok := table.Get(name); ok {
		return s, nil
	}
	switch ids := table.Named(name); {
	case len(ids) == 1:
		s, _ := table.Get(ids[0])
		return s, nil
	case len(ids) > 1:
		return eventseer.Series{}, app.Usagef("%s is an acronym of several series: %s", text.OneLine(name, 60), strings.Join(ids, ", "))
	}
	if st != nil {
		if s, err := st.Series(ctx, name); err == nil || !errors.Is(err, eventseer.ErrNotFound) {
			return s, err
		}
	}
	return eventseer.Series{}, fmt.Errorf("there is no series %.60q; `eventseer series list` lists the known ones", name)
}

func writeSeries(w io.Writer, r seriesRecord) error {
	s := r.Series
	var months, editions []string
	for _, m := range s.Months {
		months = append(months, time.Month(m).String())
	}
	for _, e := range r.Editions {
		editions = append(editions, string(e.ID))
	}
	home := s.Homepage
	if s.HomepageYear > 0 {
		home += fmt.Sprintf(" (of %d)", s.HomepageYear)
	}
	facts := [][2]string{
		{"series", s.ID}, {"acronym", s.Acronym}, {"name", s.Name}, {"also", strings.Join(slices.Concat(s.Acronyms, s.Names), "; ")},
		{"fields", strings.Join(s.Fields, ", ")}, {"home page", home}, {"usually in", strings.Join(months, ", ")}, {"held with", s.Parent}, {"dblp", s.DBLP},
	}
	for _, k := range s.Ranks {
		from := ""
		if k.Year > 0 {
			from += " " + strconv.Itoa(k.Year)
		}
		if k.Source != "" {
			from += ", from " + k.Source
		}
		facts = append(facts, [2]string{"rank", strings.ToUpper(k.System) + " " + k.Value + from})
	}
	facts = append(facts, [2]string{"sources", strings.Join(s.Sources, "; ")}, [2]string{"editions", strings.Join(editions, ", ")})
	table := app.NewTabWriter(w)
	for _, f := range facts {
		if f[1] != "" {
			fmt.Fprintf(table, "%s\t%s\n", f[0], text.OneLine(f[1], text.MaxShown))
		}
	}
	return table.Flush()
}

func newSeriesImportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import FILE…", Short: "Add series, or correct their data", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer series list caise --format jsonl > own.jsonl    # edit it, then:\n  eventseer series import own.jsonl\n  eventseer series import own.jsonl --dry-run",
		Long: `Add series, or correct their data: one line of JSON each, as series list --format jsonl
prints; - is stdin. A given field replaces the known value, ranks those of their system and
year; a missing field stays. Events in the store are then reassigned to their series.

An invalid line is reported with its file and number and left out: one that is not a
series, has an invalid id or parent, or names longer than 500 bytes. Series that share an
acronym are reported; a page needs a second witness to belong to one of them.`,
	}
	dryRun := cmd.Flags().Bool("dry-run", false, "show what would be imported, and change nothing")
	cmd.RunE = func(cmd *cobra.Command, files []string) error { return importSeries(cmd.Context(), a, files, *dryRun) }
	return cmd
}

func importSeries(ctx context.Context, a *app.App, files []string, dryRun bool) error {
	table, st, err := knownSeriesTable(ctx, a)
	if err != nil {
		return err
	}
	if st == nil && !dryRun {
		if st, err = importStore(a); err != nil {
			return err
		}
	}
	bad, taken := 0, 0
	for _, file := range files {
		content, err := readInput(a, file, series.MaxTable)
		if err != nil {
			return err
		}
		rows, lines, errs := series.Read(content, file)
		fit, notes, unfit := table.SelectAddable(rows, file, lines)
		errs = append(errs, unfit...)
		for _, err := range errs[:min(len(errs), maxBadRows)] {
			a.Logf("%v", err)
		}
		if more := len(errs) - maxBadRows; more > 0 {
			a.Logf("%s: %d more lines", file, more)
		}
		for _, note := range notes[:min(len(notes), maxBadRows)] {
			a.Logf("%s", note)
		}
		bad, taken = bad+len(errs), taken+len(fit)
		if dryRun {
			continue
		}
		for some := range slices.Chunk(fit, 200) { // a transaction each
			if err := st.PutAllSeries(ctx, some); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		if table, err = st.Table(ctx); err != nil {
			return err
		}
	}
	a.Logf("%d series imported, %d lines not understood", taken, bad)
	if !dryRun {
		if err := reassignEventsToSeries(ctx, a, st); err != nil {
			return err
		}
	}
	switch {
	case bad > 0 && taken == 0:
		return fmt.Errorf("no line could be imported")
	case bad > 0:
		return fmt.Errorf("%w: %d lines are not understood", app.ErrPartly, bad)
	}
	return nil
}

// reassignEventsToSeries files events under their series in the present table.
func reassignEventsToSeries(ctx context.Context, a *app.App, st *store.Store) error {
	moved, err := st.ReassignSeries(ctx)
	if err == nil && moved > 0 {
		a.Logf("%s reassigned to another series", text.Count(moved, "event is", "events are"))
	}
	return err
}

func newSeriesMergeCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "merge FROM INTO", Short: "Merge two series into one", Args: usageArgs(cobra.ExactArgs(2)),
		Example: "  eventseer series merge icx-old icx",
		Long: `Merge series FROM into INTO, named by their ids: INTO gets the names, acronyms, fields and
sites of FROM, and its ranks if INTO has none; FROM then leads to INTO. series remove FROM
and series remove INTO undo it.`,
		RunE: func(cmd *cobra.Command, ids []string) error { return mergeSeries(cmd.Context(), a, ids[0], ids[1]) },
	}
}

func mergeSeries(ctx context.Context, a *app.App, from, into string) error {
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	table, err := st.Table(ctx)
	if err != nil {
		return err
	}
	var both [2]eventseer.Series
	for i, id := range []string{from, into} {
		s, ok := table.WithoutMerges(id)
		if !ok {
			if s, err = seriesNamed(ctx, table, st, id); err != nil {
				return err
			}
		}
		both[i] = s
	}
	if both[0].ID == both[1].ID {
		return app.Usagef("%s and %s are one series already", from, into)
	}
	rows := []eventseer.Series{series.Merged(both[1], both[0]), {ID: both[0].ID, Into: both[1].ID}}
	lines := map[string]int{rows[0].ID: 2, rows[1].ID: 1}
	if _, _, errs := table.SelectAddable(rows, "series merge", lines); len(errs) > 0 {
		return errs[0]
	}
	if err := st.PutAllSeries(ctx, rows); err != nil {
		return err
	}
	a.Logf("%s is merged into %s", both[0].ID, both[1].ID)
	return reassignEventsToSeries(ctx, a, st)
}

func newSeriesRemoveCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "remove SERIES…", Short: "Remove imported data of series", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer series remove icx",
		Long:    "Remove imported or merged data of series, also their ranks and rates: the shipped table applies again, and a series that is not in it is known by its editions alone.",
		RunE: func(cmd *cobra.Command, ids []string) error {
			st, err := engine.OpenStore(a)
			if err != nil {
				return err
			}
			for _, id := range ids {
				if err := st.DropSeries(cmd.Context(), id); err != nil {
					return err
				}
			}
			return reassignEventsToSeries(cmd.Context(), a, st)
		},
	}
}

func newSeriesBuildCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "build LISTS", Short: "Build the shipped table from public lists of conferences", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer series build ../shared/corpora/lists -o eventseer/series/shipped.jsonl",
		Long: `Build the shipped table from public lists of conferences: LISTS holds a checkout of each
list that eventseer/series/README.md names, in a folder of its name. The same lists give
the same bytes.`,
		RunE: func(_ *cobra.Command, given []string) error {
			rows, err := lists.Build(filepath.Clean(given[0]))
			if err != nil {
				return err
			}
			table, err := series.Write(rows)
			if err != nil {
				return err
			}
			a.Logf("%d series", len(rows))
			return a.WithOutput(func(w io.Writer) error {
				_, err := w.Write(table)
				return err
			})
		},
	}
}
