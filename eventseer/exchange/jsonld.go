package exchange

import (
	"bufio"
	"cmp"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// A schemaEvent is a schema.org/Event.
type schemaEvent struct {
	Context        string   `json:"@context,omitempty"`
	Type           string   `json:"@type"`
	ID             string   `json:"@id,omitempty"`
	Name           string   `json:"name"`
	AlternateName  string   `json:"alternateName,omitempty"`
	StartDate      string   `json:"startDate"`
	EndDate        string   `json:"endDate,omitempty"`
	PreviousStart  string   `json:"previousStartDate,omitempty"`
	Status         string   `json:"eventStatus"`
	AttendanceMode string   `json:"eventAttendanceMode"`
	Location       any      `json:"location"`
	Description    string   `json:"description,omitempty"`
	Keywords       []string `json:"keywords,omitempty"`
	URL            string   `json:"url,omitempty"`
	SameAs         string   `json:"sameAs,omitempty"`
}

type schemaPlace struct {
	Type    string        `json:"@type"`
	Name    string        `json:"name,omitempty"`
	Address schemaAddress `json:"address"`
}

type schemaAddress struct {
	Type     string `json:"@type"`
	Locality string `json:"addressLocality,omitempty"`
	Region   string `json:"addressRegion,omitempty"`
	Country  string `json:"addressCountry,omitempty"`
	Name     string `json:"name,omitempty"`
}

type virtualLocation struct {
	Type string `json:"@type"`
	URL  string `json:"url,omitempty"`
}

const schema = "https://schema.org"

// JSONLD describes the conference itself (not its deadlines, which are not events) as
// schema.org/Event, for search engines. url is the page about it, "" if there is none. It is false
// if the place or the first day is unknown, because search engines reject such markup. The bytes
// may be used in a <script> of an HTML page: <, > and & are escaped. There is no organizer, since
// records contain only people.
func JSONLD(e eventseer.Event, changes []eventseer.Change, url string) ([]byte, bool) {
	s, ok := schemaOf(e, changes, url)
	if !ok {
		return nil, false
	}
	s.Context = schema
	b, err := json.Marshal(s)
	return b, err == nil
}

// schemaOf returns the description of an event; false if required data is missing.
func schemaOf(e eventseer.Event, changes []eventseer.Change, url string) (schemaEvent, bool) {
	location, mode := schemaLocation(e)
	if _, dated := e.EventStart.Time(); !dated || location == nil || e.Title == "" && e.Acronym == "" {
		return schemaEvent{}, false
	}
	page, short := webURL(url), shortName(e)
	s := schemaEvent{
		Type: "Event", ID: page, Name: cmp.Or(singleLine(e.Title, maxName), short), AlternateName: short, StartDate: string(e.EventStart),
		Status: schema + "/EventScheduled", AttendanceMode: schema + "/" + mode, Location: location,
		Description: eventDescription(e), Keywords: nonEmptyLines(e.Topics, maxItems), URL: page, SameAs: webURL(e.Page()),
	}
	if s.Name == "" {
		return s, false
	}
	if s.AlternateName == s.Name {
		s.AlternateName = ""
	}
	if s.URL == "" {
		s.URL, s.SameAs = s.SameAs, ""
	}
	if _, ok := e.EventEnd.Time(); ok && e.EventEnd >= e.EventStart {
		s.EndDate = string(e.EventEnd)
	}
	if was := previousStart(e, changes); was != "" {
		s.PreviousStart, s.Status = string(was), schema+"/EventRescheduled"
	}
	switch e.State {
	case eventseer.Cancelled:
		s.Status = schema + "/EventCancelled"
	case eventseer.Postponed:
		s.Status = schema + "/EventPostponed"
	}
	return s, true
}

// schemaLocation returns the place of an event and the attendance mode; nil if unknown.
func schemaLocation(e eventseer.Event) (location any, mode string) {
	v := e.Location
	if v == nil {
		return nil, ""
	}
	virtual := virtualLocation{Type: "VirtualLocation", URL: webURL(e.Page())}
	parts := strings.Join(nonEmptyLines([]string{v.City, v.Region, v.Country}, 3), ", ")
	spot := schemaPlace{Type: "Place", Name: cmp.Or(singleLine(v.Text, maxShort), singleLine(parts, maxShort)), Address: schemaAddress{
		Type: "PostalAddress", Locality: singleLine(v.City, maxShort), Region: singleLine(v.Region, maxShort),
		Country: cmp.Or(singleLine(v.CountryCode, 2), singleLine(v.Country, maxShort)),
	}}
	known := spot.Address.Locality != "" || spot.Address.Country != ""
	switch {
	case v.Online && !v.Hybrid:
		return virtual, "OnlineEventAttendanceMode"
	case v.Hybrid && known:
		return []any{spot, virtual}, "MixedEventAttendanceMode"
	case known:
		return spot, "OfflineEventAttendanceMode"
	}
	return nil, ""
}

// previousStart returns the first day before the last move of the event, "" for one that was not
// moved.
func previousStart(e eventseer.Event, changes []eventseer.Change) (was eventseer.Date) {
	for _, c := range changes {
		for _, f := range c.Fields {
			if f.Field != "event_start" || f.Old == "" || f.New == "" {
				continue
			}
			if _, ok := eventseer.Date(f.Old).Time(); ok {
				was = eventseer.Date(f.Old)
			}
		}
	}
	if was == e.EventStart {
		return ""
	}
	return was
}

// eventDescription describes an event in one or two sentences.
func eventDescription(e eventseer.Event) string {
	first := cmp.Or(upperFirst(kindWords(e.Kind)), "Event")
	layout := dayLayout{whole: "2 January 2006", yearless: "2 January", first: "2", last: "2 January 2006"}
	if d := layout.format(e.EventStart, e.EventEnd); d != "" {
		first += ", " + d
	}
	if p := placeLine(e.Location); p != "" {
		first += ", " + p
	}
	parts := []string{first + "."}
	if topics := nonEmptyLines(e.Topics, maxItems); len(topics) > 0 {
		parts = append(parts, "Topics: "+strings.Join(topics, ", ")+".")
	}
	return singleLine(strings.Join(parts, " "), maxText*2)
}

// openJSONLD writes all events that can be described as one graph.
func openJSONLD(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	w.WriteString(`{"@context":"` + schema + `","@graph":[`)
	return &jsonSheet{w: w, marshal: json.Marshal, foot: func(int) string { return "\n]}\n" }, value: func(en eventseer.Entry) any {
		s, ok := schemaOf(en.Event, en.Changes, eventURL(p.Base, en.Event.ID))
		if !ok {
			return nil
		}
		if en.Gone {
			s.Status = schema + "/EventCancelled"
		}
		return s
	}}, nil
}
