package curate

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// A PageConflict is a value of a field on a page of an event that differs from the one readers see.
type PageConflict struct {
	Field, Now string
	Value      string
	Page       string
}

// Conflicts returns where pages of an event differ on its days, its place or a deadline. It returns
// the last value of each page, unless it equals the one readers see or the day before an extension,
// or is from the same page. Fields set by an editor have none. They are in order of fields and
// pages.
func Conflicts(e eventseer.Event) (conflicts []PageConflict) {
	type place struct{ field, page string }
	last := map[place]string{}
	for _, said := range e.Trail {
		if said.Source.URL != "" && mayConflict(said.Field) {
			last[place{said.Field, said.Source.URL}] = said.Value
		}
	}
	pages := append(slices.Clone(e.CallPages()), e.Related...)
	for at, value := range last {
		now, err := FieldValue(e, at.field)
		if err != nil || now == "" || now == value || !slices.Contains(pages, at.page) || sameDay(now, value) {
			continue
		}
		source, extended := e.Sources[at.field], eventseer.Date("")
		if i := slices.IndexFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Field() == at.field }); i >= 0 {
			source, extended = e.Deadlines[i].Source, e.Deadlines[i].ExtendedFrom
		}
		if source.URL == at.page || source.Rule == eventseer.EditorRule || e.Sources[at.field].Rule == eventseer.EditorRule || extended != "" && sameDay(string(extended), value) {
			continue
		}
		conflicts = append(conflicts, PageConflict{at.field, now, value, at.page})
	}
	slices.SortFunc(conflicts, func(a, b PageConflict) int {
		if c := strings.Compare(a.Field, b.Field); c != 0 {
			return c
		}
		return strings.Compare(a.Page, b.Page)
	})
	return conflicts
}

func mayConflict(field string) bool {
	return field == "event_start" || field == "event_end" || field == "location" || strings.HasPrefix(field, deadlinePrefix)
}

// sameDay reports whether two values are the same day, ignoring the zone.
func sameDay(a, b string) bool {
	day := func(s string) string {
		d, _, _ := strings.Cut(s, " ")
		return d
	}
	_, ok := eventseer.Date(day(a)).Time()
	return ok && day(a) == day(b)
}
