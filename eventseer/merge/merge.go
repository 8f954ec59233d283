// Package merge combines the records of one event that were read from several pages. It keeps replaced values
// in a trail.
package merge

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/text"
)

// Merge merges a record read from a page into the record of its event. It also returns the fields that
// changed (see change.Diff). It is pure. Merging a record without new information changes nothing.
//
// If both values are from the same page, the newer one is used. Values of different pages are compared by
// confidence, then by page (see match.BetterPage), regardless of order. So pages with different values do not
// alternate, and the order of pages matters little. A submission deadline that a page announces as extended
// is used, with the earlier date in ExtendedFrom. If dates differ without such an announcement, the one with
// the better source is used; see hasBetterSource. Lists are united. Values that are not used or were replaced
// are kept in the trail.
func Merge(old, new eventseer.Event) (eventseer.Event, []eventseer.FieldChange) {
	out := old
	m := merger{old: old, new: new, sources: map[string]eventseer.Provenance{}}
	maps.Copy(m.sources, old.Sources)
	m.calls = appendNew(old.CallPages(), new.CallPages(), eventseer.MaxPages, func(s string) string { return s })
	m.related = relatedOf(m.calls, old, new)
	out.Calls = m.mergeCalls()
	m.mergeTitle(&out)
	pickValue(&m, "acronym", &out.Acronym, new.Acronym)
	pickValue(&m, "kind", &out.Kind, new.Kind)
	pickValue(&m, "parent", &out.Parent, new.Parent)
	m.mergeDays(&out)
	m.mergeYear(&out)
	if new.Location != nil {
		out.Location = m.mergeVenue()
	}
	m.mergeHomepage(&out)
	m.pickForMainCall("submission_url", &out.SubmissionURL, new.SubmissionURL)
	m.pickForMainCall("submission_system", &out.SubmissionSystem, new.SubmissionSystem)
	pickValue(&m, "publisher", &out.Publisher, new.Publisher)
	m.mergeOther(&out)
	m.mergeState(&out)
	out.Deadlines = m.mergeDeadlines()
	m.mergeTopics(&out)
	out.Committee = appendNew(old.Committee, new.Committee, eventseer.MaxCommittee, func(p eventseer.Person) string { return text.FoldForComparison(p.Name) })
	if _, ok := m.sources["committee"]; !ok && len(new.Committee) > 0 {
		m.recordNewSource("committee")
	}
	m.mergeRecordFields(&out)
	return validate.Event(out), change.Diff(old, out)
}

// mergeRecordFields merges the fields that describe the record rather than the event.
func (m *merger) mergeRecordFields(out *eventseer.Event) {
	old, new := m.old, m.new
	if old.Series != "" || new.Series != "" {
		out.Series = series.Of(*out)
	}
	out.URL = m.firstCallURL()
	out.Pages, out.Related, out.Version = m.calls, m.related, ""
	out.CFPScore = max(old.CFPScore, new.CFPScore)
	out.Confidence = max(validate.ReadConfidence(old), validate.ReadConfidence(new)) // validate.Event subtracts the effect of current warnings
	out.Warnings = appendNew(validate.ReadWarnings(old), validate.ReadWarnings(new), eventseer.MaxWarnings, func(w eventseer.Warning) string { return w.Rule + w.Text })
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w eventseer.Warning) bool { return w.Rule == validate.CopiedRule }) // computed anew by validate.CompareWithPrevious
	if match.OwnsName(*out) {
		out.Warnings = slices.DeleteFunc(out.Warnings, func(w eventseer.Warning) bool { return w.Rule == eventseer.ListNameRule })
	}
	if out.FirstSeen.IsZero() || !new.FirstSeen.IsZero() && new.FirstSeen.Before(out.FirstSeen) {
		out.FirstSeen = new.FirstSeen
	}
	if new.LastSeen.After(out.LastSeen) {
		out.LastSeen = new.LastSeen
	}
	for field, src := range m.sources {
		if src == (eventseer.Provenance{URL: out.URL}) {
			delete(m.sources, field) // it is the default, and its presence would depend on the order of pages
		}
	}
	if out.Sources = m.sources; len(m.sources) == 0 {
		out.Sources = nil
	}
	out.Trail = trailOf(*out, old.Trail, new.Trail, m.trail)
}

// firstCallURL returns the URL of the first page that is a call. Without one, it returns the best other page.
func (m *merger) firstCallURL() string {
	old, new := m.old.URL, m.new.URL
	switch {
	case old == "" || new == "" || m.isCall(old):
		return cmp.Or(old, new)
	case m.isCall(new) || match.BetterPage(new, old):
		return new
	}
	return old
}

// UniteEditions merges two events that turned out to be one edition. The result has the id and the first page of
// kept. The newer event is merged into the older one. The changes returned are those of kept.
func UniteEditions(kept, lost eventseer.Event) (eventseer.Event, []eventseer.FieldChange) {
	old, new := kept, lost
	if new.LastSeen.Before(old.LastSeen) {
		old, new = new, old
	}
	out, _ := Merge(old, new)
	out.ID = kept.ID
	if out.URL = kept.URL; eventseer.IsRelated(kept) && !eventseer.IsRelated(lost) {
		out.URL = lost.URL
	}
	out.Pages = appendNew(kept.CallPages(), lost.CallPages(), eventseer.MaxPages, func(s string) string { return s })
	return out, change.Diff(kept, out)
}

// A merger merges two records field by field.
type merger struct {
	old, new eventseer.Event
	sources  map[string]eventseer.Provenance
	trail    []eventseer.Evidence
	calls    []string // URLs of both records' pages that are calls
	related  []string // URLs of both records' pages that are not calls
	ofCalls  []eventseer.Call
}

// isCall reports whether a page is a call. Unknown pages count as calls.
func (m *merger) isCall(url string) bool { return !slices.Contains(m.related, url) }

// provenanceOf returns the provenance of a field, with at least the URL of its page.
func provenanceOf(e eventseer.Event, field string) eventseer.Provenance {
	src := e.Sources[field]
	src.URL = cmp.Or(src.URL, e.URL)
	return src
}

// isNewPreferred reports whether the new value of a field replaces a different old one.
func (m *merger) isNewPreferred(field string) bool {
	old, new := provenanceOf(m.old, field), provenanceOf(m.new, field)
	if old.URL == "" || old.URL == new.URL {
		return !m.new.LastSeen.Before(m.old.LastSeen)
	}
	if isWeaker(old, new) || isWeaker(new, old) {
		return isWeaker(old, new)
	}
	if a, b := m.isOfOtherCall(old.URL), m.isOfOtherCall(new.URL); a != b {
		return a
	}
	if a, b := m.isCall(old.URL), m.isCall(new.URL); a != b {
		return b
	}
	if old.Confidence > 0 && new.Confidence > 0 && old.Confidence != new.Confidence {
		return new.Confidence > old.Confidence
	}
	if a, b := validate.ReadConfidence(m.old), validate.ReadConfidence(m.new); math.Abs(a-b) > 1e-6 {
		return b > a
	}
	return match.BetterPage(new.URL, old.URL)
}

// recordNewSource records the provenance of a field whose value is from the new record.
func (m *merger) recordNewSource(field string) {
	if src := provenanceOf(m.new, field); src != (eventseer.Provenance{}) {
		m.sources[field] = src
	}
}

// setBetterSource sets the provenance of a value that both records have to the better page.
func (m *merger) setBetterSource(field string) {
	if m.isNewPreferred(field) {
		m.recordNewSource(field)
	}
}

// pickValue sets a field to the new value if that wins. The value that loses goes into the trail.
func pickValue[T comparable](m *merger, field string, value *T, new T) {
	var zero T
	switch {
	case new == zero:
	case new == *value:
		m.setBetterSource(field)
	case *value == zero:
		*value = new
		m.recordNewSource(field)
	case m.isNewPreferred(field):
		m.addOldToTrail(field, fmt.Sprint(*value))
		*value = new
		m.recordNewSource(field)
	default:
		m.addNewToTrail(field, fmt.Sprint(new))
	}
}

// mergeOther merges the fields that an operator named. The values of a field are from one page.
func (m *merger) mergeOther(out *eventseer.Event) {
	if len(m.new.Other) == 0 {
		return
	}
	out.Other = maps.Clone(m.old.Other)
	if out.Other == nil {
		out.Other = map[string][]string{}
	}
	for _, name := range m.new.OtherNames() {
		if len(out.Other) >= eventseer.MaxOther && out.Other[name] == nil {
			continue
		}
		values := strings.Join(out.Other[name], "; ")
		pickValue(m, eventseer.OtherField(name), &values, strings.Join(m.new.Other[name], "; "))
		if values == strings.Join(m.new.Other[name], "; ") {
			out.Other[name] = m.new.Other[name]
		}
	}
}

func (m *merger) addOldToTrail(field, value string) {
	m.addToTrail(field, value, provenanceOf(m.old, field), m.old.LastSeen)
}

func (m *merger) addNewToTrail(field, value string) {
	m.addToTrail(field, value, provenanceOf(m.new, field), m.new.LastSeen)
}

// mergeTitle merges the titles. A title that is only an acronym does not replace a longer one.
func (m *merger) mergeTitle(out *eventseer.Event) {
	acronym := cmp.Or(series.BareAcronym(m.old), series.BareAcronym(m.new))
	bareOld := match.IsBareTitle(series.TitleWords(m.old.Title), acronym)
	bareNew := match.IsBareTitle(series.TitleWords(m.new.Title), acronym)
	switch {
	case bareOld == bareNew || m.old.Title == "" || m.new.Title == "":
		pickValue(m, "title", &out.Title, m.new.Title)
	case bareOld && m.isCall(m.new.URL):
		m.addOldToTrail("title", m.old.Title)
		out.Title = m.new.Title
		m.recordNewSource("title")
	default:
		m.addNewToTrail("title", m.new.Title)
	}
}

// mergeDays merges the first and the last day of the event as a pair.
func (m *merger) mergeDays(out *eventseer.Event) {
	old, new := m.old, m.new
	switch {
	case new.EventStart == "":
	case new.EventStart == old.EventStart: // keep the old end if the new page does not state one
		m.setBetterSource("event_start")
		pickValue(m, "event_end", &out.EventEnd, new.EventEnd)
	case old.EventStart == "" || m.isNewPreferred("event_start"):
		m.addOldToTrail("event_start", string(old.EventStart))
		m.addOldToTrail("event_end", string(old.EventEnd))
		out.EventStart, out.EventEnd = new.EventStart, new.EventEnd
		m.recordNewSource("event_start")
		m.recordNewSource("event_end")
	default:
		m.addNewToTrail("event_start", string(new.EventStart))
		m.addNewToTrail("event_end", string(new.EventEnd))
	}
}

// mergeYear sets the year to that of the first day, if one of the records has this year. Otherwise it merges the
// years.
func (m *merger) mergeYear(out *eventseer.Event) {
	start, ok := out.EventStart.Time()
	if !ok || start.Year() != m.old.Year && start.Year() != m.new.Year {
		pickValue(m, "year", &out.Year, m.new.Year)
		return
	}
	if out.Year = start.Year(); m.old.Year != out.Year {
		if m.old.Year != 0 {
			m.addOldToTrail("year", change.PrintYear(m.old.Year))
		}
		m.recordNewSource("year")
	} else if m.new.Year != 0 && m.new.Year != out.Year {
		m.addNewToTrail("year", change.PrintYear(m.new.Year))
	}
}

// mergeHomepage sets the home page to the better of two addresses, as match.BetterHome decides.
func (m *merger) mergeHomepage(out *eventseer.Event) {
	best := match.BetterHome(m.old.Homepage, m.new.Homepage, *out)
	if best == "" {
		best = cmp.Or(m.old.Homepage, m.new.Homepage)
	}
	if out.Homepage = best; best != "" && best != m.old.Homepage {
		m.recordNewSource("homepage")
	}
}

// mergeState merges the states. Only the page that stated a state can withdraw it.
func (m *merger) mergeState(out *eventseer.Event) {
	if was := m.old.Sources["state"]; m.old.State != "" && m.new.State == "" && was.URL == m.new.URL && m.new.LastSeen.After(m.old.LastSeen) {
		m.addOldToTrail("state", string(m.old.State))
		out.State = ""
		delete(m.sources, "state")
		return
	}
	pickValue(m, "state", &out.State, m.new.State)
}

// mergeVenue merges two places. If they do not contradict each other, missing parts are filled in.
func (m *merger) mergeVenue() *eventseer.Venue {
	if m.old.Location == nil {
		m.recordNewSource("location")
		v := *m.new.Location
		return &v
	}
	v, n := *m.old.Location, *m.new.Location
	if change.ContradictingTracks(v.City, n.City) || change.ContradictingTracks(v.Country, n.Country) {
		if m.isNewPreferred("location") {
			m.addOldToTrail("location", v.String())
			m.recordNewSource("location")
			return &n
		}
		m.addNewToTrail("location", n.String())
		return &v
	}
	m.setBetterSource("location")
	v.City, v.Region, v.Text = cmp.Or(v.City, n.City), cmp.Or(v.Region, n.Region), cmp.Or(v.Text, n.Text)
	v.Country, v.CountryCode = cmp.Or(v.Country, n.Country), cmp.Or(v.CountryCode, n.CountryCode)
	v.Online, v.Hybrid = v.Online || n.Online, v.Hybrid || n.Hybrid
	return &v
}

// appendNew appends the new values whose keys are not in old, up to limit values in all.
func appendNew[T any](old, new []T, limit int, key func(T) string) []T {
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

// addToTrail adds a value to the trail that a page stated but that is not, or no longer, the field's value.
func (m *merger) addToTrail(field, value string, src eventseer.Provenance, seen time.Time) {
	if value == "" {
		return
	}
	src.Snippet = "" // the trail needs only the position, not the text
	m.trail = append(m.trail, eventseer.Evidence{Field: field, Value: value, Source: src, Seen: seen})
}

// trailOf merges trails. Each combination of field, value and page has one entry, with the time when it was
// first seen. Entries are sorted by time. Current values are left out. Beyond MaxTrail the oldest entries are
// dropped.
func trailOf(e eventseer.Event, trails ...[]eventseer.Evidence) []eventseer.Evidence {
	type said struct{ field, value, page string }
	now := valuesOf(e)
	at := map[said]int{}
	var out []eventseer.Evidence
	for _, v := range slices.Concat(trails...) {
		if slices.Contains(now[v.Field], v.Value) {
			continue
		}
		key := said{v.Field, v.Value, v.Source.URL}
		i, known := at[key]
		switch {
		case !known:
			at[key] = len(out)
			out = append(out, v)
		case v.Seen.Before(out[i].Seen):
			out[i] = v
		}
	}
	slices.SortStableFunc(out, func(a, b eventseer.Evidence) int {
		return cmp.Or(a.Seen.Compare(b.Seen), cmp.Compare(a.Field, b.Field), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Source.URL, b.Source.URL))
	})
	return out[max(0, len(out)-eventseer.MaxTrail):]
}

// valuesOf returns the current values of the fields in a trail, in the format of the trail.
func valuesOf(e eventseer.Event) map[string][]string {
	values := map[string][]string{
		"title": {e.Title}, "acronym": {e.Acronym}, "kind": {string(e.Kind)}, "year": {change.PrintYear(e.Year)}, "parent": {e.Parent},
		"event_start": {string(e.EventStart)}, "event_end": {string(e.EventEnd)}, "location": {e.Location.String()},
		"submission_url": {e.SubmissionURL}, "submission_system": {e.SubmissionSystem}, "publisher": {e.Publisher},
		"state": {string(e.State)},
	}
	for name, texts := range e.Other {
		values[eventseer.OtherField(name)] = []string{strings.Join(texts, "; ")}
	}
	for _, d := range e.Deadlines {
		values[d.Field()] = append(values[d.Field()], d.String())
	}
	return values
}

// relatedOf returns the pages of two records that are not calls, in ascending order. It does not depend on the
// order of the records. Pages in calls are left out.
func relatedOf(calls []string, old, new eventseer.Event) []string {
	all := slices.Compact(slices.Sorted(slices.Values(slices.Concat(old.Related, new.Related))))
	all = slices.DeleteFunc(all, func(url string) bool { return slices.Contains(calls, url) })
	return all[:min(len(all), maxRelated)]
}

// maxRelated is the maximum length of Event.Related.
const maxRelated = 100

// isWeaker reports whether a is from a weaker kind of source than b. An import is weaker than a list, and a
// list weaker than a page of the event.
func isWeaker(a, b eventseer.Provenance) bool { return sourceWeakness(a) > sourceWeakness(b) }

func sourceWeakness(p eventseer.Provenance) int {
	switch p.Rule {
	case eventseer.ImportRule:
		return 2
	case eventseer.ListRule:
		return 1
	}
	return 0
}

// Reconcile merges what a wrapper and the extractor read on one page. A wrapper's value has passed the checks
// of its field and takes precedence; a different value of the extractor goes into the trail. A wrapper's list
// of topics or people replaces that of the extractor. Other values are the extractor's. It is pure.
func Reconcile(wrapped, extracted eventseer.Event) eventseer.Event {
	wrapped.LastSeen = extracted.LastSeen
	out, _ := Merge(extracted, wrapped) // same page and time, so the second record wins
	if len(wrapped.Topics) > 0 {
		out.Topics, out.Sources["topics"] = wrapped.Topics, provenanceOf(wrapped, "topics")
	}
	if len(wrapped.Committee) > 0 {
		out.Committee, out.Sources["committee"] = wrapped.Committee, provenanceOf(wrapped, "committee")
	}
	out.Pages, out.Calls = nil, extracted.Calls
	return out
}
