package eventseer

import "slices"

// Bounds on what pages may pile up in one event.
const (
	MaxTopics    = 300
	MaxCommittee = 1000
	MaxDeadlines = 200
	MaxPages     = 100
)

// Merge joins a record just read from a page into what is known of its event
// and returns the fields that changed (see Diff). It is pure, and merging a
// record that says nothing new changes nothing.
//
// The newest evidence wins where it comes from the page that said the old
// value, or from a page at least as sure; another, less sure page only fills
// gaps, so that two pages that disagree do not take turns. A deadline to hand
// something in that moves to a later day wins whichever page says so, and
// keeps the day before in ExtendedFrom. Lists are united.
func Merge(old, new Event) (Event, []FieldChange) {
	out := old
	m := merger{old: old, new: new, sources: map[string]Provenance{}}
	for field, src := range old.Sources {
		m.sources[field] = src
	}
	pick(&m, "title", &out.Title, new.Title)
	pick(&m, "acronym", &out.Acronym, new.Acronym)
	pick(&m, "kind", &out.Kind, new.Kind)
	pick(&m, "year", &out.Year, new.Year)
	switch {
	case new.EventStart == old.EventStart: // a page that says no end takes none away
		pick(&m, "event_end", &out.EventEnd, new.EventEnd)
	case new.EventStart != "" && m.wins("event_start", old.EventStart != ""):
		out.EventStart, out.EventEnd = new.EventStart, new.EventEnd
		delete(m.sources, "event_end") // of the old days
		m.take("event_start")
		m.take("event_end")
	}
	if new.Location != nil {
		out.Location = m.venue()
	}
	pick(&m, "submission_url", &out.SubmissionURL, new.SubmissionURL)
	pick(&m, "publisher", &out.Publisher, new.Publisher)
	out.Deadlines = m.deadlines()
	out.Topics = unite(old.Topics, new.Topics, MaxTopics, fold)
	out.Committee = unite(old.Committee, new.Committee, MaxCommittee, func(p Person) string { return fold(p.Name) })
	for _, field := range []string{"topics", "committee"} {
		if _, ok := m.sources[field]; !ok {
			m.take(field)
		}
	}
	if out.URL == "" {
		out.URL = new.URL
	}
	out.Pages = unite(pages(old), pages(new), MaxPages, func(s string) string { return s })
	out.CFPScore = max(old.CFPScore, new.CFPScore)
	out.Confidence = max(old.Confidence, new.Confidence)
	out.Warnings = unite(old.Warnings, new.Warnings, len(old.Warnings)+len(new.Warnings), func(w Warning) string { return w.Rule + w.Text })
	if out.FirstSeen.IsZero() || !new.FirstSeen.IsZero() && new.FirstSeen.Before(out.FirstSeen) {
		out.FirstSeen = new.FirstSeen
	}
	if new.LastSeen.After(out.LastSeen) {
		out.LastSeen = new.LastSeen
	}
	if len(m.sources) > 0 {
		out.Sources = m.sources
	}
	return Validate(out), Diff(old, out)
}

// A merger decides field by field whether the new record wins.
type merger struct {
	old, new Event
	sources  map[string]Provenance
}

// wins reports whether the new value of a field replaces what is known; said
// is whether anything is.
func (m *merger) wins(field string, said bool) bool {
	if !said {
		return true
	}
	if m.new.LastSeen.Before(m.old.LastSeen) {
		return false
	}
	from := m.old.Sources[field].URL
	if from == "" {
		from = m.old.URL
	}
	return from == "" || from == m.new.URL || m.new.Confidence > m.old.Confidence
}

func (m *merger) take(field string) {
	if src, ok := m.new.Sources[field]; ok {
		m.sources[field] = src
	}
}

// pick sets a field to the new value where that wins.
func pick[T comparable](m *merger, field string, value *T, new T) {
	var zero T
	if new == zero || new == *value || !m.wins(field, *value != zero) {
		return
	}
	*value = new
	m.take(field)
}

func (m *merger) venue() *Venue {
	if m.old.Location == nil || m.wins("location", true) {
		m.take("location")
		v := *m.new.Location
		return &v
	}
	v := *m.old.Location
	if n := m.new.Location; v.City == "" && v.Country == "" || v.City == n.City && v.Country == "" {
		v.City, v.Region, v.Country, v.CountryCode = n.City, n.Region, n.Country, n.CountryCode
	}
	return &v
}

func (m *merger) deadlines() []Deadline {
	pairs, kept, added := pairDeadlines(m.old.Deadlines, m.new.Deadlines)
	var out []Deadline
	for _, p := range pairs {
		out = append(out, m.deadline(p.old, p.new))
	}
	out = append(append(out, kept...), added...)
	if len(out) > MaxDeadlines {
		out = out[:MaxDeadlines]
	}
	slices.SortStableFunc(out, func(a, b Deadline) int {
		switch {
		case a.Date < b.Date:
			return -1
		case a.Date > b.Date:
			return 1
		}
		return 0
	})
	return out
}

// deadline merges two readings of one deadline.
func (m *merger) deadline(old, new Deadline) Deadline {
	if old.Date == new.Date {
		if old.TZ == "" {
			old.TZ, old.TZPrinted, old.TZSource, old.Instant = new.TZ, new.TZPrinted, new.TZSource, new.Instant
		}
		if old.ExtendedFrom == "" {
			old.ExtendedFrom = new.ExtendedFrom
		}
		return old
	}
	later := new.Date > old.Date && old.Kind.Submits()
	same := old.Source.URL == "" || old.Source.URL == new.Source.URL
	if m.new.LastSeen.Before(m.old.LastSeen) || !later && !same {
		return old
	}
	if later && new.ExtendedFrom == "" {
		new.ExtendedFrom = old.Date
	}
	return new
}

// A deadlinePair is one deadline in two states of an event.
type deadlinePair struct{ old, new Deadline }

// pairDeadlines finds which deadlines of two lists are the same: those of one
// kind, track and round, first by day, then the only one left on each side.
func pairDeadlines(old, new []Deadline) (pairs []deadlinePair, gone, added []Deadline) {
	type key struct {
		kind  DeadlineKind
		track string
		round int
	}
	of := func(d Deadline) key { return key{d.Kind, fold(d.Track), d.Round} }
	taken := make([]bool, len(new))
	matched := make([]bool, len(old))
	match := func(same func(o, n Deadline) bool) {
		for i, o := range old {
			for j, n := range new {
				if !matched[i] && !taken[j] && of(o) == of(n) && same(o, n) {
					matched[i], taken[j] = true, true
					pairs = append(pairs, deadlinePair{o, n})
				}
			}
		}
	}
	match(func(o, n Deadline) bool { return o.Date == n.Date })
	left := func(ds []Deadline, used []bool, k key) int {
		count := 0
		for i, d := range ds {
			if !used[i] && of(d) == k {
				count++
			}
		}
		return count
	}
	match(func(o, n Deadline) bool {
		return n.ExtendedFrom == o.Date || left(old, matched, of(o)) == 1 && left(new, taken, of(n)) == 1
	})
	for i, o := range old {
		if !matched[i] {
			gone = append(gone, o)
		}
	}
	for j, n := range new {
		if !taken[j] {
			added = append(added, n)
		}
	}
	return pairs, gone, added
}

// Submits reports whether a deadline of this kind is one to hand something in.
func (k DeadlineKind) Submits() bool {
	switch k {
	case Abstract, Submission, WorkshopProposal, TutorialProposal, Poster, Demo, Doctoral:
		return true
	}
	return false
}

// unite appends to old what new adds, by key, up to limit items.
func unite[T any](old, new []T, limit int, key func(T) string) []T {
	seen := make(map[string]bool, len(old)+len(new))
	var out []T
	for _, v := range append(slices.Clone(old), new...) {
		if k := key(v); !seen[k] && len(out) < limit {
			seen[k] = true
			out = append(out, v)
		}
	}
	return out
}

// pages returns the pages of an event, its URL first.
func pages(e Event) []string {
	if e.URL == "" {
		return e.Pages
	}
	return append([]string{e.URL}, e.Pages...)
}
