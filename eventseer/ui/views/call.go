package views

import (
	"fmt"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A CallShown is one call of an edition on its page.
type CallShown struct {
	ID         string // of its heading
	Name       string
	Open       string // "open for 9 days", "" for a call without a future deadline
	Deadlines  []CallDate
	Topics     []Link
	Submission string // URL, or ""
	System     string
	Pages      []Link
}

// A CallDate is a date of a call.
type CallDate struct {
	DeadlineShown
	Past bool
}

// maxCallTopics bounds the topics shown with each call; maxCallPages bounds its pages.
const (
	maxCalls      = 20
	maxCallTopics = 20
	maxCallPages  = 5
)

// CallsShown returns the calls of an event for its page, and how many are left out. It returns none
// for an event with only one.
func CallsShown(e eventseer.Event, now time.Time, zone *time.Location) (shown []CallShown, more int) {
	calls := e.WithCalls().Calls
	if len(calls) < 2 {
		return nil, 0
	}
	for i, c := range FirstN(calls, maxCalls) {
		s := CallShown{
			ID: fmt.Sprintf("call-%d", i+1), Name: Clip(c.Name(), 100), Topics: MapSlice(FirstN(c.Topics, maxCallTopics), TopicLink),
			Submission: WebLink(c.SubmissionURL), System: SystemOf(eventseer.Event{SubmissionSystem: c.SubmissionSystem}), Pages: MapSlice(FirstN(c.Pages, maxCallPages), PageLink),
		}
		for _, d := range FirstN(c.Deadlines, MaxDeadlines) {
			d.Track, d.Round, d.Source.URL = "", 0, "" // said by the heading
			w := NewWhenIn(d, now, zone)
			s.Deadlines = append(s.Deadlines, CallDate{w, w.Urgency == "past"})
		}
		shown = append(shown, s)
	}
	return shown, len(calls) - len(shown)
}

// maxOthers bounds the other open calls shown with an event in a list.
const maxOthers = 3

// OtherOpenCalls lists the open calls of an event other than the call of the next deadline. Each has
// its next deadline: "Demo, until Mon 1 Mar 2027".
func OtherOpenCalls(e eventseer.Event, now time.Time, zone *time.Location) (lines []string) {
	next, open := eventseer.NextDeadline(e, now)
	if !open {
		return nil
	}
	others := eventseer.OtherDeadlines(e, next, now)
	for _, d := range FirstN(others, maxOthers) {
		w := NewWhenIn(d, now, zone)
		lines = append(lines, w.What+" until "+w.Date)
	}
	if n := len(others) - maxOthers; n > 0 {
		lines = append(lines, fmt.Sprintf("%d more", n))
	}
	return lines
}
