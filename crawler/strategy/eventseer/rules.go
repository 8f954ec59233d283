package eventseer

import "github.com/eventseer/eventseer/crawler/strategy/internal/part"

// Scores of links by the rules, 0 to about 1.2. They were set by hand from the worth of each kind
// of link and checked on the development web with seeds of all kinds.
const (
	worthListed    = 0.7  // link from a list to another site
	worthListSelf  = 0.35 // link from a list to its own site
	worthCallSite  = 0.1  // link within the site of a call, without a cue
	worthCallOut   = 0.35 // link from the site of a call to another site
	worthMailOut   = 0.4
	worthMailSelf  = 0.15
	worthSample    = 0.4
	worthParked    = 0.03
	worthElsewhere = 0.02
	worthBackList  = 0.95 // backlink whose URL promises a list
	worthBackHome  = 0.3  // backlink that looks like a homepage
	worthBackOther = 0.4
	extraList      = 0.25 // link whose words promise a list
	extraTold      = 0.2  // link in the running text of the site of a call
	extraCited     = 0.15 // for each further site whose backlinks contain a source
)

// samplesOf is the number of links that are sampled on a page that may lead to calls.
const samplesOf = 3

// isSampled reports whether it is uncertain that pages of a kind lead to calls. A few of their links are
// sampled, and the others are parked until one of those is good (child sampling, paper 002 §3.4).
func isSampled(kind string) bool {
	return kind == "homepage" || kind == "institution_topic" || kind == "weblog"
}

// isHit reports whether a sample of that kind is evidence for its page.
func isHit(kind string) bool {
	return kind == callPage || kind == "cfp" || kind == "conference" || kind == part.ListPage
}

// ruleScore returns the score of a link by the rules alone.
func ruleScore(kind string, l scoredLink) float64 {
	w := l.Worth
	switch {
	case kind == part.ListPage && l.Away:
		return worthListed + 0.2*w
	case kind == part.ListPage:
		if l.List {
			w += extraList / 0.25
		}
		return worthListSelf + 0.25*w
	case kind == callPage || kind == "cfp" || kind == "conference":
		h := worthCallSite + 0.85*w
		if l.Away {
			h = worthCallOut + 0.3*w
		}
		if l.told {
			h += extraTold
		}
		return h
	case kind == mailPage && l.Away:
		return worthMailOut + 0.3*w
	case kind == mailPage:
		return worthMailSelf
	case isSampled(kind):
		return worthParked + 0.2*max(0, w)
	}
	return worthElsewhere + 0.3*max(0, w)
}

// sampleScore returns the score of a sampled link, or of one no longer parked.
func sampleScore(worth float64) float64 { return worthSample + 0.3*worth }

// backlinkScore returns the score of a backlink source, of which only the URL is known.
func backlinkScore(url string, cited int) float64 {
	h := worthBackOther
	switch c := part.LinkEvidenceOf("", url); {
	case c.List || c.Worth == 1:
		h = worthBackList
	case part.IsHomePage(url):
		h = worthBackHome
	}
	return h + extraCited*float64(cited-1)
}
