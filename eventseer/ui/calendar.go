package ui

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func (s *server) calendar(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	month, day, err := s.dayOf(r)
	if err != nil {
		return web.View{}, err
	}
	p := views.CalendarPage{
		Frame: s.NewFrame("Calendar, "+month.Format("January 2006"), "calendar"), ViewForm: s.newViewForm("/calendar", query),
		Month: month.Format("January 2006"), Weekdays: views.Weekdays, Limit: views.MaxMonthCalls,
		Prev: views.MonthLink(query, month.AddDate(0, -1, 0)), Next: views.MonthLink(query, month.AddDate(0, 1, 0)),
	}
	p.Query, p.Hidden = query, map[string]string{"month": month.Format("2006-01")}
	days, err := s.monthEntries(r, &p, query, month)
	if err != nil {
		return web.View{}, err
	}
	if day != "" {
		p.ShowDay(query, day, days[day])
	} else {
		p.FillMonth(query, month, s.Now(), days)
	}
	return web.View{Name: "calendar", Data: p, Status: p.Status()}, nil
}

// dayOf reads month or day.
func (s *server) dayOf(r *http.Request) (month time.Time, day eventseer.Date, err error) {
	text := r.FormValue("day")
	if text == "" {
		month, err = web.ParseMonth(r.FormValue("month"), s.Now())
		return month, "", err
	}
	t, ok := eventseer.Date(text).Time()
	if !ok {
		return month, "", web.BadRequest("a day must be written such as 2027-03-05")
	}
	month, err = web.ParseMonth(t.Format("2006-01"), s.Now())
	return month, eventseer.Date(text), err
}

// monthEntries returns, by day, the deadlines in a month and the events that begin in it.
func (s *server) monthEntries(r *http.Request, p *views.CalendarPage, query string, month time.Time) (map[eventseer.Date][]views.CalendarEntry, error) {
	days := map[eventseer.Date][]views.CalendarEntry{}
	end := month.AddDate(0, 1, 0)
	in := func(d eventseer.Date) bool {
		t, ok := d.Time()
		return ok && !t.Before(month) && t.Before(end)
	}
	// The results are in order of the first deadline after the beginning of the month.
	due, err := s.findForForm(r, eventseer.Query{Text: query, Now: s.Now(), OpenAt: month, ByDeadline: true, Limit: views.MaxMonthCalls}, &p.ViewForm)
	if err != nil {
		return nil, err
	}
	past := false
	for _, h := range due.Hits {
		events, err := s.readEvents(r, []eventseer.Hit{h})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			continue
		}
		e := events[0]
		if d, open := eventseer.NextDeadline(e, month); open && d.Moment().After(end.Add(48*time.Hour)) {
			past = true // from here on only deadlines of other calls may be in the month
		}
		for _, d := range views.FirstN(e.Deadlines, views.MaxDeadlines) {
			if d.Kind.IsSubmission() && in(d.Date) {
				days[d.Date] = append(days[d.Date], views.CalendarEntry{Kind: "deadline", Name: views.ShortName(e), What: views.Clip(views.DeadlineName(d), 40), Href: views.EventHref(e.ID)})
				p.Deadlines++
			}
		}
	}
	p.More = !past && due.Total > len(due.Hits)
	starts, err := s.findForForm(r, eventseer.Query{Text: strings.TrimSpace(query + " month:" + month.Format("2006-01")), Now: s.Now(), Limit: views.MaxMonthCalls}, &p.ViewForm)
	if err != nil {
		return nil, err
	}
	events, err := s.readEvents(r, starts.Hits)
	for _, e := range events {
		if in(e.EventStart) {
			days[e.EventStart] = append(days[e.EventStart], views.CalendarEntry{Kind: "event", Name: views.ShortName(e), What: "begins" + views.LastDayText(e), Href: views.EventHref(e.ID)})
			p.Starts++
		}
	}
	p.More = p.More || starts.Total > len(starts.Hits)
	for _, entries := range days {
		slices.SortStableFunc(entries, func(a, b views.CalendarEntry) int { return strings.Compare(a.Kind+"\x00"+a.Name, b.Kind+"\x00"+b.Name) })
	}
	return days, err
}

// A calendarAddPage explains how to subscribe to a search or a call in a calendar program, and
// builds the address with the chosen options.
type calendarAddPage struct {
	views.Frame
	Call    views.Link   // the call, or none for a search
	IDs     string       // ids of a list of starred calls, otherwise ""
	Back    string       // the page from which the reader came
	Address string       // of the calendar
	Webcal  template.URL // the same address with the scheme webcal
	What    []calendarChoice
	Styles  []calendarChoice
	Alarm   bool
	Todo    bool
	Mail    bool // there is mail, too
}

// A calendarChoice is one value in a form field of the calendar page.
type calendarChoice struct {
	Value, Text string
	Chosen      bool
}

// calendarAlarm is the value of the check box for reminders.
const calendarAlarm = "7d,1d"

// calendarAdd returns the page on subscribing. q and all are the parameters of the search, call is
// an event.
func (s *server) calendarAdd(r *http.Request) (web.View, error) {
	ics := s.formatNamed("ics")
	if ics == nil {
		return web.View{}, web.ErrNoPage
	}
	p := calendarAddPage{
		Frame: s.textFrame(r, "Subscribe in a calendar", "calendar", "How to subscribe to deadlines in Google Calendar, Apple Calendar, Outlook, Thunderbird and others."),
	}
	p.Mail = s.Subscriptions != nil
	p.Meta.NoIndex = r.URL.RawQuery != ""
	p.Query, p.All = views.ViewQuery(r), r.FormValue("all") != ""
	path, values := "search", views.SearchValues(p.Frame, 1)
	if id := r.FormValue("call"); id != "" {
		if !listed.MatchString("/e/" + id) {
			return web.View{}, web.BadRequest("call must be the id of a call, as in its address")
		}
		e, err := s.Store.Event(r.Context(), eventseer.EventID(id))
		if err != nil {
			return web.View{}, err
		}
		p.Call, p.Query, p.All = views.EventLink(e), "", false
		path, values = strings.TrimPrefix(p.Call.Href, "/"), url.Values{}
	}
	if ids, _ := parseStarred(r.FormValue("ids")); len(ids) > 0 {
		path, values = strings.TrimPrefix(starredPath, "/"), url.Values{"ids": {joinStarred(ids)}}
		p.IDs = joinStarred(ids)
	}
	p.Back = views.WithQuery("/"+path, values)
	p.readOptions(r, values)
	address := s.siteBase(r) + views.WithQuery(path+ics.Ending, values)
	_, rest, _ := strings.Cut(address, "://")
	p.Address, p.Webcal = address, template.URL("webcal://"+rest) // #nosec G203 -- our base, escaped values
	return web.View{Name: "calendaradd", Data: p}, nil
}

// readOptions reads the options of a calendar into the page and into the values of its address.
func (p *calendarAddPage) readOptions(r *http.Request, values url.Values) {
	what := strings.Split(strings.Join(r.Form["what"], ","), ",")
	whole := slices.Contains(what, "all")
	var chosen []string
	for _, c := range []calendarChoice{
		{"submissions", "Abstracts and submissions", false}, {"others", "Posters, demos, proposals and other ways to take part", false},
		{"notifications", "Notifications and final versions", false}, {"registration", "Registration and other dates", false}, {"days", "Days of the events", false},
	} {
		c.Chosen = slices.Contains(what, c.Value) || whole || c.Value != "days" && slices.Contains(what, "deadlines") || c.Value == "submissions" && len(r.Form["what"]) == 0
		if c.Chosen {
			chosen = append(chosen, c.Value)
		}
		p.What = append(p.What, c)
	}
	if names := strings.Join(chosen, ","); names != "" && names != "submissions" {
		values.Set("what", names)
	}
	style := r.FormValue("style")
	for _, c := range []calendarChoice{{"hour", "In the hour before the deadline", false}, {"instant", "At its moment", false}, {"allday", "On the printed day, without a time", false}} {
		c.Chosen = c.Value == style || c.Value == "hour" && style == ""
		if c.Chosen && style != "" && c.Value != "hour" {
			values.Set("style", c.Value)
		}
		p.Styles = append(p.Styles, c)
	}
	p.Alarm, p.Todo = r.FormValue("alarm") != "", r.FormValue("as") == "todo"
	for _, o := range []struct {
		chosen      bool
		name, value string
	}{{p.Alarm, "alarm", calendarAlarm}, {p.Todo, "as", "todo"}} {
		if o.chosen {
			values.Set(o.name, o.value)
		}
	}
}

// formatNamed returns the format with a name, nil if there is none.
func (s *server) formatNamed(name string) *eventseer.Format {
	for i := range s.endings {
		if s.endings[i].Name == name {
			return &s.endings[i]
		}
	}
	return nil
}

// calendarHelp returns the address of the help for a search.
func calendarHelp(values url.Values) string { return views.WithQuery("/calendar/add", values) }

func (s *server) timeline(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	n, err := web.ReadNumber(r, "page", 1, 1, web.MaxPage)
	if err != nil {
		return web.View{}, err
	}
	from, err := web.ParseMonth(r.FormValue("from"), s.Now())
	if err != nil {
		return web.View{}, err
	}
	end := from.AddDate(0, views.TimelineMonths, 0)
	p := views.TimelinePage{Frame: s.NewFrame("Timeline", "timeline"), ViewForm: s.newViewForm("/timeline", query), Width: views.TimelineWidth}
	asked := ""
	if r.FormValue("from") != "" {
		asked = from.Format("2006-01")
		p.Hidden = map[string]string{"from": asked}
	}
	p.Query, p.Window = query, from.Format("January 2006")+" to "+end.AddDate(0, 0, -1).Format("January 2006")
	// Calls that were open at the beginning of the window, or now if that is later.
	open := s.Now()
	if from.After(open) || asked != "" {
		open = from
	}
	q := eventseer.Query{Text: query, Now: s.Now(), OpenAt: open, ByDeadline: true, From: (n - 1) * views.TimelineRows, Limit: views.TimelineRows}
	found, err := s.findForForm(r, q, &p.ViewForm)
	if err != nil {
		return web.View{}, err
	}
	events, err := s.readEvents(r, found.Hits)
	if err != nil {
		return web.View{}, err
	}
	scale := views.TimelineScale{From: from, End: end}
	for i, e := range events {
		p.Rows = append(p.Rows, scale.DrawCall(e, i, open))
	}
	p.Months, p.Height = scale.Months(), views.TimelineTop+len(p.Rows)*views.TimelineRow+8
	if x, ok := scale.PositionText(s.Now()); ok {
		p.Today = x
	}
	p.Total, p.From, p.To = found.Total, q.From+1, q.From+len(found.Hits)
	p.Newer, p.Older = neighbourPages(n, p.To < found.Total && len(found.Hits) > 0 && n < web.MaxPage, func(n int) string {
		return views.ViewHref("/timeline", query, "from", asked, "page", strconv.Itoa(n))
	})
	p.Earlier, p.Later = views.TimelineLink(query, from.AddDate(0, -6, 0)), views.TimelineLink(query, from.AddDate(0, 6, 0))
	return web.View{Name: "timeline", Data: p, Status: p.Status()}, nil
}

func (s *server) worldMap(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	p := views.MapPage{
		Frame: s.NewFrame("Map", "map"), ViewForm: s.newViewForm("/map", query),
		Box:  fmt.Sprintf("%g %g %g %g", -views.MapMargin, -views.MapMargin, 360*views.MapScale+2*views.MapMargin, (views.MapNorth-views.MapSouth)*views.MapScale+2*views.MapMargin),
		Land: views.LandPath, Graticule: views.GraticulePath,
	}
	p.Query, p.All = query, r.FormValue("all") != ""
	if p.All {
		p.Hidden = map[string]string{"all": "1"}
	}
	p.Wider = views.ViewHref("/map", query, "all", map[bool]string{false: "1"}[p.All])
	q := s.searchQuery(query, p.All)
	q.ByDeadline, q.Limit, q.Facets = false, 1, true
	codes := map[string]int{}
	for round := range views.MapRounds {
		found, err := s.findForForm(r, q, &p.ViewForm)
		if err != nil {
			return web.View{}, err
		}
		if p.Problem != nil && round > 0 {
			p.Problem = nil // the query became too long; the results so far are shown
			break
		}
		if round == 0 {
			p.Total = found.Total
			p.Online = views.OnlineRow(found.Facets, query, p.All)
		}
		next := p.AddCountries(found.Facets, codes, query)
		if next == "" {
			break
		}
		q.Text += next
	}
	p.DrawCircles(codes)
	return web.View{Name: "map", Data: p, Status: p.Status()}, nil
}

// newViewForm returns the form of the view at path.
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
	for _, view := range viewLinks(views.Frame{Query: query}) {
		if to, _, _ := strings.Cut(view.Href, "?"); to != path {
			f.Follow = append(f.Follow, view)
		}
	}
	for _, name := range []string{"ics", "atom", "csv"} {
		if format := s.formatNamed(name); format != nil {
			f.Follow = append(f.Follow, views.Link{Text: views.FollowNames[name], Href: views.WithQuery("/search"+format.Ending, values)})
		}
	}
	return f
}

// find queries the index; errors in the query are shown on the page.
func (s *server) findForForm(r *http.Request, q eventseer.Query, form *views.ViewForm) (eventseer.Found, error) {
	found, err := s.Index.Find(r.Context(), q)
	var bad web.BadQuery
	if !errors.As(err, &bad) {
		return found, err
	}
	if form.Problem == nil { // otherwise err is about a term added to the query
		form.Problem = views.NewQueryProblem(err, func(query string) string {
			var others []string
			for name, value := range form.Hidden {
				others = append(others, name, value)
			}
			return views.ViewHref(form.Action, query, others...)
		})
	}
	return eventseer.Found{}, nil
}
