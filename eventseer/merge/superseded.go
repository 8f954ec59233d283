package merge

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/internal/text"
)

// dropSuperseded returns the deadlines of an event without dates that were extended. Such a date is on
// another page than the later date, which its page calls an extension, and has the same call, round and kind.
// PairDeadlines finds such a pair only if each page has one date of the kind. The later date gets the earlier
// one as ExtendedFrom, unless there are several later dates. The removed date goes into the trail.
func (m *merger) dropSuperseded(ds []eventseer.Deadline) []eventseer.Deadline {
	var out []eventseer.Deadline
	movedTo := map[int][]int{} // for a superseded date, the indexes of dates to which it may have been extended
	for i, d := range ds {
		for j, later := range ds {
			if isSupersededBy(later, d) {
				movedTo[i] = append(movedTo[i], j)
			}
		}
	}
	ds = slices.Clone(ds)
	for i := range ds {
		to := movedTo[i]
		if len(to) == 0 {
			continue
		}
		m.addToTrail(ds[i].Field(), ds[i].String(), ds[i].Source, m.new.LastSeen)
		if last := &ds[to[0]]; len(to) == 1 && !m.isPrintedFrom(*last) {
			last.ExtendedFrom = max(last.ExtendedFrom, ds[i].Date)
		}
	}
	for i, d := range ds {
		if len(movedTo[i]) == 0 {
			out = append(out, d)
		}
	}
	return out
}

// isSupersededBy reports whether the date of later is an extension that may be from the date of d, on another
// page.
func isSupersededBy(later, d eventseer.Deadline) bool {
	if later.Kind != d.Kind || later.Call() != d.Call() || text.FoldForComparison(later.Track) != text.FoldForComparison(d.Track) || isImported(later) || isImported(d) {
		return false
	}
	if later.Round != d.Round && (d.Round != 0 || later.Round > 1) {
		return false
	}
	if later.Source.URL == d.Source.URL || later.Source.URL == "" || d.Source.URL == "" {
		return false
	}
	return saysMoved(d, later) && !saysExtension(withoutSubject(d))
}

// withoutSubject returns a deadline without the subject of its message, which applies to all dates of the
// message; see package ingest.
func withoutSubject(d eventseer.Deadline) eventseer.Deadline {
	if own, subject, ok := strings.Cut(d.Text, " ["); ok && change.SaysExtended(subject) {
		d.Text = own
	}
	return d
}
