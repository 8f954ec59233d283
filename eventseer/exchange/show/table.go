package show

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/internal/text"
)

// WriteTable writes events as a table.
func WriteTable(w io.Writer, events []eventseer.Event, now time.Time) error {
	if len(events) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	fmt.Fprintln(table, "NEXT DEADLINE\tWHEN\tWHERE\tTITLE\tEVENT")
	for _, e := range events {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", NextDeadlineText(e, now),
			DaysText(e), PlaceLine(e), text.OneLine(e.Title, 60), text.OneLine(string(e.ID), 200))
	}
	return table.Flush()
}

// WriteCSV writes events as CSV.
func WriteCSV(w io.Writer, events []eventseer.Event, now time.Time) error {
	return text.NewCSV(w).WriteAll(exchange.FindRows(events, now))
}

// NextDeadlineText returns a short description of the next submission deadline, "-" if there is none in the
// future.
func NextDeadlineText(e eventseer.Event, now time.Time) string {
	d, ok := eventseer.NextDeadline(e, now)
	if !ok {
		return "-"
	}
	return deadlineTime(d) + " " + string(d.Kind)
}

// deadlineTime returns the instant if known, otherwise the day.
func deadlineTime(d eventseer.Deadline) string {
	if d.Instant.IsZero() {
		return text.OneLine(string(d.Date), 20)
	}
	return timeText(d.Instant)
}

// ByDeadline orders events by the next deadline, those without one last, and equal ones by id.
func ByDeadline(x, y eventseer.Event, now time.Time) int {
	dx, okX := eventseer.NextDeadline(x, now)
	dy, okY := eventseer.NextDeadline(y, now)
	switch {
	case okX && !okY:
		return -1
	case okY && !okX:
		return 1
	case !dx.Moment().Equal(dy.Moment()):
		return dx.Moment().Compare(dy.Moment())
	}
	return strings.Compare(string(x.ID), string(y.ID))
}

// DaysText is "2027-06-01/2027-06-04", one day, or "".
func DaysText(e eventseer.Event) string {
	start, end := text.OneLine(string(e.EventStart), 20), text.OneLine(string(e.EventEnd), 20)
	if end == "" || end == start {
		return start
	}
	return start + "/" + end
}

// PlaceLine is city and country, or the place as printed.
func PlaceLine(e eventseer.Event) string {
	content := e.Location.String()
	if content == "" && e.Location != nil {
		content = e.Location.Text
	}
	return text.OneLine(content, 40)
}

// timeText is t in UTC as RFC 3339, or "".
func timeText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
