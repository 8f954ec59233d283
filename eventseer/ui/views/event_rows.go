package views

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A DeadlineRow is one line of the table of dates.
type DeadlineRow struct {
	DeadlineShown
	Past    bool
	Firm    bool
	Source  Link
	Snippet string
	sourceReading
	Yours string   // the time in the reader's zone, "" if the zone is unknown
	Moves []string // former values, oldest first
}

// A FieldRow is where a value was read.
type FieldRow struct {
	Field, Value string
	Source       Link
	Snippet      string
	sourceReading
}

// A sourceReading is the rule by which a value was read, its reliability, and the inferred part.
type sourceReading struct {
	Rule     string
	Sure     string // "right 95 times in 100", "" if not measured
	Inferred string
}

func readingOf(p eventseer.Provenance) sourceReading {
	r := sourceReading{Rule: Clip(p.Rule, 60), Inferred: Clip(p.Inferred, MaxValue)}
	if p.Confidence > 0 {
		r.Sure = fmt.Sprintf("right %.0f times in 100", 100*p.Confidence)
	}
	return r
}

// A TrailRow is a value on a page that differs from the one in the record.
type TrailRow struct {
	Field, Value string
	Page         Link
	Seen         TimeStamp
}

// A ChangeRow is one entry of the history.
type ChangeRow struct {
	At     TimeStamp
	New    bool
	Kinds  []string
	Page   Link
	Fields []eventseer.FieldChange
}

// DeadlineRows returns the deadlines sorted by date, those of one day in page order. history has
// their former values; times are in a zone.
func DeadlineRows(e eventseer.Event, history []eventseer.Change, now time.Time, zone *time.Location) []DeadlineRow {
	sorted := slices.Clone(FirstN(e.Deadlines, MaxDeadlines))
	slices.SortStableFunc(sorted, func(a, b eventseer.Deadline) int { return strings.Compare(string(a.Date), string(b.Date)) })
	var rows []DeadlineRow
	for _, d := range sorted {
		w := NewWhenIn(d, now, zone)
		row := DeadlineRow{
			DeadlineShown: w, Past: w.Urgency == "past", Firm: d.Firm, Moves: movesOf(history, d),
			Source: SourceLink(cmp.Or(d.Source.URL, e.URL)), Snippet: Clip(d.Source.Snippet, MaxValue), sourceReading: readingOf(d.Source),
		}
		if !d.Instant.IsZero() {
			row.Yours = d.Instant.In(zone).Format("Mon 2 Jan 2006, 15:04")
		}
		rows = append(rows, row)
	}
	return rows
}

// FieldRows lists where each field was read. People are not shown.
func FieldRows(e eventseer.Event) []FieldRow {
	var rows []FieldRow
	for _, f := range []struct{ key, name, value string }{
		{"title", "Title", e.Title}, {"acronym", "Acronym", e.Acronym}, {"kind", "Kind", KindNames[e.Kind]},
		{"year", "Year", YearText(e.Year)}, {"parent", "Held with", e.Parent}, {"event_start", "First day", string(e.EventStart)},
		{"event_end", "Last day", string(e.EventEnd)}, {"location", "Place", VenueLine(e.Location)},
		{"topics", "Topics", strings.Join(FirstN(e.Topics, 5), "; ")},
		{"submission_url", "Submission", e.SubmissionURL}, {"submission_system", "Submission system", SystemOf(e)}, {"publisher", "Publisher", e.Publisher},
		{"state", "State", string(e.State)},
	} {
		source, known := e.Sources[f.key]
		if f.value == "" || !known {
			continue
		}
		rows = append(rows, FieldRow{
			Field: f.name, Value: Clip(f.value, MaxValue), Source: SourceLink(cmp.Or(source.URL, e.URL)),
			Snippet: Clip(source.Snippet, MaxValue), sourceReading: readingOf(source),
		})
	}
	return rows
}

func YearText(year int) string {
	if year == 0 {
		return ""
	}
	return strconv.Itoa(year)
}

func PercentText(share float64) string {
	if share <= 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", 100*share)
}

// TrailRows lists the differing values of pages, newest first and each once, without old values
// that the history shows.
func TrailRows(trail []eventseer.Evidence, history []eventseer.Change, now time.Time) []TrailRow {
	type value struct{ field, value, page string }
	said := map[value]bool{}
	for _, c := range history {
		for _, f := range c.Fields {
			said[value{f.Field, f.Old, c.Page}] = true
		}
	}
	var rows []TrailRow
	for _, v := range slices.Backward(trail) {
		if len(rows) == maxTrail {
			break
		}
		of := value{v.Field, v.Value, v.Source.URL}
		if eventseer.IsPublicField(v.Field) && !said[of] {
			said[of] = true
			rows = append(rows, TrailRow{Clip(FieldName(v.Field), 80), Clip(v.Value, MaxValue), SourceLink(v.Source.URL), NewTimeStamp(v.Seen, now)})
		}
	}
	return rows
}

// ChangeRows lists the history, newest first.
func ChangeRows(history []eventseer.Change, now time.Time) []ChangeRow {
	var rows []ChangeRow
	for _, c := range slices.Backward(history) {
		if len(rows) == maxHistory {
			break
		}
		rows = append(rows, NewChangeRow(c, now))
	}
	return rows
}

func NewChangeRow(c eventseer.Change, now time.Time) ChangeRow {
	row := ChangeRow{At: NewTimeStamp(c.At, now), New: c.New, Page: SourceLink(c.Page)}
	row.Kinds = MapSlice(KindsOf(c), kindWords)
	row.Fields = MapSlice(FirstN(PublicFields(c.Fields), MaxDeadlines), shownField)
	return row
}

// FieldName describes the names of Diff: "deadlines.submission[Industry]" is "Submission,
// Industry".
func FieldName(field string) string {
	if rest, ok := strings.CutPrefix(field, "deadlines."); ok {
		kind, track, _ := strings.Cut(strings.TrimSuffix(rest, "]"), "[")
		return DeadlineName(eventseer.Deadline{Kind: eventseer.DeadlineKind(kind), Track: track})
	}
	return strings.ReplaceAll(field, "_", " ")
}
