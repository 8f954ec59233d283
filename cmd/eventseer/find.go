package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange/show"
	"eventseer/eventseer/query"

	"github.com/spf13/cobra"
)

func newFindCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "find [QUERY]", Short: "Search the calls found, open ones by next deadline",
		Example: `  eventseer find                              # all open calls
  eventseer find focused crawling             # both words
  eventseer find '"web archives" -workshop'   # a phrase, and a word left out
  eventseer find crawling --due 60d --where europe --rank 'core>=B' --facets
  eventseer find 'topic:"web archives" due<2027-03-01 -where:online'
  eventseer find --all country:norway year:2027 --format jsonl
  eventseer find --rank core:A --format ics -o calls.ics`,
		Long: `Search the calls found. Open calls come first to last by their next deadline;
--all searches closed ones too and sorts by relevance. A query has

  words "a phrase" "two words"~5      all must match; ~5: within five words
  a OR b   -word   -topic:"a b"       either; left out
  title: acronym: topic: place: clip: words in one of these
  city: country: where:               where:eu, where:asia, where:online, where:onsite
  kind: series: id: year: month:      kind:workshop, month:2027-06
  rank:core>=A   rank:core=A*,A       by the ranks imported
  due<60d   start<2027-06-01          next deadline, first day; < <= > >= and 12h 7d 8w 3m
  new<7d   changed<7d                 first seen, or changed, in the last seven days
  has:extension                       also rank, deadline, place, parent, warning

A flag is the same as its term; of two values of one flag either will do. Put --
before a query that begins with a minus.`,
		Args: args(cobra.ArbitraryArgs),
	}
	all := cmd.Flags().Bool("all", false, "closed calls too, by relevance")
	limit := cmd.Flags().Int("limit", 50, "most calls shown, 1 to 1000")
	facets := cmd.Flags().Bool("facets", false, "also count topics, kinds, places, ranks, months and deadlines of all that match (to stderr, or in json)")
	terms := addTermFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if *limit < 1 || *limit > 1000 {
			return app.Usagef("--limit %d is not from 1 to 1000", *limit)
		}
		text, err := terms.query(strings.Join(words, " "))
		var bad *query.Error
		if errors.As(err, &bad) {
			sayWrong(a, bad)
		}
		if err != nil {
			return err
		}
		q := eventseer.Query{Text: text, Limit: *limit, Now: a.Now(), Facets: *facets}
		if !*all {
			q.OpenAt, q.ByDeadline = a.Now(), true
		}
		return find(cmd.Context(), a, q)
	}
	return cmd
}

func find(ctx context.Context, a *app.App, q eventseer.Query) error {
	format, err := chooseEventFormat(a)
	if err != nil {
		return err
	}
	st, index, err := engine.OpenEvents(ctx, a)
	if err != nil {
		return err
	}
	found, err := index.Find(ctx, q)
	var bad *query.Error
	if errors.As(err, &bad) {
		return app.Usage(err)
	}
	if err != nil {
		return err
	}
	title := "Calls for papers"
	if q.Text != "" {
		title += ": " + q.Text
	}
	events, unread := readHits(ctx, st, found.Hits)
	err = a.WithOutput(func(w io.Writer) error {
		if format.name == "json" {
			return app.WriteJSON(w, foundRecord(q, found, events))
		}
		return writeEventsIn(ctx, a, w, format, st, title, found.Total, events)
	})
	if err != nil {
		return err
	}
	if format.name != "json" {
		sayFacets(a, found.Facets)
	}
	sayFound(ctx, a, index, q, found, len(events))
	if unread != nil {
		return fmt.Errorf("%w: %d of %d calls found cannot be read: %w", app.ErrPartly, len(found.Hits)-len(events), len(found.Hits), unread)
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

func writeEvents(a *app.App, w io.Writer, format string, total int, events []eventseer.Event) error {
	switch format {
	case "jsonl":
		return app.WriteJSONLines(w, events)
	case "json":
		if events == nil {
			events = []eventseer.Event{}
		}
		return app.WriteJSON(w, map[string]any{"total": total, "events": events})
	case "csv":
		return show.WriteCSV(w, events, a.Now())
	}
	return show.WriteTable(w, events, a.Now())
}
