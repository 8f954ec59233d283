package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of what is shown around an event.
const (
	maxAround   = 20 // workshops, other editions
	maxHeldWith = 60 // events looked at for workshops
	maxClips    = 6
	maxClipText = 300 // runes of a clip

)

// around is what an event belongs to and what belongs to it.
type around struct {
	Series    views.Link
	Ranks     []views.RankChip
	Rates     []views.RateRow // newest first, few
	Editions  []views.Link
	Workshops []views.Link
	Clips     []clipRow
	Expected  *views.EstimateShown // of the next edition
}

// A clipRow is a passage of a page that mentions the event.
type clipRow struct {
	Title  string
	Text   string
	Source views.Link
	Seen   views.Stamp
}

// around reads what is known of an event's series, workshops and clips. What cannot be
// read is logged and left out.
func (s *server) around(r *http.Request, e eventseer.Event) (a around, err error) {
	ctx, now := r.Context(), s.Now()
	if id := eventseer.MakeSeries(e); s.Series != nil && id != "" {
		series := s.readSeries(ctx, id)
		a.Series = views.Link{Text: views.Clip(views.NonEmpty(series.Acronym, e.Acronym, series.Name, id)[0], 60), Href: views.SeriesHref(id)}
		a.Ranks = views.RankChips(series.Ranks, false)
		if rates := views.NewRatesShown(series.Rates); rates != nil {
			a.Rates = views.Head(rates.Rows, 5)
		}
		editions, err := s.Series.Editions(ctx, id)
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
		}
		a.Expected = views.Expected(editions, e, now)
		for _, other := range editions {
			if other.ID != e.ID && len(a.Editions) < maxAround {
				a.Editions = append(a.Editions, views.EventLink(other))
			}
		}
	}
	a.Workshops = s.heldWith(ctx, e)
	clips, err := s.Store.Clips(ctx, e.ID)
	if err != nil && ctx.Err() == nil {
		s.Log.Warn("the clips of an event cannot be read", "id", e.ID, "cause", err)
	}
	for _, c := range slices.Backward(clips) {
		if len(a.Clips) < maxClips {
			a.Clips = append(a.Clips, clipRow{views.Clip(c.Title, 120), views.Clip(eventseer.Redact(c.Summary), maxClipText), views.SourceLink(c.URL), views.NewStamp(c.Seen, now)})
		}
	}
	return a, ctx.Err()
}

// heldWith finds the events that name e as the one they are held with.
func (s *server) heldWith(ctx context.Context, e eventseer.Event) []views.Link {
	word := e.Acronym
	if word == "" {
		word = e.Title
	}
	term := eventseer.QueryTerm("title", views.Clipped(word, 100))
	if term == "" || e.Parent != "" {
		return nil // a workshop has no workshops
	}
	if e.Year > 0 {
		term = strings.TrimPrefix(term, "title:") + fmt.Sprintf(" year:%d", e.Year)
	}
	found, err := s.Index.Find(ctx, eventseer.Query{Text: term, Limit: maxHeldWith})
	if err != nil {
		var bad web.BadQuery
		if !errors.As(err, &bad) && ctx.Err() == nil {
			s.Log.Warn("the workshops of an event cannot be looked for", "id", e.ID, "cause", err)
		}
		return nil
	}
	var links []views.Link
	for _, h := range found.Hits {
		child, err := s.Store.Event(ctx, h.ID)
		if err == nil && child.ID != e.ID && views.Names(child.Parent, e) && len(links) < maxAround {
			links = append(links, views.EventLink(child))
		}
	}
	return links
}

// parentLink leads to the event that e is held with, or to a search for it.
func (s *server) parentLink(ctx context.Context, e eventseer.Event) views.Link {
	text := views.Clip(e.Parent, views.MaxValue)
	if text == "" || len(e.Parent) > 300 {
		return views.Link{Text: text}
	}
	if s.Series != nil {
		for _, id := range views.SeriesNamed(e.Parent) {
			editions, err := s.Series.Editions(ctx, id)
			if err != nil && ctx.Err() == nil {
				s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
			}
			for _, other := range editions {
				if other.ID != e.ID && views.Names(e.Parent, other) && (e.Year == 0 || other.Year == 0 || other.Year == e.Year) {
					return views.Link{Text: text, Href: views.EventHref(other.ID)}
				}
			}
		}
	}
	return views.Link{Text: text}
}
