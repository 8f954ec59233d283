package date

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // embeds the zone database, so that results do not depend on the machine

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
)

var offsetPattern = pattern.Compile(`([±+\-−–])\s?(\d{1,2}):?(\d\d)?$`)

// zoneOfOffset converts a printed offset to the name of a zone: "GMT +05:30" to "UTC+5:30", UTC+08:00 to
// "UTC+8", UTC-12 to AoE. It returns "" if no zone has that offset.
func zoneOfOffset(s string) string {
	m := offsetPattern.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	h, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3])
	sign := "-"
	if m[1] == "+" {
		sign = "+"
	}
	switch {
	case h == 0 && minute == 0:
		return "UTC"
	case sign == "-" && h == 12 && minute == 0:
		return aoe
	case m[1] == "±" || minute > 59 || sign == "+" && h*60+minute > 14*60 || sign == "-" && h*60+minute > 12*60:
		return ""
	}
	if minute == 0 {
		return fmt.Sprintf("UTC%s%d", sign, h)
	}
	return fmt.Sprintf("UTC%s%d:%02d", sign, h, minute)
}

// Location returns the zone with the given name, or nil if it is unknown.
func Location(name string) *time.Location {
	if name == aoe {
		return time.FixedZone(aoe, -12*3600)
	}
	if rest, ok := strings.CutPrefix(name, "UTC"); ok && rest != "" {
		hours, minutes, _ := strings.Cut(rest[1:], ":")
		h, err := strconv.Atoi(hours)
		if err != nil {
			return nil
		}
		m, _ := strconv.Atoi(minutes) // an error leaves 0, a whole hour
		seconds := h*3600 + m*60
		if rest[0] == '-' {
			seconds = -seconds
		}
		return time.FixedZone(name, seconds)
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil
	}
	return loc
}

// Instant returns the time of the given second of day d in a zone, in UTC. It returns the zero time if the
// zone is unknown or d is not whole.
func Instant(d Day, seconds int, zone string) time.Time {
	loc := Location(zone)
	if loc == nil || !d.HasYear() {
		return time.Time{}
	}
	return time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, seconds, 0, loc).UTC()
}
