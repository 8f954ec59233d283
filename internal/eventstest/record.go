package eventstest

import (
	"time"

	"eventseer/eventseer"
)

// Monday is the day on which Record's pages are first read.
var Monday = time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)

// Home and Mirror are the URLs of a call and of a list that repeats it.
const Home, Mirror = "https://quiet.example/cfp", "https://list.example/quiet"

// Record returns a call as read from one page, so many days after Monday, with a change if
// that is not nil.
func Record(url string, day int, change func(*eventseer.Event)) eventseer.Event {
	e := eventseer.Event{
		URL: url, Title: "Fourth Workshop on Quiet Engines", Acronym: "QUIET 2027", Kind: eventseer.Workshop, Year: 2027,
		EventStart: "2027-06-01", EventEnd: "2027-06-02",
		Location:   &eventseer.Venue{City: "Bergen", Country: "Norway", CountryCode: "NO"},
		Deadlines:  []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: url}}},
		Topics:     []string{"valves"},
		Confidence: 0.8, Pages: []string{url},
		FirstSeen: Monday.AddDate(0, 0, day), LastSeen: Monday.AddDate(0, 0, day),
	}
	if change != nil {
		change(&e)
	}
	return e
}
