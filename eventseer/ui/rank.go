package ui

import (
	"context"
	"errors"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/views"
)

// rankReader returns a function that reads the ranks of an event's series, of each once.
func (s *server) rankReader(ctx context.Context) func(e eventseer.Event) []views.RankChip {
	known := map[string][]views.RankChip{}
	return func(e eventseer.Event) []views.RankChip {
		id := eventseer.MakeSeries(e)
		if s.Series == nil || id == "" {
			return nil
		}
		chips, ok := known[id]
		if !ok {
			chips = views.RankChips(s.readSeries(ctx, id).Ranks, false)
			known[id] = chips
		}
		return chips
	}
}

// readSeries reads what is known of a series. One that cannot be read is logged and
// nothing is known of it.
func (s *server) readSeries(ctx context.Context, id string) eventseer.Series {
	series, err := s.Series.Series(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) && ctx.Err() == nil {
		s.Log.Warn("a series cannot be read", "series", id, "cause", err)
	}
	return series
}
