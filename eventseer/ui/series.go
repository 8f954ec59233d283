package ui

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A seriesPage shows the editions of a series.
type seriesPage struct {
	views.Frame
	Name     string
	Short    string
	Facts    []views.SeriesFact // other names, fields, usual months
	Home     views.Link
	Ids      []views.Link     // at other sites
	Chips    []views.RankChip // the newest rank of each system
	Ranks    []views.RankChip
	Editions []views.EditionRow
	More     int
	Estimate *views.EstimateShown
	Spread   string // range of days of the year of the deadlines, "" if there are too few
	Rates    *views.RatesShown
}

func (s *server) series(r *http.Request) (web.View, error) {
	if s.Series == nil {
		return web.View{}, web.ErrNoPage
	}
	id := r.PathValue("series")
	series, err := s.Series.Series(r.Context(), id)
	if err != nil {
		return web.View{}, err
	}
	editions, err := s.Series.Editions(r.Context(), id)
	if err != nil && (len(editions) == 0 || r.Context().Err() != nil) {
		return web.View{}, err
	}
	if err != nil {
		s.Log.Warn("an edition of a series cannot be read", "series", id, "cause", err)
	}
	if len(editions) == 0 && series.Name == "" && series.Acronym == "" {
		return web.View{}, fmt.Errorf("%w: series without editions", errors.Join(eventseer.ErrNotFound, web.ErrNoPage))
	}
	return web.View{Name: "series", Data: s.newSeriesPage(r, series, editions)}, nil
}

func (s *server) newSeriesPage(r *http.Request, series eventseer.Series, editions []eventseer.Event) seriesPage {
	now, zone := s.Now(), web.ReaderZone(r)
	name, short := views.SeriesName(series, editions)
	p := seriesPage{
		Frame: s.FrameOf(r, views.Clip(strings.Join(views.NonEmpty(short, name), " – "), 100), ""),
		Name:  name, Short: short, Home: views.SourceLink(series.Homepage), Ids: views.SeriesIDs(series), Chips: views.RankChips(series.Ranks, false), Ranks: views.RankChips(series.Ranks, true),
		Facts: views.SeriesFacts(series),
		Rates: views.NewRatesShown(series.Rates), More: max(0, len(editions)-views.MaxEditions),
	}
	p.Meta.Canonical = s.canonicalURL(r, views.SeriesHref(series.ID))
	p.Meta.About = "All editions of " + p.Title + ": deadlines, places, ranks and acceptance rates."
	for _, e := range views.FirstN(editions, views.MaxEditions) {
		row := views.EditionRow{CallRow: views.NewCallRow(e, now, zone), Year: views.YearText(e.Year), Days: views.DaysText(e.EventStart, e.EventEnd), Place: views.VenueLine(e.Location)}
		row.Badges = views.RecordBadges(e, now)
		if d, ok := views.LastSubmission(e); ok {
			w := views.NewWhenIn(d, now, zone)
			row.Submit = &w
		}
		p.Editions = append(p.Editions, row)
	}
	p.Estimate, p.Spread = views.EstimateOf(editions, now), views.SpreadOf(editions)
	return p
}
