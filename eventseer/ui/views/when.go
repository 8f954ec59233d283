package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A DeadlineShown is a deadline prepared for display.
type DeadlineShown struct {
	What    string // kind, track and round
	Machine string // for the datetime attribute
	Weekday string
	Day     string // "12"
	Month   string // "Feb 2027"
	Date    string // "Fri 12 Feb 2027"
	Clock   string // "23:59 AoE", "17:00 Los Angeles", "" if the page names no zone
	Zone    string // the zone and how it is known
	UTC     string
	Here    string // the moment in the reader's zone, "Sat 13 Feb 12:59 Oslo", "" if Date and Clock show the same
	In      string // "in 9 days"
	Urgency string // soon, near, far or past
	Was     string // the date before an extension
	Text    string // as printed
}

// newWhen is NewWhenIn for readers in UTC.
func newWhen(d eventseer.Deadline, now time.Time) DeadlineShown { return NewWhenIn(d, now, time.UTC) }

// NewWhenIn prepares a deadline for readers in a time zone.
func NewWhenIn(d eventseer.Deadline, now time.Time, reader *time.Location) DeadlineShown {
	w := DeadlineShown{
		What: DeadlineName(d), Machine: Clip(string(d.Date), 20), Date: Clip(string(d.Date), 20),
		Zone: zoneText(d), Text: Clip(d.Text, 200),
	}
	if was, ok := parseDay(d.ExtendedFrom); ok {
		w.Was = was.Format("2 Jan 2006")
	}
	shown, ok := parseDay(d.Date)
	if !d.Instant.IsZero() {
		w.Machine = d.Instant.UTC().Format(time.RFC3339)
		w.UTC = d.Instant.UTC().Format("Mon 2 Jan 2006, 15:04 UTC")
		if zone := eventseer.Zone(d.TZ); zone != nil {
			shown, ok = d.Instant.In(zone), true
			w.Clock = shown.Format("15:04 ") + clockZone(d.TZ)
		}
		w.Here = localMomentText(d.Instant.In(reader), shown, w.Clock != "")
	}
	if ok {
		w.Weekday, w.Day, w.Month = shown.Format("Mon"), shown.Format("2"), shown.Format("Jan 2006")
		w.Date = shown.Format("Mon 2 Jan 2006")
		w.In, w.Urgency = countdownText(d.Moment().Sub(now))
		if n := daysTo(shown, now.In(reader)); d.Instant.IsZero() && n >= 0 {
			w.In, w.Urgency = countDaysText(n)
		}
	}
	return w
}

// localMomentText returns a moment in the reader's time zone, without the parts that the text beside it already has.
// It returns "" if nothing is left.
func localMomentText(here, shown time.Time, clocked bool) string {
	_, far := here.Zone()
	_, near := shown.Zone()
	if clocked && far == near {
		return ""
	}
	layout := "Mon 2 Jan 2006 15:04 "
	if clocked && here.Year() == shown.Year() {
		layout = "Mon 2 Jan 15:04 "
	}
	return here.Format(layout) + ZoneName(here.Location())
}

// clockZone shortens the id of a zone to its city, "Los Angeles" for "America/Los_Angeles". Ids
// without a city stay as they are.
func clockZone(id string) string {
	if area, city, found := strings.Cut(id, "/"); found && area != "Etc" {
		id = strings.ReplaceAll(city[strings.LastIndex(city, "/")+1:], "_", " ")
	}
	return Clip(id, 30)
}

func DeadlineName(d eventseer.Deadline) string {
	name, ok := deadlineNames[d.Kind]
	if !ok {
		name = Clip(string(d.Kind), 40)
	}
	round := ""
	if d.Round > 0 {
		round = fmt.Sprintf("round %d", d.Round)
	}
	return strings.Join(NonEmpty(name, Clip(d.CallTrack(), 80), round), ", ")
}

func zoneText(d eventseer.Deadline) string {
	switch zone := Clip(d.TZ, 30); {
	case zone == "":
		return ""
	case d.TZSource == eventseer.TZAssumed:
		return zone + " (assumed)"
	case d.TZSource == eventseer.TZPage:
		return zone + " (for the whole page)"
	default:
		return zone
	}
}

// countdownText reports how far away a moment is and how urgent that makes it.
func countdownText(left time.Duration) (text, urgency string) {
	const dayLength = 24 * time.Hour
	n := int(left / dayLength)
	switch {
	case left < -730*dayLength:
		return fmt.Sprintf("%d years ago", -n/365), "past"
	case left < -100*dayLength:
		return fmt.Sprintf("%d months ago", -n/30), "past"
	case left < -2*dayLength:
		return fmt.Sprintf("%d days ago", -n), "past"
	case left < 0:
		return "just past", "past"
	case left < time.Hour:
		return "within the hour", "soon"
	case left < 2*time.Hour:
		return "in 1 hour", "soon"
	case left < 2*dayLength:
		return fmt.Sprintf("in %d hours", int(left/time.Hour)), "soon"
	}
	return countDaysText(n)
}

// countDaysText reports how far away a day is and how urgent that makes it.
func countDaysText(n int) (text, urgency string) {
	switch {
	case n == 0:
		return "today", "soon"
	case n == 1:
		return "tomorrow", "soon"
	case n < 7:
		return fmt.Sprintf("in %d days", n), "soon"
	case n < 30:
		return fmt.Sprintf("in %d days", n), "near"
	case n < 100:
		return fmt.Sprintf("in %d days", n), "far"
	}
	return fmt.Sprintf("in %d months", n/30), "far"
}

// daysTo returns the number of calendar days, in the reader's zone, from now to a day.
func daysTo(day, now time.Time) int {
	y, m, d := now.Date()
	return int(day.Sub(time.Date(y, m, d, 0, 0, 0, 0, time.UTC)) / (24 * time.Hour))
}
