package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/store"

	"github.com/spf13/cobra"
)

// ranksAtOnce is how many series one transaction puts.
const ranksAtOnce = 200

// rankFlags are those of import ranks.
type rankFlags struct {
	rankDefaults
	known, dryRun bool
	unmatched     string
}

func newImportRanksCommand(a *app.App) *cobra.Command {
	var f rankFlags
	cmd := &cobra.Command{
		Use: "ranks FILE…", Short: "Read in tables of ranks and of rates of acceptance", Args: args(cobra.MinimumNArgs(1)),
		Long: `Read in tables of ranks and of rates of acceptance: the export of the CORE portal, the
GGS ratings as CSV, or any table, separated by commas, semicolons or tabs, whose
first row names its columns: acronym, title or dblp; rank with system, year and
source; accepted, submitted or rate with year. Such tables are not shipped; mind
their licences.

Rows are of the series of their DBLP key, acronym or title. A row of which no event
is known is kept for when there is one, unless --known is given. A row whose title is
quite another than that of the series of its acronym is of another series and left
out. --unmatched writes both sorts to a file. A rank replaces that of its system and
year; the same table again changes nothing.`,
		Example: `  eventseer import ranks CORE.csv
  eventseer import ranks ggs.csv --year 2021 --unmatched left.csv
  eventseer import ranks ccf.csv --system ccf --year 2026 --dry-run
  eventseer import ranks acceptance-rates.csv`,
		RunE: func(cmd *cobra.Command, files []string) error { return importRanks(cmd.Context(), a, files, f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.system, "system", "", "system of the ranks where a table does not say: core, ccf, thcpl, ggs, …")
	flags.IntVar(&f.year, "year", 0, "year of the ranks or rates where a table does not say")
	flags.BoolVar(&f.known, "known", false, "leave out rows of series that no event is of")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be read, and change nothing")
	flags.StringVar(&f.unmatched, "unmatched", "", "write rows that matched no event's series to this CSV file")
	return cmd
}

// importRanks reads tables into the store.
func importRanks(ctx context.Context, a *app.App, files []string, f rankFlags) error {
	if f.year != 0 && (f.year < 1950 || f.year > 2100) {
		return app.Usagef("--year %d is no year", f.year)
	}
	st, err := importStore(a)
	if err != nil {
		return err
	}
	broken := 0
	var left [][]string
	for _, file := range files {
		text, err := readAtMost(file, maxRankFile)
		if err != nil {
			return err
		}
		f.source = filepath.Base(file)
		rows, bad, err := readRanks(text, f.rankDefaults)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		m, err := putRanks(ctx, st, rows, f)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		bad = append(bad, m.unfit...)
		broken += len(bad)
		sayBadRows(a, file, bad)
		fmt.Fprintf(a.Stdout, "%s: %d rows: %d of series with events, %d of others, %d of another series of the same acronym, %d not understood\n",
			file, len(rows)+len(bad), m.matched, len(m.alone), len(m.other), len(bad))
		left = append(append(left, leftRows(file, "no event", m.alone)...), leftRows(file, "another series", m.other)...)
	}
	if f.unmatched != "" {
		if err := writeUnmatched(f.unmatched, left); err != nil {
			return err
		}
	}
	if broken > 0 {
		return fmt.Errorf("%w: %d rows are not understood", app.ErrPartly, broken)
	}
	return nil
}

// maxBadRows is how many rows of a file are told.
const maxBadRows = 20

func sayBadRows(a *app.App, file string, bad []error) {
	for _, err := range bad[:min(len(bad), maxBadRows)] {
		a.Logf("%s: %v", file, err)
	}
	if more := len(bad) - maxBadRows; more > 0 {
		a.Logf("%s: %d more rows", file, more)
	}
}

// putRanks finds the series of rows and puts what they say.
func putRanks(ctx context.Context, st *store.Store, rows []rankRow, f rankFlags) (rankMatch, error) {
	matcher, err := newRankMatcher(ctx, st)
	if err != nil {
		return rankMatch{}, err
	}
	m, err := matcher.match(ctx, rows)
	if err != nil || f.dryRun {
		return m, err
	}
	if f.known {
		m.series = slices.DeleteFunc(m.series, func(s eventseer.Series) bool { return !matcher.known[s.ID] })
	}
	for some := range slices.Chunk(m.series, ranksAtOnce) {
		err := st.PutAllSeries(ctx, some)
		if errors.Is(err, store.ErrBadSeries) {
			err = putEach(ctx, st, some, &m)
		}
		if err != nil {
			return m, err
		}
	}
	return m, nil
}

// putEach puts series of which not all are fit to be kept.
func putEach(ctx context.Context, st *store.Store, some []eventseer.Series, m *rankMatch) error {
	for _, s := range some {
		err := st.PutSeries(ctx, s)
		if err != nil && !errors.Is(err, store.ErrBadSeries) {
			return err
		}
		if err != nil {
			m.unfit = append(m.unfit, err)
		}
	}
	return nil
}

func leftRows(file, why string, rows []rankRow) (out [][]string) {
	for _, r := range rows {
		out = append(out, []string{file, strconv.Itoa(r.line), why, r.acronym, r.title, r.dblp})
	}
	return out
}

// writeUnmatched writes rows for a person to look at.
func writeUnmatched(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(writeRows(f, append([][]string{{"file", "line", "why", "acronym", "title", "dblp"}}, rows...)), f.Close())
}

func writeRows(w io.Writer, rows [][]string) error {
	c := csv.NewWriter(w)
	for _, row := range rows {
		for i := range row {
			row[i] = exchange.Cell(row[i]) // no formula for a spreadsheet
		}
	}
	return c.WriteAll(rows)
}
