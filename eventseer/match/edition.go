// Package match decides whether two records are of the same edition of an event, by
// record linkage: blocking keys find candidates, weighed evidence decides.
package match

import (
	"math"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
)

// Similarity weighs the evidence for and against two records being of the same edition, as record
// linkage does (Fellegi and Sunter 1969). Each comparison possible for both records adds its
// weight. The weights are rounded log-odds from pages of the same and of other editions; a sum of
// at least 0 means that the records are probably the same. Different years are different editions,
// whatever else agrees: the weight is -Inf. A workshop is distinguished from its conference by
// names, because they share site, place and days; different names of events have a weight of -Inf
// too, see differentEvents. It is pure and symmetric.
func (a *EventKey) Similarity(b *EventKey) float64 {
	if !sameYear(a, b) {
		return math.Inf(-1)
	}
	site := weighSite(a, b)
	names, ordinals := weighNames(a, b, site > sameHost)
	circumstances := weighDays(a, b) + weighPlace(a, b) + weighDeadlines(a, b)
	if names <= 0 {
		limit := coLocated
		if site >= ownFolder {
			limit++
		}
		circumstances = min(circumstances, limit)
	}
	sum := prior + weighYear(a, b) + site + names + ordinals + circumstances
	if sum >= 0 && differentEvents(a, b) {
		return math.Inf(-1)
	}
	if sum >= 0 && circumstances <= 0 && site <= 0 && a.archived && b.archived && !haveCommonFullName(a, b) {
		return -1
	}
	return sum
}

// longTitle is the number of common subject words from which two titles cannot be the subjects of
// many messages.
const longTitle = 4

// haveCommonFullName reports whether two records agree in a full name. That is an acronym that the title of
// one confirms and a title with more words, or a long title. Messages of archives without a common
// day, place or site need this, because other common words may be the name or the subject of the
// list.
func haveCommonFullName(a, b *EventKey) bool {
	like, both := series.TitleSimilarity(a.words, b.words)
	if like >= sameTitle && both >= longTitle {
		return true
	}
	if a.squeezed == "" || a.squeezed != b.squeezed || !a.bearsOut && !b.bearsOut {
		return false
	}
	return like >= likeTitle && both > 1 && !IsBareTitle(a.words, a.acronym) && !IsBareTitle(b.words, b.acronym)
}

// coLocated is the maximum weight of days, place and deadlines for events whose names do not agree. Events
// held together share them all, but seldom the site and all days.
const coLocated = 3.0

// prior is the weight of two records without evidence, given that one is a candidate for the other.
const prior = -6.0

// Thresholds on the share of common words. Titles are similar or equal from two of them on, and different
// below the third.
const (
	likeTitle  = 0.4
	sameTitle  = 0.8
	otherTitle = 0.15
)

// weighNames compares titles and acronyms, and the ordinals of the titles. Different titles weigh
// less for pages of one site, because its pages have their own titles.
func weighNames(a, b *EventKey, oneSite bool) (names, ordinals float64) {
	names = weighAcronyms(a, b)
	if isHeldAt(a, b) || isHeldAt(b, a) {
		names -= 4
	}
	if a.acronym != b.acronym || a.acronym == "" {
		names += weighKind(a.e.Kind, b.e.Kind)
	}
	like, both := series.TitleSimilarity(a.words, b.words)
	bare := IsBareTitle(a.words, a.acronym, b.acronym) || IsBareTitle(b.words, a.acronym, b.acronym)
	switch {
	case like >= sameTitle && both > 1 && !bare:
		names += 4
	case like >= sameTitle || like >= likeTitle && both > 1:
		names += 2
	case bare || len(a.words) == 0 || len(b.words) == 0:
	case like < otherTitle && oneSite:
		names -= 2
	case like < otherTitle:
		names -= 4
	}
	// ordinals of things with different names are not comparable
	if n, m := a.ordinal, b.ordinal; n > 0 && m > 0 && names > 0 {
		if n != m {
			ordinals = -4
		} else {
			ordinals = 1
		}
	}
	return names, ordinals
}

// IsBareTitle reports whether a title has no more words than an acronym, so that it cannot contradict
// another.
func IsBareTitle(words map[string]bool, acronyms ...string) bool {
	n := len(words)
	for _, w := range strings.Fields(strings.Join(acronyms, " ")) {
		if words[w] {
			n--
		}
	}
	return n <= 0
}

// isHeldAt reports whether an event is held with the event of another acronym.
func isHeldAt(a, b *EventKey) bool {
	return a.acronym != b.acronym && b.acronym != "" && areAllIn(b.acronym, a.parent)
}

func weighAcronyms(a, b *EventKey) float64 {
	if series.IsSociety(a.acronym) || series.IsSociety(b.acronym) {
		return 0
	}
	switch {
	case a.acronym == "" || b.acronym == "":
		if a.acronym != "" && areAllIn(a.acronym, b.words) || b.acronym != "" && areAllIn(b.acronym, a.words) {
			return 2
		}
		return 0
	case a.squeezed == b.squeezed:
		return 4
	case areAllIn(a.acronym, b.words) || areAllIn(b.acronym, a.words) || a.containsAcronym(b):
		return 2
	}
	return -3
}

// containsAcronym reports whether one acronym is in the other.
func (a *EventKey) containsAcronym(b *EventKey) bool {
	return strings.Contains(a.squeezed, b.squeezed) || strings.Contains(b.squeezed, a.squeezed)
}

func withoutSpaces(s string) string { return strings.ReplaceAll(s, " ", "") }

// areAllIn reports whether all words of an acronym are in a title.
func areAllIn(acronym string, words map[string]bool) bool {
	return !slices.ContainsFunc(strings.Fields(acronym), func(w string) bool { return !words[w] })
}

// maxSitePages is the maximum number of pages of an event whose URLs are compared.
const maxSitePages = 8

// weighSite returns the weight of the addresses of the pages of two events: that of the pair of pages with
// the highest weight.
func weighSite(a, b *EventKey) float64 {
	best, contrary := 0.0, false
	for i := range a.sites {
		for j := range b.sites {
			w := weighPages(&a.sites[i], &b.sites[j], a, b)
			contrary = contrary || w < 0
			best = max(best, w)
		}
	}
	if best <= sameHost && contrary {
		return otherFolder
	}
	return best
}

func sitesOf(e eventseer.Event) (sites []site) {
	seen := map[string]bool{}
	for _, page := range slices.Concat(e.CallPages(), []string{e.Homepage}, e.Related) {
		if page != "" && !seen[page] && len(sites) < maxSitePages {
			seen[page] = true
			sites = append(sites, siteOf(page))
		}
	}
	return sites
}

// Weights of the pages' URLs. sameHost is the weight of pages on one host without a name of the event.
// ownFolder is that of pages in a folder named after the edition, otherFolder that of pages in folders named
// after different years.
const (
	sameHost    = 1.0
	ownFolder   = 5.0
	otherFolder = -4.0
)

// weighPages compares the addresses of two pages. They may be the same page, the same folder of an
// edition, a folder or host named after the event, or the same host.
func weighPages(s, t *comparedSite, a, b *EventKey) float64 {
	if s.page != "" && s.page == t.page {
		return 3
	}
	common := s.countShared(t.site)
	if common == 0 || s.archive || t.archive {
		return 0
	}
	path := s.paths[common-1]
	switch {
	case s.sure && t.sure && s.edition != t.edition:
		return otherFolder
	case s.edition != 0 && s.edition == t.edition && (a.e.Year == s.edition || b.e.Year == s.edition):
		return ownFolder
	case a.isNamedInPath(path) || b.isNamedInPath(path):
		return 4
	}
	return sameHost
}

// minNamed is the length in bytes from which an acronym is recognised in an address.
const minNamed = 3

func weighPlace(a, b *EventKey) float64 {
	at, to := a.e.Location, b.e.Location
	switch {
	case at == nil || to == nil:
	case a.city != "" && a.city == b.city:
		return 1
	case at.CountryCode != "" && to.CountryCode != "" && at.CountryCode != to.CountryCode:
		return -2
	}
	return 0
}

// weighDeadlines counts the common deadlines of two records: two calls rarely have equal deadlines
// of the same kinds.
func weighDeadlines(a, b *EventKey) float64 {
	shared := 0
	for d := range a.dues {
		if b.dues[d] {
			shared++
		}
	}
	if shared > 1 {
		return 3
	}
	return float64(shared)
}

func weighKind(a, b eventseer.Kind) float64 {
	if a == "" || b == "" || a == eventseer.OtherKind || b == eventseer.OtherKind || (a == eventseer.Workshop) == (b == eventseer.Workshop) {
		return 0
	}
	return -1
}
