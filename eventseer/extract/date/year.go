package date

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// YearPattern matches a year of four digits.
var YearPattern = pattern.Compile(`\b(19[89]\d|20\d\d)\b`)

var shortYear = pattern.Compile(`\p{L}\s?['’](\d\d)\b`)

// Years returns the years in s, of four digits or, as in "WWW ’24", of two. Amounts of things or money are
// left out.
func Years(s string) []int {
	if !strings.ContainsAny(s, "0123456789") {
		return nil
	}
	var ys []int
	s = text.CutBytes(s, MaxBytes)
	for _, m := range YearPattern.FindAllStringIndex(s, 40) {
		if isAmountBetween(s[:m[0]], s[m[1]:]) {
			continue
		}
		y, _ := strconv.Atoi(s[m[0]:m[1]])
		ys = append(ys, y)
	}
	for _, m := range shortYear.FindAllStringSubmatch(text.CutBytes(s, maxAroundDate), 4) {
		y, _ := strconv.Atoi(m[1])
		ys = append(ys, expandYear(y))
	}
	return ys
}

// isAmountBetween reports whether the number between the two texts is an amount.
func isAmountBetween(before, after string) bool {
	if r, _ := utf8.DecodeLastRuneInString(before); strings.ContainsRune("€$£¥₹#+", r) {
		return true
	}
	m := countedNoun.FindStringSubmatch(text.CutBytes(after, maxToCountedNoun))
	return m != nil && (m[1] == "" || countedThings[strings.ToLower(m[1])] || strings.ContainsRune(countSigns, firstRune(m[1])))
}

// countedNoun matches what follows an amount: a currency, or a word in group 1. The end of a range or a
// bracket may come first.
var countedNoun = pattern.Compile(`^(?:\s?[-–]\s?\d{3,5})?\s?(?:[€$£¥]|\(?(\pL+))`)

// maxToCountedNoun is the number of bytes after a number in which the counted noun is searched.
const maxToCountedNoun = 40

// SetYear sets the year of the end of s. If the range includes New Year, it begins in the previous year.
func (s *Span) SetYear(y int) {
	s.To.Year, s.From.Year = y, y
	if s.To.Month < s.From.Month {
		s.From.Year--
	}
}

// SetClosestYear sets the year for which s is closest to o.
func (s *Span) SetClosestYear(o Day) {
	best, year := 0, 0
	for y := o.Year - 1; y <= o.Year+1; y++ {
		c := Day{y, s.From.Month, s.From.Day}
		gap := c.Time().Sub(o.Time()).Hours()
		if g := int(max(gap, -gap)); year == 0 || g < best {
			best, year = g, y
		}
	}
	s.SetYear(year)
	if s.From.Year < year {
		s.From.Year, s.To.Year = year, year+1
	}
}

// SetLastYearBefore sets the last year for which s is not after end, the last day of the event.
func (s *Span) SetLastYearBefore(end Day) {
	s.SetYear(end.Year)
	if end.IsBefore(s.To) {
		s.SetYear(end.Year - 1)
	}
}

// thaiEra is the difference in years between the Thai and the western calendar.
const thaiEra = 543

// convertThaiYears converts the years of a Thai text, such as 2570, to the western calendar, in place.
func convertThaiYears(ts []token) {
	for i := range ts {
		if t := &ts[i]; t.kind == number && t.digits == 4 && t.num >= FirstYear+thaiEra && t.num <= lastYear+thaiEra {
			t.num -= thaiEra
		}
	}
}

// DayOf returns the day of at in its time zone.
func DayOf(at time.Time) Day { return Day{at.Year(), int(at.Month()), at.Day()} }
