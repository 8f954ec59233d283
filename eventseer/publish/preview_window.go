package publish

import (
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// maxTurns bounds the times at which a preview holds one event against a list.
const maxTurns = 500

// first returns when between since and now a list with windows began to ask for a document,
// as it is now, that was open then. What it asked for at since already it does not begin to
// ask for.
func (c *compiled) first(terms *query.Compiler, d eventseer.Document, people bool, since, now time.Time) (time.Time, bool) {
	t := terms.Read(d, people)
	asked := func(at time.Time) bool {
		t.Forget()
		return c.Matches(t, at) && !over(d.Event, at)
	}
	begin, known := d.Event.FirstSeen, false
	if begin.Before(since) {
		begin, known = since, asked(since)
	}
	for _, at := range c.turns(t.Facts, begin, now) {
		was := known
		if known = asked(at); known && !was {
			return at, true
		}
	}
	return now, false
}

// turns returns the times from begin to now at which it may change whether a list asks for
// an event, in order: those at which an end of a window passes one of its days.
func (c *compiled) turns(f *query.Facts, begin, now time.Time) []time.Time {
	all := []time.Time{begin, now}
	add := func(at time.Time) {
		for _, t := range []time.Time{at, at.Add(1)} {
			if t.After(begin) && t.Before(now) && len(all) < maxTurns {
				all = append(all, t)
			}
		}
	}
	for w := range c.timedTerms() {
		for _, day := range daysFor(f, w.Field) {
			add(day)
			from, to := w.Window(day)
			for _, end := range []time.Time{from, to} {
				if end.IsZero() || end.Equal(day) {
					continue
				}
				// An end so far from the day passes it as long before; months differ by days.
				at := day.Add(day.Sub(end))
				for n := -3; n <= 3; n++ {
					add(at.AddDate(0, 0, n))
				}
			}
		}
	}
	slices.SortFunc(all, time.Time.Compare)
	return slices.CompactFunc(all, time.Time.Equal)
}

// daysFor returns the days of an event that windows of a field are about.
func daysFor(f *query.Facts, field string) (days []time.Time) {
	switch field {
	case "start":
		return []time.Time{f.Start}
	case "new":
		return []time.Time{f.Seen}
	case "changed":
		return []time.Time{f.Changed}
	}
	for _, d := range f.Due {
		days = append(days, d.Moment)
	}
	return days
}

// widest returns a query that finds at least what a window may have held on a day from
// since to now; "" finds all.
func widest(w *query.Pattern, since, now time.Time) string {
	if w.Field != "due" && w.Field != "start" {
		return ""
	}
	from, _ := w.Window(since)
	if from.IsZero() || from.After(now) {
		return ""
	}
	return w.Field + ">=" + from.AddDate(0, 0, -3).Format(time.DateOnly)
}
