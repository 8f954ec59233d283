package main

import (
	"context"
	"path/filepath"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
)

// dumpPause is how often it is looked whether a day has no dump yet.
const dumpPause = 10 * time.Minute

// keepDumps writes a dump a day, until ctx ends.
func refreshDumps(ctx context.Context, a *app.App, st eventseer.Store) error {
	written := ""
	for ctx.Err() == nil {
		today := a.Now().UTC().Format(time.DateOnly)
		if today != written {
			if err := writeDumps(ctx, a, st, filepath.Join(a.Config.Data, dumpsDir)); err != nil && ctx.Err() == nil {
				a.Logger().Error("dump", "err", err)
			}
			written = today
		}
		engine.Rest(ctx, dumpPause)
	}
	return nil
}
