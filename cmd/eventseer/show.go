package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange/show"

	"github.com/spf13/cobra"
)

func newShowCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show EVENT", Short: "Show all that is known of one event", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer show icx-2027\n  eventseer show icx-2027 --history\n  eventseer show icx-2027 --format json\n  eventseer show icx-2027 --format 'ics?alarm=7d,1d' -o icx.ics",
	}
	history := cmd.Flags().Bool("history", false, "also what changed when, and what pages say otherwise")
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
		if errors.Is(err, eventseer.ErrNotFound) {
			err = fmt.Errorf("%w; `eventseer find --all` lists those there are", err)
		}
		return err
	}
	var clipErr, historyErr error
	s.Clips, clipErr = st.Clips(ctx, id)
	if history {
		s.History, historyErr = st.History(ctx, id)
	}
	err = a.WithOutput(func(w io.Writer) error {
		switch format.name {
		case "json":
			return app.WriteJSON(w, s)
		case "jsonl":
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
