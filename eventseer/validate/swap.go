package validate

import (
	"fmt"
	"regexp"
	"slices"

	"eventseer/eventseer"
)

// numericDate matches a date printed in numbers only.
var numericDate = regexp.MustCompile(`\b\d{1,2}\s*[/.-]\s*\d{1,2}\s*[/.-]\s*(?:\d{4}|\d{2})\b`)

// dayAndMonth tries once what a record would be if its days printed in numbers
// alone were read the other way round: dates out of order that are in order
// then were likely misread. It only says so; which reading is right is not for
// a rule of order to decide.
func dayAndMonth(e eventseer.Event) string {
	if disorder(e) == 0 {
		return ""
	}
	turned := e
	turned.Deadlines = slices.Clone(e.Deadlines)
	n := 0
	turn := func(day *eventseer.Date, printed string) {
		if t, ok := day.Time(); ok && t.Day() <= 12 && t.Day() != int(t.Month()) && numericDate.MatchString(printed) {
			*day = eventseer.Date(fmt.Sprintf("%04d-%02d-%02d", t.Year(), t.Day(), int(t.Month())))
			n++
		}
	}
	for i := range turned.Deadlines {
		turn(&turned.Deadlines[i].Date, turned.Deadlines[i].Text)
	}
	turn(&turned.EventStart, e.Sources["event_start"].Snippet)
	turn(&turned.EventEnd, e.Sources["event_end"].Snippet)
	if n == 0 || disorder(turned) > 0 {
		return ""
	}
	return "with day and month the other way round the dates would be in order"
}

// disorder counts the rules about the order of dates that a record fails.
func disorder(e eventseer.Event) int {
	n := 0
	for _, check := range []func(eventseer.Event) string{endBeforeStart, deadlineOrder, deadlineAfterStart, cameraReadyAfterStart, tooEarly, tooLong} {
		if check(e) != "" {
			n++
		}
	}
	return n
}
