package change

import (
	"fmt"
	"strings"

	"eventseer/eventseer"
)

// Diff lists the fields in which two states of one event differ, in the order
// of the record. What says how an event was found (pages, sources, scores,
// times) is no field of the event and is left out. Diff is pure.
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
	add("committee", people(old.Committee), people(new.Committee))
	add("submission_url", old.SubmissionURL, new.SubmissionURL)
	add("submission_system", old.SubmissionSystem, new.SubmissionSystem)
	add("publisher", old.Publisher, new.Publisher)
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

func people(ps []eventseer.Person) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	return strings.Join(names, "; ")
}
