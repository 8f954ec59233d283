package date

import (
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// A Moment is a time of day as printed. The zero moment stands for none: the
// deadline then ends with its day.
type Moment struct {
	seconds int  // from the start of the day
	printed bool // a time is printed
	Vague   bool // "close of business": the time is unknown
}

const wholeDay = 24*3600 - 1 // seconds to the last one of a day

// Last returns the last second that m means, from the start of the day.
func (m Moment) Last() int {
	if !m.printed {
		return wholeDay
	}
	return m.seconds
}

// A clockForm is one way to print a time of day. read gets the groups of the
// pattern and returns seconds from the start of the day, negative for none.
type clockForm struct {
	pattern *pattern.Pattern
	read    func(m []string) int
}

// clockForms are tried together and the leftmost wins, the first on a tie.
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

// clockPattern matches a time of day in any form.
var clockPattern = func() *pattern.Pattern {
	var alt []string
	for _, f := range clockForms {
		alt = append(alt, f.pattern.String())
	}
	return pattern.Compile(strings.Join(alt, "|"))
}()

var closeOfBusiness = pattern.Compile(`(?i)\b(?:close|end) of (?:business|office)|\b(?-i:COB)\b|\b(?:business|office|working) hours\b|\bgeschäftsschluss`)

// offsetHours matches the hours of an offset from UTC, which look like a time.
var offsetHours = pattern.Compile(`(?i)\b((?:utc|gmt)(?: time)?)\s?[±+\-−–]\s?\d{1,2}:\d\d\b`)

// Clock returns the first time of day printed in s. A full hour or minute ends
// at that very second; 23:59 and 24:00 end with the day, as does midnight,
// which in calls closes the day it is printed with; 00:00 opens it.
func Clock(s string) Moment {
	s = offsetHours.ReplaceAllString(text.Cut(s, maxBeside), "$1")
	best, at := Moment{}, len(s)
	for _, f := range clockForms {
		m := f.pattern.FindStringSubmatchIndex(s)
		if m == nil || m[0] >= at {
			continue
		}
		if n := f.read(groups(s, m)); n >= 0 {
			best, at = Moment{seconds: n, printed: true}, m[0]
		}
	}
	if !best.printed && closeOfBusiness.MatchString(s) {
		best.Vague = true
	}
	return best
}

// groups returns the texts of a match by its indices.
func groups(s string, m []int) []string {
	out := make([]string, len(m)/2)
	for i := range out {
		if m[2*i] >= 0 {
			out[i] = s[m[2*i]:m[2*i+1]]
		}
	}
	return out
}

// timeOfDay returns the seconds of a time of day, or -1 if it is invalid. It has an hour, a minute
// ("" for none) and a half of the day that begins with a, p or nothing.
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
