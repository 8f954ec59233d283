package merge

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/internal/text"
)

// dropSuperseded returns the deadlines of an event without the days that a page gives as extended.
// Such a day of one call, round and kind is on another page, without a word of an extension of its
// own, beside a later one that its page calls extended. PairDeadlines finds such a pair only where
// each page gives one day of the kind. The day that leads keeps the one before as ExtendedFrom,
// unless several pages say that it moved, each to another day; the day goes into the trail.
func (m *merger) dropSuperseded(ds []eventseer.Deadline) []eventseer.Deadline {
	var out []eventseer.Deadline
	movedTo := map[int][]int{} // of a superseded day, the days it may have moved to
	for i, d := range ds {
		for j, later := range ds {
			if supersedes(later, d) {
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
		m.lost(ds[i].Field(), ds[i].String(), ds[i].Source, m.new.LastSeen)
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

// supersedes reports whether a page gives a deadline as extended to the day of later. The
// earlier day may be that of d, from another page.
func supersedes(later, d eventseer.Deadline) bool {
	if later.Kind != d.Kind || later.Call() != d.Call() || text.Fold(later.Track) != text.Fold(d.Track) || imported(later) || imported(d) {
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

// withoutSubject returns a deadline without the subject of its message, which speaks of all
// days of the message; see ingest.
func withoutSubject(d eventseer.Deadline) eventseer.Deadline {
	if own, subject, ok := strings.Cut(d.Text, " ["); ok && change.SaysExtended(subject) {
		d.Text = own
	}
	return d
}
