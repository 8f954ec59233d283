package views

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

const MaxShownQuery = 1100

func SearchValues(f Frame, page int) url.Values {
	values := url.Values{}
	if f.Query != "" {
		values.Set("q", f.Query)
	}
	if f.All {
		values.Set("all", "1")
	}
	if f.Sort != "" {
		values.Set("sort", f.Sort)
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return values
}

// SearchHref returns the URL of another query with the same selection and order.
func (f Frame) SearchHref(query string) string {
	f.Query = query
	return "/search?" + SearchValues(f, 1).Encode()
}

// A ViewForm is the query box of a calendar, timeline or map, with links to other views of the same
// query.
type ViewForm struct {
	Action  string
	Hidden  map[string]string // other parameters of the page
	Problem *QueryProblem
	Follow  []Link // links to the same search as a list, a calendar, a feed
}

// ViewQuery returns the query of a view's request.
func ViewQuery(r *http.Request) string {
	return Clip(strings.TrimSpace(r.FormValue("q")), MaxShownQuery)
}

var FollowNames = map[string]string{"ics": "In your calendar", "atom": "As a feed", "csv": "As a table"}

func WithQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// ViewHref returns the URL of a view with its query and other parameters, without empty ones.
func ViewHref(path, query string, others ...string) string {
	values := url.Values{}
	if query != "" {
		values.Set("q", query)
	}
	for i := 0; i+1 < len(others); i += 2 {
		if others[i+1] != "" {
			values.Set(others[i], others[i+1])
		}
	}
	return WithQuery(path, values)
}

// Status returns the HTTP status of a page with this form.
func (f ViewForm) Status() int {
	if f.Problem != nil {
		return http.StatusBadRequest
	}
	return 0
}

// Years that the views show.
const FirstShown, LastShown = 1990, 2100

// ShortName returns a short name of an event.
func ShortName(e eventseer.Event) string {
	n := NameOf(e)
	if n.Short != "" {
		return n.Short
	}
	return Clip(n.Title, 40)
}

// A reader without an account keeps a list of calls as a search for their ids, which is part of the URL.

// callAddress matches the id in the text by which a reader adds a call. The text is the id or the address of
// the call's page.
var callAddress = regexp.MustCompile(`^(?:\S*/e/)?([a-z0-9][a-z0-9-]{0,99})(?:[/?#.]\S*)?$`)

// AddedCall returns the id of the call that a reader's text names, or "" if it names none.
func AddedCall(text string) string {
	m := callAddress.FindStringSubmatch(strings.TrimSpace(Clip(text, 300)))
	if m == nil {
		return ""
	}
	return m[1]
}

// WithCall adds a call to a list.
func WithCall(text, id string) string {
	x, err := query.Parse(text)
	if err != nil {
		return text
	}
	if x, err = x.With(query.TermText("id", id)); err != nil || len(x.String()) > query.MaxText {
		return text
	}
	return x.String()
}

// IsListOfCalls reports whether a query asks for calls by their ids alone.
func IsListOfCalls(text string) bool {
	x, err := query.Parse(text)
	return err == nil && len(x.Clauses) == 1 && len(x.Excluded) == 0 &&
		!slices.ContainsFunc(x.Clauses[0], func(t query.Term) bool { return t.Field != "id" })
}
