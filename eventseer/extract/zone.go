package extract

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // zones must not depend on the machine

	"eventseer/eventseer"
)

// aoe is the zone "anywhere on earth": the last place where the day ends.
const aoe = "AoE"

// zoneNames maps printed names of zones to the names of records. Abbreviations
// used in calls all year round ("PST" in July) name the region's clock.
var zoneNames = []struct{ printed, zone string }{
	{`anywhere[- ]on[- ]earth|\baoe\b`, aoe},
	{`(?:utc|gmt)\s?[-−–]\s?12(?::?00)?\b`, aoe},
	{`pacific (?:standard |daylight )?time|\bp[sd]?t\b|us[- /]pacific`, "America/Los_Angeles"},
	{`eastern (?:standard |daylight )?time|\be[sd]?t\b|toronto time`, "America/New_York"},
	{`central european (?:summer )?time|\bcest\b|\bcet\b|\bmet\b|\bmesz?\b|\bmez\b`, "Europe/Berlin"},
	{`central (?:standard |daylight )?time|\bc[sd]t\b`, "America/Chicago"},
	{`mountain (?:standard |daylight )?time|\bm[sd]t\b`, "America/Denver"},
	{`\bbst\b|u\.?k\.? time|london time`, "Europe/London"},
	{`\beest\b|\beet\b`, "Europe/Athens"},
	{`\bjst\b|japan (?:standard )?time`, "Asia/Tokyo"},
	{`\bkst\b|korean? (?:standard )?time`, "Asia/Seoul"},
	{`\bist\b|indian (?:standard )?time`, "Asia/Kolkata"},
	{`\baes?dt\b|\baest\b`, "Australia/Sydney"},
	{`\bhkt\b`, "Asia/Hong_Kong"},
	{`\bsgt\b`, "Asia/Singapore"},
	{`beijing time|北京时间`, "Asia/Shanghai"},
	{`\bbrt\b|horário de brasília`, "America/Sao_Paulo"},
	{`\b(?:utc|gmt)\s?[+\-−–]\s?\d{1,2}(?::?\d\d)?\b`, ""}, // an offset, read by offset
	{`\butc\b|\bgmt\b|\d\s?z\b`, "UTC"},
}

var zonePattern, zoneOf = func() (*regexp.Regexp, []string) {
	var alt, names []string
	for _, z := range zoneNames {
		alt = append(alt, "("+z.printed+")")
		names = append(names, z.zone)
	}
	return regexp.MustCompile(`(?i)` + strings.Join(alt, "|")), names
}()

// shoutedZone are the abbreviations that are also words or names: they count
// in capitals only.
var shoutedZone = regexp.MustCompile(`(?i)^(pt|et|met|mes|ist|est|mst|cst|pst|bst)$`)

// zone returns the first time zone printed in s, by record name and as
// printed.
func zone(s string) (name, printed string) {
	for _, m := range zonePattern.FindAllStringSubmatchIndex(clip(s, maxLabel), 8) {
		printed = s[m[0]:m[1]]
		if shoutedZone.MatchString(printed) && printed != strings.ToUpper(printed) {
			continue
		}
		for i, z := range zoneOf {
			if m[2+2*i] < 0 {
				continue
			}
			if z == "" {
				z = offset(printed)
			}
			if z != "" {
				return z, printed
			}
		}
	}
	return "", ""
}

var offsetPattern = regexp.MustCompile(`([+\-−–])\s?(\d{1,2}):?(\d\d)?`)

// offset turns "GMT +5:30" into "UTC+05:30"; "" when no place has that clock.
func offset(s string) string {
	m := offsetPattern.FindStringSubmatch(s)
	if m == nil {
		return ""
	}
	h, _ := strconv.Atoi(m[2])
	minute, _ := strconv.Atoi(m[3])
	if h > 14 || minute > 59 {
		return ""
	}
	sign := "+"
	if m[1] != "+" {
		sign = "-"
	}
	return fmt.Sprintf("UTC%s%02d:%02d", sign, h, minute)
}

// location returns the clock of a zone named by zone.
func location(name string) *time.Location {
	if name == aoe {
		return time.FixedZone(aoe, -12*3600)
	}
	if rest, ok := strings.CutPrefix(name, "UTC"); ok && rest != "" {
		var h, m int
		if _, err := fmt.Sscanf(rest[1:], "%d:%d", &h, &m); err != nil {
			return nil
		}
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

var clockPattern = regexp.MustCompile(`(?i)\b(\d{1,2})[:.h](\d\d)(?::\d\d)?\s*([ap]\.?\s?m\b)?|\b(\d{1,2})\s*([ap])\.?m\b|\b(midnight|noon|midday|minuit|mitternacht)\b`)

// clock returns the last moment a printed time of day means, in seconds from
// the start of the day; the whole day when none is printed. A full hour or
// minute ends at that very second, 23:59 with the day.
func clock(s string) int {
	const whole = 24*3600 - 1
	m := clockPattern.FindStringSubmatch(clip(s, maxLabel))
	if m == nil {
		return whole
	}
	switch strings.ToLower(m[6]) {
	case "noon", "midday":
		return 12 * 3600
	case "midnight", "minuit", "mitternacht":
		return whole
	}
	h, _ := strconv.Atoi(m[1] + m[4])
	minute, _ := strconv.Atoi(m[2])
	half := strings.ToLower(m[3] + m[5])
	switch {
	case strings.HasPrefix(half, "p") && h < 12:
		h += 12
	case strings.HasPrefix(half, "a") && h == 12:
		h = 0
	}
	if h > 24 || minute > 59 || h == 23 && minute == 59 || h == 24 {
		return whole
	}
	return h*3600 + minute*60
}

// instant returns the last moment of a deadline, in UTC.
func instant(d day, seconds int, zone string) time.Time {
	loc := location(zone)
	if loc == nil || !d.whole() {
		return time.Time{}
	}
	return time.Date(d.year, time.Month(d.month), d.day, 0, 0, seconds, 0, loc).UTC()
}

// pageZone returns the zone that a page says once for all its deadlines.
func pageZone(p *page) (name, printed string) {
	for i, b := range p.blocks {
		if len(b.Text) > maxLabel || !zoneNote.MatchString(b.Text) || len(p.datesIn(i)) > 0 {
			continue
		}
		if name, printed = zone(b.Text); name != "" {
			return name, printed
		}
	}
	return "", ""
}

var zoneNote = regexp.MustCompile(`(?i)deadline|dates|\btimes?\b|submission|23[:.]59|11[:.]59`)

// setZone fills in the time zone and the last moment of a deadline.
func setZone(d *eventseer.Deadline, on day, around, pageName, pagePrinted string) {
	name, printed := zone(around)
	source := eventseer.TZPrinted
	if name == "" {
		name, printed, source = pageName, pagePrinted, eventseer.TZPage
	}
	if name == "" {
		return
	}
	d.TZ, d.TZPrinted, d.TZSource = name, printed, source
	d.Instant = instant(on, clock(around), name)
}
