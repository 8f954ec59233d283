package strategy

import "github.com/eventseer/eventseer/crawler"

// askedSites are the sites whose backlinks a strategy requested. Each is requested once. It is not
// safe for concurrent use.
type askedSites map[string]bool

// askOnce reports whether site is new. If so it makes v request at most backlinkLimit backlinks of
// its page. The caller sets v.Backward.
func (s askedSites) askOnce(v *crawler.Verdict, site string) bool {
	if s[site] {
		return false
	}
	s[site] = true
	v.Notes = append(v.Notes, crawler.Note{Key: "asked/" + site, Value: []byte{1}})
	v.Back = backlinkLimit
	return true
}
