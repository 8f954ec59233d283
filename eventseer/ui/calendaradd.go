package ui

import (
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A calendarAddPage says how calendar programs subscribe to a search or a call, and
// makes the address with the options that the reader chose.
type calendarAddPage struct {
	views.Frame
	Call    views.Link   // the call it is about, else a search
	Back    string       // the page it is about
	Address string       // of the calendar
	Webcal  template.URL // the same, for programs that take it up
	What    []calendarChoice
	AllDay  bool
	Alarm   bool
	Todo    bool
	Mail    bool // there is mail, too
}

// A calendarChoice is one of several values of a field.
type calendarChoice struct {
	Value, Text string
	Chosen      bool
}

// calendarAlarm is what the box for reminders asks for.
const calendarAlarm = "7d,1d"

// calendarAdd is the help with subscribing: q and all are the search's, call is an event.
func (s *server) calendarAdd(r *http.Request) (web.View, error) {
	ics := s.calendarFormat()
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
			return web.View{}, web.BadRequest("call is the name of a call, as in its address")
		}
		e, err := s.Store.Event(r.Context(), eventseer.EventID(id))
		if err != nil {
			return web.View{}, err
		}
		p.Call, p.Query, p.All = views.EventLink(e), "", false
		path, values = strings.TrimPrefix(p.Call.Href, "/"), url.Values{}
	}
	p.Back = views.WithQuery("/"+path, values)
	p.choose(r, values)
	address := s.siteBase(r) + views.WithQuery(path+ics.Ending, values)
	_, rest, _ := strings.Cut(address, "://")
	p.Address, p.Webcal = address, template.URL("webcal://"+rest) // #nosec G203 -- our base, escaped values
	return web.View{Name: "calendaradd", Data: p}, nil
}

// choose reads the options of a calendar into the page, and into the values of its address.
func (p *calendarAddPage) choose(r *http.Request, values url.Values) {
	what := r.FormValue("what")
	for _, c := range []calendarChoice{{"deadlines", "Deadlines", false}, {"days", "Days of the events", false}, {"all", "Both", false}} {
		c.Chosen = c.Value == what || what == "" && c.Value == "deadlines"
		if c.Chosen && what != "" && c.Value != "deadlines" {
			values.Set("what", c.Value)
		}
		p.What = append(p.What, c)
	}
	p.AllDay, p.Alarm, p.Todo = r.FormValue("style") == "allday", r.FormValue("alarm") != "", r.FormValue("as") == "todo"
	for _, o := range []struct {
		chosen      bool
		name, value string
	}{{p.AllDay, "style", "allday"}, {p.Alarm, "alarm", calendarAlarm}, {p.Todo, "as", "todo"}} {
		if o.chosen {
			values.Set(o.name, o.value)
		}
	}
}

// calendarFormat is the format of calendars, nil where there is none.
func (s *server) calendarFormat() *eventseer.Format {
	for i := range s.Formats {
		if s.Formats[i].Name == "ics" {
			return &s.Formats[i]
		}
	}
	return nil
}

// calendarHelp is the address of the help for a search.
func calendarHelp(values url.Values) string { return views.WithQuery("/calendar/add", values) }
