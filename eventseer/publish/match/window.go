package match

import (
	"iter"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// A dateWindow is a term that depends on the current day, such as due<30d. lists is the number of lists with this
// term.
type dateWindow struct {
	query.Term
	lists int
}

// timedTerms returns an iterator over the terms of a list that depend on the current day.
func (c *compiledList) timedTerms() iter.Seq[*query.Pattern] {
	return func(yield func(*query.Pattern) bool) {
		for _, terms := range append(slices.Clone(c.Clauses), c.Excluded) {
			for _, w := range terms {
				if isTimed(w) && !yield(w) {
					return
				}
			}
		}
	}
}

// HasWindowOf reports whether the list has a term of the given field that depends on the current day.
func (c *compiledList) HasWindowOf(field string) bool {
	for w := range c.timedTerms() {
		if w.Field == field {
			return true
		}
	}
	return false
}

// isTimed reports whether the matches of a term depend on the current day.
func isTimed(p *query.Pattern) bool { return p.IsFact() && p.IsTimed() }

// countWindows adds lists, 1 or -1, to the counts of the windows of c.
func (m *Matcher) countWindows(c *compiledList, lists int) {
	for w := range c.timedTerms() {
		known := m.windows[w.String()]
		if known == nil {
			known = &dateWindow{Term: w.Term}
			m.windows[w.String()] = known
		}
		if known.lists += lists; known.lists == 0 {
			delete(m.windows, w.String())
		}
	}
}

// HasWindows reports whether a list has a term that depends on the current day. HasWindowOfField reports whether a
// list has such a term for a field.
func (m *Matcher) HasWindows() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.windows) > 0
}

func (m *Matcher) HasWindowOfField(field string) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	for _, w := range m.windows {
		if w.Field == field {
			return true
		}
	}
	return false
}

// MatchEntered returns the lists with date windows that match a document now and did not at the time then.
func (m *Matcher) MatchEntered(d eventseer.Document, then, now time.Time) []Match {
	return m.matchIf(func(c *compiledList) bool { return c.timed }, d, &d, then, now)
}

// MatchesList reports whether a list matches a document at a time.
func (m *Matcher) MatchesList(list string, d eventseer.Document, at time.Time) bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	c, ok := m.lists[list]
	return ok && c.Matches(m.terms.Read(d, m.People), at)
}

// Classes of an event's days to which windows refer.
const (
	DueEdge     = 'd' // last moment of a submission deadline
	StartEdge   = 's' // first day of the event
	SeenEdge    = 'n' // when the event was first seen
	ChangedEdge = 'c' // when the event last changed
)

var edgeClass = map[string]byte{"due": DueEdge, "start": StartEdge, "new": SeenEdge, "changed": ChangedEdge}

// A Period is a range of time, both ends included.
type Period struct{ From, To time.Time }

// WindowCrossings returns, for each class of days, the periods that ends of windows passed between two times. Only
// events with a day in such a period can be in a window at one time and not at the other. Periods are in
// order and do not overlap.
func (m *Matcher) WindowCrossings(then, now time.Time) map[byte][]Period {
	m.mu.RLock()
	defer m.mu.RUnlock()
	passed := map[byte][]Period{}
	for _, w := range m.windows {
		class := edgeClass[w.Field]
		passed[class] = append(passed[class], w.passedPeriods(then, now)...)
	}
	for class, all := range passed {
		passed[class] = joinPeriods(all)
	}
	return passed
}

// passedPeriods returns the periods that the ends of a window passed between two times. For deadlines it also
// includes the period itself, in which the next deadline may have changed. A fixed date in a query does not
// move.
func (w *dateWindow) passedPeriods(then, now time.Time) (all []Period) {
	from, to := w.Window(then)
	from2, to2 := w.Window(now)
	for _, ends := range [][2]time.Time{{from, from2}, {to, to2}} {
		a, b := ends[0], ends[1]
		if b.Before(a) { // a month after 31 January is a later day than a month after 1 February
			a, b = b, a
		}
		if !a.IsZero() && !a.Equal(b) {
			all = append(all, Period{a, b})
		}
	}
	switch w.Field {
	case "due":
		all = append(all, Period{then, now})
	case "start": // an event counts as future until its first day is over
		all = append(all, Period{then.Truncate(24 * time.Hour), now.Truncate(24 * time.Hour)})
	}
	return all
}

func joinPeriods(all []Period) (out []Period) {
	slices.SortFunc(all, func(a, b Period) int { return a.From.Compare(b.From) })
	for _, s := range all {
		if n := len(out); n > 0 && !s.From.After(out[n-1].To) {
			if s.To.After(out[n-1].To) {
				out[n-1].To = s.To
			}
			continue
		}
		out = append(out, s)
	}
	return out
}
