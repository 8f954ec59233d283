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
func (d Semantic) Discover(old, new *tagtree.Tree, known Known) []Survivor {
	if len(known.Gave) == 0 {
		return unknownYet(old, new)
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
	var all []Survivor
	for _, i := range newLinks(old, new) {
		l := new.Links()[i]
		key := pattern(l.Target)
		if s, ok := d.judge(l, key, records[key], known.Words); ok {
			all = append(all, s)
		}
	}
	return bestFirst(all)
}

// unknownYet returns all new links, for a source without history.
func unknownYet(old, new *tagtree.Tree) []Survivor {
	all := AllNew{}.Discover(old, new, Known{})
	for i := range all {
		all[i].Why = "new on the page, which has not yet had a link to a record"
	}
	return all
}

// judge decides on a link by the paths of the records with its pattern, "" for those no longer on
// the page.
func (d Semantic) judge(l webgraph.Link, pattern string, paths []string, words Words) (Survivor, bool) {
	root, near := nearest(l.Path, paths)
	if near == 0 {
		return Survivor{}, false
	}
	share := float64(near) / float64(len(paths))
	why := fmt.Sprintf("new on the page; %s to URLs like %s gave records, %d of them in the same part of the page, %s", plural(len(paths), "link"), pattern, near, root)
	if share >= cmp.Or(d.Least, leastShare) {
		return Survivor{l, share, why}, true
	}
	keys := keywords(words, l)
	if len(keys) == 0 {
		return Survivor{}, false
	}
	return Survivor{l, share, fmt.Sprintf("%s; its words %s are also in links that gave records", why, quoted(keys))}, true
}

// nearest returns the nearest common ancestor of a link and others, and their number. html and body
// do not count.
func nearest(path string, others []string) (root string, n int) {
	for _, other := range others {
		if common := commonPath(path, other); other != "" && depth(common) > max(depth(root), pageDepth) {
			root = common
		}
	}
	if root == "" {
		return "", 0
	}
	for _, other := range others {
		if within(other, root) {
			n++
		}
	}
	return root, n
}

// pageDepth is the depth of html/body.
const pageDepth = 2

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }
