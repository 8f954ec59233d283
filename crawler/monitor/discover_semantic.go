package monitor

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Semantic is semantic link discovery ("RecipeCrawler: Collecting Recipe Data from WWW
// Incrementally", section 4.1). A new link is compared with the links of the source whose pages
// gave records: those that are similar to it by their URLs. It survives if most of those are in one
// subtree with it, that of the nearest common parent. If only few do, its words decide; if none
// does, it is discarded. While no record is known of the source there is nothing to compare with,
// and all new links survive.
type Semantic struct {
	// Least is the minimum share of the similar records. Zero means leastShare.
	Least float64
	// Pattern returns the part common to similar URLs. Nil means URLPrefix.
	Pattern func(url string) string
}

var _ Discoverer = Semantic{}

// leastShare is the paper's threshold: "half out of total records".
const leastShare = 0.5

// Name implements Discoverer.
func (d Semantic) Name() string {
	if d.Pattern == nil {
		return "semantic"
	}
	return "semantic-pattern"
}

// URLPrefix returns a URL up to its last slash: for the paper, links are similar if they have a
// common prefix.
func URLPrefix(url string) string {
	url, _, _ = strings.Cut(url, "?")
	return url[:strings.LastIndexByte(url, '/')+1]
}

// Discover implements Discoverer.
func (d Semantic) Discover(old, new *tagtree.Tree, known Known) []SelectedLink {
	if len(known.Gave) == 0 {
		return selectAllNew(old, new)
	}
	pattern := d.Pattern
	if pattern == nil {
		pattern = URLPrefix
	}
	paths := pathsOf(old, new)
	records := map[string][]string{} // paths of the records' links by pattern
	for _, url := range known.Gave {
		key := pattern(url)
		records[key] = append(records[key], paths[url])
	}
	var all []SelectedLink
	for _, i := range newLinks(old, new) {
		l := new.Links()[i]
		key := pattern(l.Target)
		if s, ok := d.judgeLink(l, key, records[key], known.Words); ok {
			all = append(all, s)
		}
	}
	return bestFirst(all)
}

// selectAllNew returns all new links, for a source without history.
func selectAllNew(old, new *tagtree.Tree) []SelectedLink {
	all := AllNew{}.Discover(old, new, Known{})
	for i := range all {
		all[i].Why = "new on the page, which has not yet had a link to a record"
	}
	return all
}

// judgeLink decides on a link by the paths of the records with its pattern, "" for those no longer on
// the page.
func (d Semantic) judgeLink(l webgraph.Link, pattern string, paths []string, words Words) (SelectedLink, bool) {
	root, near := nearestCommonAncestor(l.Path, paths)
	if near == 0 {
		return SelectedLink{}, false
	}
	share := float64(near) / float64(len(paths))
	why := fmt.Sprintf("new on the page; %s to URLs like %s gave records, %d of them in the same part of the page, %s", pluralText(len(paths), "link"), pattern, near, root)
	if share >= cmp.Or(d.Least, leastShare) {
		return SelectedLink{l, share, why}, true
	}
	keys := distinctiveWords(words, l)
	if len(keys) == 0 {
		return SelectedLink{}, false
	}
	return SelectedLink{l, share, fmt.Sprintf("%s; its words %s are also in links that gave records", why, quotedText(keys))}, true
}

// nearestCommonAncestor returns the nearest common ancestor of a link and others, and their number. html and body
// do not count.
func nearestCommonAncestor(path string, others []string) (root string, n int) {
	for _, other := range others {
		if common := commonPath(path, other); other != "" && pathDepth(common) > max(pathDepth(root), pageDepth) {
			root = common
		}
	}
	if root == "" {
		return "", 0
	}
	for _, other := range others {
		if isWithinPath(other, root) {
			n++
		}
	}
	return root, n
}

// pageDepth is the depth of html/body.
const pageDepth = 2

func pluralText(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func quotedText(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }
