package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/show"
	"github.com/eventseer/eventseer/eventseer/keyword"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/text"

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
  eventseer find --like icx-2027              # calls similar to this one
  eventseer find --rank core:A --format ics -o calls.ics`,
		Long: `Search the calls found. Open calls are sorted by their next deadline;
--all searches closed ones too and sorts by relevance. A query has

  words "a phrase" "two words"~5      all must match; ~5: within five words
  a OR b   -word   -topic:"a b"       either; left out
  title: acronym: topic: place: clip: words in one of these
  city: country: where:               where:eu, where:asia, where:online, where:onsite
  field:                              field:databases, field:software; eventseer fields lists them
  kind: series: id: year: month:      kind:workshop, month:2027-06
  rank:core>=A   rank:core=A*,A       by the ranks of the series
  due<60d   start<2027-06-01          next deadline, first day; < <= > >= and 12h 7d 8w 3m
  new<7d   changed<7d                 first seen, or changed, in the last seven days
  has:extension                       also rank, deadline, place, parent, warning

The acronym or the name of a known series finds its editions first; series list
lists the series.

A flag is the same as its term; of two values of one flag either may match. Put --
before a query that begins with a minus.`,
		Args: usageArgs(cobra.ArbitraryArgs),
	}
	all := cmd.Flags().Bool("all", false, "include closed calls, sorted by relevance")
	limit := cmd.Flags().Int("limit", 0, "maximum number of calls shown (default 50 in a table, all in other formats)")
	facets := cmd.Flags().Bool("facets", false, "also count fields, topics, kinds, places, ranks, months and deadlines of all matches (to stderr, or in json)")
	like := cmd.Flags().String("like", "", "find calls similar to the event of this ID, by keywords of its pages, the most similar first; the query is printed, to be stored as a search")
	terms := addTermFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		if cmd.Flags().Changed("limit") && (*limit < 1 || *limit > maxFound) {
			return app.Usagef("--limit %d is not from 1 to %d; `eventseer export` writes all calls of the store", *limit, maxFound)
		}
		text, err := terms.query(strings.Join(words, " "))
		var bad *query.Error
		if errors.As(err, &bad) {
			printQueryError(a, bad)
		}
		if err != nil {
			return err
		}
		q := eventseer.Query{Text: text, Limit: *limit, Now: a.Now(), Facets: *facets}
		if !*all {
			q.OpenAt, q.ByDeadline = a.Now(), *like == ""
		}
		return runFind(cmd.Context(), a, q, eventseer.EventID(*like))
	}
	return cmd
}

const (
	foundPage = 1_000  // calls that an index returns in one call
	maxFound  = 11_000 // calls that an index returns for one query
)

// findAll returns the results of a query whose limit may exceed that of the index.
func findAll(ctx context.Context, index eventseer.Index, q eventseer.Query) (all eventseer.Found, err error) {
	for limit := q.Limit; ; q.Facets = false {
		q.From, q.Limit = len(all.Hits), min(limit-len(all.Hits), foundPage)
		found, err := index.Find(ctx, q)
		if err != nil {
			return all, err
		}
		if q.From == 0 {
			all = found
		} else {
			all.Hits = append(all.Hits, found.Hits...)
		}
		if len(found.Hits) < q.Limit || len(all.Hits) >= limit {
			return all, nil
		}
	}
}

// runFind prints the results of a query, among the calls similar to the event like unless it is "".
func runFind(ctx context.Context, a *app.App, q eventseer.Query, like eventseer.EventID) error {
	format, err := chooseEventFormat(a)
	if err != nil {
		return err
	}
	st, index, err := engine.OpenEvents(ctx, a)
	if err != nil {
		return err
	}
	if like != "" {
		similar, err := keyword.New().SimilarQuery(ctx, st, like)
		if err != nil {
			return st.SuggestID(ctx, like, err)
		}
		q.Text = strings.TrimSpace(similar + " " + q.Text)
		a.Logf("query: %s", q.Text)
	}
	if q.Limit == 0 {
		if q.Limit = maxFound; format.name == "table" {
			q.Limit = 50
		}
	}
	found, err := findAll(ctx, index, q)
	if err != nil {
		return usageIf[*query.Error](err)
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
		printFacets(a, found.Facets)
	}
	printFoundSummary(ctx, a, st, index, q, found, len(events))
	if unread != nil {
		return fmt.Errorf("%w: %d of %d calls found cannot be read: %w", app.ErrPartly, len(found.Hits)-len(events), len(found.Hits), unread)
	}
	return nil
}

// readHits reads the events found. With an error it returns the events that could be read; err is the
// first one.
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
		return app.WriteJSONLines(w, withCalls(events))
	case "json":
		return app.WriteJSON(w, foundRecord(eventseer.Query{}, eventseer.Found{Total: total}, events))
	case "csv":
		return show.WriteCSV(w, events, a.Now())
	}
	return show.WriteTable(w, events, a.Now())
}

// A termFlag is a flag of find that adds a term to the query.
type termFlag struct {
	field, usage string
	values       *[]string
}

// termFlags are the flags of find that add terms.
type termFlags []termFlag

func addTermFlags(cmd *cobra.Command) termFlags {
	flags := termFlags{
		{field: "rank", usage: "`RANK` of the series, such as core:A*,A or core>=B"},
		{field: "due", usage: "next deadline within this `TIME`, such as 60d, 8w or 2027-03-01"},
		{field: "where", usage: "`PLACE`: a city, region, country, its code, a continent, eu, online, hybrid or onsite"},
		{field: "kind", usage: "`KIND`: conference, workshop, symposium, special_issue, summer_school or other"},
		{field: "field", usage: "`FIELD` of research or a discipline, such as databases; eventseer fields lists them"},
		{field: "topic", usage: "`WORDS` of a topic"},
	}
	for i, f := range flags {
		flags[i].values = cmd.Flags().StringArray(f.field, nil, f.usage)
	}
	return flags
}

// query returns a query with the terms of the given flags.
func (flags termFlags) query(text string) (string, error) {
	x, err := query.Parse(text)
	if err != nil {
		return "", app.MarkUsage(err)
	}
	given := false
	for _, f := range flags {
		for _, value := range *f.values {
			given = true
			x, err = x.With(f.queryTerm(value))
			var bad *query.Error
			if errors.As(err, &bad) {
				return "", app.Usagef("--%s %s: %s", f.field, value, bad.Msg)
			}
			if err != nil {
				return "", app.Usagef("--%s %s: %w", f.field, value, err)
			}
		}
	}
	if !given {
		return text, nil // positions in errors refer to the typed text
	}
	return x.String(), nil
}

// queryTerm returns the query term for a value of the flag.
func (f termFlag) queryTerm(value string) string {
	switch {
	case strings.ContainsAny(value[:min(1, len(value))], "<>=:"): // --due ">30d"
		return f.field + value
	case f.field == "due" && strings.Contains(value, "-"): // a day, which counts
		return f.field + "<=" + value
	}
	if term := query.TermText(f.field, value); term != "" {
		return term
	}
	return f.field + `:"` + value + `"`
}

// withCalls returns events with their calls in full, never nil.
func withCalls(events []eventseer.Event) []eventseer.Event {
	out := make([]eventseer.Event, len(events))
	for i, e := range events {
		out[i] = e.WithCalls()
	}
	return out
}

// foundRecord returns the output of find --format json.
func foundRecord(q eventseer.Query, found eventseer.Found, events []eventseer.Event) map[string]any {
	record := map[string]any{"total": found.Total, "events": withCalls(events)}
	if q.Facets {
		record["facets"] = found.Facets
	}
	if found.Instead != "" {
		record["instead"] = found.Instead
	}
	return record
}

// maxFacetLines bounds the values of a facet shown on a terminal.
const maxFacetLines = 8

// printFacets prints the facets with the terms that narrow the search to their values.
func printFacets(a *app.App, facets []eventseer.Facet) {
	if len(facets) == 0 {
		return
	}
	var b strings.Builder
	table := app.NewTabWriter(&b)
	for _, f := range facets {
		for i, v := range f.Values {
			if i == maxFacetLines {
				break
			}
			name := ""
			if i == 0 {
				name = f.Name
			}
			_, _ = table.Write([]byte(name + "\t" + strconv.Itoa(v.Count) + "\t" + text.OneLine(v.Value, 40) + "\t" + text.OneLine(v.Term, 60) + "\n"))
		}
	}
	_ = table.Flush() // to memory
	for line := range strings.Lines(b.String()) {
		a.Logf("%s", strings.TrimRight(line, "\n"))
	}
}

func printFoundSummary(ctx context.Context, a *app.App, st *store.Store, index eventseer.Index, q eventseer.Query, found eventseer.Found, shown int) {
	if found.Total == 0 && st.Len() == 0 {
		a.Logf("%s holds no calls yet; next: `eventseer start` adds starting points, crawls and serves; if it runs already, `eventseer status` shows its progress", a.Config.Data)
		return
	}
	if found.Total == 0 && printUnmatchedTerms(ctx, a, st, index, q) {
		return
	}
	switch {
	case found.Total == 0 && found.Instead != "":
		a.Logf("nothing matches; did you mean: %s", text.OneLine(found.Instead, 200))
	case found.Total == 0 && !q.OpenAt.IsZero():
		a.Logf("no open call matches; --all searches closed ones too")
	case found.Total == 0:
		a.Logf("no call matches")
	case shown < found.Total:
		a.Logf("%d of %d calls shown; --limit shows more", shown, found.Total)
	}
}

// printUnmatchedTerms prints the terms of a query without results that match no call, and reports whether
// there are any.
func printUnmatchedTerms(ctx context.Context, a *app.App, st *store.Store, index eventseer.Index, q eventseer.Query) bool {
	doubts, err := query.UnmatchedFacts(ctx, index, q)
	if err != nil {
		return false // the result is complete without an explanation
	}
	for _, d := range doubts {
		content := text.OneLine(d.Msg, 300)
		if near, err := st.SimilarIDs(ctx, eventseer.EventID(d.Term.Text), 3); d.Term.Field == "id" && err == nil && len(near) > 0 {
			content += "; did you mean: id:" + strings.Join(near, " OR id:")
		} else if d.Try != "" {
			content += "; did you mean: " + text.OneLine(d.Try, 200)
		}
		a.Logf("%s", content)
	}
	return len(doubts) > 0
}

// printQueryError prints a query with a syntax error, with the error marked.
func printQueryError(a *app.App, bad *query.Error) {
	before, at, after := bad.SplitAtError()
	if content := before + at + after; len(content) > 200 || text.OneLine(content, 200) != content {
		return // it would not fit in one line
	}
	a.Logf("  %s", before+at+after)
	a.Logf("  %s%s", strings.Repeat(" ", utf8.RuneCountInString(before)), strings.Repeat("^", max(1, utf8.RuneCountInString(at))))
}

// knownSeries returns the data on the series of an event, nil without any.
func knownSeries(ctx context.Context, st *store.Store, e eventseer.Event) (*eventseer.KnownSeries, error) {
	id := series.IDOf(e)
	known, err := st.Series(ctx, id)
	if id == "" || errors.Is(err, eventseer.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	table, err := st.Table(ctx)
	if err != nil {
		return nil, err
	}
	return table.KnownSeriesOf(e, known, query.LatestRanks(known.Ranks)), nil
}

func newShowCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show EVENT", Short: "Show all data of one event", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer show icx-2027\n  eventseer show icx-2027 --history\n  eventseer show icx-2027 --format json\n  eventseer show icx-2027 --format 'ics?alarm=7d,1d' -o icx.ics",
	}
	history := cmd.Flags().Bool("history", false, "also show the history of changes, and differing values of other pages")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return showEvent(cmd.Context(), a, eventseer.EventID(given[0]), *history)
	}
	return cmd
}

func showEvent(ctx context.Context, a *app.App, id eventseer.EventID, history bool) error {
	format, err := chooseEventFormat(a)
	if err != nil {
		return err
	}
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	var s show.Record
	if s.Event, err = st.Event(ctx, id); err != nil {
		return st.SuggestID(ctx, id, err)
	}
	if s.Series, err = knownSeries(ctx, st, s.Event); err != nil {
		return err
	}
	var clipErr, historyErr error
	s.Clips, clipErr = st.Clips(ctx, id)
	if history {
		s.History, historyErr = st.History(ctx, id)
	}
	err = a.WithOutput(func(w io.Writer) error {
		switch format.name {
		case "json", "jsonl":
			s.Event = s.Event.WithCalls()
			if format.name == "json" {
				return app.WriteJSON(w, s)
			}
			return app.WriteJSONLine(w, s)
		case "table":
			return show.WriteRecord(w, s, history)
		}
		return writeEventsIn(ctx, a, w, format, st, show.Heading(s.Event), 1, []eventseer.Event{s.Event})
	})
	if err != nil {
		return err
	}
	if err := errors.Join(clipErr, historyErr); err != nil {
		return fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return nil
}
