package show

import (
	"encoding/csv"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/exchange"
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
	return csv.NewWriter(w).WriteAll(exchange.FindRows(events, now))
}
