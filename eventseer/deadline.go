package eventseer

import "time"

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
