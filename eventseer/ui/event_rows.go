package ui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
)

// A deadlineRow is one line of the table of dates.
type deadlineRow struct {
	when
	Past    bool
	Firm    bool
	Source  link
	Snippet string
	reading
	Yours string   // the moment in the reader's zone
	Moves []string // what the date was before, oldest first
}

// A fieldRow says where a value was read.
type fieldRow struct {
	Field, Value string
	Source       link
	Snippet      string
	reading
}

// A reading says by which rule a value was read, how sure that is, and what of it is not
// printed.
type reading struct {
	Rule     string
	Sure     string // "right 95 times in 100", "" where that was not measured
	Inferred string
}

func readingOf(p eventseer.Provenance) reading {
	r := reading{Rule: clip(p.Rule, 60), Inferred: clip(p.Inferred, maxValue)}
	if p.Confidence > 0 {
		r.Sure = fmt.Sprintf("right %.0f times in 100", 100*p.Confidence)
	}
	return r
}

// A trailRow is what a page said that is not the value of its field.
type trailRow struct {
	Field, Value string
	Page         link
	Seen         stamp
}

// A changeRow is one entry of the history.
type changeRow struct {
	At     stamp
	New    bool
	Kinds  []string
	Page   link
	Fields []eventseer.FieldChange
}

// deadlineRows sorts the deadlines by date and keeps the order of the page
// within a day. history says what they were before; times are those of a zone.
func deadlineRows(e eventseer.Event, history []eventseer.Change, now time.Time, zone *time.Location) []deadlineRow {
	sorted := slices.Clone(head(e.Deadlines, maxDeadlines))
	slices.SortStableFunc(sorted, func(a, b eventseer.Deadline) int { return strings.Compare(string(a.Date), string(b.Date)) })
	var rows []deadlineRow
	for _, d := range sorted {
		w := newWhenIn(d, now, zone)
		rows = append(rows, deadlineRow{
			Yours: yourTime(d, zone), Moves: movesOf(history, d),
			when: w, Past: w.Urgency == "past", Firm: d.Firm,
			Source: sourceLink(cmp.Or(d.Source.URL, e.URL)), Snippet: clip(d.Source.Snippet, maxValue), reading: readingOf(d.Source),
		})
	}
	return rows
}

// fieldRows lists where each field was read. People are not shown.
func fieldRows(e eventseer.Event) []fieldRow {
	var rows []fieldRow
	for _, f := range []struct{ key, name, value string }{
		{"title", "Title", e.Title}, {"acronym", "Acronym", e.Acronym}, {"kind", "Kind", kindNames[e.Kind]},
		{"year", "Year", yearText(e.Year)}, {"parent", "Held with", e.Parent}, {"event_start", "First day", string(e.EventStart)},
		{"event_end", "Last day", string(e.EventEnd)}, {"location", "Place", place(e.Location)},
		{"topics", "Topics", strings.Join(head(e.Topics, 5), "; ")},
		{"submission_url", "Submission", e.SubmissionURL}, {"submission_system", "Submission system", systemOf(e)}, {"publisher", "Publisher", e.Publisher},
		{"state", "State", string(e.State)},
	} {
		source, known := e.Sources[f.key]
		if f.value == "" || !known {
			continue
		}
		rows = append(rows, fieldRow{
			Field: f.name, Value: clip(f.value, maxValue), Source: sourceLink(cmp.Or(source.URL, e.URL)),
			Snippet: clip(source.Snippet, maxValue), reading: readingOf(source),
		})
	}
	return rows
}

func yearText(year int) string {
	if year == 0 {
		return ""
	}
	return strconv.Itoa(year)
}

func percent(share float64) string {
	if share <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// trailRows lists what pages say otherwise, newest first and each once. What the history
// shows as an old value is not repeated.
func trailRows(trail []eventseer.Evidence, history []eventseer.Change, now time.Time) []trailRow {
	type value struct{ field, value, page string }
	said := map[value]bool{}
	for _, c := range history {
		for _, f := range c.Fields {
			said[value{f.Field, f.Old, c.Page}] = true
		}
	}
	var rows []trailRow
	for _, v := range slices.Backward(trail) {
		if len(rows) == maxTrail {
			break
		}
		of := value{v.Field, v.Value, v.Source.URL}
		if publicField(v.Field) && !said[of] {
			said[of] = true
			rows = append(rows, trailRow{clip(fieldName(v.Field), 80), clip(v.Value, maxValue), sourceLink(v.Source.URL), newStamp(v.Seen, now)})
		}
	}
	return rows
}

// changeRows lists the history, newest first.
func changeRows(history []eventseer.Change, now time.Time) []changeRow {
	var rows []changeRow
	for _, c := range slices.Backward(history) {
		if len(rows) == maxHistory {
			break
		}
		rows = append(rows, newChangeRow(c, now))
	}
	return rows
}

func newChangeRow(c eventseer.Change, now time.Time) changeRow {
	row := changeRow{At: newStamp(c.At, now), New: c.New, Page: sourceLink(c.Page)}
	for _, k := range kindsOf(c) {
		row.Kinds = append(row.Kinds, kindWords(k))
	}
	for _, f := range head(publicFields(c.Fields), maxDeadlines) {
		row.Fields = append(row.Fields, shownField(f))
	}
	return row
}

// fieldName reads the names of Diff: "deadlines.submission[Industry]" is
// "Submission, Industry".
func fieldName(field string) string {
	if rest, ok := strings.CutPrefix(field, "deadlines."); ok {
		kind, track, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "[")
		return whatOf(eventseer.Deadline{Kind: eventseer.DeadlineKind(kind), Track: track})
	}
	return strings.ReplaceAll(field, "_", " ")
}
