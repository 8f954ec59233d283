package eventseer

import (
	"time"

	"eventseer/internal/text"
)

// NextDeadline returns the first deadline to hand something in that is still
// open at now. Deadlines are compared by Moment: one without a time zone is
// taken to end with its day anywhere on earth (UTC-12), as most calls mean it;
// the record itself is not changed by that assumption. Nobody hands anything in to an event
// that is cancelled.
func NextDeadline(e Event, now time.Time) (Deadline, bool) {
	var next Deadline
	if e.State == Cancelled {
		return next, false
	}
	var end time.Time
	for _, d := range e.Deadlines {
		at := d.Moment()
		if !d.Kind.Submits() || at.IsZero() || at.Before(now) {
			continue
		}
		if end.IsZero() || at.Before(end) {
			next, end = d, at
		}
	}
	return next, !end.IsZero()
}

// Time returns the start of the day in UTC, and whether d is a day.
func (d Date) Time() (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, string(d))
	return t, err == nil
}

// Field names a deadline in a change: "deadlines.submission", with the track
// in brackets where there is one.
func (d Deadline) Field() string {
	name := "deadlines." + string(d.Kind)
	if d.Track != "" {
		name += "[" + d.Track + "]"
	}
	return name
}

// String returns the day and the zone of a deadline, "2027-01-15 AoE".
func (d Deadline) String() string {
	if d.TZ == "" {
		return string(d.Date)
	}
	return string(d.Date) + " " + d.TZ
}

// Moment returns the last moment of the deadline in UTC: Instant where it is
// known, else the end of Date in the last zone to reach it (UTC-12, "anywhere
// on Earth"), so that nothing is called closed too early. It is zero if Date is
// no date.
func (d Deadline) Moment() time.Time {
	if !d.Instant.IsZero() {
		return d.Instant.UTC()
	}
	day, ok := d.Date.Time()
	if !ok {
		return time.Time{}
	}
	return day.Add(36*time.Hour - time.Second)
}

// A DeadlineKey is what the phases of one track and round are compared by.
type DeadlineKey struct {
	Kind  DeadlineKind
	Track string // folded
	Round int
}

// Key returns the kind, the track and the round of a deadline.
func (d Deadline) Key() DeadlineKey { return DeadlineKey{d.Kind, text.Fold(d.Track), d.Round} }

// Submits reports whether a deadline of this kind is one to hand something in.
func (k DeadlineKind) Submits() bool {
	switch k {
	case Abstract, Submission, WorkshopProposal, TutorialProposal, Poster, Demo, Doctoral:
		return true
	}
	return false
}
