package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eventseer/eventseer"
)

// Limits of a list.
const (
	perPage  = 30
	maxPage  = 300
	newFor   = 7 * 24 * time.Hour // an event counts as new for so long
	maxChips = 4                  // topics shown with a call
	maxChip  = 36                 // runes of each
)

// A listPage is the home page or the answer to a search.
type listPage struct {
	frame
	Home     bool
	Problem  string // what is wrong with the query
	Total    int
	Calls    []callRow
	From, To int // numbers of the calls shown, from 1
	Older    string
	Newer    string // URLs of the neighbouring pages, or ""
	Wider    string // URL of the same search among closed calls too
}

// A callRow is one event in a list.
type callRow struct {
	Name
	Href   string
	Meta   []string // kind, days, place
	Next   *when    // nil without a deadline to come
	Last   *when    // of a closed call
	Badges []badge
	Topics []string
}

// A badge is a short mark; Kind is its style.
type badge struct{ Text, Kind string }

func (s *server) home(r *http.Request) (view, error) {
	page := listPage{frame: s.frame("Open calls for papers", "home"), Home: true}
	return s.list(r, page)
}

func (s *server) search(r *http.Request) (view, error) {
	page := listPage{frame: s.frame("Search", "search")}
	page.Query = clip(r.FormValue("q"), maxShownQuery)
	page.All = r.FormValue("all") != ""
	if page.Query != "" {
		page.Title = clip(page.Query, 60)
	}
	return s.list(r, page)
}

const maxShownQuery = 1100 // runes; a little more than an Index takes

// list fills a list page. A query that cannot be understood is said on it.
func (s *server) list(r *http.Request, page listPage) (view, error) {
	n, err := pageNumber(r)
	if err != nil {
		return view{}, err
	}
	now := s.Now()
	q := s.query(page.Query, page.All)
	q.From, q.Limit = (n-1)*perPage, perPage
	page.JSON = "/api/v1/events.json?" + searchValues(page.frame, 1).Encode()
	found, err := s.Index.Find(r.Context(), q)
	var bad badQuery
	if errors.As(err, &bad) {
		page.Problem = err.Error()
		return view{name: "list", data: page, status: http.StatusBadRequest}, nil
	}
	if err != nil {
		return view{}, err
	}
	events, err := s.events(r, found.Hits)
	if err != nil {
		return view{}, err
	}
	for _, e := range events {
		history, err := s.readHistory(r, e.ID)
		if err != nil {
			return view{}, err
		}
		row := newCallRow(e, now)
		row.Badges = badgesOf(e, history, now)
		page.Calls = append(page.Calls, row)
	}
	page.Total, page.From, page.To = found.Total, q.From+1, q.From+len(found.Hits)
	wider := page.frame
	wider.All = true
	page.Wider = "/search?" + searchValues(wider, 1).Encode()
	if n > 1 {
		page.Newer = pageURL(page, n-1)
	}
	if page.To < found.Total && len(found.Hits) > 0 && n < maxPage {
		page.Older = pageURL(page, n+1)
	}
	return view{name: "list", data: page}, nil
}

// query asks for the open calls by deadline, for all calls by relevance.
func (s *server) query(text string, all bool) eventseer.Query {
	if all {
		return eventseer.Query{Text: text}
	}
	return eventseer.Query{Text: text, OpenAt: s.Now(), ByDeadline: true}
}

// events reads the events found. One that cannot be read is logged and left
// out.
func (s *server) events(r *http.Request, hits []eventseer.Hit) ([]eventseer.Event, error) {
	var events []eventseer.Event
	for _, h := range hits {
		e, err := s.Store.Event(r.Context(), h.ID)
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		if err != nil {
			s.Log.Warn("an event found cannot be read", "id", h.ID, "cause", err)
			continue
		}
		events = append(events, e)
	}
	return events, nil
}

func pageNumber(r *http.Request) (int, error) {
	text := r.FormValue("page")
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPage {
		return 0, badRequest("page is a number from 1 to %d", maxPage)
	}
	return n, nil
}

func searchValues(f frame, page int) url.Values {
	values := url.Values{}
	if f.Query != "" {
		values.Set("q", f.Query)
	}
	if f.All {
		values.Set("all", "1")
	}
	if page > 1 {
		values.Set("page", strconv.Itoa(page))
	}
	return values
}

func pageURL(p listPage, n int) string {
	path := "/search"
	if p.Home {
		path = "/"
	}
	return path + "?" + searchValues(p.frame, n).Encode()
}

func newCallRow(e eventseer.Event, now time.Time) callRow {
	row := callRow{
		Name: nameOf(e), Href: eventHref(e.ID),
		Meta: nonEmpty(kindNames[e.Kind], days(e.EventStart, e.EventEnd), place(e.Location)),
	}
	for i, t := range e.Topics {
		if i == maxChips {
			break
		}
		row.Topics = append(row.Topics, clip(t, maxChip))
	}
	d, open := eventseer.NextDeadline(e, now)
	if !open {
		row.Last = lastWhen(e, now)
		return row
	}
	next := newWhen(d, now)
	row.Next = &next
	return row
}

// lastWhen is the last deadline to hand something in of a closed call, or nil.
func lastWhen(e eventseer.Event, now time.Time) *when {
	var last eventseer.Deadline
	for _, d := range e.Deadlines {
		if d.Kind.Submits() && d.Moment().After(last.Moment()) {
			last = d
		}
	}
	if last.Moment().IsZero() {
		return nil
	}
	w := newWhen(last, now)
	return &w
}
