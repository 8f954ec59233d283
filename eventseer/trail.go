package eventseer

import (
	"cmp"
	"slices"
	"time"
)

// lost notes that a page said something of a field that is not its value, or
// no longer.
func (m *merger) lost(field, value string, src Provenance, seen time.Time) {
	if value == "" {
		return
	}
	src.Snippet = "" // the history shows what changed; here it is the source that counts
	m.trail = append(m.trail, Evidence{Field: field, Value: value, Source: src, Seen: seen})
}

// trailOf joins trails: one piece of evidence a field, value and page, with the
// time it was first seen, oldest first, without what is the value of a field
// now. Beyond MaxTrail the oldest are dropped.
func trailOf(e Event, trails ...[]Evidence) []Evidence {
	type said struct{ field, value, page string }
	now := valuesOf(e)
	at := map[said]int{}
	var out []Evidence
	for _, trail := range trails {
		for _, v := range trail {
			if slices.Contains(now[v.Field], v.Value) {
				continue
			}
			key := said{v.Field, v.Value, v.Source.URL}
			i, known := at[key]
			switch {
			case !known:
				at[key] = len(out)
				out = append(out, v)
			case v.Seen.Before(out[i].Seen):
				out[i] = v
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Evidence) int {
		return cmp.Or(a.Seen.Compare(b.Seen), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Source.URL, b.Source.URL))
	})
	if len(out) > MaxTrail {
		out = out[len(out)-MaxTrail:]
	}
	return out
}

// valuesOf returns the values of the fields that leave a trail, as the trail
// prints them.
func valuesOf(e Event) map[string][]string {
	values := map[string][]string{
		"title": {e.Title}, "acronym": {e.Acronym}, "kind": {string(e.Kind)}, "year": {number(e.Year)}, "parent": {e.Parent},
		"event_start": {string(e.EventStart)}, "event_end": {string(e.EventEnd)}, "location": {e.Location.String()},
		"submission_url": {e.SubmissionURL}, "submission_system": {e.SubmissionSystem}, "publisher": {e.Publisher},
		"state": {string(e.State)},
	}
	for _, d := range e.Deadlines {
		values[d.field()] = append(values[d.field()], d.String())
	}
	return values
}
