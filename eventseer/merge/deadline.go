package merge

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/match"
)

// maxExtension is the maximum time by which a deadline is extended. A later date is that of another round or
// a misreading.
const maxExtension = 75 * 24 * time.Hour

func (m *merger) mergeDeadlines() []eventseer.Deadline {
	pairs, gone, added := change.PairDeadlines(m.old.Deadlines, m.new.Deadlines)
	var out []eventseer.Deadline
	for _, p := range pairs {
		out = append(out, m.mergeDeadline(p.Old, p.New))
	}
	for _, d := range gone {
		if m.isRenamed(d) {
			continue
		}
		if m.isWithdrawn(d) {
			m.addToTrail(d.Field(), d.String(), d.Source, m.old.LastSeen)
			continue
		}
		out = append(out, d)
	}
	out = m.dropSuperseded(append(out, added...))
	sortDeadlines(out)
	return out[:min(len(out), eventseer.MaxDeadlines)]
}

// isWithdrawn reports whether the page that stated a deadline no longer does. The page must state another
// deadline of its kind and track. The removed one must be in the future, or so long before the event that it
// belongs to an earlier edition.
func (m *merger) isWithdrawn(d eventseer.Deadline) bool {
	if d.Source.URL == "" || d.Source.URL != m.new.URL || !m.new.LastSeen.After(m.old.LastSeen) ||
		!slices.ContainsFunc(m.new.Deadlines, func(n eventseer.Deadline) bool { return change.MayBeSameDeadline(d, n) }) {
		return false
	}
	start, ok := m.new.EventStart.Time()
	return d.Moment().After(m.new.LastSeen) || ok && start.Sub(d.Moment()) > earlierEdition
}

// isRenamed reports whether the page that stated a deadline now states the same date under a new track name.
// The earlier track must be gone.
func (m *merger) isRenamed(d eventseer.Deadline) bool {
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

// earlierEdition is the time before an event from which a deadline belongs to an earlier edition.
const earlierEdition = 366 * 24 * time.Hour

// mergeDeadline merges two readings of one deadline. A date that is replaced goes into the trail.
func (m *merger) mergeDeadline(old, new eventseer.Deadline) eventseer.Deadline {
	if old.Date == new.Date && old.Source.URL == new.Source.URL && !m.new.LastSeen.Before(m.old.LastSeen) {
		old, new = new, old // use the current text and position on the page
	}
	if old.Date == new.Date && old.Source.URL != new.Source.URL && m.isBetterSource(new, old) {
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
		return m.withExtendedFrom(old)
	}
	new.Track, new.Round = old.Track, old.Round
	if !m.replacesDate(old, new) {
		old, new = new, old
		if old.String() != string(new.ExtendedFrom) {
			m.addToTrail(old.Field(), old.String(), old.Source, m.new.LastSeen)
		}
	} else {
		m.addToTrail(old.Field(), old.String(), old.Source, m.old.LastSeen)
	}
	if new.ExtendedFrom == "" && m.isExtension(old, new) {
		new.ExtendedFrom = old.Date
	}
	return m.withExtendedFrom(new)
}

// withExtendedFrom returns an extended deadline with ExtendedFrom set. It is the date that the page prints. Otherwise
// it is the latest earlier date in the trails that may be the date before the extension.
func (m *merger) withExtendedFrom(d eventseer.Deadline) eventseer.Deadline {
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

// isPrintedFrom reports whether ExtendedFrom is printed by the deadline's page. Otherwise it is a date from
// another page, which is in a trail.
func (m *merger) isPrintedFrom(d eventseer.Deadline) bool {
	return d.ExtendedFrom != "" && !slices.ContainsFunc(slices.Concat(m.old.Trail, m.new.Trail, m.trail), func(v eventseer.Evidence) bool {
		return v.Field == d.Field() && dayOf(v) == d.ExtendedFrom
	})
}

// dayOf returns the date in a trail's value of a deadline.
func dayOf(v eventseer.Evidence) eventseer.Date {
	return eventseer.Date(v.Value[:min(len(v.Value), len(time.DateOnly))])
}

// replacesDate reports whether the new date of a deadline replaces the old one. It does if both are from the same
// page and the new one is not older, if its page announces it as an extension, if it is later and from a later
// message, or if it has the better source.
func (m *merger) replacesDate(old, new eventseer.Deadline) bool {
	if old.Source.URL == "" || old.Source.URL == new.Source.URL {
		return !m.new.LastSeen.Before(m.old.LastSeen)
	}
	if isImported(old) != isImported(new) {
		return isImported(old)
	}
	switch {
	case saysMoved(old, new):
		return true
	case saysMoved(new, old):
		return false
	case isOfLaterMessage(old, new):
		return true
	case isOfLaterMessage(new, old):
		return false
	}
	return m.hasBetterSource(new, old)
}

// isOfLaterMessage reports whether the date of to is later than that of from and in a message that was sent later.
// Then the deadline was moved, although the message does not say so. Messages also repeat earlier dates.
func isOfLaterMessage(from, to eventseer.Deadline) bool {
	return from.Source.Sent != "" && from.Source.Sent < to.Source.Sent && mayExtend(from, to)
}

// isBetterSource reports whether a is the better source of the same date. It is if only a announces the date as an
// extension, or if a has the better source by hasBetterSource.
func (m *merger) isBetterSource(a, b eventseer.Deadline) bool {
	if a.Source.URL == "" || b.Source.URL == "" {
		return false
	}
	if x, y := saysExtension(a), saysExtension(b); x != y {
		return x
	}
	return m.hasBetterSource(a, b)
}

func isImported(d eventseer.Deadline) bool { return d.Source.Rule == eventseer.ImportRule }

// isExtension reports whether the later of two dates of a deadline is an extension of the earlier one. A
// later date on another page is not enough evidence, because the page may be about another call, or either
// date may be misread. The page must announce an extension, or both dates must be from the same page at
// different times.
func (m *merger) isExtension(old, new eventseer.Deadline) bool {
	return mayExtend(old, new) && (old.Source.URL != "" && old.Source.URL == new.Source.URL || saysMoved(old, new))
}

// saysMoved reports whether the page of the later date announces an extension that may be from the earlier
// date of another page.
func saysMoved(from, to eventseer.Deadline) bool {
	return mayExtend(from, to) && from.ExtendedFrom != to.Date && saysExtension(to)
}

// saysExtension reports whether the text of a deadline announces its date as an extension.
func saysExtension(d eventseer.Deadline) bool {
	if d.Text = textBesideDay(d); d.ExtendedFrom != "" || change.SaysExtended(d.Text) {
		return true
	}
	return isShortText(d)
}

// textBesideDay returns the part of a deadline's text that belongs to its date. In a text with several dates it
// reaches from the previous date to the next one. The subject of a message in brackets at the end is
// included.
func textBesideDay(d eventseer.Deadline) string {
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

// entryEnd matches the end of the text that belongs to the previous date. entryNext matches the start of the
// text that belongs to the next one.
var (
	entryEnd  = regexp.MustCompile(`[.;,|)]\s`)
	entryNext = regexp.MustCompile(`[.;|]\s|,\s*\pL[^,]*:`)
)

// subjectMark is the separator between the text of a deadline and the subject of its message; see package
// ingest.
const subjectMark = " ["

// maxBeside is the maximum length, in bytes, of a text whose words about an extension apply to the date. A
// longer text includes other deadlines.
const maxBeside = 160

// extendedBeside matches words next to the date of an extended deadline.
var extendedBeside = regexp.MustCompile(`(?i)(^|\W)(extended|extension|postponed|prolonged)(\W|$)|new (deadline|date)`)

func isShortText(d eventseer.Deadline) bool {
	beside := cmp.Or(d.Text, d.Source.Snippet)
	return len(beside) <= maxBeside && extendedBeside.MatchString(beside) && !extendedKind.MatchString(beside)
}

// extendedKind matches phrases such as "extended abstract", which are not about a deadline.
var extendedKind = regexp.MustCompile(`(?i)\bextended (abstracts?|versions?|papers?|summar\w+|drafts?)`)

// confidenceTenths returns the confidence of a reading in whole tenths. Within a tenth the confidences do not
// decide; a bound on their difference would make the choice depend on the order of the pages.
func confidenceTenths(d eventseer.Deadline) int {
	return int(math.Round(100*cmp.Or(d.Source.Confidence, unmeasured))) / 10
}

// hasBetterSource reports whether a has a better source than b, for two dates of one deadline from two pages.
// Criteria in order: a page of the event itself before a list or an imported file, any page before an archive
// of messages, a page that announces an extension, a call before another page, a printed date before an
// inferred one, the higher confidence in tenths, the later date, and the better page.
func (m *merger) hasBetterSource(a, b eventseer.Deadline) bool {
	if isWeaker(a.Source, b.Source) || isWeaker(b.Source, a.Source) {
		return isWeaker(b.Source, a.Source)
	}
	if x, y := match.IsArchive(a.Source.URL), match.IsArchive(b.Source.URL); x != y {
		return y
	}
	if x, y := saysExtension(a), saysExtension(b); x != y {
		return x // the page of x also gives the earlier date
	}
	if x, y := m.isCall(a.Source.URL), m.isCall(b.Source.URL); x != y {
		return x
	}
	if x, y := a.Source.Inferred == "", b.Source.Inferred == ""; x != y {
		return x
	}
	if x, y := confidenceTenths(a), confidenceTenths(b); x != y {
		return x > y
	}
	if a.Date != b.Date {
		return a.Date > b.Date
	}
	return match.BetterPage(a.Source.URL, b.Source.URL)
}

// mayExtend reports whether a submission deadline may have been extended from the date of old to that of new.
func mayExtend(old, new eventseer.Deadline) bool {
	from, ok := old.Date.Time()
	to, ok2 := new.Date.Time()
	return ok && ok2 && old.Kind.IsSubmission() && to.After(from) && to.Sub(from) <= maxExtension
}
