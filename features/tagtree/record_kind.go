package tagtree

import "golang.org/x/net/html"

// markKinds tells what the areas are for in which regions lie, by most of their text.
// That an area is navigation is not enough, for lists of links may look like it: the
// page must say so too, or the records be nothing but links.
func (f *regionFinder) markKinds(t *Tree, regions []Region) {
	if len(regions) == 0 {
		return
	}
	a := t.Analysis()
	blocks := make(map[*html.Node]Range, len(t.elements))
	for _, e := range t.elements {
		blocks[e.node] = e.blocks
	}
	for i, r := range regions {
		kind := a.kindOfRecords(r.Records, blocks)
		if kind == Navigation && !r.inMargin() && !f.isMenu(r) {
			kind = Hub
		}
		setKind(regions[i:i+1], kind)
	}
}

// setKind sets the kind of regions and of those nested in them.
func setKind(regions []Region, kind AreaKind) {
	for i := range regions {
		regions[i].Kind = kind
		for _, r := range regions[i].Records {
			setKind(r.Regions, kind)
		}
	}
}

// kindOfRecords is the kind of area most of the text of records is in. Blocks are those
// of each element; texts in no element of their own are their parent's, which counts once.
func (a *Analysis) kindOfRecords(records []Record, blocks map[*html.Node]Range) AreaKind {
	var size [Navigation + 1]int
	seen := make(map[*html.Node]bool)
	for _, r := range records {
		for _, n := range r.Nodes {
			for n.source == nil {
				n = n.Parent
			}
			if seen[n.source] {
				continue
			}
			seen[n.source] = true
			for i := blocks[n.source].Start; i < blocks[n.source].End; i++ {
				size[a.Areas[a.AreaOfBlock(i)].Kind] += len(a.tree.blocks[i].Text)
			}
		}
	}
	switch {
	case size[Navigation] > size[Info]+size[Hub]:
		return Navigation
	case size[Hub] > size[Info]:
		return Hub
	}
	return Info
}

// inMargin reports whether the page itself says that a region is a menu or a footer.
func (r Region) inMargin() bool {
	for n := r.Records[0].Nodes[0]; n != nil; n = n.Parent {
		if n.Name == "nav" || n.Name == "footer" || n.Attr("role") == "navigation" {
			return true
		}
	}
	return false
}

// What a menu is.
const (
	menuLinked = 0.85 // least share of its text in links
	menuLeaves = 1.5  // most texts a link
)

// isMenu reports whether the records of a region are nothing but links, each of one text.
func (f *regionFinder) isMenu(r Region) bool {
	var all facts
	for _, record := range r.Records {
		all.add(f.factsOf(record.Nodes))
	}
	return float64(all.linked) >= menuLinked*float64(all.text) && float64(all.leaves) <= menuLeaves*float64(all.links)
}
