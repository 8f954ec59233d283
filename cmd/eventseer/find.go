package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/search"

	"github.com/spf13/cobra"
)

func newFindCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "find [QUERY]", Short: "Search the calls found, open ones by next deadline",
		Example: `  eventseer find                              # all open calls
  eventseer find focused crawling             # both words
  eventseer find '"web archives" -workshop'   # a phrase, and a word left out
  eventseer find --all country:norway year:2027 --format jsonl`,
		Long: `Search the calls found. A query has words (all must match), "phrases", a OR b,
-word to leave out, and title: acronym: topic: city: country: kind: year: to
look in one field. Open calls come first to last by their next deadline; --all
searches closed ones too and sorts by relevance. Put -- before a query that
begins with a minus.`,
		Args: args(cobra.ArbitraryArgs),
	}
	all := cmd.Flags().Bool("all", false, "closed calls too, by relevance")
	limit := cmd.Flags().Int("limit", 50, "most calls shown, 1 to 1000")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if *limit < 1 || *limit > 1000 {
			return usagef("--limit %d is not from 1 to 1000", *limit)
		}
		q := eventseer.Query{Text: strings.Join(words, " "), Limit: *limit}
		if !*all {
			q.OpenAt, q.ByDeadline = a.now(), true
		}
		return a.find(cmd.Context(), q)
	}
	return cmd
}

func (a *app) find(ctx context.Context, q eventseer.Query) error {
	format, err := a.format("table", "jsonl", "json", "csv")
	if err != nil {
		return err
	}
	st, index, err := a.openEvents(ctx)
	if err != nil {
		return err
	}
	found, err := index.Find(ctx, q)
	var bad *search.QueryError
	if errors.As(err, &bad) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	events, unread := readHits(ctx, st, found.Hits)
	if err := a.withOutput(func(w io.Writer) error { return a.writeEvents(w, format, found.Total, events) }); err != nil {
		return err
	}
	a.sayFound(q, found.Total, len(events))
	if unread != nil {
		return fmt.Errorf("%w: %d of %d calls found cannot be read: %w", errPartly, len(found.Hits)-len(events), len(found.Hits), unread)
	}
	return nil
}

// readHits reads the events found. err is the first that could not be read.
func readHits(ctx context.Context, st eventseer.Store, hits []eventseer.Hit) (events []eventseer.Event, err error) {
	for _, h := range hits {
		e, readErr := st.Event(ctx, h.ID)
		if readErr != nil {
			if err == nil {
				err = readErr
			}
			continue
		}
		events = append(events, e)
	}
	return events, err
}

func (a *app) sayFound(q eventseer.Query, total, shown int) {
	switch {
	case total == 0 && !q.OpenAt.IsZero():
		a.logf("no open call matches; --all searches closed ones too")
	case total == 0:
		a.logf("no call matches")
	case shown < total:
		a.logf("%d of %d calls shown; --limit shows more", shown, total)
	}
}

func (a *app) writeEvents(w io.Writer, format string, total int, events []eventseer.Event) error {
	switch format {
	case "jsonl":
		return writeJSONLines(w, events)
	case "json":
		if events == nil {
			events = []eventseer.Event{}
		}
		return writeJSON(w, map[string]any{"total": total, "events": events})
	case "csv":
		return writeEventsCSV(w, events, a.now())
	}
	return writeEventsTable(w, events, a.now())
}

// writeJSON writes v as indented JSON, HTML characters unescaped.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

func writeEventsTable(w io.Writer, events []eventseer.Event, now time.Time) error {
	if len(events) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "NEXT DEADLINE\tWHEN\tWHERE\tTITLE\tEVENT")
	for _, e := range events {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", describeNext(e, now),
			describeDays(e), describePlace(e), oneLine(e.Title, 60), oneLine(string(e.ID), 200))
	}
	return table.Flush()
}

func writeEventsCSV(w io.Writer, events []eventseer.Event, now time.Time) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"id", "acronym", "title", "kind", "year", "event_start", "event_end", "city", "country", "deadline", "deadline_kind", "url"}}
	for _, e := range events {
		when, what := "", ""
		if d, ok := eventseer.NextDeadline(e, now); ok {
			when, what = deadlineTime(d), string(d.Kind)
		}
		venue := eventseer.Venue{}
		if e.Location != nil {
			venue = *e.Location
		}
		year := ""
		if e.Year != 0 {
			year = strconv.Itoa(e.Year)
		}
		rows = append(rows, []string{
			string(e.ID), e.Acronym, e.Title, string(e.Kind), year, string(e.EventStart), string(e.EventEnd),
			venue.City, venue.Country, when, what, e.URL,
		})
	}
	return out.WriteAll(rows)
}
