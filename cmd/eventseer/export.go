package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/query"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"

	"github.com/spf13/cobra"
)

// exportFlags say what of the store is written.
type exportFlags struct {
	query                 string
	open, history, public bool
	base, title           string
}

func newExportCommand(a *app.App) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export [QUERY]", Short: "Write all calls found, or those of a query, for other programs",
		Example: `  eventseer export -o all.jsonl                              # every record, closed calls too
  eventseer export --format csv topic:crawling -o crawling.csv
  eventseer export --format 'ics?what=all&alarm=7d,1d' --open country:norway -o norway.ics
  eventseer export --format atom --base https://calls.example/ -o calls.atom
  eventseer export dump                                      # dated dumps for /data`,
		Long: `Write all calls found, or those of a query in the language of find, for other
programs. Formats:
` + describeFormats() + `
Options of a calendar stand behind its name: as=todo, style=allday,
what=deadlines|days|all, alarm=7d,1d. Records of jsonl can be read back with
import jsonl. All formats but ccfddl are written record by record, however many
there are.`,
		Args: args(cobra.ArbitraryArgs),
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.open, "open", false, "open calls only")
	flags.BoolVar(&f.history, "history", false, "of jsonl: with what changed when, as \"history\"")
	flags.BoolVar(&f.public, "public", false, "of jsonl and json: without the names of people")
	flags.StringVar(&f.base, "base", "", "URL of the site that shows the calls, for links and stable identifiers")
	flags.StringVar(&f.title, "title", "", "title of calendars and feeds")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		f.query = strings.Join(words, " ")
		return runExport(cmd.Context(), a, f)
	}
	cmd.AddCommand(newExportDumpCommand(a))
	return cmd
}

func describeFormats() string {
	var b strings.Builder
	for _, f := range exchange.Formats() {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Name, f.Describe)
	}
	return b.String()
}

func runExport(ctx context.Context, a *app.App, f exportFlags) error {
	offered := slices.DeleteFunc(eventFormats(), func(s string) bool { return s == "table" })
	format, err := chooseEventFormat(a, offered...)
	if err != nil {
		return err
	}
	if f.history && format.name != "jsonl" {
		return app.Usagef("--history is of --format jsonl")
	}
	if f.base != "" && !strings.HasSuffix(f.base, "/") {
		f.base += "/"
	}
	x := exporter{a: a, f: f}
	var index *search.Index
	if f.query != "" || f.open {
		x.st, index, err = engine.OpenEvents(ctx, a)
	} else {
		x.st, err = engine.OpenStore(a)
	}
	if err != nil {
		return err
	}
	events := x.all(ctx)
	if index != nil {
		events = x.found(ctx, index)
	}
	err = a.WithOutput(func(w io.Writer) error { return x.write(ctx, w, format, events) })
	if err = errors.Join(badFormatOption(err), x.fatal); err != nil {
		return err
	}
	a.Logf("%d calls", x.n)
	if x.unread > 0 {
		return fmt.Errorf("%w: %d calls cannot be read, first: %w", app.ErrPartly, x.unread, x.first)
	}
	return nil
}

// An exporter writes events as they come out of the store.
type exporter struct {
	a     *app.App
	f     exportFlags
	st    *store.Store
	n     int
	fatal error // why it ended early

	unread int // records that could not be read, the first because of
	first  error
}

// all yields every event in the order of the store.
func (x *exporter) all(ctx context.Context) iter.Seq[eventseer.Event] {
	return func(yield func(eventseer.Event) bool) {
		for e, err := range x.st.Events(ctx) {
			if err != nil {
				if x.fatal = ctx.Err(); x.fatal != nil {
					return
				}
				x.bad(err)
				continue
			}
			if x.n++; !yield(e) {
				return
			}
		}
	}
}

// exportPage is how many events a query is asked for at once.
const exportPage = 1000

// found yields the events of the query, page by page.
func (x *exporter) found(ctx context.Context, index eventseer.Index) iter.Seq[eventseer.Event] {
	q := eventseer.Query{Text: x.f.query, Limit: exportPage, Now: x.a.Now()}
	if x.f.open {
		q.OpenAt, q.ByDeadline = x.a.Now(), true
	}
	return func(yield func(eventseer.Event) bool) {
		for {
			found, err := index.Find(ctx, q)
			if err != nil {
				x.fatal = badQuery(err)
				return
			}
			for _, h := range found.Hits {
				e, err := x.st.Event(ctx, h.ID)
				if err != nil {
					x.bad(err)
					continue
				}
				if x.n++; !yield(e) {
					return
				}
			}
			if q.From += len(found.Hits); len(found.Hits) == 0 || q.From >= found.Total {
				return
			}
		}
	}
}

// badQuery makes a query that cannot be understood a wrong command line.
func badQuery(err error) error {
	var bad *query.Error
	if errors.As(err, &bad) {
		return app.Usage(err)
	}
	return err
}

func (x *exporter) bad(err error) {
	if x.unread++; x.first == nil {
		x.first = err
	}
}

// An exported record is a line of export --history.
type exported struct {
	eventseer.Event
	History []eventseer.Change `json:"history,omitempty"`
}

func (x *exporter) write(ctx context.Context, w io.Writer, f eventFormat, events iter.Seq[eventseer.Event]) error {
	h := &histories{st: x.st}
	switch {
	case f.name == "jsonl":
		for e := range events {
			if err := x.line(ctx, w, e, h); err != nil {
				return err
			}
		}
		return h.err
	case f.name == "json" && !x.f.public:
		return writeEventsJSON(w, events)
	}
	if f.name == "ccfddl" {
		return x.conferences(ctx, w, events)
	}
	p := eventseer.Publication{Title: x.f.title, Base: x.f.base, Home: x.f.base, Now: x.a.Now()}
	if p.Title == "" && x.f.query != "" {
		p.Title = "Calls for papers: " + x.f.query
	}
	p.Updated = p.Now // the store is read as it is now
	if f.name == "csv" || f.name == "json" {
		h.st = nil // no use for histories
	}
	return errors.Join(exchange.Write(w, f.name, p, f.options, h.entries(ctx, events)), h.err)
}

// conferences writes the layout of ccfddl, with what the store knows of the series.
func (x *exporter) conferences(ctx context.Context, w io.Writer, events iter.Seq[eventseer.Event]) error {
	all := exchange.Conferences(events)
	for i, c := range all {
		s, err := x.st.Series(ctx, c.Series("").ID)
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		all[i] = c.With(s)
	}
	text, err := exchange.WriteCCFDDL(all)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// line writes a record of jsonl.
func (x *exporter) line(ctx context.Context, w io.Writer, e eventseer.Event, h *histories) error {
	if x.f.public {
		e = exchange.Public(e)
	}
	if !x.f.history {
		return app.WriteJSONLine(w, e)
	}
	changes := h.entry(ctx, e).Changes
	if x.f.public {
		changes = publicChanges(changes)
	}
	return app.WriteJSONLine(w, exported{e, changes})
}

// publicChanges are changes without those of committees.
func publicChanges(changes []eventseer.Change) []eventseer.Change {
	var out []eventseer.Change
	for _, c := range changes {
		c.Fields = slices.DeleteFunc(slices.Clone(c.Fields), func(f eventseer.FieldChange) bool { return f.Field == "committee" })
		out = append(out, c)
	}
	return out
}

// writeEventsJSON writes whole records as find does, one by one.
func writeEventsJSON(w io.Writer, events iter.Seq[eventseer.Event]) error {
	n := 0
	if _, err := io.WriteString(w, "{\"events\":[\n"); err != nil {
		return err
	}
	for e := range events {
		if n++; n > 1 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		if err := app.WriteJSONLine(w, e); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "],\"total\":%d}\n", n)
	return err
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
