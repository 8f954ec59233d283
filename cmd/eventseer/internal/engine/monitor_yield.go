package engine

import (
	"context"
	"iter"
	"slices"
	"time"

	"eventseer/eventseer"
)

// What a page is worth a visit, by the state of the event that it tells of.
const (
	worthOpen    = 1.0 // papers can be handed in
	worthUnknown = 0.5 // nobody knows when
	worthAhead   = 0.3 // too late for papers, the event is to come
	worthPast    = 0.05
)

// maxMoments bounds the deadlines of one page.
const maxMoments = 32

// A storeYield tells the monitor what changes of pages are worth: those that open calls
// were read from, around their deadlines, most. It implements monitor.Yield.
type storeYield map[string]pageYield

type pageYield struct {
	Worth   float64
	Moments []time.Time
}

type eventLister interface {
	Events(ctx context.Context) iter.Seq2[eventseer.Event, error]
}

// NewStoreYield reads the store as it is at a time. Records that cannot be read are
// passed over: `eventseer check` tells of them.
func NewStoreYield(ctx context.Context, st eventLister, now time.Time) (storeYield, error) {
	yields := storeYield{}
	for e, err := range st.Events(ctx) {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			continue
		}
		y := YieldOf(e, now)
		for _, url := range slices.Concat([]string{e.URL}, e.Pages, e.Related) {
			if old, ok := yields[url]; ok && old.Worth > y.Worth {
				continue // a page of several events
			}
			yields[url] = y
		}
	}
	return yields, nil
}

// Yield implements monitor.Yield.
func (y storeYield) Yield(url string) (worth float64, moments []time.Time, ok bool) {
	p, ok := y[url]
	return p.Worth, p.Moments, ok
}

// YieldOf returns what a page yielded at a time.
func YieldOf(e eventseer.Event, now time.Time) (y pageYield) {
	var open, past bool
	for _, d := range e.Deadlines {
		moment := d.Moment()
		if moment.IsZero() || !d.Kind.Submits() {
			continue
		}
		if moment.Before(now) {
			past = true
		} else {
			open = true
		}
		if len(y.Moments) < maxMoments {
			y.Moments = append(y.Moments, moment)
		}
	}
	today := eventseer.Date(now.UTC().Format(time.DateOnly))
	last := max(e.EventStart, e.EventEnd)
	switch {
	case open:
		y.Worth = worthOpen
	case last >= today:
		y.Worth = worthAhead
	case last != "" || past:
		y.Worth = worthPast
	default:
		y.Worth = worthUnknown
	}
	return y
}
