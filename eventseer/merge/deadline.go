package merge

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/match"
)

// maxExtension is the longest that a deadline is believed to be moved: what lies
// further off is another round or a misreading.
const maxExtension = 75 * 24 * time.Hour

func (m *merger) deadlines() []eventseer.Deadline {
	pairs, gone, added := change.PairDeadlines(m.old.Deadlines, m.new.Deadlines)
	var out []eventseer.Deadline
	for _, p := range pairs {
		out = append(out, m.deadline(p.Old, p.New))
	}
	for _, d := range gone {
		if m.renamed(d) {
			continue
		}
		if m.withdrawn(d) {
			m.lost(d.Field(), d.String(), d.Source, m.old.LastSeen)
			continue
		}
		out = append(out, d)
	}
	out = m.dropSuperseded(append(out, added...))
	sortDeadlines(out)
	return out[:min(len(out), eventseer.MaxDeadlines)]
}

// withdrawn reports whether the page that gave a deadline does not give it any more. The page has
// others of its kind and track, and this one is in the future, or so long before the event that it
// belonged to an earlier edition.
func (m *merger) withdrawn(d eventseer.Deadline) bool {
	if d.Source.URL == "" || d.Source.URL != m.new.URL || !m.new.LastSeen.After(m.old.LastSeen) ||
		!slices.ContainsFunc(m.new.Deadlines, func(n eventseer.Deadline) bool { return change.Compatible(d, n) }) {
		return false
	}
	start, ok := m.new.EventStart.Time()
	return d.Moment().After(m.new.LastSeen) || ok && start.Sub(d.Moment()) > earlierEdition
}

// renamed reports whether the page that gave a deadline now has the same day under another track
// name. The earlier track must be gone.
func (m *merger) renamed(d eventseer.Deadline) bool {
	if d.Track == "" || d.Source.URL == "" || d.Source.URL != m.new.URL || !m.new.LastSeen.After(m.old.LastSeen) {
		return false
	}
	key := d.CallKey()
	same := false
	for _, n := range m.new.Deadlines {
		k := n.CallKey()
		if k.Kind == key.Kind && k.Track == key.Track {
			return false
		}
		known := slices.ContainsFunc(m.old.Deadlines, func(o eventseer.Deadline) bool { return o.CallKey() == k && o.Kind == n.Kind })
		same = same || !known && n.Track != "" && n.Kind == d.Kind && n.Date == d.Date && k.Kind == key.Kind && k.Round == key.Round
	}
	return same
}

// earlierEdition is how long before an event a deadline is of the edition
// before.
const earlierEdition = 366 * 24 * time.Hour

// deadline merges two readings of one deadline.
func (m *merger) deadline(old, new eventseer.Deadline) eventseer.Deadline {
	if old.Date == new.Date && old.Source.URL == new.Source.URL && !m.new.LastSeen.Before(m.old.LastSeen) {
		old, new = new, old // where and how the page prints it now
	}
	if old.Date == new.Date && old.Source.URL != new.Source.URL && m.tellsMore(new, old) {
		old, new = new, old
	}
	old.Track, old.Round = cmp.Or(old.Track, new.Track), cmp.Or(old.Round, new.Round)
	if old.Date == new.Date {
		if old.TZ == "" {
			old.TZ, old.TZPrinted, old.TZSource, old.Instant = new.TZ, new.TZPrinted, new.TZSource, new.Instant
		}
		switch x, y := m.isPrintedFrom(old), m.isPrintedFrom(new); {
		case x == y:
			old.ExtendedFrom = max(old.ExtendedFrom, new.ExtendedFrom)
		case y:
			old.ExtendedFrom = new.ExtendedFrom
		}
		old.Firm = old.Firm || new.Firm
		return m.putOff(old)
	}
	new.Track, new.Round = old.Track, old.Round
	if !m.leads(old, new) {
		old, new = new, old
		if old.String() != string(new.ExtendedFrom) {
			m.lost(old.Field(), old.String(), old.Source, m.new.LastSeen)
		}
	} else {
		m.lost(old.Field(), old.String(), old.Source, m.old.LastSeen)
	}
	if new.ExtendedFrom == "" && m.isExtension(old, new) {
		new.ExtendedFrom = old.Date
	}
	return m.putOff(new)
}

// putOff returns an extended deadline with the day it had before. That is the one that the page
// prints, else the latest earlier day from another page that may be it.
func (m *merger) putOff(d eventseer.Deadline) eventseer.Deadline {
	if !saysExtension(d) || m.isPrintedFrom(d) {
		return d
	}
	for _, v := range slices.Concat(m.old.Trail, m.new.Trail, m.trail) {
		before := d
		before.Date, before.Source, before.ExtendedFrom = dayOf(v), v.Source, ""
		if v.Field == d.Field() && before.Call() == d.Call() && saysMoved(before, d) {
			d.ExtendedFrom = max(d.ExtendedFrom, before.Date)
		}
	}
	return d
}

// isPrintedFrom reports whether a page prints the day that a deadline was put off from: it
// is not one that another page gave.
func (m *merger) isPrintedFrom(d eventseer.Deadline) bool {
	return d.ExtendedFrom != "" && !slices.ContainsFunc(slices.Concat(m.old.Trail, m.new.Trail, m.trail), func(v eventseer.Evidence) bool {
		return v.Field == d.Field() && dayOf(v) == d.ExtendedFrom
	})
}

// dayOf returns the day of a deadline in a trail.
func dayOf(v eventseer.Evidence) eventseer.Date {
	return eventseer.Date(v.Value[:min(len(v.Value), len(time.DateOnly))])
}

// leads reports whether the new day of a deadline replaces the old one. It does if the old one's
// page now gives it, a page announces it as an extension, or its page is the better source.
func (m *merger) leads(old, new eventseer.Deadline) bool {
	if old.Source.URL == "" || old.Source.URL == new.Source.URL {
		return !m.new.LastSeen.Before(m.old.LastSeen)
	}
	if imported(old) != imported(new) {
		return imported(old)
	}
	switch {
	case saysMoved(old, new):
		return true
	case saysMoved(new, old):
		return false
	}
	return m.betterFounded(new, old)
}

// tellsMore reports whether a is the better source of two pages that give the same day. It is if it
// calls the day an extension, or is the better founded.
func (m *merger) tellsMore(a, b eventseer.Deadline) bool {
	if a.Source.URL == "" || b.Source.URL == "" {
		return false
	}
	if x, y := saysExtension(a), saysExtension(b); x != y {
		return x
	}
	return m.betterFounded(a, b)
}

func imported(d eventseer.Deadline) bool { return d.Source.Rule == eventseer.ImportRule }

// isExtension reports whether the later of two days of a deadline is an extension of the
// earlier one. That a second page has a later day is no evidence: it may be of another
// call, or either may be misread. One of the pages says so, or is the same page at another
// time.
func (m *merger) isExtension(old, new eventseer.Deadline) bool {
	return extends(old, new) && (old.Source.URL != "" && old.Source.URL == new.Source.URL || saysMoved(old, new))
}

// saysMoved reports whether the page of a later day says that it was put off, and may mean
// an earlier day of another page.
func saysMoved(from, to eventseer.Deadline) bool {
	return extends(from, to) && from.ExtendedFrom != to.Date && saysExtension(to)
}

// saysExtension reports whether a page says that a day is an extension.
func saysExtension(d eventseer.Deadline) bool {
	if d.Text = besideDay(d); d.ExtendedFrom != "" || change.SaysExtended(d.Text) {
		return true
	}
	return saidShort(d)
}

// besideDay returns the text around a deadline's day. In a text with several days it reaches from
// the day before to the next one, with a following subject in brackets.
func besideDay(d eventseer.Deadline) string {
	days := date.Read(d.Text, "")
	if len(days) < 2 {
		return d.Text
	}
	on, _ := d.Date.Time()
	for k, s := range days {
		if s.To.Day != on.Day() || time.Month(s.To.Month) != on.Month() {
			continue
		}
		from, to := 0, len(d.Text)
		if k > 0 {
			from = days[k-1].End
		}
		if k+1 < len(days) {
			to = days[k+1].Start
		}
		before, beside := d.Text[from:s.Start], d.Text[s.Start:to]
		if ends := entryEnd.FindAllStringIndex(before, -1); k > 0 && len(ends) > 0 {
			before = before[ends[len(ends)-1][1]:]
		}
		if next := entryNext.FindStringIndex(beside); k+1 < len(days) && next != nil {
			beside = beside[:next[0]]
		}
		beside = before + beside
		if at := strings.LastIndex(d.Text, subjectMark); at >= to {
			beside += d.Text[at:]
		}
		return beside
	}
	return d.Text
}

// entryEnd matches where what is said of the day before ends, entryNext where what is said of
// the next one begins.
var (
	entryEnd  = regexp.MustCompile(`[.;,|)]\s`)
	entryNext = regexp.MustCompile(`[.;|]\s|,\s*\pL[^,]*:`)
)

// subjectMark begins the subject of a message after the text of a deadline, see ingest.
const subjectMark = " ["

// maxBeside bounds the text beside a day whose words of an extension belong to it, in bytes. A
// longer text includes other deadlines.
const maxBeside = 160

// extendedBeside matches what is beside the day that a deadline was put off to.
var extendedBeside = regexp.MustCompile(`(?i)(^|\W)(extended|extension|postponed|prolonged)(\W|$)|new (deadline|date)`)

func saidShort(d eventseer.Deadline) bool {
	beside := cmp.Or(d.Text, d.Source.Snippet)
	return len(beside) <= maxBeside && extendedBeside.MatchString(beside) && !extendedKind.MatchString(beside)
}

// extendedKind matches what is called extended and is no deadline.
var extendedKind = regexp.MustCompile(`(?i)\bextended (abstracts?|versions?|papers?|summar\w+|drafts?)`)

// betterFounded orders two days of one deadline from two pages, without a word of an extension. First comes a page of
// the event's own, then one that lists it, then an archive of messages; then one that announces an extension, a call
// before another page, a printed day before an inferred one, the surer rule, the later day, and the better page.
func (m *merger) betterFounded(a, b eventseer.Deadline) bool {
	if weaker(a.Source, b.Source) || weaker(b.Source, a.Source) {
		return weaker(b.Source, a.Source)
	}
	if x, y := match.IsArchive(a.Source.URL), match.IsArchive(b.Source.URL); x != y {
		return y
	}
	if x, y := saysExtension(a), saysExtension(b); x != y {
		return x // it knows of a day before
	}
	if x, y := m.called(a.Source.URL), m.called(b.Source.URL); x != y {
		return x
	}
	if x, y := a.Source.Inferred == "", b.Source.Inferred == ""; x != y {
		return x
	}
	if a.Source.Confidence != b.Source.Confidence && a.Source.Confidence > 0 && b.Source.Confidence > 0 {
		return a.Source.Confidence > b.Source.Confidence
	}
	if a.Date != b.Date {
		return a.Date > b.Date
	}
	return match.BetterPage(a.Source.URL, b.Source.URL)
}

// extends reports whether a deadline to hand something in may have moved from
// the day of old to the later one of new.
func extends(old, new eventseer.Deadline) bool {
	from, ok := old.Date.Time()
	to, ok2 := new.Date.Time()
	return ok && ok2 && old.Kind.Submits() && to.After(from) && to.Sub(from) <= maxExtension
}
