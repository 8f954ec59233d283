package ui

import (
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
)

const (
	badgeFor  = 14 * 24 * time.Hour // the kinds of a change are shown for so long
	maxBadges = 3                   // of the kinds of one change
)

// A badge is a short mark; Kind is its style.
type badge struct{ Text, Kind string }

// kindWords is a kind of change in plain words.
func kindWords(k eventseer.ChangeKind) string {
	switch k {
	case eventseer.DeadlineAdded:
		return "deadline announced"
	case eventseer.NewsItem:
		return "news"
	case eventseer.Cosmetic:
		return "wording only"
	case eventseer.TemplateChange:
		return "new design"
	}
	return clip(strings.ReplaceAll(string(k), "_", " "), 40)
}

// kindsOf returns the kinds of a change; of one that was written without, those that its
// fields tell.
func kindsOf(c eventseer.Change) []eventseer.ChangeKind {
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

// kindOfField is the kind of change that a field's two values are, "" of none.
func kindOfField(f eventseer.FieldChange) eventseer.ChangeKind {
	switch {
	case strings.HasPrefix(f.Field, "deadlines.") && f.New == "":
		return ""
	case strings.HasPrefix(f.Field, "deadlines.") && f.Old == "":
		return eventseer.DeadlineAdded
	case strings.HasPrefix(f.Field, "deadlines.") && dayOf(f.New) == dayOf(f.Old):
		return ""
	case strings.HasPrefix(f.Field, "deadlines.") && f.New > f.Old:
		return eventseer.DeadlineExtended
	case strings.HasPrefix(f.Field, "deadlines."), f.Field == "event_start", f.Field == "event_end":
		return eventseer.DateCorrected
	case f.Field == "location":
		return eventseer.PlaceChanged
	case f.Field == "committee":
		return eventseer.CommitteeChanged
	}
	return ""
}

// dayOf is the day of a deadline as changes print it, with or without a zone.
func dayOf(deadline string) string {
	day, _, _ := strings.Cut(deadline, " ")
	return day
}

// changeBadges are the marks of the last change of an event, if that is not long ago.
func changeBadges(history []eventseer.Change, now time.Time) []badge {
	for _, c := range slices.Backward(history) {
		if c.Into != "" {
			continue
		}
		if c.New || now.Sub(c.At) >= badgeFor || now.Before(c.At) {
			return nil
		}
		var badges []badge
		for _, k := range kindsOf(c) {
			if k == eventseer.Cosmetic || k == eventseer.TemplateChange || len(badges) == maxBadges {
				continue
			}
			style := "changed"
			if k == eventseer.DeadlineExtended || k == eventseer.DateCorrected || k == eventseer.PlaceChanged {
				style = "moved"
			}
			badges = append(badges, badge{kindWords(k), style})
		}
		if len(badges) > 0 {
			return badges
		}
	}
	return nil
}

// badgesOf are the marks of an event: those of its record, and how it last changed.
func badgesOf(e eventseer.Event, history []eventseer.Change, now time.Time) []badge {
	badges := recordBadges(e, now)
	for _, b := range changeBadges(history, now) {
		if b.Text != kindWords(eventseer.DeadlineExtended) || !slices.ContainsFunc(badges, func(b badge) bool { return b.Text == extended }) {
			badges = append(badges, b)
		}
	}
	return badges
}

const extended = "extended"

// listBadges are badgesOf for a list: of the changes those that move plans.
func listBadges(e eventseer.Event, recent []eventseer.Change, now time.Time) []badge {
	return slices.DeleteFunc(badgesOf(e, recent, now), func(b badge) bool { return b.Kind == "changed" })
}

// recordBadges are the marks of an event that its record alone gives: new and extended
// of an open call, caution of one that fails a rule.
func recordBadges(e eventseer.Event, now time.Time) []badge {
	var badges []badge
	if e.State != "" {
		badges = append(badges, badge{clip(string(e.State), 20), "caution"})
	}
	d, open := eventseer.NextDeadline(e, now)
	if open && !e.FirstSeen.IsZero() && now.Sub(e.FirstSeen) < newFor && !now.Before(e.FirstSeen) {
		badges = append(badges, badge{"new", "new"})
	}
	if open && d.ExtendedFrom != "" {
		badges = append(badges, badge{extended, "moved"})
	}
	if len(e.Warnings) > 0 {
		badges = append(badges, badge{"caution", "caution"})
	}
	return badges
}
