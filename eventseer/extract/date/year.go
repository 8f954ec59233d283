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

// Years returns the four-digit years in s; what counts things or money is none.
func Years(s string) []int {
	if !strings.ContainsAny(s, "0123456789") {
		return nil
	}
	var ys []int
	s = text.Cut(s, MaxBytes)
	for _, m := range YearPattern.FindAllStringIndex(s, 40) {
		if counts(s[:m[0]], s[m[1]:]) {
			continue
		}
		y, _ := strconv.Atoi(s[m[0]:m[1]])
		ys = append(ys, y)
	}
	for _, m := range shortYear.FindAllStringSubmatch(text.Cut(s, maxBeside), 4) {
		y, _ := strconv.Atoi(m[1])
		ys = append(ys, century(y))
	}
	return ys
}

// counts reports whether the number between two texts is an amount.
func counts(before, after string) bool {
	if r, _ := utf8.DecodeLastRuneInString(before); strings.ContainsRune("€$£¥₹#+", r) {
		return true
	}
	m := countAfter.FindStringSubmatch(text.Cut(after, maxCount))
	return m != nil && (m[1] == "" || countedThings[strings.ToLower(m[1])] || strings.ContainsRune(countSigns, firstRune(m[1])))
}

// countAfter matches what may be after an amount. It is a currency or, in group 1, a word, also
// after the end of a range or a bracket.
var countAfter = pattern.Compile(`^(?:\s?[-–]\s?\d{3,5})?\s?(?:[€$£¥]|\(?(\pL+))`)

// maxCount is how far after a number a word says what it counts, in bytes.
const maxCount = 40

// SetYear sets the year of a range's end; a range over New Year begins in the
// year before.
func (s *Span) SetYear(y int) {
	s.To.Year, s.From.Year = y, y
	if s.To.Month < s.From.Month {
		s.From.Year--
	}
}

// Closest picks the year in which s lies closest to o.
func (s *Span) Closest(o Day) {
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

// BeforeEvent picks the last year in which s lies before the event's end.
func (s *Span) BeforeEvent(end Day) {
	s.SetYear(end.Year)
	if end.Before(s.To) {
		s.SetYear(end.Year - 1)
	}
}

// thaiEra is how many years the era of Thailand is ahead.
const thaiEra = 543

// westernYears turns the years of tokens of a Thai text, 2570, into those of the West.
func westernYears(ts []token) {
	for i := range ts {
		if t := &ts[i]; t.kind == number && t.digits == 4 && t.num >= FirstYear+thaiEra && t.num <= lastYear+thaiEra {
			t.num -= thaiEra
		}
	}
}

// DayOf returns the day of a time.
func DayOf(at time.Time) Day { return Day{at.Year(), int(at.Month()), at.Day()} }
