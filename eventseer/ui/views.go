package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eventseer/eventseer"
)

// A viewForm is the query box of a calendar, timeline or map, with what leads elsewhere
// with the same query.
type viewForm struct {
	Action  string
	Hidden  map[string]string // other parameters of the page
	Problem *queryProblem
	Follow  []link // the same search as a list, a calendar, a feed
}

// viewQuery is the query of a view's request.
func viewQuery(r *http.Request) string {
	return clip(strings.TrimSpace(r.FormValue("q")), maxShownQuery)
}

// newViewForm makes the form of the view at path.
func (s *server) newViewForm(path, query string) viewForm {
	values := url.Values{}
	if query != "" {
		values.Set("q", query)
	}
	list := "/search"
	if query == "" {
		list = "/"
	}
	f := viewForm{Action: path, Follow: []link{{"As a list", withQuery(list, values)}}}
	for _, name := range []string{"ics", "atom", "csv"} {
		for _, format := range s.Formats {
			if format.Name == name {
				f.Follow = append(f.Follow, link{followNames[name], withQuery("/search"+format.Ending, values)})
			}
		}
	}
	return f
}

var followNames = map[string]string{"ics": "In your calendar", "atom": "As a feed", "csv": "As a table"}

func withQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// viewHref is the URL of a view with its query and other parameters, "" left out.
func viewHref(path, query string, others ...string) string {
	values := url.Values{}
	if query != "" {
		values.Set("q", query)
	}
	for i := 0; i+1 < len(others); i += 2 {
		if others[i+1] != "" {
			values.Set(others[i], others[i+1])
		}
	}
	return withQuery(path, values)
}

// find asks the index; what it says of the query is shown on the page.
func (s *server) findFor(r *http.Request, q eventseer.Query, form *viewForm) (eventseer.Found, error) {
	found, err := s.Index.Find(r.Context(), q)
	var bad badQuery
	if errors.As(err, &bad) && form.Problem != nil {
		return eventseer.Found{}, nil // of the query with a term of ours
	}
	if errors.As(err, &bad) {
		form.Problem = newQueryProblem(err, func(query string) string {
			var others []string
			for name, value := range form.Hidden {
				others = append(others, name, value)
			}
			return viewHref(form.Action, query, others...)
		})
		return eventseer.Found{}, nil
	}
	return found, err
}

// status is that of a page with this form.
func (f viewForm) status() int {
	if f.Problem != nil {
		return http.StatusBadRequest
	}
	return 0
}

// Years that the views show.
const firstShown, lastShown = 1990, 2100

// parseMonth reads "2027-03"; "" is the month of now.
func parseMonth(text string, now time.Time) (time.Time, error) {
	if text == "" {
		y, m, _ := now.UTC().Date()
		return time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), nil
	}
	month, err := time.Parse("2006-01", text)
	if err != nil || month.Year() < firstShown || month.Year() > lastShown {
		return time.Time{}, badRequest("a month is written such as 2027-03, from %d to %d", firstShown, lastShown)
	}
	return month, nil
}

// shortName is an event's name where there is little room.
func shortName(e eventseer.Event) string {
	n := nameOf(e)
	if n.Short != "" {
		return n.Short
	}
	return clip(n.Title, 40)
}
