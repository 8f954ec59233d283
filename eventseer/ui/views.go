package ui

import (
	"errors"
	"net/http"
	"net/url"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// newViewForm makes the form of the view at path.
func (s *server) newViewForm(path, query string) views.ViewForm {
	values := url.Values{}
	if query != "" {
		values.Set("q", query)
	}
	list := "/search"
	if query == "" {
		list = "/"
	}
	f := views.ViewForm{Action: path, Follow: []views.Link{{Text: "As a list", Href: views.WithQuery(list, values)}}}
	for _, name := range []string{"ics", "atom", "csv"} {
		for _, format := range s.Formats {
			if format.Name == name {
				f.Follow = append(f.Follow, views.Link{Text: views.FollowNames[name], Href: views.WithQuery("/search"+format.Ending, values)})
			}
		}
	}
	return f
}

// find asks the index; what it says of the query is shown on the page.
func (s *server) findFor(r *http.Request, q eventseer.Query, form *views.ViewForm) (eventseer.Found, error) {
	found, err := s.Index.Find(r.Context(), q)
	var bad web.BadQuery
	if errors.As(err, &bad) && form.Problem != nil {
		return eventseer.Found{}, nil // of the query with a term of ours
	}
	if errors.As(err, &bad) {
		form.Problem = views.NewQueryProblem(err, func(query string) string {
			var others []string
			for name, value := range form.Hidden {
				others = append(others, name, value)
			}
			return views.ViewHref(form.Action, query, others...)
		})
		return eventseer.Found{}, nil
	}
	return found, err
}
