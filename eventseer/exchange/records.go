package exchange

import (
	"bufio"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"eventseer/eventseer"
)

// Public returns an event without its people: publications name none. Whoever runs
// the program has them in the records that the command line writes.
func Public(e eventseer.Event) eventseer.Event {
	e.Committee = nil
	if _, ok := e.Sources["committee"]; ok {
		e.Sources = maps.Clone(e.Sources)
		delete(e.Sources, "committee")
	}
	e.Trail = slices.DeleteFunc(slices.Clone(e.Trail), func(v eventseer.Evidence) bool { return v.Field == "committee" })
	return e
}

// openJSON writes {"total":…,"events":[…]}, the records as extract and find give
// them, without people.
func openJSON(w *bufio.Writer, _ eventseer.Publication, _ url.Values) (sheet, error) {
	w.WriteString(`{"events":[`)
	return &jsonSheet{
		w: w, marshal: marshal, value: func(en eventseer.Entry) any { return Public(en.Event) },
		foot: func(n int) string { return fmt.Sprintf("\n],\"total\":%d}\n", n) },
	}, nil
}

type lineSheet struct{ w *bufio.Writer }

func openJSONLines(w *bufio.Writer, _ eventseer.Publication, _ url.Values) (sheet, error) {
	return lineSheet{w}, nil
}

func (s lineSheet) entry(en eventseer.Entry) error {
	b, err := marshal(Public(en.Event))
	if err != nil {
		return err
	}
	s.w.Write(b)
	return s.w.WriteByte('\n')
}

func (s lineSheet) close() error { return nil }

// deadlineList writes all deadlines of an event in one cell.
func deadlineList(e eventseer.Event) string {
	var parts []string
	for _, d := range e.Deadlines {
		part := what(d) + " " + line(d.String(), 40)
		if !d.Instant.IsZero() {
			part += " (" + d.Instant.UTC().Format("2006-01-02T15:04:05Z") + ")"
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, "; ")
}
