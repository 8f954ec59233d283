package ui

import (
	"net/http"
	"unicode/utf8"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const suggestPath = "/suggest"

// Limits of suggestions.
const (
	maxPrefix      = 100 // runes
	maxSuggestions = 20
)

// A suggestAnswer is what a text that is being typed may become.
type suggestAnswer struct {
	Query       string             `json:"query"`
	Suggestions []views.Suggestion `json:"suggestions"`
}

// suggestJSON answers q and limit.
func (s *server) suggestJSON(r *http.Request) (any, error) {
	q := r.FormValue("q")
	if utf8.RuneCountInString(q) > maxPrefix {
		return nil, web.BadRequest("q is longer than %d characters", maxPrefix)
	}
	limit, err := web.Number(r, "limit", 10, 1, maxSuggestions)
	if err != nil {
		return nil, err
	}
	found, err := s.catalog.Suggest(r.Context(), q, limit)
	if err != nil {
		return nil, err
	}
	return suggestAnswer{q, found}, nil
}

// suggestBrowser answers q in the form that browsers ask for in their address bar.
func (s *server) suggestBrowser(r *http.Request) (any, error) {
	answer, err := s.suggestJSON(r)
	if err != nil {
		return nil, err
	}
	a := answer.(suggestAnswer)
	texts, titles, urls := []string{}, []string{}, []string{}
	for _, v := range a.Suggestions {
		texts, titles, urls = append(texts, v.Text), append(titles, v.Title), append(urls, s.absolute(r, v.URL))
	}
	return []any{a.Query, texts, titles, urls}, nil
}
