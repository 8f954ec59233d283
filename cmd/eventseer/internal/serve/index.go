package serve

import (
	"context"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/search"
)

const (
	// indexPause is how soon a call that was found is found by a search.
	indexPause = time.Second
	indexShare = 10 // the index is worked on for one part of this time at most
	// indexTime is how long systemd waits for an index that is made anew: of 100,000
	// events it takes half a minute.
	indexTime = 15 * time.Minute
)

// Revision is the number of the newest change that the search index knows, 0 of none.
func Revision(ctx context.Context, st eventseer.Store) uint64 {
	seq, err := st.Marked(ctx, search.Reader)
	if err != nil {
		return 0
	}
	return seq
}

// keepIndex brings the search index up to date with the store, and calls changed when
// there was something to do, until ctx ends.
func keepIndex(ctx context.Context, a *app.App, s *Service, changed func()) error {
	known := Revision(ctx, s.Store)
	for ctx.Err() == nil {
		began := time.Now()
		if err := search.Sync(ctx, s.Store, s.Index); err != nil && ctx.Err() == nil {
			a.Logger().Error("the search index is not up to date", "err", err)
		}
		if now := Revision(ctx, s.Store); now != known { // by this loop or a command of another process
			known = now
			changed()
		}
		engine.Rest(ctx, max(indexPause, (indexShare-1)*time.Since(began)))
	}
	return nil
}

// warmPages reads what the first visitors would wait for.
func warmPages(ctx context.Context, a *app.App, s *Service) error {
	if s.Warm == nil {
		return nil
	}
	if err := s.Warm(ctx); err != nil && ctx.Err() == nil {
		a.Logger().Warn("suggestions are not all read", "err", err)
	}
	return nil
}
