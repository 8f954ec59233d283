package search

import (
	"cmp"
	"math"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// order returns what compares two documents in an order that facts alone decide, nil for the
// others. Equal ones follow by next deadline, then by id.
func (f *finding) order(o eventseer.Order) func(a, b scored) int {
	var key func(document uint32) int64 // the lowest first
	switch o {
	case eventseer.OrderEvent:
		key = f.startKey
	case eventseer.OrderRank:
		key = func(d uint32) int64 { return bestRank(f.rows[d].facts.Ranks) }
	case eventseer.OrderAdded:
		key = func(d uint32) int64 { return -clamp(f.rows[d].facts.Seen) }
	default:
		return nil
	}
	return func(a, b scored) int {
		return cmp.Or(
			cmp.Compare(key(a.document), key(b.document)),
			cmp.Compare(f.nextKey(a.document), f.nextKey(b.document)),
			cmp.Compare(f.rows[a.document].facts.ID, f.rows[b.document].facts.ID),
		)
	}
}

// startKey puts events to come in order of time before those that are over, the last of
// these first, and those without a day last.
func (f *finding) startKey(document uint32) int64 {
	start := f.rows[document].facts.Start
	switch {
	case start.IsZero():
		return math.MaxInt64
	case start.AddDate(0, 0, 1).Before(f.now):
		return math.MaxInt64/2 - clamp(start)/4
	}
	return clamp(start) / 4 // below all that are over
}

// nextKey is the next deadline, or the end of time.
func (f *finding) nextKey(document uint32) int64 {
	if next, ok := f.rows[document].facts.Next(f.now); ok {
		return clamp(next.Moment)
	}
	return math.MaxInt64
}

// bestRank returns the best place that a system of ranks gives, 0 for the first.
func bestRank(ranks []eventseer.Rank) int64 {
	best := int64(math.MaxInt64)
	for _, r := range ranks {
		if place, known := query.RankOrder(r.System, r.Value); known {
			best = min(best, int64(place))
		}
	}
	return best
}
