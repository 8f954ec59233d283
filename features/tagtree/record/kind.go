package record

import (
	"github.com/eventseer/eventseer/features/tagtree"

	"golang.org/x/net/html"
)

// markKinds sets the kind of each region to that of the area with most of its text. A region in a navigation
// area becomes Hub unless the page declares it a menu or footer, or its records are nothing but links,
// because other lists of links may look like navigation.
func (f *regionFinder) markKinds(t *tagtree.Tree, regions []Region) {
	if len(regions) == 0 {
		return
	}
	a := t.Analysis()
	blocks := make(map[*html.Node]tagtree.Range, len(t.Elements()))
	for _, e := range t.Elements() {
		blocks[e.Node] = e.Blocks
	}
	for i, r := range regions {
		kind := kindOfRecords(t, a, r.Records, blocks)
		if kind == tagtree.Navigation && !r.isInMargin() && !f.isMenu(r) {
			kind = tagtree.Hub
		}
		setKind(regions[i:i+1], kind)
	}
}

// setKind sets the kind of regions and of the regions nested in them.
func setKind(regions []Region, kind tagtree.AreaKind) {
	for i := range regions {
		regions[i].Kind = kind
		for _, r := range regions[i].Records {
			setKind(r.Regions, kind)
		}
	}
}

// kindOfRecords returns the kind of the area with most of the records' text. blocks has the range of blocks
// of each element. A text node counts as its parent element, which counts once.
func kindOfRecords(t *tagtree.Tree, a *tagtree.Analysis, records []Record, blocks map[*html.Node]tagtree.Range) tagtree.AreaKind {
	var size [tagtree.Navigation + 1]int
	seen := make(map[*html.Node]bool)
	for _, r := range records {
		for _, n := range r.Nodes {
			for n.HTML == nil {
				n = n.Parent
			}
			if seen[n.HTML] {
				continue
			}
			seen[n.HTML] = true
			for i := blocks[n.HTML].Start; i < blocks[n.HTML].End; i++ {
				size[a.Areas[a.AreaOfBlock(i)].Kind] += len(t.Blocks()[i].Text)
			}
		}
	}
	switch {
	case size[tagtree.Navigation] > size[tagtree.Info]+size[tagtree.Hub]:
		return tagtree.Navigation
	case size[tagtree.Hub] > size[tagtree.Info]:
		return tagtree.Hub
	}
	return tagtree.Info
}

// isInMargin reports whether the page's mark-up declares a region a menu or a footer.
func (r Region) isInMargin() bool {
	for n := r.Records[0].Nodes[0]; n != nil; n = n.Parent {
		if n.Name == "nav" || n.Name == "footer" || n.Attr("role") == "navigation" {
			return true
		}
	}
	return false
}

// Properties of a menu.
const (
	menuLinked = 0.85 // minimum share of link text in its text
	menuLeaves = 1.5  // maximum number of texts per link
)

// isMenu reports whether the records of a region are nothing but links with one text each.
func (f *regionFinder) isMenu(r Region) bool {
	var all unitCounts
	for _, record := range r.Records {
		all.add(f.factsOf(record.Nodes))
	}
	return float64(all.linked) >= menuLinked*float64(all.text) && float64(all.leaves) <= menuLeaves*float64(all.links)
}

// ListShareOfCategory is the minimum ListShare of a category page (paper 004, section 4.2). In corpora/pages,
// 83 of 100 pages labelled lists of calls reach it, and 7 of 100 calls. TestKindsOfClusters measures the
// wrapper corpus.
const ListShareOfCategory = 0.5

// minListLinks is the minimum number of links of a list of links.
const minListLinks = 3

// ListShare returns the degree, from 0 to 1, to which a page exists for its lists. It is the smaller of two
// shares: of the page's links and of its text in records with links. A list in the page's margin may have
// many of the links, and a list of facts much of the text, but not both. Each link target counts once. Links
// in navigation areas do not count, so that a page that only has a short list beside a menu scores high.
func ListShare(t *tagtree.Tree) float64 {
	listed, text := make(map[string]bool), 0
	for _, region := range Find(t) {
		for _, r := range region.Records {
			for _, l := range r.Links {
				listed[l.URL] = true
			}
			if len(r.Links) > 0 {
				text += len(r.Text())
			}
		}
	}
	a := t.Analysis()
	own, in := make(map[string]bool), 0
	for i, l := range t.Links() {
		if n := a.AreaOfLink(i); own[l.Target] || n >= 0 && a.Areas[n].Kind == tagtree.Navigation {
			continue
		}
		own[l.Target] = true
		if listed[l.Target] {
			in++
		}
	}
	if len(own) < minListLinks || len(t.Text()) == 0 {
		return 0
	}
	return min(float64(in)/float64(len(own)), float64(text)/float64(len(t.Text())))
}
