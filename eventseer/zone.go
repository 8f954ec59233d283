package eventseer

import (
	"regexp"
	"strconv"
	"sync"
	"time"
	_ "time/tzdata" // zones must not depend on the machine
)

// AoE is "anywhere on Earth", the last zone to end a day.
var AoE = time.FixedZone("AoE", -12*60*60)

// zoneOffset is a distance from UTC: "+02:00", "UTC-5", "GMT+0530".
var zoneOffset = regexp.MustCompile(`^(?:UTC|GMT)?\s?([+−-])(\d{1,2})(?::?([0-5]\d))?$`)

// Zone reads a time zone as records write it: "AoE", a distance from UTC or an IANA
// name; nil of one that is unknown. The sign is that of the clock (UTC+8 is ahead), not
// the inverted one of POSIX. It is safe for concurrent use.
func Zone(tz string) *time.Location {
	switch tz {
	case "AoE":
		return AoE
	case "UTC", "GMT", "Z":
		return time.UTC
	}
	if m := zoneOffset.FindStringSubmatch(tz); m != nil {
		hours, _ := strconv.Atoi(m[2]) // the pattern leaves digits only
		minutes, _ := strconv.Atoi(m[3])
		seconds := hours*3600 + minutes*60
		if m[1] != "+" {
			seconds = -seconds
		}
		if seconds < -12*3600 || seconds > 14*3600 {
			return nil
		}
		return time.FixedZone(tz, seconds)
	}
	return NamedZone(tz)
}

// zones keeps time zones that were loaded, as loading one reads a file. Names that are
// none are kept too, as pages of the web hold many.
var zones = struct {
	sync.Mutex
	byName map[string]*time.Location
}{byName: map[string]*time.Location{}}

const maxZones = 1000

// NamedZone returns a zone by its IANA name, nil if there is none. It is safe for
// concurrent use.
func NamedZone(name string) *time.Location {
	if name == "" || name == "Local" || len(name) > 60 {
		return nil
	}
	zones.Lock()
	defer zones.Unlock()
	zone, known := zones.byName[name]
	if known {
		return zone
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = nil
	}
	if len(zones.byName) < maxZones {
		zones.byName[name] = zone
	}
	return zone
}
