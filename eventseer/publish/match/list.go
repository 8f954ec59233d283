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

// A List is one list made ready to be held against documents, besides those of a Matcher.
type List struct {
	*compiled
	terms  *query.Compiler
	people bool
}

// Compile reads the query of a list; its error is a *query.Error. Nil as
// dictionary knows no synonyms. people lets person: find people.
func Compile(l eventseer.List, d *dictionary.Dictionary, people bool) (*List, error) {
	terms := query.NewCompiler()
	c, err := compileList(terms, l, d)
	if err != nil {
		return nil, err
	}
	return &List{c, terms, people}, nil
}

// IsTimed reports whether the matches of a query depend on the day.
func IsTimed(text string) bool {
	c, err := compileList(query.NewCompiler(), eventseer.List{Query: text}, nil)
	return err == nil && c.timed
}

// IsTimed reports whether the matches of the list depend on the day.
func (l *List) IsTimed() bool { return l.timed }

// Queries returns for each clause of the list queries that together find at least
// what may have had it between since and now.
func (l *List) Queries(since, now time.Time) (queries [][]string) {
	for _, clause := range l.Clauses {
		queries = append(queries, queriesOf(clause, since, now))
	}
	return queries
}

// Explain returns why the list matches a document at a time, and false if it does not.
func (l *List) Explain(d eventseer.Document, at time.Time) (m Match, ok bool) {
	t := l.terms.Read(d, l.people)
	if !l.Matches(t, at) {
		return m, false
	}
	return newExplainer(t, at).explain(l.compiled), true
}

// Terms returns the words looked for with their synonyms.
func (c *compiled) Terms() (terms []eventseer.PreviewTerm) {
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

// queriesOf returns queries that together find what may have a clause: one for each way to
// say each of its terms. A window is as wide as it was on all days since.
func queriesOf(clause []*query.Pattern, since, now time.Time) (texts []string) {
	for _, w := range clause {
		if timed(w) {
			texts = append(texts, widest(w, since, now))
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

// Over reports whether nothing can be handed in any more: all deadlines to do so have
// passed, or the event is cancelled.
func Over(e eventseer.Event, now time.Time) bool {
	if e.State == eventseer.Cancelled {
		return true
	}
	if _, open := eventseer.NextDeadline(e, now); open {
		return false
	}
	return slices.ContainsFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind.Submits() && !d.Moment().IsZero() })
}

// maxTurns bounds the times at which a preview holds one event against a list.
const maxTurns = 500

// First returns when between since and now a list with windows began to match a document, as it is
// now, that was open then. It cannot begin to match what it already matched at since.
func (l *List) First(d eventseer.Document, since, now time.Time) (time.Time, bool) {
	t := l.terms.Read(d, l.people)
	asked := func(at time.Time) bool {
		t.Forget()
		return l.Matches(t, at) && !Over(d.Event, at)
	}
	begin, known := d.Event.FirstSeen, false
	if begin.Before(since) {
		begin, known = since, asked(since)
	}
	for _, at := range l.turns(t.Facts, begin, now) {
		was := known
		if known = asked(at); known && !was {
			return at, true
		}
	}
	return now, false
}

// turns returns the times from begin to now at which a list may begin or stop to match an event, in
// order. At these times an end of a window passes one of the event's days.
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

// A compiled list is a query made ready to be held against documents.
type compiled struct {
	*query.Program
	list    eventseer.List
	anchors []int32 // a document that has none of these keys cannot match; nil for a list without
	timed   bool    // whether its matches depend on the day
}

// compileList reads a list's query. Its error is a *query.Error.
func compileList(terms *query.Compiler, l eventseer.List, d *dictionary.Dictionary) (*compiled, error) {
	expr, err := query.Parse(l.Query)
	if err != nil {
		return nil, err
	}
	o := query.Options{Exact: l.Exact}
	if l.Synonyms && d != nil {
		expr = expr.WithNames(func(words string) bool { return d.Same(words) != nil })
		o.Synonyms, o.Name = func(text string) []string { return sameAs(text, l, d) }, fmt.Sprintf("%q", l.Without)
	}
	c := &compiled{Program: terms.Compile(expr, o), list: l}
	for range c.timedTerms() {
		c.timed = true
	}
	return c, nil
}

// sameAs returns the synonyms of a text that its list takes.
func sameAs(text string, l eventseer.List, d *dictionary.Dictionary) []string {
	left := func(s string) bool {
		return slices.ContainsFunc(l.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), s) })
	}
	return slices.DeleteFunc(slices.Clone(d.Synonyms(text)), left)
}

// anchor chooses the clause that the fewest lists may need, and for each of its terms the rarest
// key that a matching document must have. used counts the lists of each key.
func (c *compiled) anchor(used []int32) {
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

// eachKey calls f with each key of a list's clauses.
func (c *compiled) eachKey(f func(int32)) {
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
