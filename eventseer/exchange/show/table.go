package show

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"eventseer/eventseer"
	"eventseer/internal/text"
)

// WriteTable writes events as a table.
func WriteTable(w io.Writer, events []eventseer.Event, now time.Time) error {
	if len(events) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "NEXT DEADLINE\tWHEN\tWHERE\tTITLE\tEVENT")
	for _, e := range events {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", Next(e, now),
			Days(e), Place(e), text.OneLine(e.Title, 60), text.OneLine(string(e.ID), 200))
	}
	return table.Flush()
}

// WriteCSV writes events as CSV.
func WriteCSV(w io.Writer, events []eventseer.Event, now time.Time) error {
	out := csv.NewWriter(w)
	rows := [][]string{{"id", "acronym", "title", "kind", "year", "event_start", "event_end", "city", "country", "deadline", "deadline_kind", "url"}}
	for _, e := range events {
		when, what := "", ""
		if d, ok := eventseer.NextDeadline(e, now); ok {
			when, what = deadlineTime(d), string(d.Kind)
		}
		venue := eventseer.Venue{}
		if e.Location != nil {
			venue = *e.Location
		}
		year := ""
		if e.Year != 0 {
			year = strconv.Itoa(e.Year)
		}
		rows = append(rows, []string{
			string(e.ID), e.Acronym, e.Title, string(e.Kind), year, string(e.EventStart), string(e.EventEnd),
			venue.City, venue.Country, when, what, e.URL,
		})
	}
	return out.WriteAll(rows)
}
