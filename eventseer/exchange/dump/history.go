package dump

import (
	"context"
	"fmt"
	"iter"

	"eventseer/eventseer"
)

// Histories gives events their changes.
type Histories struct {
	st     eventseer.Store
	partly error // what err wraps
	Err    error // the first history that could not be read
}

// NewHistories returns the histories of a store, none where it is nil. The error of one
// that cannot be read wraps partly.
func NewHistories(st eventseer.Store, partly error) *Histories {
	return &Histories{st: st, partly: partly}
}

// Entries gives each event its changes.
func (h *Histories) Entries(ctx context.Context, events iter.Seq[eventseer.Event]) iter.Seq[eventseer.Entry] {
	return func(yield func(eventseer.Entry) bool) {
		for e := range events {
			if !yield(h.entry(ctx, e)) {
				return
			}
		}
	}
}

func (h *Histories) entry(ctx context.Context, e eventseer.Event) eventseer.Entry {
	en := eventseer.Entry{Event: e}
	if h.st == nil {
		return en
	}
	changes, err := h.st.History(ctx, e.ID)
	if err != nil && h.Err == nil {
		h.Err = fmt.Errorf("%w: history of %s: %w", h.partly, e.ID, err)
	}
	en.Changes = changes
	return en
}
