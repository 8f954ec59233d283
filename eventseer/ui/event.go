package ui

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// Limits of what an event page shows; the JSON has the rest.
const (
	maxDeadlines = 40
	maxTopics    = 60
	maxPages     = 20
	maxHistory   = 30
	maxTrail     = 30
	maxValue     = 200 // runes of a value or snippet
)

// An eventPage is one edition with all that is known of it.
type eventPage struct {
	frame
	Name              Name
	Kind, Days, Place string
	Badges            []badge
	Parent            link // the event it is held with
	Publisher         string
	Official          link
	Submission        string // URL, or ""
	System            string // that papers are handed in with
	Next              *when
	Deadlines         []deadlineRow
	OwnZone           bool // there is a column of the reader's time
	Topics            []link
	Warnings          []string
	Confidence        string
	Fields            []fieldRow
	Pages             []link
	Related           []link
	Trail             []trailRow
	History           []changeRow
	Changes           string // URL of what changed in full, "" where no two versions are kept
	FirstSeen         stamp
	LastSeen          stamp
	Hidden            string // what was too much to show
	People            []personRow
	Around            around
	Calendar          []subscription
	Actions           eventActions
	JSONLD            template.HTML // a data block for search engines, or ""
}

// eventActions are what a reader may do with an event; "" is not offered.
type eventActions struct{ Star, List, Report, Appeal string }

// A stamp is a moment as people and machines read it.
type stamp struct{ Machine, Text, Ago string }

func newStamp(t, now time.Time) stamp {
	if t.IsZero() {
		return stamp{}
	}
	ago := "just now"
	switch d := now.Sub(t); {
	case d >= 48*time.Hour:
		ago = fmt.Sprintf("%d days ago", int(d/(24*time.Hour)))
	case d >= 2*time.Hour:
		ago = fmt.Sprintf("%d hours ago", int(d/time.Hour))
	case d >= 2*time.Minute:
		ago = fmt.Sprintf("%d minutes ago", int(d/time.Minute))
	case d <= -48*time.Hour:
		ago = fmt.Sprintf("in %d days", int(-d/(24*time.Hour)))
	case d <= -2*time.Hour:
		ago = fmt.Sprintf("in %d hours", int(-d/time.Hour))
	case d <= -2*time.Minute:
		ago = fmt.Sprintf("in %d minutes", int(-d/time.Minute))
	}
	return stamp{t.UTC().Format(time.RFC3339), t.UTC().Format("2 Jan 2006 15:04 UTC"), ago}
}

func (s *server) event(r *http.Request) (view, error) {
	id := eventseer.EventID(r.PathValue("id"))
	e, err := s.Store.Event(r.Context(), id)
	if err != nil {
		return view{}, err
	}
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return view{}, err
	}
	page := s.newEventPage(r, e, history)
	page.Around, err = s.around(r, e)
	if err != nil {
		return view{}, err
	}
	page.Parent = s.parentLink(r.Context(), e)
	return view{name: "event", data: page}, nil
}

func (s *server) newEventPage(r *http.Request, e eventseer.Event, history []eventseer.Change) eventPage {
	now, zone := s.Now(), readerZone(r)
	name := nameOf(e)
	p := eventPage{
		frame: s.frameOf(r, clip(name.Full(), 100), ""), Name: name,
		Kind: kindNames[e.Kind], Days: days(e.EventStart, e.EventEnd), Place: place(e.Location),
		Publisher: clip(e.Publisher, 100), Official: sourceLink(officialPage(e)),
		Submission: webLink(e.SubmissionURL), System: systemOf(e),
		Fields: fieldRows(e), Confidence: percent(e.Confidence),
		FirstSeen: newStamp(e.FirstSeen, now), LastSeen: newStamp(e.LastSeen, now),
		Badges: badgesOf(e, history, now), Hidden: hidden(e, history), OwnZone: zone != time.UTC,
	}
	href := eventHref(e.ID)
	p.JSON = "/api/v1/events/" + strings.TrimPrefix(href, "/e/") + ".json"
	if d, ok := eventseer.NextDeadline(e, now); ok {
		w := newWhenIn(d, now, zone)
		p.Next = &w
	}
	for _, w := range head(e.Warnings, maxTopics) {
		p.Warnings = append(p.Warnings, clip(cmp.Or(w.Text, w.Rule), maxValue))
	}
	for _, t := range head(e.Topics, maxTopics) {
		p.Topics = append(p.Topics, topicLink(t))
	}
	for _, url := range head(e.Pages, maxPages) {
		p.Pages = append(p.Pages, pageLink(url))
	}
	for _, url := range head(e.Related, maxPages) {
		p.Related = append(p.Related, pageLink(url))
	}
	p.Deadlines = deadlineRows(e, history, now, zone)
	p.Trail = trailRows(e.Trail, history, now)
	p.History = changeRows(history, now)
	if s.hasVersions(r, e) {
		p.Changes = href + "/history"
	}
	if s.People {
		p.People, p.Meta.NoIndex = personRows(e), len(e.Committee) > 0
	}
	p.Meta.Canonical, p.Meta.About = s.canonical(r, href), aboutEvent(e, p.Next)
	s.addActions(r, &p, e, history)
	return p
}

// aboutEvent is an event in one sentence.
func aboutEvent(e eventseer.Event, next *when) string {
	text := strings.Join(nonEmpty(nameOf(e).Full(), days(e.EventStart, e.EventEnd), place(e.Location)), ", ") + "."
	if next != nil {
		text += " " + strings.TrimSpace(next.What+" until "+next.Date+" "+next.Clock) + "."
	}
	return clip(text, 300)
}

// addActions offers what a reader may do with an event.
func (s *server) addActions(r *http.Request, p *eventPage, e eventseer.Event, history []eventseer.Change) {
	href := eventHref(e.ID)
	_, host, _ := strings.Cut(s.siteBase(r), "://")
	for _, f := range s.Formats {
		switch f.Name {
		case "ics":
			p.Calendar = append(p.Calendar,
				subscription{Text: "Add to calendar", About: "and be kept up to date", Href: template.URL("webcal://" + host + strings.TrimPrefix(href, "/") + f.Ending)}, // #nosec G203 -- our base, an escaped id
				subscription{Text: "Download for a calendar", Href: template.URL(href + f.Ending)},                                                                        // #nosec G203
				subscription{Text: "Help with calendar programs", Href: template.URL(calendarHelp(url.Values{"call": {string(e.ID)}}))})                                   // #nosec G203
		case "atom":
			p.Meta.Feeds = append(p.Meta.Feeds, feedLink{mediaType(f.ContentType), p.Title + ", changes", href + f.Ending})
			p.Calendar = append(p.Calendar, subscription{Text: "Feed of its changes", Href: template.URL(href + f.Ending)}) // #nosec G203
		}
	}
	if term := query.TermText("id", string(e.ID)); term != "" {
		p.Actions.List = "/search?" + searchValues(frame{Query: term, All: true}, 1).Encode()
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

// officialPage is the page to send people to: the first on the web, else the first.
func officialPage(e eventseer.Event) string {
	for _, url := range append([]string{e.URL}, e.Pages...) {
		if webLink(url) != "" {
			return url
		}
	}
	return e.URL
}

func head[T any](list []T, n int) []T { return list[:min(len(list), n)] }

// hidden says how much more there is than the page shows.
func hidden(e eventseer.Event, history []eventseer.Change) string {
	var more []string
	for _, part := range []struct {
		n    int
		what string
	}{
		{len(e.Deadlines) - maxDeadlines, "dates"}, {len(e.Topics) - maxTopics, "topics"},
		{len(e.Pages) - maxPages, "pages"}, {len(history) - maxHistory, "changes"},
		{len(e.Trail) - maxTrail, "other values"},
	} {
		if part.n > 0 {
			more = append(more, fmt.Sprintf("%d more %s", part.n, part.what))
		}
	}
	return strings.Join(more, ", ")
}

// topicLink leads to the calls of a topic.
func topicLink(topic string) link {
	term := query.TermText("topic", clipped(topic, 80))
	if term == "" {
		term = query.TermText("topic", strings.ReplaceAll(clipped(topic, 80), `"`, " "))
	}
	if term == "" {
		return link{Text: clip(topic, 80)}
	}
	return link{clip(topic, 80), "/search?" + searchValues(frame{Query: term}, 1).Encode()}
}

// clipped is clip without the mark of what was cut off.
func clipped(s string, n int) string { return strings.TrimSuffix(clip(s, n), "…") }
