package exchange

import (
	"bufio"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A turtleSheet writes RDF with the vocabulary of schema.org. Deadlines are not events; they are
// properties of the event, named by their kind.
type turtleSheet struct {
	w    *bufio.Writer
	base string
}

func openTurtle(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	w.WriteString("@prefix schema: <https://schema.org/> .\n@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .\n")
	return turtleSheet{w, p.Base}, nil
}

func (s turtleSheet) close() error { return nil }

func (s turtleSheet) writeEntry(en eventseer.Entry) error {
	e := en.Event
	t := &triples{}
	t.add("schema:name", turtleLiteral(eventName(e), ""))
	if a := shortName(e); a != "" {
		t.add("schema:alternateName", turtleLiteral(a, ""))
	}
	t.addDate("schema:startDate", e.EventStart)
	t.addDate("schema:endDate", e.EventEnd)
	status := "schema:EventScheduled"
	if was := previousStart(e, en.Changes); was != "" {
		status = "schema:EventRescheduled"
		t.addDate("schema:previousStartDate", was)
	}
	if en.Gone {
		status = "schema:EventCancelled"
	}
	t.add("schema:eventStatus", status)
	t.writePlace(e.Location)
	for _, topic := range nonEmptyLines(e.Topics, maxItems) {
		t.add("schema:keywords", turtleLiteral(topic, ""))
	}
	if u := webURL(e.Page()); u != "" {
		t.add("schema:url", "<"+u+">")
	}
	for _, d := range e.Deadlines {
		t.addDeadline(d)
	}
	node := "[]"
	if subject := pageURL(s.base, e); subject != "" {
		node = "<" + subject + ">"
	}
	fmt.Fprintf(s.w, "\n%s a schema:Event", node)
	for _, line := range t.lines {
		s.w.WriteString(" ;\n  " + line)
	}
	_, err := s.w.WriteString(" .\n")
	return err
}

// triples are the predicates and objects of one subject.
type triples struct{ lines []string }

func (t *triples) add(predicate, object string) { t.lines = append(t.lines, predicate+" "+object) }

func (t *triples) addDate(predicate string, d eventseer.Date) {
	if _, ok := d.Time(); ok {
		t.add(predicate, turtleLiteral(string(d), "xsd:date"))
	}
}

func (t *triples) writePlace(v *eventseer.Venue) {
	if v == nil {
		return
	}
	mode := "schema:OfflineEventAttendanceMode"
	switch {
	case v.Hybrid:
		mode = "schema:MixedEventAttendanceMode"
	case v.Online:
		mode = "schema:OnlineEventAttendanceMode"
	}
	t.add("schema:eventAttendanceMode", mode)
	var parts []string
	for _, f := range [][2]string{{"addressLocality", v.City}, {"addressRegion", v.Region}, {"addressCountry", v.Country}} {
		if s := singleLine(f[1], maxShort); s != "" {
			parts = append(parts, "schema:"+f[0]+" "+turtleLiteral(s, ""))
		}
	}
	if len(parts) > 0 {
		t.add("schema:location", "[ a schema:Place ; schema:address [ a schema:PostalAddress ; "+strings.Join(parts, " ; ")+" ] ]")
	}
}

func (t *triples) addDeadline(d eventseer.Deadline) {
	at := turtleLiteral(string(d.Date), "xsd:date")
	if _, ok := d.Date.Time(); !ok {
		return
	}
	if !d.Instant.IsZero() {
		at = turtleLiteral(d.Instant.UTC().Format(time.RFC3339), "xsd:dateTime")
	}
	t.add("schema:additionalProperty", fmt.Sprintf("[ a schema:PropertyValue ; schema:propertyID %s ; schema:name %s ; schema:value %s ; schema:description %s ]",
		turtleLiteral(singleLine(string(d.Kind), 40), ""), turtleLiteral(describeDeadline(d), ""), at, turtleLiteral(dayAndClock(d), "")))
}

var turtleEscaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// turtleLiteral returns a text as a literal, with a datatype if that is not "".
func turtleLiteral(s, datatype string) string {
	s = `"` + turtleEscaper.Replace(s) + `"`
	if datatype != "" {
		s += "^^" + datatype
	}
	return s
}
