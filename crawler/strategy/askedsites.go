package strategy

import "github.com/eventseer/eventseer/crawler"

// askedSites holds the sites whose backlinks a strategy has requested; each is requested once. It is not
// safe for concurrent use.
type askedSites map[string]bool

// askSiteOnce reports whether site is new. If so it makes the crawl request up to backlinkLimit backlinks of
// v's page. The caller sets v.Backward.
func (s askedSites) askSiteOnce(v *crawler.Verdict, site string) bool {
	if s[site] {
		return false
	}
	s[site] = true
	v.Notes = append(v.Notes, crawler.Note{Key: "asked/" + site, Value: []byte{1}})
	v.Back = backlinkLimit
	return true
}
