package exchange

import (
	"bufio"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	ics "github.com/arran4/golang-ical"
)

// calendarColor is the colour of the dates in calendar programs, a CSS name as required by RFC
// 7986.
const calendarColor = "steelblue"

// deadlineLength is how long before a deadline its entry begins. Programs show an entry without
// length in the hour after it, which is too late.
const deadlineLength = time.Hour

// A calendarSheet writes RFC 5545. Each deadline is a VEVENT that ends at its instant in UTC, or is
// on the printed day if no time zone is stated. The days of the events are added on request.
// Identifiers stay the same when a date moves, and a removed deadline is marked as cancelled.
type calendarSheet struct {
	w      *bufio.Writer
	p      eventseer.Publication
	o      calendarOptions
	host   string
	layout *ics.SerializationConfiguration
}

func openCalendar(w *bufio.Writer, p eventseer.Publication, options url.Values) (sheet, error) {
	o, err := readCalendarOptions(options)
	if err != nil {
		return nil, err
	}
	c := &calendarSheet{w: w, p: p, o: o, host: hostOf(p.Base, p.Self, p.Home), layout: &ics.SerializationConfiguration{
		MaxLength: 75, PropertyMaxLength: 75, NewLine: string(ics.WithNewLineWindows),
	}}
	head := c.calendarHead().Serialize(c.layout)
	w.WriteString(strings.TrimSuffix(head, calendarEnd))
	return c, nil
}

const calendarEnd = "END:VCALENDAR\r\n"

func (c *calendarSheet) close() error {
	_, err := c.w.WriteString(calendarEnd)
	return err
}

// calendarHead returns the calendar without entries.
func (c *calendarSheet) calendarHead() *ics.Calendar {
	cal := ics.NewCalendarFor("EventSeer")
	cal.SetProductId("-//EventSeer//Calls for papers//EN")
	cal.SetCalscale("GREGORIAN")
	title := titleOf(c.p)
	cal.SetName(title)
	cal.SetXWRCalName(title)
	cal.SetColor(calendarColor)
	uri := ics.WithValue(string(ics.ValueDataTypeUri))
	if self := webURL(c.p.Self); self != "" {
		cal.CalendarProperties = append(cal.CalendarProperties, ics.CalendarProperty{BaseProperty: ics.BaseProperty{
			IANAToken: "SOURCE", Value: self, ICalParameters: map[string][]string{"VALUE": {"URI"}},
		}})
	}
	if home := webURL(c.p.Home); home != "" {
		cal.SetUrl(home, uri)
	}
	if !c.p.Updated.IsZero() {
		cal.SetLastModified(c.p.Updated)
	}
	if c.p.Refresh >= time.Minute {
		every := fmt.Sprintf("PT%dM", int(c.p.Refresh/time.Minute))
		cal.SetRefreshInterval(every) // its name includes the type
		cal.SetXPublishedTTL(every)
	}
	return cal
}

func (c *calendarSheet) writeEntry(en eventseer.Entry) error {
	r := revisionOf(en, c.p)
	for _, d := range datesOf(en) {
		if !c.o.isWanted(d.Kind) {
			continue
		}
		if err := c.writeDeadline(en, d, r); err != nil {
			return err
		}
	}
	if c.o.days {
		return c.writeEventDays(en, r)
	}
	return nil
}

// writeDeadline writes one typed date.
func (c *calendarSheet) writeDeadline(en eventseer.Entry, d calendarDate, r revision) error {
	at := d.Moment()
	day, ok := d.Date.Time()
	if at.IsZero() || !ok || !hasFourDigitYear(at) {
		return nil
	}
	allDay := c.o.allDay || d.Instant.IsZero() || d.TZSource == eventseer.TZAssumed // no zone is printed
	if c.o.todo {
		todo := ics.NewTodo(c.dateUID(en.Event, d.id))
		if allDay {
			todo.SetAllDayDueAt(day)
		} else {
			todo.SetDueAt(at)
		}
		c.setCommonProperties(&todo.ComponentBase, en, r, d.sequence)
		c.setDeadlineTexts(&todo.ComponentBase, en.Event, d)
		if d.gone {
			todo.SetStatus(ics.ObjectStatusCancelled)
		} else {
			todo.SetStatus(ics.ObjectStatusNeedsAction)
			c.addAlarms(todo.AddAlarm, briefName(en.Event)+": "+describeDeadline(d.Deadline))
		}
		return todo.SerializeTo(c.w, c.layout)
	}
	ev := ics.NewEvent(c.dateUID(en.Event, d.id))
	switch {
	case allDay:
		ev.SetAllDayStartAt(day)
	case c.o.point:
		ev.SetStartAt(at)
	default:
		ev.SetStartAt(at.Add(-deadlineLength))
		ev.SetEndAt(at)
	}
	c.setCommonProperties(&ev.ComponentBase, en, r, d.sequence)
	ev.SetTimeTransparency(ics.TransparencyTransparent)
	ev.SetStatus(objectStatus(d.gone, isEstimated(d.Source)))
	c.setDeadlineTexts(&ev.ComponentBase, en.Event, d)
	if !d.gone {
		c.addAlarms(ev.AddAlarm, briefName(en.Event)+": "+describeDeadline(d.Deadline))
	}
	return ev.SerializeTo(c.w, c.layout)
}

// writeEventDays writes the days of the event itself.
func (c *calendarSheet) writeEventDays(en eventseer.Entry, r revision) error {
	e := en.Event
	first, ok := e.EventStart.Time()
	if !ok || !hasFourDigitYear(first) {
		return nil
	}
	last, ok := e.EventEnd.Time()
	if !ok || last.Before(first) || last.Sub(first) > 366*24*time.Hour || !hasFourDigitYear(last.AddDate(0, 0, 1)) {
		last = first
	}
	sequence := countStartMoves(en.Changes)
	if isGoneOrCancelled(en) {
		sequence++
	}
	ev := ics.NewEvent(c.dateUID(e, "days-0"))
	ev.SetAllDayStartAt(first)
	ev.SetAllDayEndAt(last.AddDate(0, 0, 1)) // the day after: DTEND is exclusive
	c.setCommonProperties(&ev.ComponentBase, en, r, sequence)
	ev.SetTimeTransparency(ics.TransparencyTransparent)
	ev.SetStatus(objectStatus(isGoneOrCancelled(en), isEstimated(e.Sources["event_start"])))
	ev.SetSummary(cancelledPrefix(isGoneOrCancelled(en)) + eventName(e))
	ev.SetDescription(joinParagraphs(eventDescription(e), prefixedText("Call: ", webURL(e.Page())), prefixedText("Details: ", eventURL(c.p.Base, e.ID))))
	ev.AddCategory("event days")
	if p := placeLine(e.Location); p != "" {
		ev.SetLocation(p)
	}
	return ev.SerializeTo(c.w, c.layout)
}

// dateUID returns the permanent identifier of one date of one edition.
func (c *calendarSheet) dateUID(e eventseer.Event, date string) string {
	return editionSlug(e) + "-" + date + "@" + c.host
}

// setCommonProperties sets the properties that deadlines and days share.
func (c *calendarSheet) setCommonProperties(b *ics.ComponentBase, en eventseer.Entry, r revision, sequence int) {
	b.SetDtStampTime(r.at)
	b.SetModifiedAt(r.at)
	b.SetCreatedTime(r.found)
	b.SetSequence(sequence)
	if link := pageURL(c.p.Base, en.Event); link != "" {
		b.SetURL(link)
	}
	if k := kindWords(en.Event.Kind); k != "" {
		b.AddCategory(k)
	}
	for _, t := range nonEmptyLines(en.Event.Topics, 5) {
		b.AddCategory(t)
	}
}

// setDeadlineTexts sets the texts of a deadline for people.
func (c *calendarSheet) setDeadlineTexts(b *ics.ComponentBase, e eventseer.Event, d calendarDate) {
	summary := briefName(e) + ": " + describeDeadline(d.Deadline)
	if t := clockText(d.Deadline); t != "" {
		summary += " (" + t + ")"
	}
	if isEstimated(d.Source) {
		summary = "Estimate: " + summary
	}
	b.SetSummary(cancelledPrefix(d.gone) + summary)
	b.SetDescription(joinParagraphs(
		eventName(e),
		upperFirst(describeDeadline(d.Deadline))+": "+dayAndClock(d.Deadline)+utcText(d.Deadline),
		zoneNote(d.Deadline),
		prefixedText("As printed: ", singleLine(d.Text, maxText)),
		prefixedText("Extended from ", dayText(d.ExtendedFrom)),
		prefixedText("Place: ", placeLine(e.Location)),
		prefixedText("Call: ", webURL(e.Page())),
		prefixedText("Submit: ", webURL(e.SubmissionOf(d.Deadline))),
		prefixedText("Read at: ", webURL(d.Source.URL)),
		prefixedText("Details: ", eventURL(c.p.Base, e.ID)),
	))
	b.AddCategory("deadline")
	b.AddCategory(kindOfDate(d.Kind))
}

func (c *calendarSheet) addAlarms(add func() *ics.VAlarm, text string) {
	for _, before := range c.o.alarms {
		a := add()
		a.SetAction(ics.ActionDisplay)
		a.SetTrigger(before)
		a.SetDescription(text)
	}
}

func objectStatus(gone, estimate bool) ics.ObjectStatus {
	switch {
	case gone:
		return ics.ObjectStatusCancelled
	case estimate:
		return ics.ObjectStatusTentative
	}
	return ics.ObjectStatusConfirmed
}
