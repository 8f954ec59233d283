package tagtree

// BourasOptions are the thresholds of algorithm 1, which the paper does not
// name. Ours give 17 hub pages of our corpora (a site each, 60 to 400 links) 3
// informational and 8 hub areas in the median, quartiles 1 to 8 and 2 to 14;
// table 1 has 5 and 12 on home pages of portals, 1 to 17 and 6 to 21.
type BourasOptions struct {
	// ThrIV is the informational value above which an element is an
	// informational area. Zero means 1000.
	ThrIV float64
	// ThrHV is the hub value above which an element is a hub area. Zero means 2.
	ThrHV float64
	// DropNavigation tells navigation from hub areas, the step the paper leaves
	// to its next version (section 6): areas whose links show fewer than two
	// words of ten letters in the mean lead to no articles.
	DropNavigation bool
}

func (o BourasOptions) withDefaults() BourasOptions {
	if o.ThrIV == 0 {
		o.ThrIV = 1000
	}
	if o.ThrHV == 0 {
		o.ThrHV = 2
	}
	return o
}

// minAnchor is the mean size of link text, in bytes, of an area of articles.
const minAnchor = 20

// Bouras partitions the page by algorithm 1 of papers 000/001 (section 5.1):
// from the leaves up, the first element whose informational value exceeds ThrIV
// is an informational area, else the first whose hub value exceeds ThrHV a hub
// area. STOP is read as: what an area holds is dealt with and reaches none of
// its ancestors, which go on with the rest; so an area may lie around another,
// and what reaches no threshold is in no area. Were STOP the end of all, a page
// would have one area, and table 1 counts up to 27; were it the end of the
// ascent, a long paragraph would keep its neighbours out of every area. LINK adds
// 1 to the hub value of an element that has children as well, as the pseudo-code
// has it: by the formula (H = 1 of a link without children) no link that shows
// text would count. Scan 001's q.IV in place of q.HV is a slip.
func Bouras(t *Tree, o BourasOptions) *Analysis {
	o = o.withDefaults()
	a := &Analysis{tree: t, ofBlock: make([]int32, len(t.blocks)), ofLink: make([]int32, len(t.links))}
	a.Values = t.sums().values(Range{0, len(t.blocks)}, Range{0, len(t.links)}, t.ivs()[0])
	values, isArea := characterize(t, o)
	owner := make([]int32, len(t.elements))
	for i, e := range t.elements {
		owner[i] = -1
		switch {
		case isArea[i]:
			owner[i] = int32(len(a.Areas))
			a.Areas = append(a.Areas, Area{
				Path: t.ElementPath(i), Kind: o.kind(values[i]), Values: values[i], Blocks: e.Blocks, Links: e.Links,
			})
		case e.Parent >= 0:
			owner[i] = owner[e.Parent]
		}
	}
	for i := range t.blocks {
		a.ofBlock[i] = owner[t.holders[i]]
	}
	for i := range t.spots {
		a.ofLink[i] = owner[t.spots[i].element]
	}
	a.fillTexts()
	a.Kind = pageKind(a.Values, rawAverages)
	return a
}

// characterize is TraverseTagTree of algorithm 1: it returns the values of the
// elements without what areas within hold, and which elements are areas.
func characterize(t *Tree, o BourasOptions) ([]Values, []bool) {
	values, isArea := make([]Values, len(t.elements)), make([]bool, len(t.elements))
	for i, b := range t.blocks {
		v := &values[t.holders[i]]
		v.IV += float64(len(b.Text))
		v.LinkText += b.Linked
		v.CleanText += len(b.Text) - b.Linked
	}
	for _, s := range t.spots {
		values[s.element].HV++
		values[s.element].NumLinks++
	}
	for i := len(values) - 1; i >= 0; i-- {
		v, e := &values[i], &t.elements[i]
		v.IV = saturate(v.IV * weightIV(e.Node.DataAtom))
		isArea[i] = v.IV > o.ThrIV || v.HV > o.ThrHV
		if !isArea[i] && e.Parent >= 0 {
			values[e.Parent].take(*v)
		}
	}
	return values, isArea
}

// take adds the values of a child.
func (v *Values) take(child Values) {
	v.IV = saturate(v.IV + child.IV)
	v.HV += child.HV
	v.NumLinks += child.NumLinks
	v.LinkText += child.LinkText
	v.CleanText += child.CleanText
}

func (o BourasOptions) kind(v Values) AreaKind {
	switch {
	case v.IV > o.ThrIV:
		return Info
	case o.DropNavigation && v.LinkText < minAnchor*v.NumLinks:
		return Navigation
	}
	return Hub
}

// fillTexts gives each area the text that no area within holds.
func (a *Analysis) fillTexts() {
	lines := make([][]int, len(a.Areas))
	for i, n := range a.ofBlock {
		if n >= 0 {
			lines[n] = append(lines[n], i)
		}
	}
	for n, blocks := range lines {
		a.Areas[n].Text = a.tree.joined(blocks)
	}
}
