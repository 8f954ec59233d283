package match

import (
	"slices"

	"github.com/eventseer/eventseer/eventseer"
)

// AreOnOneSite reports whether two pages are of the site of one edition. They must be on one host
// outside archives, not in folders of different editions, with compatible years, and their names
// must not be those of two events. Pages in separate folders must agree in a name, because a host
// may have sites of many events. It is pure and symmetric.
func AreOnOneSite(a, b *EventKey) bool {
	s, t := compareSite(siteOf(a.e.URL)), compareSite(siteOf(b.e.URL))
	common := s.countShared(t.site)
	switch {
	case common == 0 || s.archive || t.archive || !sameYear(a, b):
		return false
	case s.sure && t.sure && s.edition != t.edition:
		return false
	case s.sure != t.sure && !s.isOfOtherYear(b) && !t.isOfOtherYear(a):
		return false // only one is in the folder of an edition; the other may belong to any
	}
	if nested := common == 1+len(s.folders) || common == 1+len(t.folders); !nested {
		if names, _ := weighNames(a, b, true); names <= 0 {
			return false
		}
	}
	return !differentEvents(a, b)
}

// isOfOtherYear reports whether the folder or host of a page is named after the year of another.
func (s *comparedSite) isOfOtherYear(of *EventKey) bool { return s.sure && s.edition == of.e.Year }

// OwnPages returns the pages of an event that are of its own site, at most limit, the best first.
// The site is the host of its home page, if one is on it, otherwise the host with most pages.
// Archives have none. It is pure.
func OwnPages(e eventseer.Event, limit int) []string {
	count := map[string]int{}
	var pages []string
	for _, page := range append(e.CallPages(), e.Related...) {
		if s := siteOf(page); s.host != "" && !s.archive {
			pages = append(pages, page)
			count[s.host]++
		}
	}
	host := siteOf(e.Homepage).host
	if count[host] == 0 {
		host = ""
		for h, n := range count {
			if host == "" || n > count[host] || n == count[host] && h < host {
				host = h
			}
		}
	}
	return bestPages(pages, host, limit)
}

func bestPages(pages []string, host string, limit int) []string {
	pages = slices.DeleteFunc(pages, func(page string) bool { return siteOf(page).host != host })
	slices.SortFunc(pages, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case BetterPage(a, b):
			return -1
		}
		return 1
	})
	pages = slices.Compact(pages)
	return pages[:min(len(pages), limit)]
}
