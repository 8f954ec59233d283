package ui

import (
	"net/http"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
)

// A statusAnswer says how much there is and how fresh it is.
type statusAnswer struct {
	Events   int       `json:"events"`
	Open     int       `json:"open"`
	Crawled  time.Time `json:"crawled,omitzero"` // when a page was last fetched
	Revision uint64    `json:"revision,omitempty"`
	Version  string    `json:"version,omitempty"`
	Limits   limits    `json:"limits"`
}

// limits are those of the API, for programs.
type limits struct {
	RequestsASecond int `json:"requests_a_second"`
	RequestsAtOnce  int `json:"requests_at_once"`
	Records         int `json:"records"` // of one JSON answer
	Entries         int `json:"entries"` // of one calendar or file
}

func (s *server) statusJSON(r *http.Request) (any, error) {
	answer := statusAnswer{
		Version: s.Version, Revision: s.epoch().Revision,
		Limits: limits{web.RequestsASecond, web.RequestsAtOnce, apiLimit, maxEntries},
	}
	for _, count := range []struct {
		n *int
		q eventseer.Query
	}{
		{&answer.Events, eventseer.Query{Limit: 1}}, {&answer.Open, eventseer.Query{Limit: 1, OpenAt: s.Now()}},
	} {
		found, err := s.Index.Find(r.Context(), count.q)
		if err != nil {
			return nil, err
		}
		*count.n = found.Total
	}
	if s.Crawled != nil {
		answer.Crawled = s.Crawled().UTC()
	}
	return answer, nil
}
