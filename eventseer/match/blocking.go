package match

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"
)

// A BlockKey is a property that two records of one edition probably share. A store indexes events
// by their keys and compares a record only with events that share one (blocking, in the terms of
// record linkage).
type BlockKey struct{ Kind, Name string }

// HostKey is the kind of the keys common to pages of one host.
const HostKey = "host"

// Limits on keys: maxTitleKeys is the maximum number of keys of a title, maxKeyName the maximum length of a
// key's name in bytes.
const (
	maxTitleKeys = 8
	maxKeyName   = 120
)

// BlockKeys returns the keys of a record, the most specific first, each once. They are its series,
// its acronym, the pairs of neighbouring words of its title, the host of each page outside
// archives, and its first day with its place. It is pure.
func BlockKeys(e eventseer.Event) []BlockKey {
	keys := []BlockKey{SeriesKey(e)}
	if keys[0].Name == "" {
		keys = nil
	}
	add := func(kind, name string) {
		name = strings.ToValidUTF8(name[:min(len(name), maxKeyName)], "")
		if k := (BlockKey{kind, name}); name != "" && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	add("acronym", withoutSpaces(series.BareAcronym(e)))
	for _, pair := range titlePairs(e.Title) {
		add("title", pair)
	}
	for _, s := range sitesOf(e) {
		if !s.archive {
			add(HostKey, s.host)
		}
	}
	if e.Location != nil && e.EventStart != "" {
		add("days", string(e.EventStart)+" "+text.FoldForComparison(e.Location.City+" "+e.Location.CountryCode))
	}
	return keys
}

// SeriesKey returns the key common to the editions of a series; its name is "" if the record has
// none.
func SeriesKey(e eventseer.Event) BlockKey { return BlockKey{"series", series.Of(e)} }

// titlePairs returns the pairs of adjacent words of a title that describe the subject, or the only
// such word.
func titlePairs(title string) []string {
	words := series.ContentWords(title)
	if len(words) == 1 {
		return words
	}
	var pairs []string
	for i := 1; i < len(words) && len(pairs) < maxTitleKeys; i++ {
		pairs = append(pairs, words[i-1]+" "+words[i])
	}
	return pairs
}

// PossibleYears returns the possible years of a record, the most probable first; 0 means any. Records of
// one edition share one. It is pure.
func PossibleYears(e eventseer.Event) []int {
	if e.Year == 0 {
		return []int{0}
	}
	years := yearsOf(e)
	if !hasReliableDays(e) && series.Ordinal(e.Title) > 0 {
		years = append(years, e.Year-1, e.Year+1)
	}
	slices.Sort(years[1:])
	return slices.Compact(years)
}
