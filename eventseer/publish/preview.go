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
	// PreviewDays is the number of days that a preview covers.
	PreviewDays     = 90
	maxPreviewItems = 20
	maxPreviewReads = 3000 // events read for one preview
	previewPage     = 1000
)

// Preview returns what a list would have found in the last 90 days. The list need not exist. A list with date
// windows would also have found events that entered the windows.
func (s *Service) Preview(ctx context.Context, l eventseer.List) (eventseer.Preview, error) {
	return s.PreviewSince(ctx, l, s.now().AddDate(0, 0, -PreviewDays))
}

// PreviewSince is like Preview from a given day on. Candidates are the events that the index finds for the
// most selective clause of the query. The list is compared with candidates first seen since that day, or with
// all candidates if it has date windows; at most with the newest 3000.
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
		return p, errors.New("preview: no search index is open")
	}
	ids, err := s.candidateEvents(ctx, c, since)
	if err != nil {
		return p, err
	}
	events, err := s.recentEvents(ctx, ids, since, c.IsTimed())
	if err != nil {
		return p, err
	}
	var found []eventseer.Item
	for _, e := range events[:min(len(events), maxPreviewReads)] {
		doc, err := s.documentOf(ctx, e)
		if err != nil {
			return p, err
		}
		at, ok := e.FirstSeen, !match.IsOver(e, e.FirstSeen) // readers are not notified of calls that were closed when found
		if c.HasWindowOf("changed") {
			if doc.Changed, err = s.lastChange(ctx, e.ID, time.Time{}); err != nil {
				return p, err
			}
		}
		if c.IsTimed() {
			at, ok = c.FirstMatchTime(doc, since, asked)
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
	p.PerWeek, err = s.findsPerWeek(ctx, p.Total, since)
	return p, err
}

// candidateEvents returns the events that the index finds for the most selective clause of the list.
func (s *Service) candidateEvents(ctx context.Context, c *match.List, since time.Time) ([]eventseer.EventID, error) {
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

// findAll returns the events that a query finds, at most 20 pages of results.
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

// recentEvents reads the events first seen since a day, or all of ids if all is set, newest first. Unreadable
// events are omitted.
func (s *Service) recentEvents(ctx context.Context, ids []eventseer.EventID, since time.Time, all bool) (events []eventseer.Event, err error) {
	for _, id := range ids {
		e, err := s.o.Store.Event(ctx, id)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil && (all || !e.FirstSeen.Before(since)) { // an unreadable event is omitted
			events = append(events, e)
		}
	}
	slices.SortFunc(events, func(a, b eventseer.Event) int {
		return cmp.Or(b.FirstSeen.Compare(a.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	return events, nil
}

// findsPerWeek returns the mean number of finds per week since the given time or the store's first change. It
// returns 0 if that is less than a week.
func (s *Service) findsPerWeek(ctx context.Context, total int, since time.Time) (float64, error) {
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
