package exchange

import (
	"bufio"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// csvColumns are the columns of the table of events; the first twelve are those of
// `eventseer find --format csv`.
var csvColumns = []string{
	"id", "acronym", "title", "kind", "year", "event_start", "event_end", "city", "country", "deadline", "deadline_kind", "url",
	"series", "region", "country_code", "attendance", "deadline_tz", "deadlines", "topics", "submission_url", "publisher",
	"confidence", "first_seen", "last_seen",
}

type csvSheet struct {
	out *text.CSV
	now time.Time
}

func openCSV(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	s := csvSheet{text.NewCSV(w), p.Now}
	return s, s.out.Write(csvColumns)
}

func (s csvSheet) writeEntry(en eventseer.Entry) error { return s.out.Write(CSVRow(en.Event, s.now)) }

func (s csvSheet) close() error {
	s.out.Flush()
	return s.out.Error()
}

// CSVRow returns an event as a row of the table, each text as Cell returns it.
func CSVRow(e eventseer.Event, now time.Time) []string {
	row := rowCells(e, now)
	for i := range row {
		row[i] = Cell(row[i])
	}
	return row
}

// FindRows returns the columns of the table and events that `eventseer find --format csv` shows.
func FindRows(events []eventseer.Event, now time.Time) [][]string {
	const columns = 12
	rows := [][]string{csvColumns[:columns]}
	for _, e := range events {
		row := rowCells(e, now)[:columns]
		for i := range row {
			row[i] = Cell(row[i])
		}
		rows = append(rows, row)
	}
	return rows
}

// rowCells returns the cells of an event's row. Its deadline is the next one after now.
func rowCells(e eventseer.Event, now time.Time) []string {
	v := eventseer.Venue{}
	if e.Location != nil {
		v = *e.Location
	}
	when, kind, tz := "", "", ""
	if d, ok := eventseer.NextDeadline(e, now); ok {
		kind, tz, when = string(d.Kind), d.TZ, string(d.Date)
		if !d.Instant.IsZero() {
			when = d.Instant.UTC().Format(time.RFC3339)
		}
	}
	return []string{
		string(e.ID), e.Acronym, e.Title, string(e.Kind), positiveText(e.Year), string(e.EventStart), string(e.EventEnd), v.City, v.Country, when, kind, e.Page(),
		e.Series, v.Region, v.CountryCode, attendanceText(v), tz, deadlineList(e), strings.Join(nonEmptyLines(e.Topics, eventseer.MaxTopics), "; "),
		e.SubmissionURL, e.Publisher, shareText(e.Confidence), momentText(e.FirstSeen), momentText(e.LastSeen),
	}
}

// Cell returns a text for a cell of a table. It is in one line, with an apostrophe before text that
// a spreadsheet would interpret as a formula.
func Cell(s string) string { return text.DisarmFormula(singleLine(s, maxCell)) }

// maxCell is the limit of spreadsheets for one cell, in characters, with a margin.
const maxCell = 32_000

func attendanceText(v eventseer.Venue) string {
	switch {
	case v.Hybrid:
		return "hybrid"
	case v.Online:
		return "online"
	case v.City != "" || v.Country != "":
		return "on site"
	}
	return ""
}

func positiveText(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func shareText(f float64) string {
	if f == 0 {
		return ""
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}

func momentText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
