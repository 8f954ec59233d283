package ui

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
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
	Parent            string // the event it is held with
	Publisher         string
	Official          link
	Submission        string // URL, or ""
	Next              *when
	Deadlines         []deadlineRow
	Topics            []link
	Warnings          []string
	Confidence        string
	Fields            []fieldRow
	Pages             []link
	Trail             []trailRow
	History           []changeRow
	Changes           string // URL of what changed in full
	FirstSeen         stamp
	LastSeen          stamp
	Hidden            string // what was too much to show
}

// A deadlineRow is one line of the table of dates.
type deadlineRow struct {
	when
	Past    bool
	Firm    bool
	Source  link
	Snippet string
	reading
}

// A fieldRow says where a value was read.
type fieldRow struct {
	Field, Value string
	Source       link
	Snippet      string
	reading
}

// A reading says by which rule a value was read, and what of it is not printed.
type reading struct {
	Rule     string // "table, right 95 times in 100"
	Inferred string
}

func readingOf(p eventseer.Provenance) reading {
	rule := clip(p.Rule, 60)
	if rule != "" && p.Confidence > 0 {
		rule += fmt.Sprintf(", right %.0f times in 100", 100*p.Confidence)
	}
	return reading{rule, clip(p.Inferred, maxValue)}
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
	}
	return stamp{t.UTC().Format(time.RFC3339), t.UTC().Format("2 Jan 2006 15:04 UTC"), ago}
}

func (s *server) event(r *http.Request) (view, error) {
	id := eventseer.EventID(r.PathValue("id"))
	e, err := s.Store.Event(r.Context(), id)
	if err != nil {
		return view{}, err
	}
	history, err := s.readHistory(r, id)
	if err != nil {
		return view{}, err
	}
	page := s.newEventPage(e, history)
	return view{name: "event", data: page}, nil
}

func (s *server) newEventPage(e eventseer.Event, history []eventseer.Change) eventPage {
	now := s.Now()
	name := nameOf(e)
	p := eventPage{
		frame: s.frame(clip(name.Full(), 100), ""), Name: name,
		Kind: kindNames[e.Kind], Days: days(e.EventStart, e.EventEnd), Place: place(e.Location),
		Parent: clip(e.Parent, maxValue), Publisher: clip(e.Publisher, 100), Official: sourceLink(officialPage(e)), Submission: webLink(e.SubmissionURL),
		Fields: fieldRows(e), Confidence: percent(e.Confidence),
		FirstSeen: newStamp(e.FirstSeen, now), LastSeen: newStamp(e.LastSeen, now),
	}
	p.JSON = "/api/v1/events/" + strings.TrimPrefix(eventHref(e.ID), "/e/") + ".json"
	if d, ok := eventseer.NextDeadline(e, now); ok {
		w := newWhen(d, now)
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
	p.Deadlines = deadlineRows(e, now)
	p.Trail = trailRows(e.Trail, now)
	p.History, p.Changes = changeRows(history, now), eventHref(e.ID)+"/history"
	p.Badges = badgesOf(e, history, now)
	p.Hidden = hidden(e, history)
	return p
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

func topicLink(topic string) link {
	text := clip(topic, 80)
	quoted := strings.ReplaceAll(text, `"`, " ")
	return link{text, "/search?" + searchValues(frame{Query: `topic:"` + strings.TrimSuffix(quoted, "…") + `"`}, 1).Encode()}
}

// deadlineRows sorts the deadlines by date and keeps the order of the page
// within a day.
func deadlineRows(e eventseer.Event, now time.Time) []deadlineRow {
	sorted := slices.Clone(head(e.Deadlines, maxDeadlines))
	slices.SortStableFunc(sorted, func(a, b eventseer.Deadline) int { return strings.Compare(string(a.Date), string(b.Date)) })
	var rows []deadlineRow
	for _, d := range sorted {
		w := newWhen(d, now)
		rows = append(rows, deadlineRow{
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
		{"submission_url", "Submission", e.SubmissionURL}, {"publisher", "Publisher", e.Publisher},
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

// trailRows lists what pages say otherwise, newest first.
func trailRows(trail []eventseer.Evidence, now time.Time) []trailRow {
	var rows []trailRow
	for _, v := range slices.Backward(trail) {
		if len(rows) == maxTrail {
			break
		}
		if publicField(v.Field) {
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
		row := changeRow{At: newStamp(c.At, now), New: c.New, Page: sourceLink(c.Page)}
		for _, k := range kindsOf(c) {
			row.Kinds = append(row.Kinds, kindWords(k))
		}
		for _, f := range head(publicFields(c.Fields), maxDeadlines) {
			row.Fields = append(row.Fields, shownField(f))
		}
		rows = append(rows, row)
	}
	return rows
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
