package publish

import (
	"slices"
	"strconv"
	"time"

	"eventseer/eventseer"
)

// asBefore returns the document as it was before a change, nil of a new event. ok is
// false if the change brings nothing that a list could ask for.
func asBefore(doc eventseer.Document, c eventseer.Change, now time.Time) (before *eventseer.Document, ok bool) {
	if c.New {
		return nil, true
	}
	old := doc
	old.Clips = slices.DeleteFunc(slices.Clone(doc.Clips), func(clip eventseer.Clip) bool { return !clip.Seen.Before(c.At) })
	changed := len(old.Clips) < len(doc.Clips)
	if len(c.Fields) == 0 && len(c.Kinds) == 0 { // its series was put again
		old.Ranks = nil
		return &old, len(doc.Ranks) > 0 && doc.Event.FirstSeen.After(now.Add(-maxNews))
	}
	for _, f := range c.Fields {
		changed = asFieldBefore(&old.Event, f) || changed
	}
	changed = changed || !doc.Changed.IsZero()
	return &old, changed
}

// asFieldBefore sets a field that lists ask for to what it was, as FieldChange prints it.
func asFieldBefore(e *eventseer.Event, f eventseer.FieldChange) bool {
	switch f.Field {
	case "title":
		e.Title = f.Old
	case "acronym":
		e.Acronym = f.Old
	case "kind":
		e.Kind = eventseer.Kind(f.Old)
	case "topics":
		e.Topics = nil
		if f.Old != "" {
			e.Topics = []string{f.Old}
		}
	case "location":
		e.Location = nil
		if f.Old != "" {
			e.Location = &eventseer.Venue{Text: f.Old}
		}
	case "state":
		e.State = eventseer.State(f.Old)
	case "parent":
		e.Parent = f.Old
	case "year":
		e.Year, _ = strconv.Atoi(f.Old)
	case "event_start":
		e.EventStart = eventseer.Date(f.Old)
	default:
		return asDeadlineBefore(e, f)
	}
	return true
}

// asDeadlineBefore takes back a deadline that came, moved or went.
func asDeadlineBefore(e *eventseer.Event, f eventseer.FieldChange) bool {
	kind, track, ok := deadlineOf(f.Field)
	if !ok || !kind.Submits() {
		return false
	}
	e.Deadlines = slices.Clone(e.Deadlines)
	if now, ok := currentOf(*e, kind, track, dayOf(f.New)); ok {
		i := slices.Index(e.Deadlines, now)
		e.Deadlines = slices.Delete(e.Deadlines, i, i+1)
	}
	if was := dayOf(f.Old); was != "" {
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: kind, Track: track, Date: was, TZ: zoneOf(f.Old)})
	}
	return true
}
