package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/biter777/countries"
)

// importConfidence is the confidence of records from manually kept files: the lowest, so that
// values from any page replace them.
const importConfidence = 0.1

// Event returns the record of an edition. source names the file, for the provenance of all values.
// Invalid data is left out and reported; without a link or an id there is no event.
func (c Conference) Event(e Edition, source string) (eventseer.Event, error) {
	ev := eventseer.Event{
		URL: webURL(e.Link), Title: cmp.Or(c.Description, c.Title), Acronym: c.Title, Kind: kindOf(c.Description), Year: e.Year,
		Confidence: importConfidence, Sources: map[string]eventseer.Provenance{},
	}
	if c.Description == c.Title { // a series without an acronym
		ev.Acronym = ""
	}
	if ev.URL == "" {
		return ev, fmt.Errorf("edition %s of %d has no link", singleLine(e.ID, 40), e.Year)
	}
	var errs []error
	if from, to, ok := readDays(e.Date, e.Year); ok {
		ev.EventStart, ev.EventEnd = from, to
	} else if !isUnknown(e.Date) {
		errs = append(errs, fmt.Errorf("the days %q are not understood", e.Date))
	}
	ev.Location = readPlace(e.Place)
	deadlines, err := c.readDeadlines(e, source)
	ev.Deadlines = deadlines
	if err != nil {
		errs = append(errs, err)
	}
	src := eventseer.Provenance{URL: source, Rule: eventseer.ImportRule, Confidence: importConfidence}
	for _, field := range []string{"title", "kind", "year"} {
		ev.Sources[field] = src
	}
	if ev.Acronym != "" {
		ev.Sources["acronym"] = src
	}
	if ev.EventStart != "" {
		ev.Sources["event_start"], ev.Sources["event_end"] = src, src
	}
	if ev.Location != nil {
		ev.Sources["location"] = src
	}
	ev.Series, ev.ID = series.Of(ev), series.MakeID(ev)
	if err := errors.Join(errs...); err != nil {
		return ev, fmt.Errorf("edition %s: %w", singleLine(e.ID, 40), err)
	}
	return ev, nil
}

func kindOf(title string) eventseer.Kind {
	switch title = strings.ToLower(title); {
	case strings.Contains(title, "workshop"):
		return eventseer.Workshop
	case strings.Contains(title, "symposium"):
		return eventseer.Symposium
	}
	return eventseer.Conference
}

// readDeadlines returns the deadlines of an edition. Rounds are numbered by date, because files list
// them in any order.
func (c Conference) readDeadlines(e Edition, source string) (all []eventseer.Deadline, err error) {
	zone, printed := readZone(e.Timezone)
	if zone == "" && e.Timezone != "" {
		err = fmt.Errorf("the time zone %q is unknown", e.Timezone)
	}
	timeline := slices.Clone(e.Timeline)
	slices.SortStableFunc(timeline, func(a, b Round) int { return strings.Compare(a.Deadline, b.Deadline) })
	for i, t := range timeline {
		for _, at := range []struct {
			kind eventseer.DeadlineKind
			text string
		}{{eventseer.Abstract, t.Abstract}, {eventseer.Submission, t.Deadline}} {
			if isUnknown(at.text) {
				continue
			}
			day, instant, ok := readMoment(at.text, zone)
			if !ok {
				err = errors.Join(err, fmt.Errorf("the deadline %q is not a time such as 2027-01-15 23:59:59", at.text))
				continue
			}
			d := eventseer.Deadline{
				Kind: at.kind, Date: day, Instant: instant, Text: strings.TrimSpace(t.Comment),
				Source: eventseer.Provenance{URL: source, Rule: eventseer.ImportRule, Confidence: importConfidence},
			}
			if zone != "" {
				d.TZ, d.TZPrinted, d.TZSource = zone, printed, eventseer.TZPrinted
			}
			if len(timeline) > 1 {
				d.Round = i + 1
			}
			all = append(all, d)
		}
	}
	return all, err
}

// isUnknown reports whether a value means "not known yet".
func isUnknown(s string) bool {
	switch strings.ToLower(strings.Trim(s, " .?-")) {
	case "", "tbd", "tba", "n/a", "na", "none", "null", "unknown", "to be determined", "to be announced":
		return true
	}
	return false
}

// misreadAoE matches "anywhere on Earth" with the inverted sign of POSIX, or its name with either
// sign.
var misreadAoE = regexp.MustCompile(`(?i)anywhere on earth|\bAoE\b|^Etc/GMT\+12$`)

// fromUTC is a distance from UTC as timelines write it, without spaces.
var fromUTC = regexp.MustCompile(`^(?:UTC|GMT)?([+−-])(\d{1,2})(?::?([0-5]\d))?$`)

// readZone returns the zone of a timeline as in records, and as printed. The sign is that of the
// clock: UTC-8 is behind. "AoE (UTC+12)", a common mistake, is read as AoE, because the name is
// more reliable.
func readZone(s string) (zone, printed string) {
	s = strings.TrimSpace(s)
	if misreadAoE.MatchString(s) {
		return "AoE", s
	}
	s2 := strings.ReplaceAll(s, " ", "")
	if m := fromUTC.FindStringSubmatch(strings.ToUpper(s2)); m != nil {
		hours, _ := strconv.Atoi(m[2])
		minutes, _ := strconv.Atoi(m[3])
		sign := m[1]
		if sign != "+" {
			sign = "-"
		}
		switch {
		case hours == 0 && minutes == 0:
			return "UTC", s
		case sign == "-" && hours == 12 && minutes == 0:
			return "AoE", s
		case eventseer.Zone(fmt.Sprintf("%s%02d:%02d", sign, hours, minutes)) == nil:
			return "", s
		}
		if minutes == 0 {
			return fmt.Sprintf("UTC%s%d", sign, hours), s
		}
		return fmt.Sprintf("UTC%s%d:%02d", sign, hours, minutes), s
	}
	if strings.EqualFold(s, "UTC") || strings.EqualFold(s, "GMT") {
		return "UTC", s
	}
	if s != "" && eventseer.Zone(s) != nil {
		return s, s
	}
	return "", s
}

// readMoment reads a local time; the instant is zero without a zone. 24:00 is the end of that day.
func readMoment(s, zone string) (day eventseer.Date, instant time.Time, ok bool) {
	s = strings.TrimSpace(strings.Replace(s, "T", " ", 1))
	date, clock, _ := strings.Cut(s, " ")
	if strings.HasPrefix(clock, "24:00") {
		s = date + " 23:59:59"
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly, "2006-1-2 15:04:05", "2006/01/02 15:04:05", "2006/01/02 15:04"} {
		t, err := time.Parse(layout, s)
		if err != nil || !hasFourDigitYear(t) {
			continue
		}
		if layout == time.DateOnly {
			t = t.Add(24*time.Hour - time.Second)
		}
		day = eventseer.Date(t.Format(time.DateOnly))
		if loc := eventseer.Zone(zone); loc != nil {
			instant = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc).UTC()
		}
		return day, instant, true
	}
	return "", time.Time{}, false
}

var (
	onlineWord = regexp.MustCompile(`(?i)\b(virtual(ly)?|online|remote)\b`)
	hybridWord = regexp.MustCompile(`(?i)\bhybrid\b`)
)

// readPlace reads "City, Region, Country", "Virtual" and both; nil if it is unknown.
func readPlace(s string) *eventseer.Venue {
	if isUnknown(s) {
		return nil
	}
	v := &eventseer.Venue{Text: s, Hybrid: hybridWord.MatchString(s)}
	v.Online = v.Hybrid || onlineWord.MatchString(s)
	var parts []string
	for part := range strings.SplitSeq(strings.NewReplacer("(", ",", ")", ",", "&", ",", ";", ",").Replace(s), ",") {
		part = strings.TrimSpace(part)
		if !isUnknown(part) && !onlineWord.MatchString(part) && !hybridWord.MatchString(part) {
			parts = append(parts, part)
		}
	}
	if len(parts) > 0 {
		last := parts[len(parts)-1]
		if code := text.CountryNamed(last); code != countries.Unknown && (len(last) > 2 || last == "UK" || last == "US") {
			v.Country, v.CountryCode = strings.TrimSuffix(code.String(), " (the)"), code.Alpha2()
			parts = parts[:len(parts)-1]
		}
	}
	if len(parts) > 0 {
		v.City = parts[0]
	}
	if len(parts) > 1 {
		v.Region = strings.Join(parts[1:], ", ")
	}
	v.Hybrid = v.Hybrid || v.Online && v.City != ""
	return v
}
