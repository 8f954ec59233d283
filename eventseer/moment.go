package eventseer

import "time"

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
