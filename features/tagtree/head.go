package tagtree

import (
	"net/http"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html/atom"
)

// Limits on a page's head and its Link header.
const (
	maxRobotsMeta = 20
	maxFeeds      = 10
	maxFeedLinks  = 100     // links to feeds that are examined, duplicates included
	maxLinkHeader = 8 << 10 // bytes of a Link header that are read
	maxHeadLinks  = 200     // links of all Link headers together
)

// RobotsMeta returns the contents of the meta elements named robots or agent, at most 20, for
// webgraph.ParseDirectives. Letter case is ignored. agent is a product token; a version after it ("Bot/1.0")
// is ignored.
func (t *Tree) RobotsMeta(agent string) []string {
	agent, _, _ = strings.Cut(agent, "/")
	var contents []string
	for e := range t.ownElements(atom.Meta) {
		name := strings.TrimSpace(htmltree.Attr(e.Node, "name"))
		if strings.EqualFold(name, "robots") || agent != "" && strings.EqualFold(name, agent) {
			contents = append(contents, htmltree.Attr(e.Node, "content"))
			if len(contents) == maxRobotsMeta {
				break
			}
		}
	}
	return contents
}

// Canonical returns the address that the page declares as its own (RFC 6596), in canonical form. It reads
// link elements in the head and the Link header. It returns "" if they name no address or different ones.
func (t *Tree) Canonical() string {
	var found string
	conflict := false
	say := func(url string) {
		conflict = conflict || found != "" && found != url
		found = url
	}
	resolver := webgraph.NewResolver(t.base)
	for e := range t.ownElements(atom.Link) {
		if e.Parent < 0 || t.elements[e.Parent].Node.DataAtom != atom.Head || !hasToken(htmltree.Attr(e.Node, "rel"), "canonical") {
			continue
		}
		if url, err := resolver.Resolve(strings.TrimSpace(htmltree.Attr(e.Node, "href"))); err == nil && htmltree.Attr(e.Node, "href") != "" {
			say(url)
		}
	}
	for _, l := range headerLinks(t.Page.Header) {
		if url, err := webgraph.NewResolver(t.Page.URL).Resolve(l.target); err == nil && hasToken(l.rel, "canonical") {
			say(url)
		}
	}
	if conflict {
		return ""
	}
	return found
}

// Feeds returns the feeds that the page declares in link elements and in its Link header. Their addresses are
// canonical and distinct, in order, at most 10.
func (t *Tree) Feeds() []string {
	var feeds []string
	looked := 0
	add := func(base, href, rel, media string) {
		if href == "" || len(feeds) == maxFeeds || looked == maxFeedLinks || !hasToken(rel, "alternate") || !isFeedType(media) {
			return
		}
		looked++
		if url, err := webgraph.NewResolver(base).Resolve(href); err == nil && !slices.Contains(feeds, url) {
			feeds = append(feeds, url)
		}
	}
	for e := range t.ownElements(atom.Link) {
		add(t.base, strings.TrimSpace(htmltree.Attr(e.Node, "href")), htmltree.Attr(e.Node, "rel"), htmltree.Attr(e.Node, "type"))
	}
	for _, l := range headerLinks(t.Page.Header) {
		add(t.Page.URL, l.target, l.rel, l.media)
	}
	return feeds
}

// RunsOwnScript reports whether the page loads a script from its own host. Such a script may build the page's
// menu.
func (t *Tree) RunsOwnScript() bool {
	if t.root == nil {
		return false
	}
	host, resolver := webgraph.HostOf(t.Page.URL), webgraph.NewResolver(t.base)
	for n := range t.root.Descendants() {
		if n.DataAtom != atom.Script {
			continue
		}
		src := strings.TrimSpace(htmltree.Attr(n, "src"))
		if url, err := resolver.Resolve(src); src != "" && err == nil && webgraph.HostOf(url) == host {
			return true
		}
	}
	return false
}

// ownElements returns an iterator over the page's own elements with the given name, without those in frames.
func (t *Tree) ownElements(name atom.Atom) func(yield func(*Element) bool) {
	return func(yield func(*Element) bool) {
		for i := int32(0); int(i) < len(t.elements); i++ {
			e := &t.elements[i]
			switch e.Node.DataAtom {
			case name:
				if !yield(e) {
					return
				}
			case atom.Iframe, atom.Frame:
				i = max(i, e.End-1)
			}
		}
	}
}

// hasToken reports whether a list of tokens, such as a rel attribute, contains word. Letter case is ignored.
func hasToken(list, word string) bool {
	for token := range strings.FieldsSeq(text.CutBytes(list, maxRel)) {
		if strings.EqualFold(token, word) {
			return true
		}
	}
	return false
}

// isFeedType reports whether media is the media type of a feed.
func isFeedType(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	switch strings.ToLower(strings.TrimSpace(media)) {
	case "application/rss+xml", "application/atom+xml", "application/rdf+xml", "application/feed+json":
		return true
	}
	return false
}

// A headerLink is one link of a Link header.
type headerLink struct{ target, rel, media string }

// headerLinks parses the Link headers (RFC 8288 §3): targets and the parameters rel and type, quoted or not.
// Links with an anchor parameter are omitted because they are about another page.
func headerLinks(h http.Header) []headerLink {
	var links []headerLink
	for _, value := range h.Values("Link") {
		value = text.CutBytes(value, maxLinkHeader)
		for {
			_, rest, ok := strings.Cut(value, "<")
			if !ok {
				break
			}
			var l headerLink
			if l.target, value, ok = strings.Cut(rest, ">"); !ok {
				break
			}
			var about bool
			if about, value = l.readParameters(value); !about {
				links = append(links, l)
			}
			if len(links) == maxHeadLinks {
				return links
			}
		}
	}
	return links
}

// readParameters reads the parameters after a link's target into l. It returns whether one of them is an anchor, and
// the rest of the header.
func (l *headerLink) readParameters(s string) (anchored bool, rest string) {
	for s != "" {
		s = strings.TrimLeft(s, " \t;")
		if s == "" || s[0] == ',' {
			break
		}
		end := strings.IndexAny(s, "=;,")
		if end < 0 || s[end] != '=' {
			s = s[max(end, 0):]
			if end < 0 {
				s = ""
			}
			continue
		}
		name := strings.ToLower(strings.TrimSpace(s[:end]))
		var value string
		value, s = paramValue(strings.TrimLeft(s[end+1:], " \t"))
		switch {
		case name == "rel" && l.rel == "": // only the first rel counts (RFC 8288 §3.3)
			l.rel = value
		case name == "type":
			l.media = value
		case name == "anchor":
			anchored = true
		}
	}
	return anchored, s
}

// paramValue splits s after the token or quoted string at its start.
func paramValue(s string) (value, rest string) {
	if strings.HasPrefix(s, `"`) {
		value, rest, _ = strings.Cut(s[1:], `"`)
		return value, rest
	}
	end := strings.IndexAny(s, ";,")
	if end < 0 {
		end = len(s)
	}
	return strings.TrimSpace(s[:end]), s[end:]
}
