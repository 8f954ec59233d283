package main

import (
	"context"
	"errors"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/exchange/dump"
	"github.com/eventseer/eventseer/webgraph"
)

// tableFormats are the formats of all commands; events also have those of package export.
var tableFormats = []string{"table", "jsonl", "json", "csv"}

// eventFormats returns the values of --format for commands that print events.
func eventFormats() []string {
	names := slices.Clone(tableFormats)
	for _, n := range exchange.Names() {
		if !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	return names
}

// An eventFormat is an output format of events. The options follow the name, as in
// "ics?what=all&alarm=7d".
type eventFormat struct {
	name    string
	options url.Values
}

// chooseEventFormat returns the event format of --format, otherwise the first one offered; without a list
// all are offered.
func chooseEventFormat(a *app.App, offered ...string) (f eventFormat, err error) {
	if len(offered) == 0 {
		offered = eventFormats()
	}
	if a.Config.Format == "" {
		return eventFormat{name: offered[0]}, nil
	}
	name, rest, _ := strings.Cut(a.Config.Format, "?")
	if !slices.Contains(offered, name) {
		return f, app.Usagef("--format %s: this command offers %s", name, strings.Join(offered, ", "))
	}
	f.name = name
	if f.options, err = url.ParseQuery(rest); err != nil {
		return f, app.Usagef("--format %s: options are written %s?name=value&name=value", a.Config.Format, name)
	}
	return f, nil
}

// writeEventsIn writes events in a format, for find, show and extract. st has their history; it is
// nil for events just read from pages.
func writeEventsIn(ctx context.Context, a *app.App, w io.Writer, f eventFormat, st eventseer.Store, title string, total int, events []eventseer.Event) error {
	if slices.Contains(tableFormats, f.name) {
		return writeEvents(a, w, f.name, total, events)
	}
	h := dump.NewHistories(st, app.ErrPartly)
	p := eventseer.Publication{Title: title, Now: a.Now()}
	for _, e := range events {
		if e.LastSeen.After(p.Updated) {
			p.Updated = e.LastSeen
		}
	}
	err := exchange.Write(w, f.name, p, f.options, h.Entries(ctx, slices.Values(events)))
	return errors.Join(badFormatOption(err), h.Err)
}

// badFormatOption converts a wrong option of a format to a usage error.
func badFormatOption(err error) error {
	var bad *eventseer.InputError
	if errors.As(err, &bad) {
		return app.Usagef("--format: %w", bad)
	}
	return err
}

// writePages writes a row for each page of INPUT arguments as the command's result. For a page that
// cannot be read, read returns a row with the error, and the error; then the command exits with 3.
// name is the name of a page on stdin.
func writePages[T any](ctx context.Context, a *app.App, inputs []string, name string, rows app.Rows[T], read func(page *webgraph.Page, err error) (T, error)) error {
	var t engine.Tally
	err := a.WithOutput(func(w io.Writer) error {
		write, end := rows(w)
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			row, err := read(page, err)
			t.CountInput(err)
			if err := write(row); err != nil {
				return err
			}
		}
		return end()
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.Err()
}
