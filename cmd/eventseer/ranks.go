package main

import (
	"context"
	"fmt"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/exchange/ranks"
	"eventseer/internal/lines"

	"github.com/spf13/cobra"
)

// rankFlags are those of import ranks.
type rankFlags struct {
	ranks.Defaults
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
	flags.StringVar(&f.System, "system", "", "system of the ranks where a table does not say: core, ccf, thcpl, ggs, …")
	flags.IntVar(&f.Year, "year", 0, "year of the ranks or rates where a table does not say")
	flags.BoolVar(&f.known, "known", false, "leave out rows of series that no event is of")
	flags.BoolVar(&f.dryRun, "dry-run", false, "say what would be read, and change nothing")
	flags.StringVar(&f.unmatched, "unmatched", "", "write rows that matched no event's series to this CSV file")
	return cmd
}

// importRanks reads tables into the store.
func importRanks(ctx context.Context, a *app.App, files []string, f rankFlags) error {
	if f.Year != 0 && (f.Year < 1950 || f.Year > 2100) {
		return app.Usagef("--year %d is no year", f.Year)
	}
	st, err := importStore(a)
	if err != nil {
		return err
	}
	broken := 0
	var left [][]string
	for _, file := range files {
		text, err := lines.ReadFile(file, ranks.MaxFile)
		if err != nil {
			return err
		}
		f.Source = filepath.Base(file)
		rows, bad, err := ranks.Read(text, f.Defaults)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		m, err := ranks.Put(ctx, st, rows, f.known, f.dryRun)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
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
		left = append(append(left, ranks.Unmatched(file, "no event", m.Alone)...), ranks.Unmatched(file, "another series", m.Other)...)
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

// maxBadRows is how many rows of a file are told.
const maxBadRows = 20
