package merge

import (
	"cmp"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/change"
)

// maxExtension is the longest that a deadline is believed to be moved by a page
// that did not say the day before: what lies further off is another round or
// a misreading.
const maxExtension = 75 * 24 * time.Hour

func (m *merger) deadlines() []eventseer.Deadline {
	pairs, gone, added := change.PairDeadlines(m.old.Deadlines, m.new.Deadlines)
	var out []eventseer.Deadline
	for _, p := range pairs {
		out = append(out, m.deadline(p.Old, p.New))
	}
	for _, d := range gone {
		if m.withdrawn(d) {
			m.lost(d.Field(), d.String(), d.Source, m.old.LastSeen)
			continue
		}
		out = append(out, d)
	}
	out = append(out, added...)
	out = out[:min(len(out), eventseer.MaxDeadlines)]
	slices.SortStableFunc(out, func(a, b eventseer.Deadline) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Track, b.Track), cmp.Compare(a.Round, b.Round))
	})
	return out
}

// withdrawn reports whether the page that said a deadline does not say it any
// more: it has others of its kind and track, and this one lies ahead, or so long before
// the event that it was of an earlier edition.
func (m *merger) withdrawn(d eventseer.Deadline) bool {
	if d.Source.URL == "" || d.Source.URL != m.new.URL || !m.new.LastSeen.After(m.old.LastSeen) ||
		!slices.ContainsFunc(m.new.Deadlines, func(n eventseer.Deadline) bool { return change.Compatible(d, n) }) {
		return false
	}
	start, ok := m.new.EventStart.Time()
	return d.Moment().After(m.new.LastSeen) || ok && start.Sub(d.Moment()) > earlierEdition
}

// earlierEdition is how long before an event a deadline is of the edition
// before.
const earlierEdition = 366 * 24 * time.Hour

// deadline merges two readings of one deadline.
func (m *merger) deadline(old, new eventseer.Deadline) eventseer.Deadline {
	if old.Date == new.Date && old.Source.URL == new.Source.URL && !m.new.LastSeen.Before(m.old.LastSeen) {
		old, new = new, old // where and how the page prints it now
	}
	old.Track, old.Round = cmp.Or(old.Track, new.Track), cmp.Or(old.Round, new.Round)
	if old.Date == new.Date {
		if old.TZ == "" {
			old.TZ, old.TZPrinted, old.TZSource, old.Instant = new.TZ, new.TZPrinted, new.TZSource, new.Instant
		}
		old.ExtendedFrom = cmp.Or(old.ExtendedFrom, new.ExtendedFrom)
		old.Firm = old.Firm || new.Firm
		return old
	}
	new.Track, new.Round = old.Track, old.Round
	if !m.moves(old, new) {
		if new.String() != string(old.ExtendedFrom) {
			m.lost(new.Field(), new.String(), new.Source, m.new.LastSeen)
		}
		if extends(new, old) && old.ExtendedFrom == "" {
			old.ExtendedFrom = new.Date
		}
		return old
	}
	m.lost(old.Field(), old.String(), old.Source, m.old.LastSeen)
	if extends(old, new) && new.ExtendedFrom == "" {
		new.ExtendedFrom = old.Date
	}
	return new
}

// moves reports whether the new day of a deadline replaces the old one: the
// page that said the old one says so later, the old one is a list's and not known as an
// extension of the new one, or an extension is told by a page.
func (m *merger) moves(old, new eventseer.Deadline) bool {
	if old.Source.URL == "" || old.Source.URL == new.Source.URL {
		return !m.new.LastSeen.Before(m.old.LastSeen)
	}
	if new.Source.Rule == eventseer.ImportRule && weaker(new.Source, old.Source) {
		return false
	}
	return weaker(old.Source, new.Source) && old.ExtendedFrom != new.Date || extends(old, new)
}

// extends reports whether a deadline to hand something in may have moved from
// the day of old to the later one of new.
func extends(old, new eventseer.Deadline) bool {
	from, ok := old.Date.Time()
	to, ok2 := new.Date.Time()
	return ok && ok2 && old.Kind.Submits() && to.After(from) && to.Sub(from) <= maxExtension
}
