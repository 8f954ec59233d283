package eventseer

import (
	"github.com/eventseer/eventseer/internal/text"
	"maps"
	"slices"
	"time"
)

// MaxText is the maximum length of each text of a record, in bytes. It is several times what extractors read.
const MaxText = 4000

// WithinLimits returns a copy of the record whose lists and texts are within the limits of events,
// wherever it comes from. Excess text and values are cut off; times outside the calendar are
// removed. A record within the limits is returned unchanged.
func (e Event) WithinLimits() Event {
	for _, s := range []*string{
		&e.URL, &e.Title, &e.Acronym, &e.Series, &e.Parent, &e.Homepage, &e.SubmissionURL, &e.SubmissionSystem, &e.Publisher,
	} {
		*s = cutToMaxText(*s)
	}
	e.Kind, e.EventStart, e.EventEnd, e.State = cutToMaxText(e.Kind), cutToMaxText(e.EventStart), cutToMaxText(e.EventEnd), cutToMaxText(e.State)
	if e.Location != nil {
		v := *e.Location
		v.City, v.Region, v.Country, v.CountryCode, v.Text = cutToMaxText(v.City), cutToMaxText(v.Region), cutToMaxText(v.Country), cutToMaxText(v.CountryCode), cutToMaxText(v.Text)
		e.Location = &v
	}
	e.Topics = boundedList(e.Topics, MaxTopics, cutToMaxText)
	e.Pages = boundedList(e.Pages, MaxPages, cutToMaxText)
	e.Related = boundedList(e.Related, MaxPages, cutToMaxText)
	e.Deadlines = boundedList(e.Deadlines, MaxDeadlines, Deadline.withinLimits)
	e.Committee = boundedList(e.Committee, MaxCommittee, func(p Person) Person {
		return Person{cutToMaxText(p.Name), cutToMaxText(p.Affiliation), cutToMaxText(p.Country), cutToMaxText(p.Role)}
	})
	e.Warnings = boundedList(e.Warnings, MaxWarnings, func(w Warning) Warning { return Warning{cutToMaxText(w.Rule), cutToMaxText(w.Text)} })
	e.Trail = boundedList(e.Trail, MaxTrail, func(t Evidence) Evidence {
		return Evidence{cutToMaxText(t.Field), cutToMaxText(t.Value), t.Source.withinLimits(), representableTime(t.Seen)}
	})
	e.Sources = boundedSources(e.Sources)
	e.Other = boundedOther(e.Other)
	e.ParentID = ""
	if len(e.Calls) > 0 {
		e.Calls, e.Warnings = boundedCalls(e.Calls, e.Warnings)
	}
	e.FirstSeen, e.LastSeen = representableTime(e.FirstSeen), representableTime(e.LastSeen)
	return e
}

func (d Deadline) withinLimits() Deadline {
	d.Kind, d.Track, d.Date, d.TZ, d.TZPrinted = cutToMaxText(d.Kind), cutToMaxText(d.Track), cutToMaxText(d.Date), cutToMaxText(d.TZ), cutToMaxText(d.TZPrinted)
	d.TZSource, d.ExtendedFrom, d.Text, d.Source = cutToMaxText(d.TZSource), cutToMaxText(d.ExtendedFrom), cutToMaxText(d.Text), d.Source.withinLimits()
	d.Instant = representableTime(d.Instant)
	return d
}

func (p Provenance) withinLimits() Provenance {
	p.URL, p.Path, p.Rule, p.Inferred, p.Snippet = cutToMaxText(p.URL), cutToMaxText(p.Path), cutToMaxText(p.Rule), cutToMaxText(p.Inferred), cutToMaxText(p.Snippet)
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
			kept[field] = sources[field].withinLimits()
		}
	}
	return kept
}

// boundedOther returns the first names and values of Event.Other. A name that is too long is left out.
func boundedOther(other map[string][]string) map[string][]string {
	if other == nil {
		return nil
	}
	kept := make(map[string][]string, min(len(other), MaxOther))
	for _, name := range slices.Sorted(maps.Keys(other)) {
		if len(kept) < MaxOther && len(name) <= MaxOtherText && len(other[name]) > 0 {
			kept[name] = boundedList(other[name], MaxOtherValues, func(s string) string { return text.CutBytes(s, MaxOtherText) })
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

// cutToMaxText returns a text cut to MaxText bytes between two runes.
func cutToMaxText[T ~string](s T) T {
	return T(text.CutBytes(string(s), MaxText))
}

// representableTime returns the zero Time for a year that JSON and calendars cannot represent.
func representableTime(t time.Time) time.Time {
	if y := t.UTC().Year(); !t.IsZero() && (y < 1 || y > 9998) {
		return time.Time{}
	}
	return t
}
