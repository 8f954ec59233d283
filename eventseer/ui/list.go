package ui

import (
	"cmp"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Limits of a list.
const (
	perPage = 30
)

// A listPage is the home page or the answer to a search.
type listPage struct {
	Growing string // progress of the crawl of an empty site
	views.Frame
	Home      bool
	Problem   *views.QueryProblem
	Total     int
	Calls     []views.CallRow
	From, To  int // numbers of the calls shown, from 1
	Older     string
	Newer     string // URLs of the neighbouring pages, or ""
	Wider     string // URL of the same search including closed calls
	Doubts    []views.DoubtRow
	Misspelt  string          // the original query without results, if Query is its correction
	Read      []query.Reading // dates in words of the query, with their interpretation
	Views     []views.Link    // the same calls as a calendar, timeline or map
	Instead   views.Link      // a similarly spelt query that has results
	Facets    []views.FacetGroup
	Chosen    []views.Link // terms selected or excluded by facets; each link removes the term
	Subscribe []subscription
	Checked   views.TimeStamp // when a page was last fetched
	Kept      bool            // the query is a list of calls by id
	Heading   string          // of a separate page or of a search with OR, "" for the home page and other searches
	Order     string          // what stands first
	Orders    []orderLink
	Chooser   *views.FieldChooser // chooser of fields, nil if not offered
	Bar       *views.FieldBar     // bar of fields on the home page
	In        []string            // fields of the calls on the home page, nil for all
	Fit       *fitForm            // for calls that fit a text, nil for a search
	Starred   *starredNote        // for calls that a reader starred, nil for a search
	Full      bool                // rows with topics and other open calls, as the reader chose
}

// Count describes the number of calls found: "1,204 open calls".
func (p listPage) Count() string {
	switch {
	case p.All:
		return views.CountText(p.Total, "call")
	case len(p.In) > 0:
		return views.CountText(p.Total, "open call") + " in " + views.CountText(len(p.In), "field")
	}
	return views.CountText(p.Total, "open call")
}

// A subscription is one way to follow a search.
type subscription struct {
	Text, About string
	Href        template.URL // built from the site's base and escaped values
}

func (s *server) home(r *http.Request) (web.View, error) {
	if r.FormValue("q") != "" { // typed by hand, or by a browser's search field
		return s.search(r)
	}
	page := listPage{Frame: s.FrameOf(r, "Open calls for papers", "home"), Home: true}
	page.Meta.About = "Open calls for papers of conferences, workshops and journals, found on the web, with every date and where it was read."
	page.In = requestedFields(r)
	page.Query = fieldsQuery(page.In)
	return s.list(r, page)
}

func (s *server) search(r *http.Request) (web.View, error) {
	page := listPage{Frame: s.FrameOf(r, "Search", "search")}
	page.Query, page.Read = query.ReadDates(views.Clip(strings.TrimSpace(r.FormValue("q")), views.MaxShownQuery), s.Now().In(web.ReaderZone(r)))
	if added := views.AddedCall(r.FormValue("add")); added != "" {
		page.Query = views.WithCall(page.Query, added)
	}
	page.Kept = views.IsListOfCalls(page.Query)
	page.All = r.FormValue("all") != ""
	switch {
	case page.Kept:
		page.Title, page.Meta.NoIndex = "Your list of calls", true
	case page.Query != "":
		page.Title = views.Clip(page.Query, 60)
		page.Meta.NoIndex = true
		if strings.Contains(page.Query, " OR ") { // the search field shows it; a heading would be hard to read
			page.Heading = "Search results"
		}
	case page.All:
		page.Title, page.Nav = "All calls for papers", "all"
	}
	return s.list(r, page)
}

// maximum length of a query in runes; slightly more than an Index accepts

// list fills a list page. A syntax error of the query is shown on it.
func (s *server) list(r *http.Request, page listPage) (web.View, error) {
	n, err := web.ReadNumber(r, "page", 1, 1, web.MaxPage)
	if err != nil {
		return web.View{}, err
	}
	order, err := requestedOrder(r)
	if err != nil {
		return web.View{}, err
	}
	page.Sort = string(order)
	page.addOrderMenu()
	q := s.searchQuery(page.Query, page.All)
	q.Order, q.From, q.Limit, q.Facets, q.Passages = order, (n-1)*perPage, perPage, true, page.Query != ""
	page.Full = hasFullRows(r)
	q.ShortRows = !page.Full
	page.JSON = "/api/v1/events.json?" + views.SearchValues(page.Frame, 1).Encode()
	page.Meta.Canonical = s.canonicalURL(r, pageURL(page, n))
	s.addFeeds(r, &page)
	found, err := s.Index.Find(r.Context(), q)
	if err == nil && found.Total == 0 && found.Instead != "" && found.Instead != page.Query && page.Query != "" {
		corrected := q
		corrected.Text = found.Instead
		if other, otherErr := s.Index.Find(r.Context(), corrected); otherErr == nil && other.Total > 0 {
			page.Misspelt, page.Query, found = page.Query, found.Instead, other
		}
	}
	var bad web.BadQuery
	if errors.As(err, &bad) {
		page.Problem = views.NewQueryProblem(err, page.SearchHref)
		return web.View{Name: "list", Data: page, Status: http.StatusBadRequest}, nil
	}
	if err != nil {
		return web.View{}, err
	}
	if page.Calls, err = s.callRows(r, found.Hits); err != nil {
		return web.View{}, err
	}
	page.Total, page.From, page.To = found.Total, q.From+1, q.From+len(found.Hits)
	page.Facets, page.Chosen = views.FacetsOf(found.Facets, page.Frame)
	if page.Home {
		page.Bar = views.NewFieldBar(page.In, found.Facets)
	}
	if found.Instead != "" && page.Query != "" && found.Instead != page.Query {
		page.Instead = views.Link{Text: views.Clip(found.Instead, 200), Href: page.SearchHref(found.Instead)}
	}
	if found.Total == 0 && page.Query != "" {
		page.Doubts = s.unmatchedTerms(r, page.Frame)
	}
	if s.Crawled != nil {
		page.Checked = views.NewTimeStamp(s.Crawled(), s.Now())
	}
	if s.Growing != nil && page.Home && found.Total == 0 {
		page.Growing = s.Growing()
	}
	page.Wider = views.SearchHref(page.Query, true)
	more := page.To < found.Total && len(found.Hits) > 0 && n < web.MaxPage
	page.Views = viewLinks(page.Frame)
	page.Newer, page.Older = neighbourPages(n, more, func(n int) string { return pageURL(page, n) })
	return web.View{Name: "list", Data: page}, nil
}

// viewLinks returns links to the calls of a list on a calendar, a timeline and a map.
func viewLinks(f views.Frame) []views.Link {
	all := ""
	if f.All {
		all = "1"
	}
	return []views.Link{
		{Text: "On a calendar", Href: views.ViewHref("/calendar", f.Query)}, {Text: "On a timeline", Href: views.ViewHref("/timeline", f.Query)},
		{Text: "On a map", Href: views.ViewHref("/map", f.Query, "all", all)},
	}
}

// callRows reads the events found and makes them ready for reading.
func (s *server) callRows(r *http.Request, hits []eventseer.Hit) ([]views.CallRow, error) {
	events, err := s.readEvents(r, hits)
	if err != nil {
		return nil, err
	}
	places := placesByEvent(hits)
	now, zone := s.Now(), web.ReaderZone(r)
	news, ranks := s.recentChangesByEvent(r.Context()), s.rankReader(r.Context())
	starred, _ := s.starredCalls(r)
	full := hasFullRows(r)
	var rows []views.CallRow
	for _, e := range events {
		row := views.NewCallRow(e, now, zone)
		row.Badges = views.ListBadges(e, news[e.ID], now)
		row.Ranks, row.Starred = views.FirstN(ranks(e), views.MaxRanks), slices.Contains(starred, e.ID)
		if found := places[e.ID]; len(found) > 0 {
			s.markRow(r.Context(), &row, e, found)
			if !full && row.RepeatsTitle() {
				row.Passage = nil
			}
		}
		rows = append(rows, row)
	}
	s.addEstimates(r.Context(), rows, events)
	return rows, nil
}

// placesByEvent returns the places of query words in each event found.
func placesByEvent(hits []eventseer.Hit) map[eventseer.EventID][]eventseer.WordPosition {
	places := make(map[eventseer.EventID][]eventseer.WordPosition, len(hits))
	for _, h := range hits {
		places[h.ID] = h.Places
	}
	return places
}

// addFeeds adds the ways to subscribe to a list, to its head and its menu.
func (s *server) addFeeds(r *http.Request, page *listPage) {
	s.addFeedsOf(r, page, "search", views.SearchValues(page.Frame, 1))
	if s.Subscriptions != nil {
		mail := url.Values{"q": {page.Query}}
		page.Subscribe = append([]subscription{{Text: "Get new ones by mail", Href: template.URL("/subscribe?" + mail.Encode())}}, page.Subscribe...) // #nosec G203
	}
}

// addFeedsOf adds the ways to subscribe to the list at a path with these parameters.
func (s *server) addFeedsOf(r *http.Request, page *listPage, list string, values url.Values) {
	host := s.siteBase(r)
	_, rest, _ := strings.Cut(host, "://")
	for _, f := range s.Formats {
		if views.FormatNames[f.Name] == "" {
			continue // /about names the others
		}
		path := views.WithQuery(list+f.Ending, values)
		sub := subscription{Text: views.FormatNames[f.Name], Href: template.URL("/" + path)} // #nosec G203 -- our path, escaped values
		switch f.Name {
		case "ics":
			sub.Href = template.URL("webcal://" + rest + path) // #nosec G203 -- our base, escaped values
			page.Subscribe = append(page.Subscribe, sub)
			page.Subscribe = append(page.Subscribe, subscription{Text: "Help with calendar programs", Href: template.URL(calendarHelp(values))}) // #nosec G203 -- our path, escaped values
			sub = subscription{Text: "Download for a calendar", Href: template.URL("/" + path)}                                                  // #nosec G203
		case "atom", "rss":
			page.Meta.Feeds = append(page.Meta.Feeds, views.FeedLink{Type: views.MediaType(f.ContentType), Title: page.Title + ", " + f.Name, Href: "/" + path})
		}
		page.Subscribe = append(page.Subscribe, sub)
	}
	page.Subscribe = append(page.Subscribe, subscription{Text: "Records (JSON)", Href: template.URL(page.JSON)}) // #nosec G203 -- our path, escaped values
}

// rowsCookie is the cookie of readers who want long rows in lists.
const rowsCookie = "rows"

func hasFullRows(r *http.Request) bool {
	c, err := r.Cookie(rowsCookie)
	return err == nil && c.Value == "full"
}

// setRows stores the length of rows in a cookie, or deletes it, and redirects to the list.
func (s *server) setRows(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	c := &http.Cookie{
		Name: rowsCookie, Value: "full", Path: "/", MaxAge: int(web.ZoneFor / time.Second), HttpOnly: true,
		Secure: r.TLS != nil || strings.HasPrefix(s.Base, "https:"), SameSite: http.SameSiteLaxMode,
	}
	if r.PostFormValue("full") != "1" {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, cmp.Or(localPath(r.PostFormValue("back")), "/"), http.StatusSeeOther)
}

// searchQuery returns a query for the open calls by deadline, or for all calls by relevance.
func (s *server) searchQuery(text string, all bool) eventseer.Query {
	if all {
		return eventseer.Query{Text: text}
	}
	return eventseer.Query{Text: text, OpenAt: s.Now(), ByDeadline: true}
}

// readEvents reads the events found. Damaged ones are logged and left out.
func (s *server) readEvents(r *http.Request, hits []eventseer.Hit) ([]eventseer.Event, error) {
	var events []eventseer.Event
	for _, h := range hits {
		e, err := s.Store.Event(r.Context(), h.ID)
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		if err != nil {
			s.Log.Warn("a found event cannot be read", "id", h.ID, "cause", err)
			continue
		}
		events = append(events, e)
	}
	return events, nil
}

func pageURL(p listPage, n int) string {
	if !p.Home {
		return views.WithQuery("/search", views.SearchValues(p.Frame, n))
	}
	f := p.Frame
	f.Query = "" // the fields say it
	values := views.SearchValues(f, n)
	for name, value := range fieldValues(p.In) {
		values[name] = value
	}
	return views.WithQuery("/", values)
}

// runes of a query shown on each side of its error

// unmatchedTerms lists the terms of a search without results that no call can match.
func (s *server) unmatchedTerms(r *http.Request, f views.Frame) (rows []views.DoubtRow) {
	found, err := query.UnmatchedFacts(r.Context(), s.Index, s.searchQuery(f.Query, true))
	if err != nil {
		if r.Context().Err() == nil {
			s.Log.Warn("the reason why a search finds nothing cannot be determined", "cause", err)
		}
		return nil
	}
	for _, d := range found {
		row := views.DoubtRow{Text: views.AsSentence(views.Clip(d.Msg, views.MaxValue))}
		if d.Try != "" {
			row.Try = views.Link{Text: views.Clip(d.Try, 200), Href: f.SearchHref(d.Try)}
		}
		if d.Without != "" {
			row.Without = views.Link{Text: views.Clip(d.Without, 200), Href: f.SearchHref(d.Without)}
		}
		rows = append(rows, row)
	}
	return rows
}
