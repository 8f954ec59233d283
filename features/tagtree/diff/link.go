package diff

import (
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

func (c *Comparison) compareLinks() {
	c.Added, c.Removed = linksOnlyIn(c.New, c.Old), linksOnlyIn(c.Old, c.New)
	type place struct{ anchor, path string }
	placeOf := func(l webgraph.Link) place {
		return place{strings.ToLower(l.Anchor), withoutPlaces(l.Path)}
	}
	gone := make(map[place][]webgraph.Link, len(c.Removed))
	for _, l := range c.Removed {
		gone[placeOf(l)] = append(gone[placeOf(l)], l)
	}
	for _, l := range c.Added {
		if old := gone[placeOf(l)]; len(old) > 0 {
			c.Retargeted = append(c.Retargeted, ChangedTarget{Old: old[0], New: l})
			gone[placeOf(l)] = old[1:]
		}
	}
}

// SameLinks reports whether both versions have the same links, with the same words in the same
// order.
func (c *Comparison) SameLinks() bool {
	return slices.EqualFunc(c.Old.Links(), c.New.Links(), func(a, b webgraph.Link) bool {
		return a.Anchor == b.Anchor && (a.Target == b.Target || foldTarget(a.Target) == foldTarget(b.Target))
	})
}

// withoutPlaces returns a tag path without the positions among siblings.
func withoutPlaces(path string) string {
	out := make([]byte, 0, len(path))
	for {
		i := strings.IndexByte(path, '[')
		j := strings.IndexByte(path, ']')
		if i < 0 || j < i {
			return string(append(out, path...))
		}
		out = append(out, path[:i]...)
		path = path[j+1:]
	}
}

// linksOnlyIn returns the links of t whose targets other does not link to.
func linksOnlyIn(t, other *tagtree.Tree) []webgraph.Link {
	there := make(map[string]bool, len(other.Links()))
	for _, l := range other.Links() {
		there[foldTarget(l.Target)] = true
	}
	var only []webgraph.Link
	for _, l := range t.Links() {
		if key := foldTarget(l.Target); !there[key] {
			there[key] = true
			only = append(only, l)
		}
	}
	return only
}

// foldTarget returns a URL without the parts that do not affect its target. They are scheme, name
// of an index page, and parameters of a session or a campaign.
func foldTarget(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "https://"), "http://")
	s, query, _ := strings.Cut(strings.TrimPrefix(s, "www."), "?")
	s = strings.TrimSuffix(strings.TrimSuffix(sessionPath.ReplaceAllString(s, ""), "index.html"), "/")
	var kept []string
	for _, p := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(p, "=")
		if p != "" && !sessionParam.MatchString(name) && maskNonce(value) == value {
			kept = append(kept, p)
		}
	}
	if len(kept) == 0 {
		return unescape(s)
	}
	return unescape(s + "?" + strings.Join(kept, "&"))
}

func unescape(s string) string {
	if u, err := url.PathUnescape(s); err == nil {
		return u
	}
	return s
}

var (
	sessionPath  = regexp.MustCompile(`(?i);(jsessionid|sid)=[^/?]*`)
	sessionParam = regexp.MustCompile(`(?i)^(utm_\w+|fbclid|gclid|sid|sessid|session(id)?|phpsessid|jsessionid|cfid|cftoken|nonce|token|csrf\w*|ts|timestamp|rand|cb|cachebust\w*|ver?|_)$`)
)

// TemplateDistance returns how much the structure of the pages differs, from 0 to 1. It is the
// share of the tag paths of their elements, without sibling positions, that only one page has, each
// counted as often as it occurs. Texts and links do not count.
func (c *Comparison) TemplateDistance() float64 {
	old, new := pathCounts(c.Old), pathCounts(c.New)
	common, total := 0, 0
	for path, n := range old {
		common += min(n, new[path])
		total += n
	}
	for _, n := range new {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 1 - float64(2*common)/float64(total)
}

// LooksChanged reports whether the versions use different style sheets or pictures. Queries in their
// addresses are ignored.
func (c *Comparison) LooksChanged() bool { return styleAddresses(c.Old) != styleAddresses(c.New) }

func pathCounts(t *tagtree.Tree) map[string]int {
	counts := map[string]int{}
	for _, b := range t.Blocks() {
		counts[withoutPlaces(b.Path)]++
	}
	return counts
}

// styleAddresses returns the addresses of the style sheets and pictures of a page, one per line.
func styleAddresses(t *tagtree.Tree) string {
	var b strings.Builder
	var visit func(n *tagtree.Node)
	visit = func(n *tagtree.Node) {
		address := ""
		switch {
		case n.Name == "img":
			address = n.Attr("src")
		case n.Name == "link" && strings.Contains(strings.ToLower(n.Attr("rel")), "stylesheet"):
			address = n.Attr("href")
		}
		if address != "" {
			address, _, _ = strings.Cut(address, "?")
			b.WriteString(address + "\n")
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	if root := t.Outline(); root != nil {
		visit(root)
	}
	return b.String()
}
