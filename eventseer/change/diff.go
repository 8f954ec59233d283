package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// Diff lists the fields in which two states of one event differ, in the order of the record. Data
// on how an event was found (pages, sources, scores, times) is not a field of the event and is left
// out. Diff is pure.
func Diff(old, new eventseer.Event) (cs []eventseer.FieldChange) {
	add := func(field, o, n string) {
		if o != n {
			cs = append(cs, eventseer.FieldChange{Field: field, Old: o, New: n})
		}
	}
	add("title", old.Title, new.Title)
	add("acronym", old.Acronym, new.Acronym)
	add("kind", string(old.Kind), string(new.Kind))
	add("year", PrintYear(old.Year), PrintYear(new.Year))
	add("parent", old.Parent, new.Parent)
	add("event_start", string(old.EventStart), string(new.EventStart))
	add("event_end", string(old.EventEnd), string(new.EventEnd))
	add("location", old.Location.String(), new.Location.String())
	cs = append(cs, diffDeadlines(old.Deadlines, new.Deadlines)...)
	add("topics", strings.Join(old.Topics, "; "), strings.Join(new.Topics, "; "))
	add("committee", peopleText(old.Committee), peopleText(new.Committee))
	add("submission_url", old.SubmissionURL, new.SubmissionURL)
	add("submission_system", old.SubmissionSystem, new.SubmissionSystem)
	add("publisher", old.Publisher, new.Publisher)
	for _, name := range slices.Compact(slices.Sorted(slices.Values(append(old.OtherNames(), new.OtherNames()...)))) {
		add(eventseer.OtherField(name), strings.Join(old.Other[name], "; "), strings.Join(new.Other[name], "; "))
	}
	add("state", string(old.State), string(new.State))
	return cs
}

// diffDeadlines pairs the deadlines of two states: a moved one is one change
// with both dates.
func diffDeadlines(old, new []eventseer.Deadline) (cs []eventseer.FieldChange) {
	pairs, gone, added := PairDeadlines(old, new)
	for _, p := range pairs {
		if o, n := p.Old.String(), p.New.String(); o != n {
			cs = append(cs, eventseer.FieldChange{Field: p.New.Field(), Old: o, New: n})
		}
	}
	for _, d := range gone {
		cs = append(cs, eventseer.FieldChange{Field: d.Field(), Old: d.String()})
	}
	for _, d := range added {
		cs = append(cs, eventseer.FieldChange{Field: d.Field(), New: d.String()})
	}
	return cs
}

func PrintYear(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func peopleText(ps []eventseer.Person) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	return strings.Join(names, "; ")
}

// A DeadlinePair is one deadline in two states of an event.
type DeadlinePair struct{ Old, New eventseer.Deadline }

// A pairing finds which deadlines of two lists are the same.
type pairing struct {
	old, new       []keyedDeadline
	oldUsed, taken []bool
	pairs          []DeadlinePair
}

// A keyedDeadline is a deadline with the key of its call.
type keyedDeadline struct {
	eventseer.Deadline
	call eventseer.CallKey
}

func withKeys(deadlines []eventseer.Deadline) []keyedDeadline {
	out := make([]keyedDeadline, len(deadlines))
	for i, d := range deadlines {
		out[i] = keyedDeadline{d, d.CallKey()}
	}
	return out
}

// PairDeadlines finds which deadlines of two lists are the same. They have one kind, track and
// round, and are paired in steps: by day; then if one has no track or round; then by the former day
// of an extended deadline on the same page or in the same track; then in the order of their days if
// equally many are left.
func PairDeadlines(old, new []eventseer.Deadline) (pairs []DeadlinePair, gone, added []eventseer.Deadline) {
	p := pairing{old: withKeys(old), new: withKeys(new), oldUsed: make([]bool, len(old)), taken: make([]bool, len(new))}
	p.pairWhere(func(o, n keyedDeadline) bool { return o.Date == n.Date && o.Key() == n.Key() })
	p.pairWhere(func(o, n keyedDeadline) bool { return o.Date == n.Date && mayBeSame(o, n) })
	p.pairWhere(func(o, n keyedDeadline) bool {
		return (n.ExtendedFrom == o.Date || o.ExtendedFrom == n.Date) && mayBeSame(o, n) && (o.Source.URL == n.Source.URL || o.call.Track == n.call.Track)
	})
	p.pairInOrder()
	for i, o := range old {
		if !p.oldUsed[i] {
			gone = append(gone, o)
		}
	}
	for j, n := range new {
		if !p.taken[j] {
			added = append(added, n)
		}
	}
	return p.pairs, gone, added
}

// MayBeSameDeadline reports whether two deadlines may be one. They must have one kind and one kind of
// call, and one track and round if both name theirs.
func MayBeSameDeadline(a, b eventseer.Deadline) bool {
	return a.Kind == b.Kind && mayBeSame(keyedDeadline{a, a.CallKey()}, keyedDeadline{b, b.CallKey()})
}

func mayBeSame(a, b keyedDeadline) bool {
	return a.Kind == b.Kind && a.call.Kind == b.call.Kind && (a.Track == "" || b.Track == "" || a.call.Track == b.call.Track) &&
		(a.Round == 0 || b.Round == 0 || a.Round == b.Round)
}

func (p *pairing) pairDeadlines(i, j int) {
	p.oldUsed[i], p.taken[j] = true, true
	p.pairs = append(p.pairs, DeadlinePair{p.old[i].Deadline, p.new[j].Deadline})
}

func (p *pairing) pairWhere(same func(o, n keyedDeadline) bool) {
	for i, o := range p.old {
		for j, n := range p.new {
			if !p.oldUsed[i] && !p.taken[j] && same(o, n) {
				p.pairDeadlines(i, j)
			}
		}
	}
}

// pairInOrder pairs the remaining deadlines of one kind, track and round by day, if both lists have
// equally many.
func (p *pairing) pairInOrder() {
	type group struct {
		kind eventseer.DeadlineKind
		call eventseer.CallKey
	}
	left := func(ds []keyedDeadline, used []bool) map[group][]int {
		m := map[group][]int{}
		for i, d := range ds {
			if !used[i] {
				m[group{d.Kind, d.call}] = append(m[group{d.Kind, d.call}], i)
			}
		}
		for _, at := range m {
			slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(ds[a].Date, ds[b].Date) })
		}
		return m
	}
	olds, news := left(p.old, p.oldUsed), left(p.new, p.taken)
	for i, o := range p.old {
		k := group{o.Kind, o.call}
		if !p.oldUsed[i] && len(olds[k]) == len(news[k]) {
			p.pairDeadlines(i, news[k][slices.Index(olds[k], i)])
		}
	}
}

func ContradictingTracks(a, b string) bool {
	return a != "" && b != "" && text.FoldForComparison(a) != text.FoldForComparison(b)
}
