package views

import (
	"cmp"

	"github.com/eventseer/eventseer/eventseer"
)

// maxClashes bounds the pairs of events that are listed.
const maxClashes = 10

// An OverlappingEvents is a pair of events with the days on which both are held.
type OverlappingEvents struct {
	First, Second Link
	Days          string
}

// FindOverlaps returns the first pairs of events that are held at the same time. Events without known
// days are ignored.
func FindOverlaps(events []eventseer.Event) (found []OverlappingEvents) {
	link := func(e eventseer.Event) Link {
		n := NameOf(e)
		return Link{Text: cmp.Or(n.Short, Clip(n.Title, 80)), Href: EventHref(e.ID)}
	}
	for i, a := range events {
		for _, b := range events[i+1:] {
			from, to := max(a.EventStart, b.EventStart), min(lastDay(a), lastDay(b))
			if a.EventStart == "" || b.EventStart == "" || from > to || len(found) == maxClashes {
				continue
			}
			found = append(found, OverlappingEvents{link(a), link(b), DaysText(from, to)})
		}
	}
	return found
}

// lastDay returns the last day of an event, its first one if only that is known.
func lastDay(e eventseer.Event) eventseer.Date { return max(e.EventStart, e.EventEnd) }
