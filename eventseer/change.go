package eventseer

import (
	"fmt"
	"slices"
	"strings"
)

// Diff lists the fields in which two states of one event differ, in the order
// of the record. What says how an event was found (pages, sources, scores,
// times) is no field of the event and is left out. Diff is pure.
func Diff(old, new Event) []FieldChange {
	var cs []FieldChange
	add := func(field, o, n string) {
		if o != n {
			cs = append(cs, FieldChange{Field: field, Old: o, New: n})
		}
	}
	add("title", old.Title, new.Title)
	add("acronym", old.Acronym, new.Acronym)
	add("kind", string(old.Kind), string(new.Kind))
	add("year", number(old.Year), number(new.Year))
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
func diffDeadlines(old, new []Deadline) []FieldChange {
	var cs []FieldChange
	pairs, gone, added := pairDeadlines(old, new)
	for _, p := range pairs {
		if o, n := p.old.String(), p.new.String(); o != n {
			cs = append(cs, FieldChange{Field: p.new.field(), Old: o, New: n})
		}
	}
	for _, d := range gone {
		cs = append(cs, FieldChange{Field: d.field(), Old: d.String()})
	}
	for _, d := range added {
		cs = append(cs, FieldChange{Field: d.field(), New: d.String()})
	}
	return cs
}

// field names a deadline in a change: "deadlines.submission", with the track
// in brackets where there is one.
func (d Deadline) field() string {
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

// String returns the place in a line: "Trondheim, Norway (online)". A nil
// Venue is "".
func (v *Venue) String() string {
	if v == nil {
		return ""
	}
	var parts []string
	for _, s := range []string{v.City, v.Region, v.Country} {
		if s != "" && !slices.Contains(parts, s) { // "Vienna, Vienna, Austria"
			parts = append(parts, s)
		}
	}
	s := strings.Join(parts, ", ")
	switch {
	case v.Hybrid:
		s = strings.TrimSpace(s + " (hybrid)")
	case v.Online:
		s = strings.TrimSpace(s + " (online)")
	}
	return s
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func people(ps []Person) string {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	return strings.Join(names, "; ")
}
