package eventseer

import (
	"cmp"
	"slices"
	"time"
)

// maxExtension is the longest that a deadline is believed to be moved by a page
// that did not say the day before: what lies further off is another round or
// a misreading.
const maxExtension = 75 * 24 * time.Hour

func (m *merger) deadlines() []Deadline {
	pairs, gone, added := pairDeadlines(m.old.Deadlines, m.new.Deadlines)
	var out []Deadline
	for _, p := range pairs {
		out = append(out, m.deadline(p.old, p.new))
	}
	for _, d := range gone {
		if m.withdrawn(d) {
			m.lost(d.field(), d.String(), d.Source, m.old.LastSeen)
			continue
		}
		out = append(out, d)
	}
	out = append(out, added...)
	if len(out) > MaxDeadlines {
		out = out[:MaxDeadlines]
	}
	slices.SortStableFunc(out, func(a, b Deadline) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Track, b.Track), cmp.Compare(a.Round, b.Round))
	})
	return out
}

// withdrawn reports whether the page that said a deadline does not say it any
// more: it has others of its kind and track, and this one lies ahead, or so long before
// the event that it was of an earlier edition.
func (m *merger) withdrawn(d Deadline) bool {
	if d.Source.URL == "" || d.Source.URL != m.new.URL || !m.new.LastSeen.After(m.old.LastSeen) ||
		!slices.ContainsFunc(m.new.Deadlines, func(n Deadline) bool { return compatible(d, n) }) {
		return false
	}
	start, ok := m.new.EventStart.Time()
	return d.Moment().After(m.new.LastSeen) || ok && start.Sub(d.Moment()) > earlierEdition
}

// earlierEdition is how long before an event a deadline is of the edition
// before.
const earlierEdition = 366 * 24 * time.Hour

// deadline merges two readings of one deadline.
func (m *merger) deadline(old, new Deadline) Deadline {
	if old.Date == new.Date && old.Source.URL == new.Source.URL && !m.new.LastSeen.Before(m.old.LastSeen) {
		old, new = new, old // where and how the page prints it now
	}
	if old.Track == "" {
		old.Track = new.Track
	}
	if old.Round == 0 {
		old.Round = new.Round
	}
	if old.Date == new.Date {
		if old.TZ == "" {
			old.TZ, old.TZPrinted, old.TZSource, old.Instant = new.TZ, new.TZPrinted, new.TZSource, new.Instant
		}
		if old.ExtendedFrom == "" {
			old.ExtendedFrom = new.ExtendedFrom
		}
		old.Firm = old.Firm || new.Firm
		return old
	}
	new.Track, new.Round = old.Track, old.Round
	if !m.moves(old, new) {
		if new.String() != string(old.ExtendedFrom) {
			m.lost(new.field(), new.String(), new.Source, m.new.LastSeen)
		}
		if extends(new, old) && old.ExtendedFrom == "" {
			old.ExtendedFrom = new.Date
		}
		return old
	}
	m.lost(old.field(), old.String(), old.Source, m.old.LastSeen)
	if extends(old, new) && new.ExtendedFrom == "" {
		new.ExtendedFrom = old.Date
	}
	return new
}

// moves reports whether the new day of a deadline replaces the old one: the
// page that said the old one says so later, the old one is a list's and not known as an
// extension of the new one, or an extension is told by a page.
func (m *merger) moves(old, new Deadline) bool {
	if old.Source.URL == "" || old.Source.URL == new.Source.URL {
		return !m.new.LastSeen.Before(m.old.LastSeen)
	}
	if new.Source.Rule == ImportRule && weaker(new.Source, old.Source) {
		return false
	}
	return weaker(old.Source, new.Source) && old.ExtendedFrom != new.Date || extends(old, new)
}

// extends reports whether a deadline to hand something in may have moved from
// the day of old to the later one of new.
func extends(old, new Deadline) bool {
	from, ok := old.Date.Time()
	to, ok2 := new.Date.Time()
	return ok && ok2 && old.Kind.Submits() && to.After(from) && to.Sub(from) <= maxExtension
}

// A deadlinePair is one deadline in two states of an event.
type deadlinePair struct{ old, new Deadline }

// A pairing finds which deadlines of two lists are the same.
type pairing struct {
	old, new       []Deadline
	oldUsed, taken []bool
	pairs          []deadlinePair
}

// pairDeadlines finds which deadlines of two lists are the same: those of one
// kind, track and round, first by day, then where one does not say its track
// or round, then by the day a deadline was moved from, then in the order of
// their days where both lists have as many left.
func pairDeadlines(old, new []Deadline) (pairs []deadlinePair, gone, added []Deadline) {
	p := pairing{old: old, new: new, oldUsed: make([]bool, len(old)), taken: make([]bool, len(new))}
	p.match(func(o, n Deadline) bool { return keyOf(o) == keyOf(n) && o.Date == n.Date })
	p.match(func(o, n Deadline) bool { return o.Date == n.Date && compatible(o, n) })
	p.match(func(o, n Deadline) bool { return n.ExtendedFrom == o.Date && compatible(o, n) })
	p.inOrder()
	for i, o := range old {
		if !p.oldUsed[i] {
			gone = append(gone, o)
		}
	}
	for j, n := range new {
		if !p.taken[j] {
			added = append(added, n)
		}
	}
	return p.pairs, gone, added
}

type deadlineKey struct {
	kind  DeadlineKind
	track string
	round int
}

func keyOf(d Deadline) deadlineKey { return deadlineKey{d.Kind, fold(d.Track), d.Round} }

// compatible reports whether two deadlines may be one: of one kind, and of one
// track and round where both say theirs.
func compatible(a, b Deadline) bool {
	return a.Kind == b.Kind && !contradicts(a.Track, b.Track) && (a.Round == 0 || b.Round == 0 || a.Round == b.Round)
}

func (p *pairing) pair(i, j int) {
	p.oldUsed[i], p.taken[j] = true, true
	p.pairs = append(p.pairs, deadlinePair{p.old[i], p.new[j]})
}

func (p *pairing) match(same func(o, n Deadline) bool) {
	for i, o := range p.old {
		for j, n := range p.new {
			if !p.oldUsed[i] && !p.taken[j] && same(o, n) {
				p.pair(i, j)
			}
		}
	}
}

// inOrder pairs what is left of one kind, track and round, day by day, where
// both lists have as many.
func (p *pairing) inOrder() {
	left := func(ds []Deadline, used []bool) map[deadlineKey][]int {
		m := map[deadlineKey][]int{}
		for i, d := range ds {
			if !used[i] {
				m[keyOf(d)] = append(m[keyOf(d)], i)
			}
		}
		for _, at := range m {
			slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(ds[a].Date, ds[b].Date) })
		}
		return m
	}
	olds, news := left(p.old, p.oldUsed), left(p.new, p.taken)
	for i, o := range p.old {
		k := keyOf(o)
		if p.oldUsed[i] || len(olds[k]) != len(news[k]) {
			continue
		}
		p.pair(i, news[k][slices.Index(olds[k], i)])
	}
}

// Submits reports whether a deadline of this kind is one to hand something in.
func (k DeadlineKind) Submits() bool {
	switch k {
	case Abstract, Submission, WorkshopProposal, TutorialProposal, Poster, Demo, Doctoral:
		return true
	}
	return false
}
