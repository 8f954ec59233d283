package ranks

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/text"
)

// seriesAtOnce is the number of series stored in one transaction.
const seriesAtOnce = 200

// Put finds the series of rows and stores their ranks. With known it stores only series with
// events; with dryRun nothing.
func Put(ctx context.Context, st *store.Store, rows []Row, known, dryRun bool) (Outcome, error) {
	matcher, err := newMatcher(ctx, st)
	if err != nil {
		return Outcome{}, err
	}
	m, err := matcher.matchRows(ctx, rows)
	if err != nil || dryRun {
		return m, err
	}
	if known {
		m.series = slices.DeleteFunc(m.series, func(s eventseer.Series) bool { return !matcher.known[s.ID] })
	}
	return m, PutSeries(ctx, st, m.series, func(_ string, err error) { m.Unfit = append(m.Unfit, err) })
}

// PutSeries stores series, several in one transaction. It calls unfit with the id of each that
// cannot be stored.
func PutSeries(ctx context.Context, st *store.Store, all []eventseer.Series, unfit func(id string, err error)) error {
	for some := range slices.Chunk(all, seriesAtOnce) {
		err := st.PutAllSeries(ctx, some)
		if err == nil {
			continue
		}
		if !errors.Is(err, store.ErrBadSeries) {
			return err
		}
		for _, s := range some { // find which
			if err := st.PutSeries(ctx, s); errors.Is(err, store.ErrBadSeries) {
				unfit(s.ID, err)
			} else if err != nil {
				return err
			}
		}
	}
	return nil
}

// UnmatchedRows returns the lines of a table of the rows without a match.
func UnmatchedRows(file, why string, rows []Row) (out [][]string) {
	for _, r := range rows {
		out = append(out, []string{file, strconv.Itoa(r.line), why, r.acronym, r.title, r.dblp})
	}
	return out
}

// WriteUnmatched writes rows for a person to look at.
func WriteUnmatched(path string, rows [][]string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(writeRows(f, append([][]string{{"file", "line", "why", "acronym", "title", "dblp"}}, rows...)), f.Close())
}

func writeRows(w io.Writer, rows [][]string) error {
	c := text.NewCSV(w)
	for _, row := range rows {
		for i := range row {
			row[i] = exchange.Cell(row[i]) // prevents formulas in spreadsheets
		}
	}
	return c.WriteAll(rows)
}
