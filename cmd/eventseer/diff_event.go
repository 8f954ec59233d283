package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/internal/text"
)

// An eventDiff is what diff prints of an event.
type eventDiff struct {
	Event   eventseer.EventID  `json:"event"`
	History []eventseer.Change `json:"history"`
	// Page compares the last two versions of its page that are kept, if there are two.
	Page *versionDiff `json:"page,omitempty"`

	name string
}

// diffEvent prints what changed of an event when, and what the last version of its page
// changed.
func diffEvent(ctx context.Context, a *app.App, id eventseer.EventID, view string) error {
	format, err := a.Format("table", "jsonl", "json")
	if err != nil {
		return err
	}
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	e, err := st.Event(ctx, id)
	if errors.Is(err, eventseer.ErrNotFound) {
		return fmt.Errorf("%w %s; `eventseer find --all` lists those there are, and two versions of a page are compared with `eventseer diff OLD NEW`", err, id)
	}
	if err != nil {
		return err
	}
	history, historyErr := st.History(ctx, id)
	d := eventDiff{Event: e.ID, History: append([]eventseer.Change{}, history...), name: heading(e)}
	archive, err := openArchive(a)
	if err != nil {
		return err
	}
	var pageErr error
	if archive != nil {
		d.Page, pageErr = archive.last(ctx, e)
	}
	if err := a.WithOutput(func(w io.Writer) error { return writeEventDiff(w, format, newDiffStyle(a, view), d) }); err != nil {
		return err
	}
	if err := errors.Join(historyErr, pageErr); err != nil {
		return fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return nil
}

func writeEventDiff(w io.Writer, format string, style diffStyle, d eventDiff) error {
	switch format {
	case "jsonl":
		return app.WriteJSONLine(w, d)
	case "json":
		return app.WriteJSON(w, d)
	}
	out := &diffWriter{diffStyle: style, w: w}
	out.printf("%s\n", d.name)
	for _, c := range d.History {
		out.printf("\n%s %s at %s\n", c.At.UTC().Format(time.RFC3339), happened(c), text.OneLine(c.Page, app.MaxShown))
		out.fields(c.Fields)
	}
	if d.Page == nil {
		out.printf("\nFewer than two versions of its page are kept.\n")
		return out.err
	}
	out.printf("\n")
	if out.err != nil {
		return out.err
	}
	return style.write(w, *d.Page)
}

// happened says what a change is in words.
func happened(c eventseer.Change) string {
	switch {
	case c.New:
		return "found"
	case c.Into != "":
		return "found to be " + text.OneLine(string(c.Into), app.MaxShown) + ","
	case len(c.Kinds) > 0:
		return kindsInWords(c.Kinds)
	}
	return "changed"
}
