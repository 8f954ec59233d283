package strategy

import (
	"net/url"
	"strings"
	"unicode"

	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// A cue is what the words of a link's anchor and URL promise.
type cue struct {
	// worth is 1 for a call, .5 for dates and submission, .25 for an event, less
	// .3 for a part of an event's site that holds no call.
	worth float64
	// list says that the words promise a page of many events.
	list bool
}

// Words of anchors and URL paths, lower-case, in the languages calls come in.
var (
	callWords = words(`cfp cfps callforpapers callforpaper callforabstracts callforworkshops callforposters
		call calls callfor convocatoria llamado aufruf appel chamada bando`)
	submitWords = words(`submission submissions submit submitting deadline deadlines dates author authors
		contribution contributions contribute abstract abstracts proposal proposals papers
		einreichung soumission envío submissão`)
	eventWords = words(`conference workshop symposium congress konferenz tagung conférence colloque
		congreso conferencia congresso simpósio convegno`)
	listWords = words(`conferences workshops events calendar deadlines cfps meetings upcoming conf confs
		tagungen veranstaltungen événements eventos`)
	asideWords = words(`login register registration hotel hotels travel program programme committee committees
		sponsor sponsors sponsorship privacy contact venue photo photos accommodation proceedings accepted
		keynote keynotes speaker speakers schedule organizers organisers attending visa`)
)

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// linkCue reads the anchor and the URL of a link.
func linkCue(anchor, target string) cue {
	var host, path string
	if u, err := url.Parse(target); err == nil {
		host, path = u.Host, u.Path+" "+u.RawQuery
	}
	var c cue
	aside := false
	for _, w := range split(anchor + " " + path) {
		c.list = c.list || listWords[w]
		aside = aside || asideWords[w]
		switch {
		case callWords[w] || strings.HasPrefix(w, "callfor") || strings.HasPrefix(w, "cfp") || strings.HasSuffix(w, "cfp"):
			c.worth = max(c.worth, 1)
		case submitWords[w]:
			c.worth = max(c.worth, 0.5)
		case eventWords[w] || isYear(w):
			c.worth = max(c.worth, 0.25)
		}
	}
	if c.worth == 0 && hostPromisesEvent(host) {
		c.worth = 0.25
	}
	if aside {
		c.worth -= 0.3
	}
	return c
}

// A cuedLink is a link with what its words promise.
type cuedLink struct {
	webgraph.Link
	cue
	away bool // leads to another site
}

// cuedLinks returns the links of a page of the site here.
func cuedLinks(t *tagtree.Tree, here string) []cuedLink {
	links := t.Links()
	cued := make([]cuedLink, len(links))
	for i, l := range links {
		cued[i] = cuedLink{l, linkCue(l.Anchor, l.Target), site(l.Target) != here}
	}
	return cued
}

func (l cuedLink) promise() float64 {
	if l.away {
		return l.worth + 0.3
	}
	return l.worth
}

// isTold reports whether a link stands in running text of an informational
// area. Such links are worth following however low the hub value is (papers
// 000/001, section 4.2 and figure 4).
func isTold(p tagtree.LinkPlace) bool {
	return p.Area != nil && p.Area.Kind == tagtree.Info && p.Block != nil && 2*p.Block.Linked <= len(p.Block.Text)
}

// split returns the lower-case runs of letters and the runs of digits of s.
func split(s string) []string {
	var parts []string
	start, kind := -1, 0
	for i, r := range s {
		k := 0
		switch {
		case unicode.IsLetter(r):
			k = 1
		case unicode.IsDigit(r):
			k = 2
		}
		if k == kind && start >= 0 {
			continue
		}
		if start >= 0 {
			parts = append(parts, strings.ToLower(s[start:i]))
		}
		start, kind = i, k
		if k == 0 {
			start = -1
		}
	}
	if start >= 0 {
		parts = append(parts, strings.ToLower(s[start:]))
	}
	return parts
}

func isYear(w string) bool {
	return len(w) == 4 && (strings.HasPrefix(w, "19") || strings.HasPrefix(w, "20")) && w[2] >= '0' && w[2] <= '9'
}

// hostPromisesEvent tells hosts such as icx2027.example or workshop.example.
func hostPromisesEvent(host string) bool {
	for _, w := range split(host) {
		if eventWords[w] || isYear(w) {
			return true
		}
	}
	return false
}

// site is the part of the web under one owner that a URL belongs to.
func site(u string) string { return webgraph.RegisteredDomain(webgraph.HostOf(u)) }

// isHomePage tells personal pages by the tilde of their path.
func isHomePage(u string) bool { return strings.Contains(u, "/~") || strings.Contains(u, "/%7E") }
