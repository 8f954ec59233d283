// Package explain prints a record field by field, with the source of each value.
package explain

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// The layout of --explain: a name, and its explanation next to it, in 100 columns.
const (
	explainWidth  = 100
	explainIndent = 20  // column of the explanation of a field
	explainLabel  = 10  // width of labels in the explanation
	shownText     = 200 // runes of a snippet
	shownNames    = 8   // topics and people of a list that are printed
)

// Sourceless is the explanation of a value without a single place on a page.
const Sourceless = "no place of its own: it follows from the rest of the page"

// A Field is one value of a record with its source.
type Field struct {
	Name, value string
	Source      eventseer.Provenance
}

// Event renders a record field by field.
func Event(e eventseer.Event) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", cmp.Or(string(e.ID), "(no title)"), text.Printable(e.URL))
	var last eventseer.Provenance
	for _, f := range Fields(e) {
		writeWrapped(&b, "  "+f.Name, 0, explainIndent, f.value)
		if f.Source == last && f.Source != (eventseer.Provenance{}) {
			continue // event_end with event_start
		}
		last = f.Source
		explainSource(&b, f.Source, e.URL)
	}
	for _, warning := range e.Warnings {
		writeWrapped(&b, "  check failed", 0, explainIndent, warning.Rule+": "+warning.Text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// Fields returns the values of a record in its order.
func Fields(e eventseer.Event) []Field {
	var fs []Field
	add := func(name, value string, source eventseer.Provenance) {
		if value != "" {
			fs = append(fs, Field{name, value, source})
		}
	}
	field := func(name, value string) { add(name, value, e.Sources[name]) }
	field("title", e.Title)
	field("acronym", e.Acronym)
	field("kind", string(e.Kind))
	if e.Year != 0 {
		field("year", strconv.Itoa(e.Year))
	}
	field("series", e.Series)
	field("parent", e.Parent)
	field("event_start", string(e.EventStart))
	field("event_end", string(e.EventEnd))
	field("location", e.Location.String())
	for _, d := range e.Deadlines {
		add(string(d.Kind), deadlineValue(d), d.Source)
	}
	field("topics", namesText(e.Topics))
	people := make([]string, len(e.Committee))
	for i, p := range e.Committee {
		people[i] = p.Name
	}
	field("committee", namesText(people))
	field("submission_url", e.SubmissionURL)
	field("submission_system", e.SubmissionSystem)
	field("publisher", e.Publisher)
	for _, name := range e.OtherNames() {
		field(eventseer.OtherField(name), strings.Join(e.Other[name], "; "))
	}
	field("state", string(e.State))
	return fs
}

// namesText describes a list by its length and its beginning.
func namesText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d: %s", len(list), strings.Join(list[:min(len(list), shownNames)], "; "))
	if len(list) > shownNames {
		text += "; …"
	}
	return text
}

// deadlineValue returns all data of a deadline except its source.
func deadlineValue(d eventseer.Deadline) string {
	parts := []string{d.String()}
	if !d.Instant.IsZero() {
		parts[0] += " = " + d.Instant.UTC().Format(time.RFC3339)
	}
	if d.TZSource != "" && d.TZSource != eventseer.TZPrinted {
		parts = append(parts, "zone "+map[eventseer.TZSource]string{eventseer.TZPage: "stated once for the whole page", eventseer.TZAssumed: "assumed"}[d.TZSource])
	}
	if d.Track != "" {
		parts = append(parts, "track "+d.Track)
	}
	if d.Round != 0 {
		parts = append(parts, "round "+strconv.Itoa(d.Round))
	}
	if d.ExtendedFrom != "" {
		parts = append(parts, "extended from "+string(d.ExtendedFrom))
	}
	if d.Firm {
		parts = append(parts, "firm")
	}
	return strings.Join(parts, ", ")
}

// explainSource prints where a value was read, with the page's address only if it differs from the
// record's.
func explainSource(b *strings.Builder, s eventseer.Provenance, url string) {
	told := func(label, text string) {
		if text != "" {
			writeWrapped(b, label, explainIndent, explainLabel, text)
		}
	}
	if s == (eventseer.Provenance{}) {
		told("rule", Sourceless)
		return
	}
	if s.URL != url {
		told("page", s.URL)
	}
	if s.Offset[1] > s.Offset[0] {
		told("read at", fmt.Sprintf("[%d,%d) %s", s.Offset[0], s.Offset[1], s.Path))
	} else {
		told("read at", s.Path)
	}
	rule := s.Rule
	if s.Confidence > 0 {
		rule += fmt.Sprintf(", right %.0f times in 100", 100*s.Confidence)
	}
	told("rule", rule)
	told("inferred", s.Inferred)
	told("text", text.OneLine(s.Snippet, shownText))
}

// writeWrapped prints a label and next to it a text, wrapped to explainWidth. The label begins in
// column indent and has width columns.
func writeWrapped(b *strings.Builder, label string, indent, width int, content string) {
	room := explainWidth - indent - width
	fmt.Fprintf(b, "%*s%-*s", indent, "", width-1, label)
	for i, line := range wrapText(text.OneLine(content, eventseer.MaxSnippet), room) {
		if i > 0 {
			fmt.Fprintf(b, "%*s", indent+width-1, "")
		}
		fmt.Fprintf(b, " %s\n", line)
	}
}

// wrapText breaks a text at spaces, or within words longer than a line. An empty text is one empty
// line.
func wrapText(text string, width int) []string {
	var lines []string
	line := []rune(nil)
	for _, word := range strings.Fields(text) {
		r := []rune(word)
		if len(line) > 0 && len(line)+1+len(r) > width {
			lines, line = append(lines, string(line)), nil
		}
		if len(line) > 0 {
			line = append(line, ' ')
		}
		line = append(line, r...)
		for len(line) > width {
			lines, line = append(lines, string(line[:width])), line[width:]
		}
	}
	return append(lines, string(line))
}
