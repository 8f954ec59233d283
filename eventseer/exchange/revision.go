package exchange

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A revision is the history of an event's present state.
type revision struct {
	seq   uint64    // of the last change shown to readers; 0 if there is none
	at    time.Time // of that change
	found time.Time // when the event was found
}

// revisionOf summarizes a history. Without one, the event's own times are used, otherwise those of
// the publication: never the clock.
func revisionOf(en eventseer.Entry, p eventseer.Publication) revision {
	r := revision{found: en.Event.FirstSeen}
	for _, c := range en.Changes {
		if r.found.IsZero() && c.New {
			r.found = c.At
		}
		readersAreTold := c.Into == "" && (c.New || len(c.Fields) > 0 || slices.ContainsFunc(c.Kinds, eventseer.ChangeKind.NotifiesReaders))
		if readersAreTold {
			r.seq, r.at = c.Seq, c.At
		}
	}
	if r.found.IsZero() {
		r.found = p.Updated
	}
	if r.found.IsZero() {
		r.found = time.Unix(0, 0)
	}
	if r.at.IsZero() {
		r.at = r.found
	}
	r.found, r.at = r.found.UTC().Truncate(time.Second), r.at.UTC().Truncate(time.Second)
	return r
}

// A calendarDate is one date of a calendar: a deadline with its permanent identity in calendar programs.
type calendarDate struct {
	eventseer.Deadline
	id       string // kind, track and round
	sequence int    // number of times the event was moved
	gone     bool   // removed from the event
}

// datesOf returns the deadlines of an event in the order of their days, then the removed ones.
func datesOf(en eventseer.Entry) []calendarDate {
	current := slices.Clone(en.Event.Deadlines)
	slices.SortStableFunc(current, func(a, b eventseer.Deadline) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Track, b.Track), cmp.Compare(a.Round, b.Round))
	})
	var all []calendarDate
	count := map[string]int{}
	add := func(d eventseer.Deadline, gone bool) {
		key := dateKey(d)
		count[key]++
		x := calendarDate{Deadline: d, id: key, gone: gone, sequence: countMoves(en.Changes, d)}
		if n := count[key]; n > 1 {
			x.id = fmt.Sprintf("%s-%d", key, n)
		}
		if gone {
			x.sequence++
		}
		all = append(all, x)
	}
	for _, d := range current {
		add(d, isGoneOrCancelled(en))
	}
	for _, d := range withdrawnDeadlines(en) {
		add(d, true)
	}
	return all
}

// isGoneOrCancelled reports whether an event no longer takes place. The days of a cancelled event are tombstones,
// like those of a deleted one.
func isGoneOrCancelled(en eventseer.Entry) bool {
	return en.Gone || en.Event.State == eventseer.Cancelled
}

// dateKey identifies a deadline within its event by what does not change when it moves.
func dateKey(d eventseer.Deadline) string {
	key := slugOf(string(d.Kind))
	if d.Track != "" {
		key += "-" + slugOf(d.Track)
	}
	return fmt.Sprintf("%s-%d", key, max(d.Round, 0))
}

// countMoves counts how often a deadline got another value, going back from its present one. Removals
// and returns count, its first appearance does not.
func countMoves(changes []eventseer.Change, d eventseer.Deadline) int {
	n, now, first := 0, d.String(), false
	field, bare := d.Field(), "deadlines."+string(d.Kind)
	for _, c := range slices.Backward(changes) {
		for _, f := range slices.Backward(c.Fields) {
			if (f.Field == field || f.Field == bare) && f.New == now && f.Old != now {
				now, first = f.Old, f.Old == ""
				n++
				break
			}
		}
	}
	if first {
		n--
	}
	return n
}

// withdrawnDeadlines returns the deadlines in the history that the event no longer has. If a field has
// several values, the last removed ones are returned, because the others were replaced by a new
// date.
func withdrawnDeadlines(en eventseer.Entry) (gone []eventseer.Deadline) {
	type state struct {
		count, most, now int
		last             []string // removed values, the last first
	}
	fields := map[string]*state{}
	at := func(field string) *state {
		if fields[field] == nil {
			fields[field] = &state{}
		}
		return fields[field]
	}
	for _, d := range en.Event.Deadlines {
		s := at(d.Field())
		s.count, s.most, s.now = s.count+1, s.most+1, s.now+1
	}
	for _, c := range slices.Backward(en.Changes) {
		for _, f := range c.Fields {
			if !strings.HasPrefix(f.Field, "deadlines.") {
				continue
			}
			switch s := at(f.Field); {
			case f.New == "" && f.Old != "":
				s.count++
				s.last = append(s.last, f.Old)
			case f.Old == "" && f.New != "":
				s.count--
			}
		}
		for _, s := range fields {
			s.most = max(s.most, s.count)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(fields)) {
		s := fields[field]
		for i := 0; i < min(s.most-s.now, len(s.last)) && len(gone) < eventseer.MaxDeadlines; i++ {
			if d, ok := parseChangedDeadline(field, s.last[i]); ok {
				gone = append(gone, withUnusedRound(d, append(slices.Clone(en.Event.Deadlines), gone...)))
			}
		}
	}
	return gone
}

// parseChangedDeadline reads a deadline as changes print it.
func parseChangedDeadline(field, value string) (d eventseer.Deadline, ok bool) {
	kind, track, _ := strings.Cut(strings.TrimPrefix(field, "deadlines."), "[")
	day, zone, _ := strings.Cut(value, " ")
	d = eventseer.Deadline{Kind: eventseer.DeadlineKind(kind), Track: strings.TrimSuffix(track, "]"), Date: eventseer.Date(day), TZ: zone}
	t, ok := d.Date.Time()
	if at := eventseer.Zone(zone); ok && at != nil {
		d.Instant = time.Date(t.Year(), t.Month(), t.Day(), 23, 59, 59, 0, at).UTC()
	}
	return d, ok
}

// withUnusedRound sets the round of a removed deadline to the lowest one unused by its kind and track, if
// they have rounds.
func withUnusedRound(d eventseer.Deadline, others []eventseer.Deadline) eventseer.Deadline {
	taken := map[int]bool{}
	for _, o := range others {
		if o.Kind == d.Kind && o.Track == d.Track {
			taken[o.Round] = true
		}
	}
	if len(taken) == 0 || taken[0] && len(taken) == 1 {
		return d
	}
	for d.Round = 1; taken[d.Round]; d.Round++ {
	}
	return d
}
