package ui

import (
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
)

// Limits of a list.
const (
	perPage  = 30
	maxPage  = 300
	newFor   = 7 * 24 * time.Hour // an event counts as new for so long
	maxChips = 3                  // topics shown with a call
	maxChip  = 36                 // runes of each
	maxRanks = 3                  // shown with a call
)

// A listPage is the home page or the answer to a search.
type listPage struct {
	frame
	Home      bool
	Problem   *queryProblem
	Total     int
	Calls     []callRow
	From, To  int // numbers of the calls shown, from 1
	Older     string
	Newer     string // URLs of the neighbouring pages, or ""
	Wider     string // URL of the same search among closed calls too
	Doubts    []doubtRow
	Instead   link // a query of words spelt alike that finds something
	Facets    []facetGroup
	Chosen    []link // what the facets keep or leave out now; each leads to the search without it
	Subscribe []subscription
	Checked   stamp // when a page was last fetched
	Kept      bool  // the query is a list of calls by their ids
}

// Count says how many calls are found: "1,204 open calls".
func (p listPage) Count() string {
	if p.All {
		return counted(p.Total, "call")
	}
	return counted(p.Total, "open call")
}

// A subscription is one way to follow a search.
type subscription struct {
	Text, About string
	Href        template.URL // made from our own base and escaped values
}

// A callRow is one event in a list.
type callRow struct {
	Name
	ID      eventseer.EventID
	Href    string
	Heading []piece // the title with marks
	Acronym []piece
	Meta    []string // kind, days, place
	Next    *when    // nil without a deadline to come
	Last    *when    // of a closed call
	Badges  []badge
	Ranks   []rankChip
	Topics  [][]piece
	Passage []piece // of a clip, with what was looked for
	// Expected is what may be expected of the next edition of a closed call, nil of
	// nothing; Series is the page that says more.
	Expected *estimateRow
	Series   string
}

func (s *server) home(r *http.Request) (view, error) {
	if r.FormValue("q") != "" { // typed by hand, or by a browser that was taught so
		return s.search(r)
	}
	page := listPage{frame: s.frameOf(r, "Open calls for papers", "home"), Home: true}
	page.Meta.About = "Open calls for papers of conferences, workshops and journals, found on the web, with every date and where it was read."
	return s.list(r, page)
}

func (s *server) search(r *http.Request) (view, error) {
	page := listPage{frame: s.frameOf(r, "Search", "search")}
	page.Query = clip(strings.TrimSpace(r.FormValue("q")), maxShownQuery)
	if added := addedCall(r.FormValue("add")); added != "" {
		page.Query = withCall(page.Query, added)
	}
	page.Kept = isKept(page.Query)
	page.All = r.FormValue("all") != ""
	switch {
	case page.Kept:
		page.Title, page.Meta.NoIndex = "Your list of calls", true
	case page.Query != "":
		page.Title = clip(page.Query, 60)
		page.Meta.NoIndex = true
	case page.All:
		page.Title, page.Nav = "All calls for papers", "all"
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
	q := s.query(page.Query, page.All)
	q.From, q.Limit, q.Facets, q.Passages = (n-1)*perPage, perPage, true, page.Query != ""
	page.JSON = "/api/v1/events.json?" + searchValues(page.frame, 1).Encode()
	page.Meta.Canonical = s.canonical(r, pageURL(page, n))
	s.addFeeds(r, &page)
	found, err := s.Index.Find(r.Context(), q)
	var bad badQuery
	if errors.As(err, &bad) {
		page.Problem = newQueryProblem(err, func(query string) string { return searchHref(query, page.All) })
		return view{name: "list", data: page, status: http.StatusBadRequest}, nil
	}
	if err != nil {
		return view{}, err
	}
	if page.Calls, err = s.callRows(r, found.Hits); err != nil {
		return view{}, err
	}
	page.Total, page.From, page.To = found.Total, q.From+1, q.From+len(found.Hits)
	page.Facets, page.Chosen = facetsOf(found.Facets, page.frame)
	if found.Instead != "" && found.Instead != page.Query {
		page.Instead = link{clip(found.Instead, 200), searchHref(found.Instead, page.All)}
	}
	if found.Total == 0 && page.Query != "" {
		page.Doubts = s.doubts(r, page.frame)
	}
	if s.Crawled != nil {
		page.Checked = newStamp(s.Crawled(), s.Now())
	}
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

// callRows reads the events found and makes them ready for reading.
func (s *server) callRows(r *http.Request, hits []eventseer.Hit) ([]callRow, error) {
	events, err := s.events(r, hits)
	if err != nil {
		return nil, err
	}
	places := make(map[eventseer.EventID][]eventseer.Place, len(hits))
	for _, h := range hits {
		places[h.ID] = h.Places
	}
	now, zone := s.Now(), readerZone(r)
	news, ranks := s.lately(r.Context()), s.rankReader(r.Context())
	var rows []callRow
	for _, e := range events {
		row := newCallRow(e, now, zone)
		row.Badges = listBadges(e, news[e.ID], now)
		row.Ranks = head(ranks(e), maxRanks)
		if found := places[e.ID]; len(found) > 0 {
			s.markRow(r.Context(), &row, e, found)
		}
		rows = append(rows, row)
	}
	s.expectNext(r.Context(), rows, events)
	return rows, nil
}

// addFeeds offers the ways to follow a list, in its head and in its menu.
func (s *server) addFeeds(r *http.Request, page *listPage) {
	values := searchValues(page.frame, 1)
	host := s.siteBase(r)
	_, rest, _ := strings.Cut(host, "://")
	for _, f := range s.Formats {
		if formatNames[f.Name] == "" {
			continue // /about names the others
		}
		path := "search" + f.Ending + queryString(values)
		sub := subscription{Text: formatNames[f.Name], Href: template.URL("/" + path)} // #nosec G203 -- our path, escaped values
		switch f.Name {
		case "ics":
			sub.Href = template.URL("webcal://" + rest + path) // #nosec G203 -- our base, escaped values
			page.Subscribe = append(page.Subscribe, sub)
			page.Subscribe = append(page.Subscribe, subscription{Text: "Help with calendar programs", Href: template.URL(calendarHelp(values))}) // #nosec G203 -- our path, escaped values
			sub = subscription{Text: "Download for a calendar", Href: template.URL("/" + path)}                                                  // #nosec G203
		case "atom", "rss":
			page.Meta.Feeds = append(page.Meta.Feeds, feedLink{mediaType(f.ContentType), page.Title + ", " + f.Name, "/" + path})
		}
		page.Subscribe = append(page.Subscribe, sub)
	}
	page.Subscribe = append(page.Subscribe, subscription{Text: "Records (JSON)", Href: template.URL(page.JSON)}) // #nosec G203 -- our path, escaped values
	if s.Subscriptions != nil {
		mail := url.Values{"q": {page.Query}}
		page.Subscribe = append([]subscription{{Text: "Get new ones by mail", Href: template.URL("/subscribe?" + mail.Encode())}}, page.Subscribe...) // #nosec G203
	}
}

// formatNames say what a format is for.
var formatNames = map[string]string{
	"ics": "Subscribe in a calendar", "atom": "Atom feed", "rss": "RSS feed", "csv": "Table (CSV)",
}

func mediaType(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	return kind
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
	values := searchValues(p.frame, n)
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

func newCallRow(e eventseer.Event, now time.Time, zone *time.Location) callRow {
	row := callRow{
		Name: nameOf(e), ID: e.ID, Href: eventHref(e.ID),
		Meta: nonEmpty(kindNames[e.Kind], days(e.EventStart, e.EventEnd), place(e.Location)),
	}
	row.Heading, row.Acronym = plain(row.Title), plain(row.Short)
	for _, t := range head(e.Topics, maxChips) {
		row.Topics = append(row.Topics, plain(clip(t, maxChip)))
	}
	d, open := eventseer.NextDeadline(e, now)
	if !open {
		row.Last = lastWhen(e, now)
		return row
	}
	next := newWhenIn(d, now, zone)
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
