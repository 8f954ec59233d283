package ui

import (
	"context"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/views"
)

// expectNext adds what may be expected after the closed calls of a list.
func (s *server) expectNext(ctx context.Context, rows []views.CallRow, events []eventseer.Event) {
	if s.Series == nil {
		return
	}
	read := 0
	for i, e := range events {
		id := eventseer.MakeSeries(e)
		if rows[i].Next != nil || id == "" || read == views.MaxExpected {
			continue
		}
		read++
		editions, err := s.Series.Editions(ctx, id)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
		}
		if next := views.Expected(editions, e, s.Now()); next != nil {
			row := next.Paper()
			rows[i].Expected = &row
			rows[i].Series = views.SeriesHref(id)
		}
	}
}
