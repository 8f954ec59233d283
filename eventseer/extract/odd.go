package extract

import (
	"time"
	"unicode"

	dateparser "github.com/markusmobius/go-dateparser"
)

// Bounds on the dates given to the library, which takes milliseconds a date.
const (
	maxOddDates = 4  // tried on a page
	maxOddBytes = 64 // of one date
	maxOddWords = 4  // tokens between day and year
)

// An oddReader reads dates in languages our lexicons do not know: a day, a few
// words of which one is foreign, and a year, or the year first. Where they
// stand we find ourselves; what they say the library go-dateparser does.
type oddReader struct {
	lang string // of the page
	left int    // dates that may be tried
}

// dates returns the dates of a text in which r found none.
func (o *oddReader) dates(s string, r dateReader) []span {
	var found []span
	for i := 0; i < len(r.ts) && o.left > 0; i++ {
		next, ok := r.oddRun(i)
		if !ok {
			continue
		}
		start, end := r.ts[i].start, r.ts[next-1].end
		if end-start > maxOddBytes {
			continue
		}
		o.left--
		if d, ok := o.parse(s[start:end]); ok && d.day == min(r.ts[i].num, r.ts[next-1].num) && d.year == max(r.ts[i].num, r.ts[next-1].num) {
			found = append(found, span{start: start, end: end, from: d, to: d})
			i = next - 1
		}
	}
	return found
}

// oddRun reports whether tokens [i, next) may be a date in an unknown
// language.
func (r dateReader) oddRun(i int) (next int, ok bool) {
	if t := r.tok(i); !t.isDay() && !t.isYear() || r.tail(i) {
		return i, false
	}
	foreign := false
	for j := i + 1; j <= i+1+maxOddWords && j < len(r.ts); j++ {
		switch t := r.ts[j]; {
		case t.kind == number:
			return j + 1, foreign && (r.ts[i].isDay() && t.isYear() || r.ts[i].isYear() && t.isDay())
		case t.kind == word:
			foreign = foreign || r.wordy || !ascii(t.text)
		case t.text != "." && t.text != ",":
			return i, false
		}
	}
	return i, false
}

func (t token) isYear() bool {
	return t.kind == number && t.digits == 4 && t.num >= firstYear && t.num <= lastYear
}

func ascii(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII {
			return false
		}
	}
	return true
}

// parse reads a date that prints day, month and year.
func (o *oddReader) parse(s string) (day, bool) {
	c := dateparser.Configuration{
		StrictParsing:   true, // a missing part must not become today's
		CurrentTime:     time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		DefaultTimezone: time.UTC,
	}
	if dateparser.IsKnownLocale(o.lang) {
		c.Locales = []string{o.lang}
	}
	at, err := dateparser.Parse(&c, s)
	if err != nil {
		return day{}, false
	}
	d := dayOf(at.Time)
	return d, d.whole()
}
