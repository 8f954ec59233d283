package search

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/series"
)

// A gatherer reads what is indexed of events from a store.
type gatherer struct {
	store  eventseer.Store
	series eventseer.SeriesStore // nil of a store that keeps none
	log    *slog.Logger
	ranks  map[string][]eventseer.Rank // by series, as read so far
}

func newGatherer(store eventseer.Store, log *slog.Logger) *gatherer {
	series, _ := store.(eventseer.SeriesStore)
	return &gatherer{store: store, series: series, log: log, ranks: map[string][]eventseer.Rank{}}
}

// of returns the document of an event. What cannot be read of it is left out and
// said to the log.
func (d *gatherer) of(ctx context.Context, e eventseer.Event) eventseer.Document {
	doc := eventseer.Document{Event: e, Ranks: d.ranksOf(ctx, e), Changed: d.changed(ctx, e.ID)}
	clips, err := d.store.Clips(ctx, e.ID)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("the clips of an event cannot be read and are left out of the search index", "event", string(e.ID), "cause", err)
	}
	doc.Clips = clips
	return doc
}

func (d *gatherer) ranksOf(ctx context.Context, e eventseer.Event) []eventseer.Rank {
	id := cmp.Or(e.Series, series.Of(e))
	if d.series == nil || id == "" {
		return nil
	}
	if ranks, known := d.ranks[id]; known {
		return ranks
	}
	s, err := d.series.Series(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("a series cannot be read, and its ranks are left out of the search index", "series", id, "cause", err)
	}
	d.ranks[id] = s.Ranks
	return s.Ranks
}

// changed returns when a field of an event last changed after it was new.
func (d *gatherer) changed(ctx context.Context, id eventseer.EventID) (at time.Time) {
	history, err := d.store.History(ctx, id)
	if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
		d.log.Warn("the history of an event cannot be read and is left out of the search index", "event", string(id), "cause", err)
	}
	for _, c := range history {
		if !c.New && len(c.Fields) > 0 && c.At.After(at) {
			at = c.At
		}
	}
	return at
}
