package publish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
)

// Limits of previews.
const (
	// PreviewDays is how far a preview looks back.
	PreviewDays     = 90
	maxPreviewItems = 20
	maxPreviewReads = 3000 // events read for one
	previewPage     = 1000
)

// Preview reports what a list would have brought in 90 days; the list need not exist. A list with
// windows would have brought what was new and matched, and what came into the windows.
func (s *Service) Preview(ctx context.Context, l eventseer.List) (eventseer.Preview, error) {
	return s.PreviewSince(ctx, l, s.now().AddDate(0, 0, -PreviewDays))
}

// PreviewSince is Preview from another day on. The index says which events may be meant,
// by the clause of the query that the fewest have; the list is held against each that was
// first seen since, or of a list with windows against each, the newest 3000 at most.
func (s *Service) PreviewSince(ctx context.Context, l eventseer.List, since time.Time) (p eventseer.Preview, err error) {
	if l, err = s.CheckList(l); err != nil {
		return p, err
	}
	p.Since = since
	c, err := match.Compile(l, s.o.Dictionary, s.o.People)
	if err != nil {
		return p, err
	}
	p.Terms = c.Terms()
	asked := s.now()
	if s.o.Index == nil || s.o.Store == nil {
		return p, errors.New("preview: there is no index to look into")
	}
	ids, err := s.candidates(ctx, c, since)
	if err != nil {
		return p, err
	}
	events, err := s.recent(ctx, ids, since, c.IsTimed())
	if err != nil {
		return p, err
	}
	var found []eventseer.Item
	for _, e := range events[:min(len(events), maxPreviewReads)] {
		doc, err := s.document(ctx, e)
		if err != nil {
			return p, err
		}
		at, ok := e.FirstSeen, !match.Over(e, e.FirstSeen) // no reader was notified of a call found closed
		if c.HasWindowOf("changed") {
			if doc.Changed, err = s.lastChange(ctx, e.ID, time.Time{}); err != nil {
				return p, err
			}
		}
		if c.IsTimed() {
			at, ok = c.First(doc, since, asked)
		}
		m, ok2 := c.Explain(doc, at)
		if !ok || !ok2 {
			continue
		}
		i := newItem(eventseer.NewCall, e, asked)
		i.List, i.At, i.Why, i.Passage, i.Marks = l.ID, at, m.Why, m.Passage, m.Marks
		i.Source = cmp.Or(m.Page, i.Source)
		found = append(found, i)
	}
	slices.SortStableFunc(found, func(a, b eventseer.Item) int { return b.At.Compare(a.At) })
	p.Total = len(found)
	p.Items = found[:min(len(found), maxPreviewItems)]
	p.PerWeek, err = s.perWeek(ctx, p.Total, since)
	return p, err
}

// candidates returns the events that the index finds for the clause of the list that the
// fewest events have.
func (s *Service) candidates(ctx context.Context, c *match.List, since time.Time) ([]eventseer.EventID, error) {
	var best []string
	fewest := -1
	for _, texts := range c.Queries(since, s.now()) {
		total := 0
		for _, text := range texts {
			found, err := s.o.Index.Find(ctx, eventseer.Query{Text: text, Limit: 1, Now: s.now()})
			if err != nil {
				return nil, fmt.Errorf("preview: %w", err)
			}
			total += found.Total
		}
		if fewest < 0 || total < fewest {
			best, fewest = texts, total
		}
	}
	var ids []eventseer.EventID
	for _, text := range best {
		more, err := s.findAll(ctx, text)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// findAll returns what a query finds, the events of the latest deadlines first, within a bound.
func (s *Service) findAll(ctx context.Context, text string) (ids []eventseer.EventID, err error) {
	for from := 0; from < 20*previewPage; from += previewPage {
		found, err := s.o.Index.Find(ctx, eventseer.Query{Text: text, From: from, Limit: previewPage, Now: s.now()})
		if err != nil {
			return nil, fmt.Errorf("preview: %w", err)
		}
		for _, h := range found.Hits {
			ids = append(ids, h.ID)
		}
		if len(found.Hits) < previewPage {
			break
		}
	}
	return ids, nil
}

// recent reads those events that were first seen since a day, or all, newest first.
func (s *Service) recent(ctx context.Context, ids []eventseer.EventID, since time.Time, all bool) (events []eventseer.Event, err error) {
	for _, id := range ids {
		e, err := s.o.Store.Event(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && (all || !e.FirstSeen.Before(since)) { // one that cannot be read is left out
			events = append(events, e)
		}
	}
	slices.SortFunc(events, func(a, b eventseer.Event) int {
		return cmp.Or(b.FirstSeen.Compare(a.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	return events, nil
}

// perWeek returns the mean of the finds over the weeks that the store looks back, 0 where that is
// less than one.
func (s *Service) perWeek(ctx context.Context, total int, since time.Time) (float64, error) {
	first, err := s.firstChange(ctx, 0)
	if err != nil {
		return 0, err
	}
	begin := since
	if first.At.After(begin) {
		begin = first.At
	}
	const week = 7 * 24 * time.Hour
	if span := s.now().Sub(begin); span >= week {
		return float64(total) / (float64(span) / float64(week)), nil
	}
	return 0, nil
}
