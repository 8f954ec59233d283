package ui

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
)

// A when is a deadline made ready for reading.
type when struct {
	What    string // kind, track and round
	Machine string // for the datetime attribute
	Weekday string
	Day     string // "12"
	Month   string // "Feb 2027"
	Date    string // "Fri 12 Feb 2027"
	Clock   string // "23:59 AoE", "" where the page names no zone
	Zone    string // the zone and how it is known
	UTC     string
	In      string // "in 9 days"
	Urgency string // soon, near, far or past
	Was     string // the date before an extension
	Text    string // as printed
}

func newWhen(d eventseer.Deadline, now time.Time) when {
	w := when{
		What: whatOf(d), Machine: clip(string(d.Date), 20), Date: clip(string(d.Date), 20),
		Zone: zoneText(d), Text: clip(d.Text, 200),
	}
	if was, ok := day(d.ExtendedFrom); ok {
		w.Was = was.Format("2 Jan 2006")
	}
	shown, ok := day(d.Date)
	if !d.Instant.IsZero() {
		w.Machine = d.Instant.UTC().Format(time.RFC3339)
		w.UTC = d.Instant.UTC().Format("Mon 2 Jan 2006, 15:04 UTC")
		if zone := location(d.TZ); zone != nil {
			shown, ok = d.Instant.In(zone), true
			w.Clock = shown.Format("15:04 ") + clip(d.TZ, 30)
		}
	}
	if ok {
		w.Weekday, w.Day, w.Month = shown.Format("Mon"), shown.Format("2"), shown.Format("Jan 2006")
		w.Date = shown.Format("Mon 2 Jan 2006")
		w.In, w.Urgency = countdown(d.Moment().Sub(now))
	}
	return w
}

func whatOf(d eventseer.Deadline) string {
	name, ok := deadlineNames[d.Kind]
	if !ok {
		name = clip(string(d.Kind), 40)
	}
	round := ""
	if d.Round > 0 {
		round = fmt.Sprintf("round %d", d.Round)
	}
	return strings.Join(nonEmpty(name, clip(d.Track, 80), round), ", ")
}

func zoneText(d eventseer.Deadline) string {
	switch zone := clip(d.TZ, 30); {
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

// aoe is "anywhere on Earth", the last zone to end a day.
var aoe = time.FixedZone("AoE", -12*60*60)

// offset is a UTC offset: "+02:00", "UTC-5", "GMT+0530".
var offset = regexp.MustCompile(`^(?:UTC|GMT)?([+−-])([01]?\d)(?::?([0-5]\d))?$`)

// location reads a zone as event records write it; nil if it is unknown here.
func location(tz string) *time.Location {
	switch {
	case tz == "AoE":
		return aoe
	case tz == "" || tz == "Local":
		return nil
	}
	if m := offset.FindStringSubmatch(tz); m != nil {
		hours, _ := strconv.Atoi(m[2]) // the pattern leaves digits only
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*3600 + minutes*60
		if m[1] != "+" {
			seconds = -seconds
		}
		return time.FixedZone(tz, seconds)
	}
	zone, err := time.LoadLocation(tz)
	if err != nil {
		return nil
	}
	return zone
}

// countdown says how far away a moment is and how urgent that makes it.
func countdown(left time.Duration) (text, urgency string) {
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
	case n < 7:
		return fmt.Sprintf("in %d days", n), "soon"
	case n < 30:
		return fmt.Sprintf("in %d days", n), "near"
	case n < 100:
		return fmt.Sprintf("in %d days", n), "far"
	}
	return fmt.Sprintf("in %d months", n/30), "far"
}
