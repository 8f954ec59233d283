package engine

import (
	"context"
	"log/slog"

	"eventseer/crawler"
	"eventseer/crawler/monitor"
	"eventseer/features/tagtree"
)

// A listTaker gives the lists of calls that a crawl or the monitor reads to the store. It
// is a crawler.Observer, so a list is taken before the frontier is told that it was read,
// and taken again after a crash, which changes nothing.
type listTaker struct {
	sources  *monitor.DB
	listType string // of pages
	take     func(*tagtree.Tree) error
	log      *slog.Logger
}

// newListTaker returns one for a sink that takes lists, or one that does nothing.
func newListTaker(ctx context.Context, s crawler.Sink, l listTaker) crawler.Observer {
	sink, ok := s.(interface {
		TakeList(ctx context.Context, t *tagtree.Tree) error
	})
	if !ok {
		return observers{}
	}
	ctx = context.WithoutCancel(ctx) // the pages in hand are finished
	l.take = func(t *tagtree.Tree) error { return sink.TakeList(ctx, t) }
	return l
}

// Arrived implements crawler.Observer. A list that cannot be taken is no reason to end
// the run: the pages that it lists are visited all the same.
func (l listTaker) Arrived(batch []crawler.Told) error {
	for _, t := range batch {
		tree := t.Arrival.Tree
		if tree == nil || t.Arrival.Outcome.Fate != crawler.Fetched {
			continue
		}
		source, _, err := l.sources.Source(t.Arrival.Lease.URL)
		if err != nil {
			return err
		}
		if source.Kind != monitor.Index && t.Verdict.PageType != l.listType {
			continue
		}
		if err := l.take(tree); err != nil {
			l.log.Warn("list", "err", err)
		}
	}
	return nil
}
