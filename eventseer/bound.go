package eventseer

import (
	"github.com/eventseer/eventseer/internal/text"
	"maps"
	"slices"
	"time"
)

// MaxText is the maximum length of each text of a record, in bytes. It is several times what extractors read.
const MaxText = 4000

// Bounded returns a copy of the record whose lists and texts are within the limits of events,
// wherever it comes from. Excess text and values are cut off; times outside the calendar are
// removed. A record within the limits is returned unchanged.
func (e Event) Bounded() Event {
	for _, s := range []*string{
		&e.URL, &e.Title, &e.Acronym, &e.Series, &e.Parent, &e.Homepage, &e.SubmissionURL, &e.SubmissionSystem, &e.Publisher,
	} {
		*s = bounded(*s)
	}
	e.Kind, e.EventStart, e.EventEnd, e.State = bounded(e.Kind), bounded(e.EventStart), bounded(e.EventEnd), bounded(e.State)
	if e.Location != nil {
		v := *e.Location
		v.City, v.Region, v.Country, v.CountryCode, v.Text = bounded(v.City), bounded(v.Region), bounded(v.Country), bounded(v.CountryCode), bounded(v.Text)
		e.Location = &v
	}
	e.Topics = boundedList(e.Topics, MaxTopics, bounded)
	e.Pages = boundedList(e.Pages, MaxPages, bounded)
	e.Related = boundedList(e.Related, MaxPages, bounded)
	e.Deadlines = boundedList(e.Deadlines, MaxDeadlines, Deadline.bounded)
	e.Committee = boundedList(e.Committee, MaxCommittee, func(p Person) Person {
		return Person{bounded(p.Name), bounded(p.Affiliation), bounded(p.Country), bounded(p.Role)}
	})
	e.Warnings = boundedList(e.Warnings, MaxWarnings, func(w Warning) Warning { return Warning{bounded(w.Rule), bounded(w.Text)} })
	e.Trail = boundedList(e.Trail, MaxTrail, func(t Evidence) Evidence {
		return Evidence{bounded(t.Field), bounded(t.Value), t.Source.bounded(), calendar(t.Seen)}
	})
	e.Sources = boundedSources(e.Sources)
	e.ParentID = ""
	if len(e.Calls) > 0 {
		e.Calls, e.Warnings = boundedCalls(e.Calls, e.Warnings)
	}
	e.FirstSeen, e.LastSeen = calendar(e.FirstSeen), calendar(e.LastSeen)
	return e
}

func (d Deadline) bounded() Deadline {
	d.Kind, d.Track, d.Date, d.TZ, d.TZPrinted = bounded(d.Kind), bounded(d.Track), bounded(d.Date), bounded(d.TZ), bounded(d.TZPrinted)
	d.TZSource, d.ExtendedFrom, d.Text, d.Source = bounded(d.TZSource), bounded(d.ExtendedFrom), bounded(d.Text), d.Source.bounded()
	d.Instant = calendar(d.Instant)
	return d
}

func (p Provenance) bounded() Provenance {
	p.URL, p.Path, p.Rule, p.Inferred, p.Snippet = bounded(p.URL), bounded(p.Path), bounded(p.Rule), bounded(p.Inferred), bounded(p.Snippet)
	return p
}

// maxSources is the maximum number of entries of Event.Sources. It is larger than the number of fields.
const maxSources = 200

func boundedSources(sources map[string]Provenance) map[string]Provenance {
	if sources == nil {
		return nil
	}
	kept := make(map[string]Provenance, min(len(sources), maxSources))
	for _, field := range slices.Sorted(maps.Keys(sources)) {
		if len(kept) < maxSources && len(field) <= MaxText {
			kept[field] = sources[field].bounded()
		}
	}
	return kept
}

// boundedList returns a copy of the first values, each limited by bound. It returns nil for nil.
func boundedList[T any](list []T, most int, bound func(T) T) []T {
	if list == nil {
		return nil
	}
	kept := make([]T, 0, min(len(list), most))
	for _, v := range list[:min(len(list), most)] {
		kept = append(kept, bound(v))
	}
	return kept
}

// bounded returns a text cut to MaxText bytes between two runes.
func bounded[T ~string](s T) T {
	return T(text.Cut(string(s), MaxText))
}

// calendar returns the zero Time for a year that JSON and calendars cannot represent.
func calendar(t time.Time) time.Time {
	if y := t.UTC().Year(); !t.IsZero() && (y < 1 || y > 9998) {
		return time.Time{}
	}
	return t
}
