package exchange

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

var dayToken = regexp.MustCompile(`(?i)\d+|[a-z]+`)

// A dayWord is a part of the printed dates of an event.
type dayWord struct {
	month, day, year int
}

// dayWords splits a text into months, days and years and ignores everything else.
func dayWords(s string) (words []dayWord) {
	for _, token := range dayToken.FindAllString(s, 40) {
		n, err := strconv.Atoi(token)
		switch {
		case err == nil && len(token) <= 2 && n >= 1 && n <= 31:
			words = append(words, dayWord{day: n})
		case err == nil && len(token) == 4:
			words = append(words, dayWord{year: n})
		case err != nil && monthOf(token) > 0:
			words = append(words, dayWord{month: monthOf(token)})
		}
	}
	return words
}

// monthOf returns the month with a name or abbreviation, 0 for other texts.
func monthOf(s string) int {
	s = strings.ToLower(s)
	if len(s) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		if name := strings.ToLower(m.String()); strings.HasPrefix(name, s) || s == "sept" && m == time.September {
			return int(m)
		}
	}
	return 0
}

// readDays reads the days of an event. Examples are "June 1-4, 2027", "28 June - 2 July 2027",
// "December 30, 2026 - January 3, 2027" and "2027-06-01 - 2027-06-04". Without a printed year it is
// the edition's.
func readDays(s string, year int) (from, to eventseer.Date, ok bool) {
	if isoDays := isoDay.FindAllString(s, 3); len(isoDays) > 0 {
		from, to = eventseer.Date(isoDays[0]), eventseer.Date(isoDays[len(isoDays)-1])
		return plausibleDays(from, to)
	}
	words := dayWords(s)
	var days []eventseer.Date
	monthFirst := len(words) > 0 && words[0].month > 0
	last := dayWord{}
	for i, w := range words {
		if w.day == 0 {
			continue
		}
		if len(days) == 2 {
			return "", "", false
		}
		month := nearestValue(words, i, monthFirst, func(w dayWord) int { return w.month })
		y := cmp.Or(nearestValue(words, i, false, func(w dayWord) int { return w.year }), year)
		last = dayWord{month, w.day, y}
		t := time.Date(y, time.Month(month), w.day, 0, 0, 0, 0, time.UTC)
		if month == 0 || t.Day() != w.day || !hasFourDigitYear(t) {
			return "", "", false
		}
		days = append(days, eventseer.Date(t.Format(time.DateOnly)))
	}
	switch len(days) {
	case 0:
		return "", "", false
	case 1:
		return plausibleDays(days[0], days[0])
	}
	if first, _ := days[0].Time(); days[1] < days[0] && first.Year() == last.year { // across the end of the year, with the year printed once
		days[0] = eventseer.Date(first.AddDate(-1, 0, 0).Format(time.DateOnly))
	}
	return plausibleDays(days[0], days[1])
}

var isoDay = regexp.MustCompile(`\b\d{4}-\d\d-\d\d\b`)

// nearestValue returns the value of the word nearest to words[i] that has one, searching before it or
// after it first.
func nearestValue(words []dayWord, i int, before bool, value func(dayWord) int) int {
	first, then := words[i:], slices.Clone(words[:i])
	slices.Reverse(then)
	if before {
		first, then = then, first
	}
	for _, w := range slices.Concat(first, then) {
		if v := value(w); v > 0 {
			return v
		}
	}
	return 0
}

// plausibleDays passes on days that an event can last.
func plausibleDays(from, to eventseer.Date) (eventseer.Date, eventseer.Date, bool) {
	a, okA := from.Time()
	b, okB := to.Time()
	if !okA || !okB || b.Before(a) || b.Sub(a) > 60*24*time.Hour {
		return "", "", false
	}
	return from, to, true
}

// writeDays writes days as readDays reads them.
func writeDays(from, to eventseer.Date) string {
	layout := dayLayout{whole: "January 2, 2006", yearless: "January 2", first: "January 2", last: "2, 2006"}
	return cmp.Or(layout.format(from, to), "TBD")
}

// A dayLayout is a format of dates. It has the forms of a whole date, one in the edition's year,
// and the first and the last of several in one month.
type dayLayout struct{ whole, yearless, first, last string }

// format returns "" if the first day is unknown.
func (l dayLayout) format(from, to eventseer.Date) string {
	a, ok := from.Time()
	if !ok {
		return ""
	}
	b, ok := to.Time()
	switch {
	case !ok || !b.After(a):
		return a.Format(l.whole)
	case a.Year() != b.Year():
		return a.Format(l.whole) + " - " + b.Format(l.whole)
	case a.Month() != b.Month():
		return a.Format(l.yearless) + " - " + b.Format(l.whole)
	}
	return a.Format(l.first) + "-" + b.Format(l.last)
}
