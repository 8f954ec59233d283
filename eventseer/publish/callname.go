package publish

import (
	"strconv"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"
)

// callName is what an item calls an event: its title, and before it the acronym with the
// year where the title lacks the acronym, so that editions can be told apart: "ICX 2027:
// Conference on Examples".
func callName(e eventseer.Event) string {
	title, short := titleOf(e), message.CleanLine(e.Acronym, maxAcronym)
	if short == "" {
		return title
	}
	named := strings.Contains(strings.ToLower(title), strings.ToLower(short))
	alone := strings.EqualFold(title, short)
	if named && !alone {
		return title
	}
	if year := strconv.Itoa(e.Year); e.Year > 0 && !strings.Contains(short, year[max(0, len(year)-2):]) {
		short += " " + year
	}
	if alone {
		return short
	}
	return message.CleanLine(short+": "+title, maxItemTitle)
}

const maxAcronym = 40 // runes
