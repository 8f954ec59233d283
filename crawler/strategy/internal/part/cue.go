package part

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A LinkEvidence is the evidence in the words of a link's anchor and URL.
type LinkEvidence struct {
	// Worth is the worth of the link's target: 1 for a call, 0.5 for dates and submission, 0.25 for
	// an event. It is lower by 0.3 for a part of an event's site without calls.
	Worth float64
	// List means that the words indicate a page with many events.
	List bool
}

// Words of anchors and URL paths, in lower case, in the most common languages of calls.
var (
	callWords = text.WordSet(`cfp cfps callforpapers callforpaper callforabstracts callforworkshops callforposters
		call calls callfor convocatoria llamado aufruf appel chamada bando`)
	submitWords = text.WordSet(`submission submissions submit submitting deadline deadlines dates author authors
		contribution contributions contribute abstract abstracts proposal proposals papers
		einreichung soumission envío submissão`)
	eventWords = text.WordSet(`conference workshop symposium congress konferenz tagung conférence colloque
		congreso conferencia congresso simpósio convegno`)
	listWords = text.WordSet(`conferences workshops events calendar deadlines cfps meetings upcoming conf confs
		tagungen veranstaltungen événements eventos`)
	asideWords = text.WordSet(`login register registration hotel hotels travel program programme committee committees
		sponsor sponsors sponsorship privacy contact venue photo photos accommodation proceedings accepted
		keynote keynotes speaker speakers schedule organizers organisers attending visa`)
)

// LinkEvidenceOf reads the anchor and the URL of a link.
func LinkEvidenceOf(anchor, target string) LinkEvidence {
	var host, path string
	if u, err := url.Parse(target); err == nil {
		host, path = u.Host, u.Path+" "+u.RawQuery
	}
	var c LinkEvidence
	aside := false
	for _, w := range SplitWords(anchor + " " + path) {
		c.List = c.List || listWords[w]
		aside = aside || asideWords[w]
		switch {
		case callWords[w] || strings.HasPrefix(w, "callfor") || strings.HasPrefix(w, "cfp") || strings.HasSuffix(w, "cfp"):
			c.Worth = max(c.Worth, 1)
		case submitWords[w]:
			c.Worth = max(c.Worth, 0.5)
		case eventWords[w] || isYear(w):
			c.Worth = max(c.Worth, 0.25)
		}
	}
	if c.Worth == 0 && hostPromisesEvent(host) {
		c.Worth = 0.25
	}
	if aside {
		c.Worth -= 0.3
	}
	return c
}

// A CuedLink is a link with its cue.
type CuedLink struct {
	webgraph.Link
	LinkEvidence
	Away bool // leads to another site
}

// CuedLinks returns the links of t with what their words and addresses show. here is the site of the page.
func CuedLinks(t *tagtree.Tree, here string) []CuedLink {
	links := t.Links()
	cued := make([]CuedLink, len(links))
	for i, l := range links {
		cued[i] = CuedLink{l, LinkEvidenceOf(l.Anchor, l.Target), Site(l.Target) != here}
	}
	return cued
}

func (l CuedLink) Promise() float64 {
	if l.Away {
		return l.Worth + 0.3
	}
	return l.Worth
}

// IsInRunningText reports whether a link is in running text of an informational area. Such links are worth
// following even if the hub value is low (papers 000/001, section 4.2 and figure 4).
func IsInRunningText(p tagtree.LinkPlace) bool {
	return p.Area != nil && p.Area.Kind == tagtree.Info && p.Block != nil && 2*p.Block.Linked <= len(p.Block.Text)
}

// SplitWords returns the lower-case runs of letters and the runs of digits of s.
func SplitWords(s string) []string {
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

// hostPromisesEvent reports whether a host looks like icx2027.example or workshop.example.
func hostPromisesEvent(host string) bool {
	for _, w := range SplitWords(host) {
		if eventWords[w] || isYear(w) {
			return true
		}
	}
	return false
}

// Site returns the registered domain of a URL, the part of the web with one owner.
func Site(u string) string { return webgraph.RegisteredDomain(webgraph.HostOf(u)) }

// IsHomePage reports whether a URL is that of a personal page, with a tilde in its path.
func IsHomePage(u string) bool { return strings.Contains(u, "/~") || strings.Contains(u, "/%7E") }
