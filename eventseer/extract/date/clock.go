package date

import (
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// A Moment is a time of day as printed. The zero Moment means that no time is printed: the deadline ends
// with its day.
type Moment struct {
	seconds int  // seconds since the start of the day
	printed bool // whether a time is printed
	Vague   bool // printed without a time, such as "close of business"
}

const wholeDay = 24*3600 - 1 // seconds from the start of a day to its last second

// LastSecond returns the last second of m, counted from the start of the day. Without a printed time it is the
// last second of the day.
func (m Moment) LastSecond() int {
	if !m.printed {
		return wholeDay
	}
	return m.seconds
}

// A clockForm is one format of a time of day. read gets the groups of the pattern and returns seconds since
// the start of the day, or -1 if they are not a time.
type clockForm struct {
	pattern *pattern.Pattern
	read    func(m []string) int
}

// clockForms are all formats. The leftmost match counts; if two begin at the same byte, the earlier format
// does.
var clockForms = []clockForm{
	{pattern.Compile(`(?i)\b(?:(?:12|24)(?:[:.]00)?\s*(?:uhr\s*)?)?(?:midnight|minuit|mitternachts?|medianoche|meia-noite|mezzanotte|middernacht)\b|午夜|真夜中|자정`),
		func([]string) int { return wholeDay }},
	{pattern.Compile(`(?i)\b(?:12(?:[:.]00)?\s*(?:uhr\s*)?)?(?:noon|midday|(?-i:midi)|mittags?|mediod[ií]a|meio-dia|mezzogiorno)\b|正午|정오`),
		func([]string) int { return 12 * 3600 }},
	{pattern.Compile(`(?i)\bt?(\d{1,2})(?:[:.：]|\s?h\s?)([0-5]\d)(?::([0-5]\d))?\s*([ap]\.?\s?m\b)?`),
		func(m []string) int {
			at := timeOfDay(m[1], m[2], m[4])
			if s, _ := strconv.Atoi(m[3]); at >= 0 && at < wholeDay {
				at += s
			}
			return at
		}},
	{pattern.Compile(`(?i)\b(\d{1,2})\s*([ap])\.?\s?m\b`),
		func(m []string) int { return timeOfDay(m[1], "", m[2]) }},
	{pattern.Compile(`(?i)\b(\d{1,2})\s?(?:uhr|h|horas|heures)\b`),
		func(m []string) int { return timeOfDay(m[1], "", "") }},
	{pattern.Compile(`(?i)\b([01]\d|2[0-4])([0-5]\d)\s?(?:h|hrs|hours|uhr|utc|gmt)\b`),
		func(m []string) int { return timeOfDay(m[1], m[2], "") }},
	{pattern.Compile(`(上午|下午|晚上|午前|午後|오전|오후)?\s?(\d{1,2})\s?[時时点點시]\s?(?:([0-5]?\d)\s?[分분])?`),
		func(m []string) int {
			half := ""
			if strings.Contains("下午 晚上 午後 오후", m[1]) && m[1] != "" {
				half = "p"
			}
			return timeOfDay(m[2], m[3], half)
		}},
}

// clockPattern matches a time of day in any of clockForms.
var clockPattern = func() *pattern.Pattern {
	var alt []string
	for _, f := range clockForms {
		alt = append(alt, f.pattern.String())
	}
	return pattern.Compile(strings.Join(alt, "|"))
}()

var closeOfBusiness = pattern.Compile(`(?i)\b(?:close|end) of (?:business|office)|\b(?-i:COB)\b|\b(?:business|office|working) hours\b|\bgeschäftsschluss`)

// offsetHours matches an offset from UTC in hours and minutes, which looks like a time of day.
var offsetHours = pattern.Compile(`(?i)\b((?:utc|gmt)(?: time)?)\s?[±+\-−–]\s?\d{1,2}:\d\d\b`)

// FirstTimeOfDay returns the first time of day printed in s. Only the first maxAroundDate bytes are read. A printed time
// is a deadline's last second. 23:59, 24:00 and midnight are the end of the day they are printed with;
// 00:00 is its start.
func FirstTimeOfDay(s string) Moment {
	s = offsetHours.ReplaceAllString(text.CutBytes(s, maxAroundDate), "$1")
	best, at := Moment{}, len(s)
	for _, f := range clockForms {
		m := f.pattern.FindStringSubmatchIndex(s)
		if m == nil || m[0] >= at {
			continue
		}
		if n := f.read(submatches(s, m)); n >= 0 {
			best, at = Moment{seconds: n, printed: true}, m[0]
		}
	}
	if !best.printed && closeOfBusiness.MatchString(s) {
		best.Vague = true
	}
	return best
}

// submatches returns the submatches of s for the indices of a match.
func submatches(s string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = s[m[2*i]:m[2*i+1]]
		}
	}
	return out
}

// timeOfDay returns the seconds from the start of the day to a time, or -1 if it is invalid. minute is ""
// if it is not printed. half begins with a or p for a.m. or p.m. and is "" for a 24-hour clock.
func timeOfDay(hour, minute, half string) int {
	h, _ := strconv.Atoi(hour)
	m, _ := strconv.Atoi(minute)
	half = strings.ToLower(half)
	switch {
	case h > 24 || m > 59 || h == 24 && m > 0:
		return -1
	case strings.HasPrefix(half, "p") && h < 12:
		h += 12
	case strings.HasPrefix(half, "a") && h == 12:
		h = 0
	}
	if h == 24 || h == 23 && m == 59 {
		return wholeDay
	}
	return h*3600 + m*60
}

// HasClock reports whether s prints a time of day.
func HasClock(s string) bool { return clockPattern.MatchString(s) }
