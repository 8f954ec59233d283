// Package record finds the lists of a page and their records, without examples (paper 004). MDR and IEPAD are
// the baselines.
package record

import (
	"cmp"
	"math"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A Region is a list of similar records on a page (a data region of Liu, Grossman and Zhai, KDD 2003). A page
// may have several, such as one per month.
type Region struct {
	// Path is the tag path of the element that contains the records. If the element contains other regions
	// too, it is the path of the first record.
	Path string
	// Kind is the kind of the area around the list: Navigation for menus, footers and teasers, Hub for lists
	// of links to follow, otherwise Info. Nested regions have the kind of the outer one. MDR and IEPAD do not
	// set it.
	Kind    tagtree.AreaKind
	Records []Record
}

// A Record is one entry of a list.
type Record struct {
	// Nodes are the subtrees of the record in document order: siblings, or the cells of a column. All records
	// returned by one call share one outline.
	Nodes []*tagtree.Node
	// Fields are the record's texts, aligned over the region: Fields[i] of all its records form a column.
	Fields []Field
	// Links are the links of the record in document order, each target once.
	Links []Link
	// Regions are the lists nested in the record.
	Regions []Region
}

// A Field is a record's value in a column of its region.
type Field struct {
	// Text is the value, "" if the record has none in this column.
	Text string
	// Node is the first element or text node of the value, nil if Text is "".
	Node *tagtree.Node
}

type Link struct {
	// URL is absolute and canonical if the page's base is http or https. Otherwise it is as written in the
	// page. Anchor is the text of the link or of its picture.
	URL, Anchor string
}

// Limits on regions.
const (
	maxRecordLinks  = 200      // links of a record
	maxRecordFields = 64       // columns of a region
	maxRecordText   = 64 << 10 // bytes of a record's text
	maxRecordNodes  = 5_000    // nodes examined below each node of a record
	maxNested       = 3        // levels of lists within records
)

// Text returns the visible text of the record in one line, at most 64 KB.
func (r Record) Text() string { return textOf(r.Nodes) }

// Find returns the visible lists of the page in document order. Plain text has none. The result is
// deterministic. If lists are nested, the level whose entries look like records is chosen. In a list of talks
// grouped by session the talks are the records. In a list of talks with their speakers the talks are the
// records too, and the speakers become nested regions.
//
// The idea is that of MDR and DEPTA (Liu, Grossman, Zhai 2003; Zhai, Liu 2005): similar sibling subtrees form
// a list, several siblings may be one record, and the columns are aligned leaf by leaf. Unlike there,
// similarity is that of bags of tag paths, so that a page takes near-linear time. Record boundaries are
// chosen by how similar the records are and how much of a container they cover. Headings may separate lists.
func Find(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	f := &regionFinder{
		blocks: make(map[*tagtree.Node]bool), facts: make(map[*tagtree.Node]unitCounts),
		read: make(map[*tagtree.Node][]unit), known: make(map[uint32][]pathProfile),
	}
	regions := f.makeRegions(f.findLists(root), newLinkReader(t.Base()), 0)
	f.markKinds(t, regions)
	return regions
}

// shownOutline returns the outline of a page, or nil for plain text. If the whole page is hidden, it marks
// all nodes as visible, because some pages are hidden until a script finds that they are not in a frame.
func shownOutline(t *tagtree.Tree) *tagtree.Node {
	root := t.Outline()
	if root == nil {
		return nil
	}
	hidden := root.Hidden
	for _, c := range root.Children {
		hidden = hidden || c.Name == "body" && c.Hidden
	}
	if hidden {
		visitSubtree(root, func(n *tagtree.Node) bool {
			n.Hidden = false
			return true
		})
	}
	return root
}

// A linkReader reads the links of records. resolves is false if the base is not a URL.
type linkReader struct {
	resolver webgraph.Resolver
	resolves bool
}

func newLinkReader(base string) *linkReader {
	return &linkReader{resolver: webgraph.NewResolver(base), resolves: strings.Contains(base, "://")}
}

// linksIn returns the links in nodes, each target once.
func (r *linkReader) linksIn(nodes []*tagtree.Node) []Link {
	var links []Link
	seen := make(map[string]int)
	for _, n := range nodes {
		visitAtMost(n, maxRecordNodes, func(n *tagtree.Node) bool {
			if n.Hidden || len(links) == maxRecordLinks {
				return false
			}
			url := r.targetOf(n)
			if url == "" {
				return true
			}
			anchor := anchorOf(n)
			if i, ok := seen[url]; ok {
				if links[i].Anchor == "" {
					links[i].Anchor = anchor
				}
				return true
			}
			seen[url] = len(links)
			links = append(links, Link{URL: url, Anchor: anchor})
			return true
		})
	}
	return links
}

// targetOf returns the target of a link. It returns "" for other elements and for javascript: links.
func (r *linkReader) targetOf(n *tagtree.Node) string {
	if n.Name != "a" && n.Name != "area" {
		return ""
	}
	href := strings.TrimSpace(n.Attr("href"))
	if href == "" || strings.HasPrefix(strings.ToLower(href), "javascript:") {
		return ""
	}
	if r.resolves {
		if url, err := r.resolver.Resolve(href); err == nil {
			return url
		}
	}
	return text.CutBytes(href, webgraph.MaxURL)
}

// anchorOf returns the text of a link. Without text, it returns the alt text of its picture or its title.
func anchorOf(n *tagtree.Node) string {
	if own := textOf([]*tagtree.Node{n}); own != "" {
		return text.CutRunes(own, webgraph.MaxAnchor)
	}
	var alt string
	visitSubtree(n, func(c *tagtree.Node) bool {
		if alt == "" && (c.Name == "img" || c.Name == "area") {
			alt = c.Attr("alt")
		}
		return alt == ""
	})
	return text.CutRunes(strings.Join(strings.Fields(cmp.Or(alt, n.Attr("title"))), " "), webgraph.MaxAnchor)
}

// visitSubtree calls f for a node and its descendants in document order. If f returns false for a node, its
// descendants are skipped.
func visitSubtree(n *tagtree.Node, f func(*tagtree.Node) bool) {
	visitAtMost(n, math.MaxInt, f)
}

// visitAtMost is like visitSubtree but stops after limit nodes. It returns how many of them are left.
func visitAtMost(n *tagtree.Node, limit int, f func(*tagtree.Node) bool) (left int) {
	if left = limit - 1; left < 0 || !f(n) {
		return left
	}
	for _, c := range n.Children {
		if left = visitAtMost(c, left, f); left <= 0 {
			break
		}
	}
	return left
}
