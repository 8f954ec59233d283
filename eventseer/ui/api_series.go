package ui

import (
	"net/http"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A seriesAnswer is what is known of a series.
type seriesAnswer struct {
	Series   eventseer.Series `json:"series"`
	Editions []editionAnswer  `json:"editions"` // newest first
}

// An editionAnswer is an edition in short.
type editionAnswer struct {
	ID         eventseer.EventID    `json:"id"`
	URL        string               `json:"url"` // of the record
	Title      string               `json:"title,omitempty"`
	Acronym    string               `json:"acronym,omitempty"`
	Year       int                  `json:"year,omitempty"`
	EventStart eventseer.Date       `json:"event_start,omitempty"`
	EventEnd   eventseer.Date       `json:"event_end,omitempty"`
	Location   *eventseer.Venue     `json:"location,omitempty"`
	Deadlines  []eventseer.Deadline `json:"deadlines"`
}

// seriesJSON answers ID.json.
func (s *server) seriesJSON(r *http.Request) (any, error) {
	id, ok := strings.CutSuffix(r.PathValue("file"), ".json")
	if !ok {
		return nil, web.ErrNoPage
	}
	return s.seriesRecord(r, id)
}

func (s *server) seriesRecord(r *http.Request, id string) (any, error) {
	if s.Series == nil {
		return nil, web.ErrNoPage
	}
	series, err := s.Series.Series(r.Context(), id)
	if err != nil {
		return nil, err
	}
	editions, err := s.Series.Editions(r.Context(), id)
	if err != nil {
		s.Log.Warn("an edition cannot be read", "series", id, "cause", err)
	}
	answer := seriesAnswer{Series: series, Editions: []editionAnswer{}}
	for _, e := range views.Head(editions, eventseer.MaxEditions) {
		answer.Editions = append(answer.Editions, editionAnswer{
			ID: e.ID, URL: "/api/v1/events/" + strings.TrimPrefix(views.EventHref(e.ID), "/e/") + ".json", Title: e.Title, Acronym: e.Acronym, Year: e.Year,
			EventStart: e.EventStart, EventEnd: e.EventEnd, Location: e.Location, Deadlines: append([]eventseer.Deadline{}, e.Deadlines...),
		})
	}
	return answer, nil
}
