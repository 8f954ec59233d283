// Package show prints event records and previews of lists for people: one in detail, or a table of
// many.
package show

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change/versions"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/internal/text"
)

// A Record is what show prints.
type Record struct {
	Event eventseer.Event `json:"event"`
	// Series is the data on the event's series, nil for an unknown one.
	Series  *eventseer.KnownSeries `json:"known_series,omitempty"`
	Clips   []eventseer.Clip       `json:"clips,omitempty"`
	History []eventseer.Change     `json:"history,omitempty"`
}

// seriesText describes the series of an event.
func seriesText(e eventseer.Event, known *eventseer.KnownSeries) string {
	if known == nil || known.Name == "" {
		return e.Series
	}
	return e.Series + ", " + known.Name
}

// ranksText returns the ranks of a series in one line, each with its source.
func ranksText(known *eventseer.KnownSeries) string {
	if known == nil {
		return ""
	}
	var ranks []string
	for _, r := range known.Ranks {
		from := ""
		if r.Year > 0 {
			from = fmt.Sprint(" ", r.Year)
		}
		if r.Source != "" {
			from += ", from " + r.Source
		}
		ranks = append(ranks, fmt.Sprintf("%s %s (%s)", strings.ToUpper(r.System), r.Value, strings.TrimLeft(from, " ,")))
	}
	return strings.ReplaceAll(strings.Join(ranks, "; "), " ()", "")
}

// WriteRecord prints a record for a terminal. With history it adds the changes and the differing
// values of pages.
func WriteRecord(w io.Writer, s Record, history bool) error {
	e := s.Event
	fmt.Fprintln(w, Heading(e))
	facts := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	shown := [][2]string{
		{"event", string(e.ID)}, {"kind", strings.ReplaceAll(string(e.Kind), "_", " ")}, {"series", seriesText(e, s.Series)}, {"ranks", ranksText(s.Series)}, {"fields", field.Names(e.Fields)}, {"held with", e.Parent},
		{"days", DaysText(e)}, {"place", PlaceLine(e)}, {"home page", e.Homepage}, {"call", e.URL}, {"submission", e.SubmissionURL}, {"publisher", e.Publisher},
		{"confidence", shareText(e.Confidence)}, {"first seen", timeText(e.FirstSeen)}, {"last seen", timeText(e.LastSeen)},
	}
	for _, name := range e.OtherNames() {
		shown = append(shown, [2]string{text.OneLine(name, text.MaxShown), strings.Join(e.Other[name], "; ")})
	}
	for _, f := range shown {
		if f[1] != "" {
			fmt.Fprintf(facts, "%s\t%s\n", f[0], text.OneLine(f[1], text.MaxShown))
		}
	}
	if err := facts.Flush(); err != nil {
		return err
	}
	if err := writeDeadlines(w, e.Deadlines); err != nil {
		return err
	}
	if calls := e.WithCalls().Calls; len(calls) > 1 {
		writeEach(w, "calls", calls, callLine)
	}
	writeList(w, "topics", e.Topics)
	writeEach(w, "warnings", e.Warnings, func(v eventseer.Warning) string { return v.Rule + ": " + v.Text })
	writeList(w, "read at", e.Pages)
	writeList(w, "also on", e.Related)
	for _, c := range s.Clips {
		writeList(w, "clip of "+text.OneLine(c.URL, text.MaxShown), []string{c.Title, c.Summary})
	}
	if history {
		writeEach(w, "what pages say otherwise", e.Trail, func(v eventseer.Evidence) string {
			return fmt.Sprintf("%s %s: %s, at %s", v.Seen.UTC().Format(time.RFC3339), v.Field, v.Value, v.Source.URL)
		})
	}
	writeHistory(w, s.History)
	return nil
}

// Heading returns the acronym and title of an event.
func Heading(e eventseer.Event) string {
	switch {
	case e.Acronym == "" && e.Title == "":
		return "untitled call"
	case e.Acronym == "" || e.Title == "":
		return text.OneLine(e.Acronym+e.Title, text.MaxShown)
	}
	return text.OneLine(e.Acronym+" - "+e.Title, text.MaxShown)
}

func writeDeadlines(w io.Writer, deadlines []eventseer.Deadline) error {
	if len(deadlines) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\ndeadlines")
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, d := range deadlines {
		kind := string(d.Kind)
		if d.Round > 0 {
			kind += fmt.Sprintf(" %d", d.Round)
		}
		zone := text.OneLine(d.TZ, 30)
		if d.TZSource == eventseer.TZAssumed {
			zone += " (assumed)"
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", text.OneLine(kind, 40), text.OneLine(d.Track, 40),
			text.OneLine(string(d.Date), 20), cmp.Or(timeText(d.Instant), "-"), cmp.Or(zone, "-"), text.OneLine(d.Text, text.MaxShown), deadlineNotes(d))
	}
	return table.Flush()
}

// callLine returns one of several calls in one line: its name, days, address and topics.
func callLine(c eventseer.Call) string {
	var days []string
	for _, d := range c.Deadlines {
		days = append(days, string(d.Kind)+" "+string(d.Date))
	}
	parts := []string{c.Name(), strings.Join(days, ", "), c.SubmissionURL, strings.Join(c.Topics[:min(len(c.Topics), 5)], ", ")}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "; ")
}

// deadlineNotes returns further information on a deadline.
func deadlineNotes(d eventseer.Deadline) string {
	var notes []string
	if d.ExtendedFrom != "" {
		notes = append(notes, "extended from "+text.OneLine(string(d.ExtendedFrom), 20))
	}
	if d.Firm {
		notes = append(notes, "firm")
	}
	if d.Source.Inferred != "" {
		notes = append(notes, "not printed: "+text.OneLine(d.Source.Inferred, text.MaxShown))
	}
	return strings.Join(notes, "; ")
}

func writeList(w io.Writer, name string, lines []string) {
	writeEach(w, name, lines, func(line string) string { return line })
}

// writeEach writes a line for each of some values.
func writeEach[T any](w io.Writer, name string, values []T, line func(T) string) {
	if len(values) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", name)
	for _, v := range values {
		fmt.Fprintf(w, "  %s\n", text.OneLine(line(v), text.MaxShown))
	}
}

func writeHistory(w io.Writer, history []eventseer.Change) {
	if len(history) == 0 {
		return
	}
	fmt.Fprintln(w, "\nhistory")
	for _, c := range history {
		fmt.Fprintf(w, "  %s %s at %s\n", c.At.UTC().Format(time.RFC3339), versions.DescribeChange(c), text.OneLine(c.Page, text.MaxShown))
		for _, f := range c.Fields {
			fmt.Fprintf(w, "    %s: %s -> %s\n", text.OneLine(f.Field, 80), text.OneLine(f.Old, text.MaxShown), text.OneLine(f.New, text.MaxShown))
		}
	}
}

func shareText(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", share)
}
