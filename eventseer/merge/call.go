package merge

import (
	"cmp"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// mergeCalls returns the calls of both records, one for each kind, track and round, and stores them in
// m.ofCalls. A call is dropped if the page of the new record announced it before, no longer does, and no
// other page does.
func (m *merger) mergeCalls() []eventseer.Call {
	var calls []eventseer.Call
	now := m.new.PageCalls()
	for _, c := range m.old.PageCalls() {
		if page := m.new.URL; len(m.new.Calls) > 0 && !eventseer.IsRelated(m.new) && m.new.LastSeen.After(m.old.LastSeen) && slices.Contains(c.Pages, page) &&
			!slices.ContainsFunc(now, func(n eventseer.Call) bool { return n.Key() == c.Key() && slices.Contains(n.Pages, page) }) {
			c.Pages = slices.DeleteFunc(slices.Clone(c.Pages), func(p string) bool { return p == page })
			if len(c.Pages) == 0 {
				continue
			}
		}
		calls = eventseer.AddCall(calls, c)
	}
	for _, c := range now {
		calls = eventseer.AddCall(calls, c)
	}
	m.ofCalls = calls
	return calls
}

// isOfOtherCall reports whether a page announces calls of the event, but not the main one.
func (m *merger) isOfOtherCall(url string) bool { return eventseer.OtherCallOnly(m.ofCalls, url) }

// pickForMainCall is like pickValue, for a field of the main call. A value from a page of another call is used until a page
// of the main call is known.
func (m *merger) pickForMainCall(field string, value *string, new string) {
	if !slices.ContainsFunc(m.ofCalls, func(c eventseer.Call) bool { return c.Key() == (eventseer.CallKey{}) }) {
		pickValue(m, field, value, new)
		return
	}
	if *value != "" && m.isOfOtherCall(provenanceOf(m.old, field).URL) {
		*value = ""
		delete(m.sources, field)
	}
	if !m.isOfOtherCall(provenanceOf(m.new, field).URL) {
		pickValue(m, field, value, new)
	}
}

// mergeTopics unites the topics of the pages of the main call. Until such a page is known, the topics of another
// call are used: those of the first call by key. A page that is not a call adds no topics to known ones.
func (m *merger) mergeTopics(out *eventseer.Event) {
	from, to := provenanceOf(m.old, "topics").URL, provenanceOf(m.new, "topics").URL
	a, b := m.isOfOtherCall(from), m.isOfOtherCall(to)
	switch {
	case len(m.new.Topics) == 0:
	case len(m.old.Topics) == 0, a && !b, a && b && m.callIndexOf(to) < m.callIndexOf(from):
		out.Topics = slices.Clone(m.new.Topics)
		m.recordNewSource("topics")
	case b && !a, a && b && m.callIndexOf(from) < m.callIndexOf(to), !m.isCall(m.new.URL):
	default:
		out.Topics = appendNew(m.old.Topics, m.new.Topics, eventseer.MaxTopics, text.FoldForComparison)
		if _, ok := m.sources["topics"]; !ok {
			m.recordNewSource("topics")
		}
	}
}

// callIndexOf returns the index in m.ofCalls of the first call that a page announces, or -1.
func (m *merger) callIndexOf(url string) int {
	return slices.IndexFunc(m.ofCalls, func(c eventseer.Call) bool { return slices.Contains(c.Pages, url) })
}

// sortDeadlines sorts the deadlines of an event: those of the main call first, then by date.
func sortDeadlines(deadlines []eventseer.Deadline) {
	type ofCall struct {
		eventseer.Deadline
		other bool
	}
	all := make([]ofCall, len(deadlines))
	for i, d := range deadlines {
		all[i] = ofCall{d, d.Call() != eventseer.MainCall}
	}
	slices.SortStableFunc(all, func(a, b ofCall) int {
		return cmp.Or(compareBools(a.other, b.other), cmp.Compare(a.Date, b.Date), cmp.Compare(a.Kind, b.Kind),
			cmp.Compare(a.Track, b.Track), cmp.Compare(a.Round, b.Round))
	})
	for i, d := range all {
		deadlines[i] = d.Deadline
	}
}
