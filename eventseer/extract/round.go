package extract

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// round matches the number or season of a submission round. announcements matches "call for" because
// "second call for papers" is a repetition of the call and not a round.
var (
	round         = compilePattern(`(?i)\b(?:(?:round|cycle|phase|call)[ -]?[#(]?\s?(\d|i{1,3}\b|iv\b|one\b|two\b|three\b|four\b)|(first|second|third|fourth|1st|2nd|3rd|4th|spring|summer|fall|autumn|winter)[ -](?:(?:paper|research|papers|abstract|review|reviewing|full|submission|20\d\d)\s){0,2}(?:round|cycle|deadline|phase|call|submissions?\b))`)
	announcements = compilePattern(`(?i)\bcalls? for\b`)
)

var roundNumbers = map[string]int{
	"1": 1, "i": 1, "one": 1, "first": 1, "1st": 1,
	"2": 2, "ii": 2, "two": 2, "second": 2, "2nd": 2,
	"3": 3, "iii": 3, "three": 3, "third": 3, "3rd": 3,
	"4": 4, "iv": 4, "four": 4, "fourth": 4, "4th": 4,
	"5": 5, "6": 6, "7": 7, "8": 8, "9": 9,
}

// seasons are names of rounds. Their order follows from the dates.
var seasons = map[string]string{"spring": "spring", "summer": "summer", "fall": "fall", "autumn": "fall", "winter": "winter"}

// roundOf reads "Round 2", "second cycle" or "fall deadline". It returns the number, 0 for none, or the
// season, "" for none.
func roundOf(s string) (number int, season string) {
	m := round.FindStringSubmatch(announcements.ReplaceAllString(cutToBytes(s, maxLabel), ""))
	if m == nil {
		return 0, ""
	}
	name := strings.ToLower(m[1] + m[2])
	return roundNumbers[name], seasons[name]
}

// numberSeasons sets the numbers of rounds that are named by seasons, in the order of their first dates.
// named[i] is the season of ds[i], or "". A single season is not a round.
func numberSeasons(ds []eventseer.Deadline, named []string) {
	first := map[string]eventseer.Date{}
	var order []string
	for i, s := range named {
		if s == "" {
			continue
		}
		if d, ok := first[s]; !ok || ds[i].Date < d {
			first[s] = ds[i].Date
		}
		if !slices.Contains(order, s) {
			order = append(order, s)
		}
	}
	if len(order) < 2 {
		return
	}
	slices.SortStableFunc(order, func(a, b string) int { return strings.Compare(string(first[a]), string(first[b])) })
	for i, s := range named {
		if s != "" {
			ds[i].Round = 1 + slices.Index(order, s)
		}
	}
}
