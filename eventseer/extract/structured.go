package extract

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/features/tagtree/schema"
	"github.com/eventseer/eventseer/internal/text"
)

// Structured data of a page (JSON-LD, microdata, RDFa, iCalendar, time elements) is evidence but not
// reliable, because authors copy it from the previous year's page. It fills fields that the visible text
// does not give and never replaces others. If the two differ, the record gets a warning.

// maxStructuredDays is the maximum duration, in days, of an event in structured data.
const maxStructuredDays = 60

// A structuredEvent is the event described by the structured data of a page.
type structuredEvent struct {
	by       schema.Thing
	name     string
	from, to date.Day
	ends     bool // an end is given; otherwise to equals from
	venue    eventseer.Venue
}

// fillStructured fills empty fields of the record from structured data, and adds a warning if it differs
// from the visible text.
func (p *page) fillStructured(e *eventseer.Event) {
	told, ok := p.structuredEvent(e)
	if !ok {
		return
	}
	note := func(field string) {
		e.Sources[field] = eventseer.Provenance{
			URL: p.url, Path: told.by.Path, Rule: string(told.by.Syntax),
			Inferred: "from metadata that the page does not show", Snippet: printedText(told.name, maxTitleBlock),
		}
	}
	if e.Title == "" && told.name != "" {
		e.Title = cutToBytes(told.name, maxTitleBlock)
		note("title")
	}
	switch {
	case !told.from.HasYear():
	case e.EventStart != "":
		if e.EventStart != told.from.Date() || told.ends && e.EventEnd != told.to.Date() {
			warnDifference(e, told, told.daysText(), "shows "+string(e.EventStart)+" to "+string(e.EventEnd))
		}
	case e.Year != 0 && e.Year != told.from.Year:
		warnDifference(e, told, told.daysText(), fmt.Sprintf("is about the edition of %d", e.Year))
	case slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind.IsSubmission() && d.Date > told.from.Date() }):
		warnDifference(e, told, told.daysText(), "shows a later deadline")
	default:
		e.EventStart, e.EventEnd, e.Year = told.from.Date(), told.to.Date(), told.from.Year
		note("event_start")
		note("event_end")
	}
	switch place := told.venue; {
	case place == (eventseer.Venue{}):
	case e.Location == nil:
		e.Location = &place
		note("location")
	case e.Location.City != "" && place.City != "" && !strings.EqualFold(e.Location.City, place.City):
		warnDifference(e, told, place.City, "shows "+e.Location.City)
	}
}

// warnDifference adds a warning that structured data and visible text differ.
func warnDifference(e *eventseer.Event, told structuredEvent, says, shows string) {
	e.Warnings = append(e.Warnings, eventseer.Warning{
		Rule: "structured-data-disagrees", Text: string(told.by.Syntax) + " says " + says + ", the page " + shows,
	})
}

// daysText returns the days of the event as text for a warning.
func (t structuredEvent) daysText() string {
	if !t.ends {
		return string(t.from.Date())
	}
	return string(t.from.Date()) + " to " + string(t.to.Date())
}

// structuredEvent returns the event in the structured data of the page. If there are several, it must have the
// record's name. ok is false if there is not exactly one.
func (p *page) structuredEvent(e *eventseer.Event) (structuredEvent, bool) {
	var all []structuredEvent
	for _, t := range schema.Things(p.t) {
		if slices.ContainsFunc(t.Types, isEventType) {
			if told := p.readThing(t); !slices.ContainsFunc(all, func(o structuredEvent) bool { return o.name == told.name && o.from == told.from }) {
				all = append(all, told)
			}
		}
	}
	if len(all) > 1 {
		all = slices.DeleteFunc(all, func(t structuredEvent) bool { return !isNameOf(t.name, e) })
	}
	if len(all) != 1 {
		return structuredEvent{}, false
	}
	return all[0], true
}

// isEventType reports whether a type of schema.org or vCalendar is an event: Event, EducationEvent,
// BusinessEvent, vevent.
func isEventType(name string) bool {
	return strings.HasSuffix(name, "Event") || strings.EqualFold(name, "vevent")
}

// isNameOf reports whether name may be that of the record e. The title of e contains it, or it contains the
// acronym of e.
func isNameOf(name string, e *eventseer.Event) bool {
	name = strings.ToLower(name)
	return name != "" && strings.Contains(strings.ToLower(e.Title), name) ||
		e.Acronym != "" && strings.Contains(name, strings.ToLower(e.Acronym))
}

// readThing returns the event described by an item of structured data.
func (p *page) readThing(t schema.Thing) structuredEvent {
	first := func(names ...string) string {
		for _, name := range names {
			if v := t.Value(name); v != "" {
				return v
			}
		}
		return ""
	}
	told := structuredEvent{by: t, name: first("name", "summary")}
	told.from, _ = p.isoDay(first("startDate", "dtstart"))
	to, short := p.isoDay(first("endDate", "dtend"))
	if short && t.Syntax == schema.ICalendar && told.from.IsBefore(to) {
		to = date.DayOf(to.Time().AddDate(0, 0, -1)) // iCalendar gives the day after the last one (RFC 5545, section 3.6.1)
	}
	if told.ends = to.HasYear(); !told.ends {
		to = told.from
	}
	if to.IsBefore(told.from) || to.Time().Sub(told.from.Time()) > maxStructuredDays*24*time.Hour {
		told.from, to = date.Day{}, date.Day{}
	}
	told.to = to
	told.venue = structuredVenue(first)
	return told
}

// structuredVenue returns the place of an event in the vocabulary of schema.org.
func structuredVenue(first func(names ...string) string) eventseer.Venue {
	var v eventseer.Venue
	country := first("location.address.addressCountry", "location.address.addressCountry.name")
	if c := text.CountryNamed(country); len(country) == 2 && c.IsValid() {
		v.Country, v.CountryCode = countryName(c.Alpha2()), c.Alpha2() // NL is the country here, not the province
	} else if r, ok := countryIn(country); ok {
		v.Country, v.CountryCode = r.country, r.code
	}
	if city := cityOf(first("location.address.addressLocality")); city != "" {
		v.City = city
	}
	if v.City == "" {
		for _, text := range []string{first("location.address"), first("location.name"), first("location")} {
			if found, ok := placeIn(text); ok {
				v = found
				break
			}
		}
	}
	mode := first("eventAttendanceMode")
	v.Hybrid = strings.HasSuffix(mode, "MixedEventAttendanceMode")
	v.Online = v.Hybrid || strings.HasSuffix(mode, "OnlineEventAttendanceMode") && !strings.HasSuffix(mode, "OfflineEventAttendanceMode") || first("location.@type") == "VirtualLocation"
	return v
}

// isoDay reads a day in the extended or basic format of ISO 8601; a time may follow. short reports whether
// no time follows. The day is zero if it is invalid or outside the years that are read.
func (p *page) isoDay(s string) (d date.Day, short bool) {
	for _, layout := range [...]string{time.DateOnly, "20060102"} {
		if len(s) < len(layout) {
			continue
		}
		if t, err := time.Parse(layout, s[:len(layout)]); err == nil && t.Year() >= date.FirstYear && t.Year() <= p.last {
			return date.DayOf(t), len(s) == len(layout)
		}
	}
	return date.Day{}, false
}

// setYearsOfTimeElements sets the years of dates from the time elements around them if day and month agree.
func (p *page) setYearsOfTimeElements() {
	times := schema.Times(p.t)
	for i := range p.dates {
		d := &p.dates[i]
		if d.From.Year != 0 || d.From.Day == 0 {
			continue
		}
		at := p.blocks[d.block].Start
		k, _ := slices.BinarySearchFunc(times, at+d.End, func(t schema.Time, end int) int { return t.End - end })
		if k == len(times) || times[k].Start > at+d.Start {
			continue
		}
		if told, _ := p.isoDay(times[k].Datetime); told.Month == d.From.Month && told.Day == d.From.Day {
			d.SetYear(told.Year)
			d.inferred = yearOfTime
		}
	}
}

// yearOfTime is the Provenance.Inferred of a year from a time element.
const yearOfTime = "year from the time element"
