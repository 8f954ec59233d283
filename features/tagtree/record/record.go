// Package record finds the lists of a page and the records they are made of, without
// examples (paper 004); MDR and IEPAD are the baselines.
package record

import (
	"cmp"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A Region is a list on a page: records that look alike (a data region of Liu,
// Grossman and Zhai, KDD 2003). A page may have several, such as one a month.
type Region struct {
	// Path is the tag path of the element that holds the records, or where that holds
	// other regions too the path of the first record of this one.
	Path string
	// Kind says what the area is for that it lies in: menus, footers and teasers are
	// Navigation, lists of links to follow Hub, others Info. Nested regions have that of
	// the outer one. The baselines do not tell.
	Kind    tagtree.AreaKind
	Records []Record
}

// A Record is one entry of a list.
type Record struct {
	// Nodes are the subtrees that make it up, in document order: siblings, or the
	// cells of a column. Every record of the regions of one call shares one outline.
	Nodes []*tagtree.Node
	// Fields are the record's texts, aligned over the region: Fields[i] of all its
	// records are one column.
	Fields []Field
	// Links are those of the record in document order, each target once.
	Links []Link
	// Regions are the lists within the record.
	Regions []Region
}

// A Field is what a record has in a column of its region.
type Field struct {
	// Text is "" where the record has nothing there; Node is then nil.
	Text string
	// Node is the element or the text that says it, the first of several.
	Node *tagtree.Node
}

// A Link is a link of a record.
type Link struct {
	// URL is absolute and canonical where the page's base is http or https, else as
	// the page writes it.
	URL, Anchor string
}

// Limits on what regions hold.
const (
	maxRecordLinks  = 200      // of a record
	maxRecordFields = 64       // columns of a region
	maxRecordText   = 64 << 10 // bytes of a record's text
	maxNested       = 3        // levels of lists within records
)

// Text returns the visible text of the record in one line, cut where it is very long.
func (r Record) Text() string { return textOf(r.Nodes) }

// Find returns the lists of the page in document order, without what is hidden.
// Where lists are nested the level is chosen whose entries look like records: of
// talks grouped by session the talks, of talks with their speakers the talks, and
// what is nested in them is theirs. Plain text has none. The same page always gives
// the same regions.
//
// The idea is that of MDR and DEPTA (Liu, Grossman, Zhai 2003; Zhai, Liu 2005):
// sibling subtrees that are similar are a list, several siblings may be one record,
// and the columns are aligned leaf by leaf. Unlike there the similarity is of bags of
// tag paths, so that all of a page takes near linear time, boundaries are chosen by how
// regular and how complete they leave a container, and headings may part a list.
func Find(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	f := &regionFinder{
		blocks: make(map[*tagtree.Node]bool), facts: make(map[*tagtree.Node]facts),
		read: make(map[*tagtree.Node][]unit), known: make(map[uint32][]profile),
	}
	regions := f.regions(f.find(root), newLinkReader(t.Base()), 0)
	f.markKinds(t, regions)
	return regions
}

// shownOutline returns the visible outline. It is empty if all of the page is hidden, as in pages
// that a script shows when they are in no frame.
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
		visit(root, func(n *tagtree.Node) bool {
			n.Hidden = false
			return true
		})
	}
	return root
}

// A linkReader reads the links of records.
type linkReader struct {
	resolver webgraph.Resolver
	resolves bool
}

func newLinkReader(base string) *linkReader {
	return &linkReader{resolver: webgraph.NewResolver(base), resolves: strings.Contains(base, "://")}
}

// links returns the links of a record.
func (r *linkReader) links(nodes []*tagtree.Node) []Link {
	var links []Link
	seen := make(map[string]int)
	for _, n := range nodes {
		visit(n, func(n *tagtree.Node) bool {
			url := r.url(n)
			if n.Hidden || len(links) == maxRecordLinks {
				return false
			}
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

// url returns where an element leads, "" of other elements and of scripts.
func (r *linkReader) url(n *tagtree.Node) string {
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
	return text.Cut(href, webgraph.MaxURL)
}

// anchorOf returns the text of a link, else what its picture or title says.
func anchorOf(n *tagtree.Node) string {
	if own := textOf([]*tagtree.Node{n}); own != "" {
		return text.CutRunes(own, webgraph.MaxAnchor)
	}
	var alt string
	visit(n, func(c *tagtree.Node) bool {
		if alt == "" && (c.Name == "img" || c.Name == "area") {
			alt = c.Attr("alt")
		}
		return alt == ""
	})
	return text.CutRunes(strings.Join(strings.Fields(cmp.Or(alt, n.Attr("title"))), " "), webgraph.MaxAnchor)
}

// visit calls f for a node and its descendants in document order. It skips the descendants of a
// node for which f returns false.
func visit(n *tagtree.Node, f func(*tagtree.Node) bool) {
	if !f(n) {
		return
	}
	for _, c := range n.Children {
		visit(c, f)
	}
}
