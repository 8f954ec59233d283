package views

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

const (
	BadgeFor  = 14 * 24 * time.Hour // how long the kinds of a change are shown
	maxBadges = 3                   // maximum number of kinds shown for a change
)

// A Badge is a short mark; Kind is its style.
type Badge struct{ Text, Kind string }

// plainKinds are plain words for kinds of change whose names are not.
var plainKinds = map[eventseer.ChangeKind]string{
	eventseer.DeadlineAdded: "deadline announced", eventseer.NewsItem: "news", eventseer.Cosmetic: "wording only", eventseer.TemplateChange: "new design",
}

// kindWords returns a kind of change in plain words.
func kindWords(k eventseer.ChangeKind) string {
	return cmp.Or(plainKinds[k], Clip(strings.ReplaceAll(string(k), "_", " "), 40))
}

// KindsOf returns the kinds of a change; if none are stored, those that follow from its fields.
func KindsOf(c eventseer.Change) []eventseer.ChangeKind {
	if len(c.Kinds) > 0 || c.New {
		return c.Kinds
	}
	var kinds []eventseer.ChangeKind
	for _, f := range c.Fields {
		if k := kindOfField(f); k != "" && !slices.Contains(kinds, k) {
			kinds = append(kinds, k)
		}
	}
	order := eventseer.ChangeKinds()
	slices.SortFunc(kinds, func(a, b eventseer.ChangeKind) int { return slices.Index(order, a) - slices.Index(order, b) })
	return kinds
}

// kindOfField returns the kind of change between a field's two values, or "".
func kindOfField(f eventseer.FieldChange) eventseer.ChangeKind {
	deadline := strings.HasPrefix(f.Field, "deadlines.")
	switch {
	case deadline && (f.New == "" || f.Old != "" && dayOf(f.New) == dayOf(f.Old)):
		return ""
	case deadline && f.Old == "":
		return eventseer.DeadlineAdded
	case deadline && f.New > f.Old:
		return eventseer.DeadlineExtended
	case deadline, f.Field == "event_start", f.Field == "event_end":
		return eventseer.DateCorrected
	case f.Field == "location":
		return eventseer.PlaceChanged
	case f.Field == "committee":
		return eventseer.CommitteeChanged
	}
	return ""
}

// dayOf returns the day of a deadline as printed in changes, with or without a zone.
func dayOf(deadline string) string {
	day, _, _ := strings.Cut(deadline, " ")
	return day
}

// ChangeBadges returns the badges for the last change of an event, if it is recent.
func ChangeBadges(history []eventseer.Change, now time.Time) []Badge {
	for _, c := range slices.Backward(history) {
		if c.Into != "" {
			continue
		}
		if c.New || now.Sub(c.At) >= BadgeFor || now.Before(c.At) {
			return nil
		}
		var badges []Badge
		for _, k := range KindsOf(c) {
			if k == eventseer.Cosmetic || k == eventseer.TemplateChange || len(badges) == maxBadges {
				continue
			}
			style := "changed"
			if k == eventseer.DeadlineExtended || k == eventseer.DateCorrected || k == eventseer.PlaceChanged {
				style = "moved"
			}
			badges = append(badges, Badge{Text: kindWords(k), Kind: style})
		}
		if len(badges) > 0 {
			return badges
		}
	}
	return nil
}

// BadgesOf returns the badges of an event: those of its record, and of its last change.
func BadgesOf(e eventseer.Event, history []eventseer.Change, now time.Time) []Badge {
	badges := RecordBadges(e, now)
	for _, b := range ChangeBadges(history, now) {
		if b.Text != kindWords(eventseer.DeadlineExtended) || !slices.ContainsFunc(badges, func(b Badge) bool { return b.Text == extended }) {
			badges = append(badges, b)
		}
	}
	return badges
}

const extended = "extended"

// ListBadges is BadgesOf for a list: only changes that affect plans are included.
func ListBadges(e eventseer.Event, recent []eventseer.Change, now time.Time) []Badge {
	return slices.DeleteFunc(BadgesOf(e, recent, now), func(b Badge) bool { return b.Kind == "changed" })
}

// RecordBadges returns the badges of an event by its record alone: new and extended for an open
// call, caution if it fails a check.
func RecordBadges(e eventseer.Event, now time.Time) []Badge {
	var badges []Badge
	if e.State != "" {
		badges = append(badges, Badge{Text: Clip(string(e.State), 20), Kind: "caution"})
	}
	d, open := eventseer.NextDeadline(e, now)
	if open && !e.FirstSeen.IsZero() && now.Sub(e.FirstSeen) < newFor && !now.Before(e.FirstSeen) {
		badges = append(badges, Badge{Text: "new", Kind: "new"})
	}
	if open && d.ExtendedFrom != "" {
		badges = append(badges, Badge{Text: extended, Kind: "moved"})
	}
	if len(e.Warnings) > 0 {
		badges = append(badges, Badge{Text: "caution", Kind: "caution"})
	}
	return badges
}
