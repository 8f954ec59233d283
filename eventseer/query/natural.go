package query

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// A Reading is the interpretation of some words of a query as a term.
type Reading struct{ Words, As string }

// naturalDate matches dates in words that the language has terms for.
var naturalDate = regexp.MustCompile(`(?i)\b(?:(?:due |closing )?(today|tomorrow|this week|next week|this month|next month)|in (january|february|march|april|may|june|july|august|september|october|november|december)(?: ([0-9]{4}))?)\b`)

// ReadDates replaces natural dates in a query by terms. "next month" is the month in which a
// deadline lies, "in June" that in which the event begins, the next one unless a year is given.
// Phrases and values of fields are unchanged. Days are in now's time zone.
func ReadDates(text string, now time.Time) (string, []Reading) {
	var read []Reading
	parts := strings.Split(text, `"`)
	for i := 0; i < len(parts); i += 2 { // odd parts are quoted phrases
		before := parts[i]
		var b strings.Builder
		end := 0
		for _, m := range naturalDate.FindAllStringSubmatchIndex(before, -1) {
			if m[0] > 0 && strings.ContainsRune(":=<>-", rune(before[m[0]-1])) {
				continue
			}
			words, term := before[m[0]:m[1]], ""
			if m[2] >= 0 {
				term = dueTerms(strings.ToLower(before[m[2]:m[3]]), now)
			} else {
				year := ""
				if m[6] >= 0 {
					year = before[m[6]:m[7]]
				}
				term = monthTerm(strings.ToLower(before[m[4]:m[5]]), year, now)
			}
			b.WriteString(before[end:m[0]] + term)
			end = m[1]
			read = append(read, Reading{words, term})
		}
		parts[i] = b.String() + before[end:]
	}
	return strings.Join(parts, `"`), read
}

// dueTerms returns the terms for deadlines on a day, in a week or in a month. Weeks begin on
// Monday.
func dueTerms(words string, now time.Time) string {
	y, m, d := now.Date()
	today := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
	switch words {
	case "today":
		return "due:" + today.Format(time.DateOnly)
	case "tomorrow":
		return "due:" + today.AddDate(0, 0, 1).Format(time.DateOnly)
	case "this week":
		return "due<" + monday.AddDate(0, 0, 7).Format(time.DateOnly)
	case "next week":
		return fmt.Sprintf("due>=%s due<%s", monday.AddDate(0, 0, 7).Format(time.DateOnly), monday.AddDate(0, 0, 14).Format(time.DateOnly))
	case "this month":
		return "due:" + today.Format("2006-01")
	}
	return "due:" + time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC).Format("2006-01") // next month
}

// monthTerm returns the term for events in a month of year, or if that is "", in the next such
// month.
func monthTerm(name, year string, now time.Time) string {
	month, _ := time.Parse("January", strings.ToUpper(name[:1])+name[1:]) // the pattern ensures this
	if year == "" {
		y := now.Year()
		if month.Month() < now.Month() {
			y++
		}
		year = fmt.Sprint(y)
	}
	return fmt.Sprintf("month:%s-%02d", year, month.Month())
}
