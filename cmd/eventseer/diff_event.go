package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/change/versions"
	"eventseer/eventseer/exchange/show"
)

// diffEvent prints what changed of an event when, and what the last version of its page
// changed.
func diffEvent(ctx context.Context, a *app.App, id eventseer.EventID, view string) error {
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
	d := versions.NewEvent(e.ID, history, show.Heading(e))
	archive, err := openArchive(a)
	if err != nil {
		return err
	}
	var pageErr error
	if archive != nil {
		d.Page, pageErr = archive.last(ctx, e)
	}
	if err := a.PrintRecord(d, func(w io.Writer) error { return newDiffStyle(a, view).WriteEvent(w, d) }); err != nil {
		return err
	}
	if err := errors.Join(historyErr, pageErr); err != nil {
		return fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return nil
}
