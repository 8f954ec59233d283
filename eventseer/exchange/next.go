package exchange

import (
	"bufio"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// maxNext bounds the deadlines listed for terminals.
const maxNext = 200

// A nextSheet lists the next deadlines in the order of their instants, for terminals.
type nextSheet struct {
	w    *bufio.Writer
	p    eventseer.Publication
	rows []nextRow
	more int
}

type nextRow struct {
	at   time.Time
	id   eventseer.EventID
	text string
}

func openNext(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	return &nextSheet{w: w, p: p}, nil
}

func (s *nextSheet) writeEntry(en eventseer.Entry) error {
	d, ok := eventseer.NextDeadline(en.Event, s.p.Now)
	if !ok || en.Gone {
		return nil
	}
	when := dayAndClock(d)
	if clockText(d) == "" {
		when += ", no time zone printed"
	}
	text := strings.Join([]string{when, timeLeftText(d, s.p.Now), briefName(en.Event), describeDeadline(d), placeLine(en.Event.Location), pageURL(s.p.Base, en.Event)}, "\t")
	s.rows = append(s.rows, nextRow{d.Moment(), en.Event.ID, text})
	if len(s.rows) >= 2*maxNext {
		s.keepNearest()
	}
	return nil
}

// keepNearest drops all but the nearest deadlines.
func (s *nextSheet) keepNearest() {
	slices.SortStableFunc(s.rows, func(a, b nextRow) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.id, b.id)) })
	if n := len(s.rows) - maxNext; n > 0 {
		s.rows, s.more = s.rows[:maxNext], s.more+n
	}
}

func (s *nextSheet) close() error {
	s.keepNearest()
	if len(s.rows) == 0 {
		_, err := s.w.WriteString("no open deadline\n")
		return err
	}
	table := tabwriter.NewWriter(s.w, 0, 4, 2, ' ', 0)
	for _, r := range s.rows {
		fmt.Fprintln(table, r.text)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if s.more > 0 {
		fmt.Fprintf(s.w, "and %d more\n", s.more)
	}
	return nil
}

// timeLeftText describes the time until a deadline, in calendar days if its page states no time zone.
func timeLeftText(d eventseer.Deadline, now time.Time) string {
	ahead := d.Moment().Sub(now)
	day, ok := d.Date.Time()
	if ok && d.Instant.IsZero() {
		if n := int(day.Sub(now.UTC().Truncate(24*time.Hour)) / (24 * time.Hour)); n >= 2 {
			return fmt.Sprintf("in %d days", n)
		} else if n >= 0 {
			return [...]string{"today", "tomorrow"}[n]
		}
	}
	switch {
	case ahead < time.Hour:
		return "within the hour"
	case ahead < 48*time.Hour:
		return fmt.Sprintf("in %d h", int(ahead/time.Hour))
	}
	return fmt.Sprintf("in %d days", int(ahead/(24*time.Hour)))
}
