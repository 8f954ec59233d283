package merge

import (
	"cmp"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/change"
)

// lost notes that a page said something of a field that is not its value, or
// no longer.
func (m *merger) lost(field, value string, src eventseer.Provenance, seen time.Time) {
	if value == "" {
		return
	}
	src.Snippet = "" // the history shows what changed; here it is the source that counts
	m.trail = append(m.trail, eventseer.Evidence{Field: field, Value: value, Source: src, Seen: seen})
}

// trailOf joins trails: one piece of evidence a field, value and page, with the
// time it was first seen, oldest first, without what is the value of a field
// now. Beyond MaxTrail the oldest are dropped.
func trailOf(e eventseer.Event, trails ...[]eventseer.Evidence) []eventseer.Evidence {
	type said struct{ field, value, page string }
	now := valuesOf(e)
	at := map[said]int{}
	var out []eventseer.Evidence
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
	slices.SortStableFunc(out, func(a, b eventseer.Evidence) int {
		return cmp.Or(a.Seen.Compare(b.Seen), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Source.URL, b.Source.URL))
	})
	if len(out) > eventseer.MaxTrail {
		out = out[len(out)-eventseer.MaxTrail:]
	}
	return out
}

// valuesOf returns the values of the fields that leave a trail, as the trail
// prints them.
func valuesOf(e eventseer.Event) map[string][]string {
	values := map[string][]string{
		"title": {e.Title}, "acronym": {e.Acronym}, "kind": {string(e.Kind)}, "year": {change.PrintYear(e.Year)}, "parent": {e.Parent},
		"event_start": {string(e.EventStart)}, "event_end": {string(e.EventEnd)}, "location": {e.Location.String()},
		"submission_url": {e.SubmissionURL}, "submission_system": {e.SubmissionSystem}, "publisher": {e.Publisher},
		"state": {string(e.State)},
	}
	for _, d := range e.Deadlines {
		values[d.Field()] = append(values[d.Field()], d.String())
	}
	return values
}

// relatedOf joins the pages of two states of an event that are no calls. One that
// turned out to be a call is none of them.
func relatedOf(calls []string, old, new eventseer.Event) []string {
	all := unite(old.Related, new.Related, eventseer.MaxRelated+len(calls), func(s string) string { return s })
	all = slices.DeleteFunc(all, func(url string) bool { return slices.Contains(calls, url) })
	return all[:min(len(all), eventseer.MaxRelated)]
}

// weaker reports whether one value is from a list or a file and another is from something
// better.
func weaker(a, b eventseer.Provenance) bool { return weakness(a) > weakness(b) }

func weakness(p eventseer.Provenance) int {
	switch p.Rule {
	case eventseer.ImportRule:
		return 2
	case eventseer.ListRule:
		return 1
	}
	return 0
}

// Reconcile joins what a wrapper and the extractor read on one page. A wrapper's value
// has passed the checks of its field, and stands; what the extractor reads otherwise
// stays in the trail. A list that a wrapper reads is whole: the extractor's is left
// out. Of what no wrapper reads the extractor is believed. It is pure.
func Reconcile(wrapped, extracted eventseer.Event) eventseer.Event {
	wrapped.LastSeen = extracted.LastSeen
	out, _ := Merge(extracted, wrapped) // of one page and time: the second reading stands
	if len(wrapped.Topics) > 0 {
		out.Topics, out.Sources["topics"] = wrapped.Topics, source(wrapped, "topics")
	}
	if len(wrapped.Committee) > 0 {
		out.Committee, out.Sources["committee"] = wrapped.Committee, source(wrapped, "committee")
	}
	out.Pages = nil
	return out
}
