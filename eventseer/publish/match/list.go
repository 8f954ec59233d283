package match

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/dictionary"
)

// A List is one compiled list, independent of a Matcher.
type List struct {
	*compiledList
	terms  *query.Compiler
	people bool
}

// Compile compiles the query of a list. Its error is a *query.Error. If d is nil, there are no synonyms.
// people allows queries for people (person:).
func Compile(l eventseer.List, d *dictionary.Dictionary, people bool) (*List, error) {
	terms := query.NewCompiler()
	c, err := compileList(terms, l, d)
	if err != nil {
		return nil, err
	}
	return &List{c, terms, people}, nil
}

// IsTimed reports whether the matches of a query depend on the current day.
func IsTimed(text string) bool {
	c, err := compileList(query.NewCompiler(), eventseer.List{Query: text}, nil)
	return err == nil && c.timed
}

// IsTimed reports whether the matches of the list depend on the current day.
func (l *List) IsTimed() bool { return l.timed }

// Queries returns queries for each clause of the list. Together they find at least all events that may have
// matched the clause between since and now.
func (l *List) Queries(since, now time.Time) (queries [][]string) {
	for _, clause := range l.Clauses {
		queries = append(queries, queriesOf(clause, since, now))
	}
	return queries
}

// Explain returns why the list matches a document at a time. ok is false if it does not match.
func (l *List) Explain(d eventseer.Document, at time.Time) (m Match, ok bool) {
	t := l.terms.Read(d, l.people)
	if !l.Matches(t, at) {
		return m, false
	}
	return newExplainer(t, at).explainMatch(l.compiledList), true
}

// Terms returns the searched words with their synonyms.
func (c *compiledList) Terms() (terms []eventseer.PreviewTerm) {
	for _, clause := range c.Clauses {
		for _, w := range clause {
			t := eventseer.PreviewTerm{Term: w.Text}
			if w.Field != "" {
				t.Term = w.String()
			}
			for _, y := range w.Ways[min(1, len(w.Ways)):] {
				t.Same = append(t.Same, y.Text)
			}
			terms = append(terms, t)
		}
	}
	return terms
}

// queriesOf returns queries that together find all events that may match a clause: one for each form of each
// of its terms. A date window is extended to cover all days since.
func queriesOf(clause []*query.Pattern, since, now time.Time) (texts []string) {
	for _, w := range clause {
		if isTimed(w) {
			texts = append(texts, widestQuery(w, since, now))
			continue
		}
		if len(w.Ways) == 0 {
			texts = append(texts, w.String())
			continue
		}
		texts = append(texts, w.String())
		for _, y := range w.Ways[1:] {
			t := query.Term{Field: w.Field, Op: w.Op, Text: y.Text, Phrase: true}
			texts = append(texts, t.String())
		}
	}
	return texts
}

// IsOver reports whether submission is no longer possible: all submission deadlines have passed, or the event
// is cancelled.
func IsOver(e eventseer.Event, now time.Time) bool {
	if e.State == eventseer.Cancelled {
		return true
	}
	if _, open := eventseer.NextDeadline(e, now); open {
		return false
	}
	return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind.IsSubmission() && !d.Moment().IsZero() })
}

// maxMatchTimes is the maximum number of times at which First compares an event with a list.
const maxMatchTimes = 500

// FirstMatchTime returns the first time between since and now at which the list began to match a document in its
// current form. The event must have been open then. A match that already existed at since does not count. ok
// is false if there is no such time.
func (l *List) FirstMatchTime(d eventseer.Document, since, now time.Time) (time.Time, bool) {
	t := l.terms.Read(d, l.people)
	asked := func(at time.Time) bool {
		t.ClearCache()
		return l.Matches(t, at) && !IsOver(d.Event, at)
	}
	begin, known := d.Event.FirstSeen, false
	if begin.Before(since) {
		begin, known = since, asked(since)
	}
	for _, at := range l.matchTimes(t.Facts, begin, now) {
		was := known
		if known = asked(at); known && !was {
			return at, true
		}
	}
	return now, false
}

// matchTimes returns the times from begin to now at which the list may begin or stop to match an event, in order.
// At these times an end of a window passes one of the event's days.
func (c *compiledList) matchTimes(f *query.Facts, begin, now time.Time) []time.Time {
	all := []time.Time{begin, now}
	add := func(at time.Time) {
		for _, t := range []time.Time{at, at.Add(1)} {
			if t.After(begin) && t.Before(now) && len(all) < maxMatchTimes {
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
				// The end passes the day earlier by its distance from the day; months differ by days.
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

// daysFor returns the days of an event to which windows of a field refer.
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

// widestQuery returns a query that finds all events which a window may have contained on any day from since to
// now. "" finds all events.
func widestQuery(w *query.Pattern, since, now time.Time) string {
	if w.Field != "due" && w.Field != "start" {
		return ""
	}
	from, _ := w.Window(since)
	if from.IsZero() || from.After(now) {
		return ""
	}
	return w.Field + ">=" + from.AddDate(0, 0, -3).Format(time.DateOnly)
}

// A compiledList is the compiled query of a list.
type compiledList struct {
	*query.Program
	list    eventseer.List
	anchors []int32 // keys of which a matching document has at least one; nil if there are none
	timed   bool    // true if its matches depend on the current day
}

// compileList compiles a list's query. Its error is a *query.Error.
func compileList(terms *query.Compiler, l eventseer.List, d *dictionary.Dictionary) (*compiledList, error) {
	expr, err := query.Parse(l.Query)
	if err != nil {
		return nil, err
	}
	o := query.Options{Exact: l.Exact}
	if l.Synonyms && d != nil {
		expr = expr.WithNames(func(words string) bool { return d.SameNames(words) != nil })
		o.Synonyms, o.Name = func(text string) []string { return synonymsOf(text, l, d) }, fmt.Sprintf("%q", l.Without)
	}
	c := &compiledList{Program: terms.CompileQuery(expr, o), list: l}
	for range c.timedTerms() {
		c.timed = true
	}
	return c, nil
}

// synonymsOf returns the synonyms of a text without those that the list excludes.
func synonymsOf(text string, l eventseer.List, d *dictionary.Dictionary) []string {
	left := func(s string) bool {
		return slices.ContainsFunc(l.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), s) })
	}
	return slices.DeleteFunc(slices.Clone(d.Synonyms(text)), left)
}

// setAnchors sets the anchors to those of the clause that is cheapest. For each of its terms it chooses the
// rarest key that a matching document must have. used has the number of lists by key.
func (c *compiledList) setAnchors(used []int32) {
	best := int64(-1)
	for _, clause := range c.Clauses {
		keys, cost, ok := anchorsOf(clause, used)
		if ok && (best < 0 || cost < best) {
			c.anchors, best = keys, cost
		}
	}
}

func anchorsOf(clause []*query.Pattern, used []int32) (keys []int32, cost int64, ok bool) {
	for _, p := range clause {
		ways := p.Keys()
		if ways == nil {
			return nil, 0, false
		}
		for _, needed := range ways {
			keys = append(keys, slices.MinFunc(needed, func(a, b int32) int { return int(used[a]) - int(used[b]) }))
		}
	}
	for _, k := range keys {
		cost += int64(used[k])
	}
	return keys, cost, true
}

// forEachKey calls f with each key of a list's clauses.
func (c *compiledList) forEachKey(f func(int32)) {
	for _, clause := range c.Clauses {
		for _, p := range clause {
			for _, keys := range p.Keys() {
				for _, k := range keys {
					f(k)
				}
			}
		}
	}
}
