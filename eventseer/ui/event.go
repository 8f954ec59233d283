package ui

import (
	"bytes"
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of what an event page shows; the JSON has the rest.
const ()

// An eventPage is one edition with all that is known of it.
type eventPage struct {
	views.Frame
	Name              views.Name
	Kind, Days, Place string
	Badges            []views.Badge
	Parent            views.Link // the event it is held with
	Publisher         string
	Official          views.Link
	Submission        string // URL, or ""
	System            string // that papers are handed in with
	Next              *views.When
	Deadlines         []views.DeadlineRow
	OwnZone           bool // there is a column of the reader's time
	Topics            []views.Link
	Warnings          []string
	Confidence        string
	Fields            []views.FieldRow
	Pages             []views.Link
	Related           []views.Link
	Trail             []views.TrailRow
	History           []views.ChangeRow
	Changes           string // URL of what changed in full, "" where no two versions are kept
	FirstSeen         views.Stamp
	LastSeen          views.Stamp
	Hidden            string // what was too much to show
	People            []views.PersonRow
	Around            around
	Calendar          []subscription
	Actions           eventActions
	JSONLD            template.HTML // a data block for search engines, or ""
}

// eventActions are what a reader may do with an event; "" is not offered.
type eventActions struct{ Star, List, Report, Appeal string }

func (s *server) event(r *http.Request) (web.View, error) {
	id := eventseer.EventID(r.PathValue("id"))
	e, err := s.Store.Event(r.Context(), id)
	if err != nil {
		return web.View{}, err
	}
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return web.View{}, err
	}
	page := s.newEventPage(r, e, history)
	page.Around, err = s.around(r, e)
	if err != nil {
		return web.View{}, err
	}
	page.Parent = s.parentLink(r.Context(), e)
	return web.View{Name: "event", Data: page}, nil
}

func (s *server) newEventPage(r *http.Request, e eventseer.Event, history []eventseer.Change) eventPage {
	now, zone := s.Now(), web.ReaderZone(r)
	name := views.NameOf(e)
	p := eventPage{
		Frame: s.FrameOf(r, views.Clip(name.Full(), 100), ""), Name: name,
		Kind: views.KindNames[e.Kind], Days: views.Days(e.EventStart, e.EventEnd), Place: views.Place(e.Location),
		Publisher: views.Clip(e.Publisher, 100), Official: views.SourceLink(views.OfficialPage(e)),
		Submission: views.WebLink(e.SubmissionURL), System: views.SystemOf(e),
		Fields: views.FieldRows(e), Confidence: views.Percent(e.Confidence),
		FirstSeen: views.NewStamp(e.FirstSeen, now), LastSeen: views.NewStamp(e.LastSeen, now),
		Badges: views.BadgesOf(e, history, now), Hidden: views.Hidden(e, history), OwnZone: zone != time.UTC,
	}
	href := views.EventHref(e.ID)
	p.JSON = "/api/v1/events/" + strings.TrimPrefix(href, "/e/") + ".json"
	if d, ok := eventseer.NextDeadline(e, now); ok {
		w := views.NewWhenIn(d, now, zone)
		p.Next = &w
	}
	for _, w := range views.Head(e.Warnings, views.MaxTopics) {
		p.Warnings = append(p.Warnings, views.Clip(cmp.Or(w.Text, w.Rule), views.MaxValue))
	}
	for _, t := range views.Head(e.Topics, views.MaxTopics) {
		p.Topics = append(p.Topics, views.TopicLink(t))
	}
	for _, url := range views.Head(e.Pages, views.MaxPages) {
		p.Pages = append(p.Pages, views.PageLink(url))
	}
	for _, url := range views.Head(e.Related, views.MaxPages) {
		p.Related = append(p.Related, views.PageLink(url))
	}
	p.Deadlines = views.DeadlineRows(e, history, now, zone)
	p.Trail = views.TrailRows(e.Trail, history, now)
	p.History = views.ChangeRows(history, now)
	if s.hasVersions(r, e) {
		p.Changes = href + "/history"
	}
	if s.People {
		p.People, p.Meta.NoIndex = views.PersonRows(e), len(e.Committee) > 0
	}
	p.Meta.Canonical, p.Meta.About = s.canonical(r, href), views.AboutEvent(e, p.Next)
	s.addActions(r, &p, e, history)
	return p
}

// addActions offers what a reader may do with an event.
func (s *server) addActions(r *http.Request, p *eventPage, e eventseer.Event, history []eventseer.Change) {
	href := views.EventHref(e.ID)
	_, host, _ := strings.Cut(s.siteBase(r), "://")
	for _, f := range s.Formats {
		switch f.Name {
		case "ics":
			p.Calendar = append(p.Calendar,
				subscription{Text: "Add to calendar", About: "and be kept up to date", Href: template.URL("webcal://" + host + strings.TrimPrefix(href, "/") + f.Ending)}, // #nosec G203 -- our base, an escaped id
				subscription{Text: "Download for a calendar", Href: template.URL(href + f.Ending)},                                                                        // #nosec G203
				subscription{Text: "Help with calendar programs", Href: template.URL(calendarHelp(url.Values{"call": {string(e.ID)}}))})                                   // #nosec G203
		case "atom":
			p.Meta.Feeds = append(p.Meta.Feeds, views.FeedLink{Type: views.MediaType(f.ContentType), Title: p.Title + ", changes", Href: href + f.Ending})
			p.Calendar = append(p.Calendar, subscription{Text: "Feed of its changes", Href: template.URL(href + f.Ending)}) // #nosec G203
		}
	}
	if term := eventseer.QueryTerm("id", string(e.ID)); term != "" {
		p.Actions.List = "/search?" + views.SearchValues(views.Frame{Query: term, All: true}, 1).Encode()
	}
	if s.Subscriptions != nil {
		p.Actions.Star = href + "/star"
	}
	if s.Desk != nil {
		p.Actions.Report, p.Actions.Appeal = href+"/report", href+"/appeal"
	}
	if s.JSONLD == nil || p.Meta.NoIndex {
		return
	}
	if data, ok := s.JSONLD(e, history, s.canonical(r, href)); ok && !bytes.ContainsAny(data, "<>") {
		p.JSONLD = template.HTML(`<script type="application/ld+json">` + string(data) + `</script>`) // #nosec G203 -- holds no <
	}
}
