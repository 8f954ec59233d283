package tagtree

import (
	"math/bits"
	"sort"
	"strings"
)

// An AreaKind says what an area of a page is for.
type AreaKind uint8

// The kinds of areas (papers 000/001, section 4.2; navigation is what their
// section 6 leaves to be dropped).
const (
	Info       AreaKind = iota // text to be read
	Hub                        // links to other pages worth following
	Navigation                 // menus, footers, teasers: what is no part of the page's own matter
)

func (k AreaKind) String() string { return [...]string{"informational", "hub", "navigation"}[k] }

// A PageKind says what a page is for.
type PageKind uint8

// The kinds of pages (papers 000/001, section 4.1).
const (
	InfoPage PageKind = iota // to be read
	HubPage                  // to be left for the pages it links to
	MixedPage
)

func (k PageKind) String() string { return [...]string{"informational", "hub", "mixed"}[k] }

// An Area is a part of a page that serves one purpose: a complex object of
// papers 000/001.
type Area struct {
	// Path is the tag path of the element that is the area, or of the one that
	// holds it where the area is several siblings.
	Path string
	Kind AreaKind
	Values
	// Blocks and Links say which of Tree.Blocks and Tree.Links lie in the area.
	// The paper's areas may nest; what belongs to an inner one is not the outer's.
	Blocks, Links Range
	// Text is the text of the area's blocks, a line each.
	Text string
}

// An Analysis is a page partitioned into areas. It is read-only and may be
// shared between goroutines.
type Analysis struct {
	// Kind says what the page is for.
	Kind PageKind
	// Values are those of the whole page.
	Values
	// Areas are in document order. Ours are disjoint and hold every block.
	Areas []Area

	tree    *Tree
	ofBlock []int32
	ofLink  []int32
}

// AreaOfBlock returns the index into Areas of the area that Tree.Blocks()[i]
// belongs to, or -1.
func (a *Analysis) AreaOfBlock(i int) int { return int(a.ofBlock[i]) }

// AreaOfLink returns the index into Areas of the area that Tree.Links()[i]
// belongs to, or -1.
func (a *Analysis) AreaOfLink(i int) int { return int(a.ofLink[i]) }

// Analysis returns the page partitioned into areas by our analyzer. It is made
// on the first call.
func (t *Tree) Analysis() *Analysis {
	t.once.Do(func() { t.analysis = t.analyze(nil) })
	return t.analysis
}

// analyze tells what each block is for and partitions the page by that. Of a
// site, if there is one, it takes what repeats and the averages.
func (t *Tree) analyze(of *Site) *Analysis {
	a := &Analysis{tree: t, ofBlock: make([]int32, len(t.blocks)), ofLink: make([]int32, len(t.links))}
	iv, s := t.ivs(), t.sums()
	a.Values = s.values(Range{0, len(t.blocks)}, Range{0, len(t.links)}, first(iv))
	kinds, typical := t.blockKinds(), mainAverages
	if of != nil {
		of.mark(t, kinds)
		typical = of.averages()
	}
	a.partition(kinds, iv, s)
	a.Kind = pageKind(a.main(), typical)
	switch {
	case t.Page.Entries != nil:
		a.Kind = HubPage
	case a.Kind != InfoPage && t.promote(kinds, s):
		a.partition(kinds, iv, s)
	}
	return a
}

// partition makes areas of neighbouring blocks of one kind below one element.
func (a *Analysis) partition(kinds []AreaKind, iv []float64, s sums) {
	t := a.tree
	pure := t.pure(kinds)
	a.Areas = a.Areas[:0]
	for i := 0; i < len(t.blocks); {
		top := t.top(i, pure)
		end, value := i, 0.0
		for last := int32(-1); end < len(t.blocks) && kinds[end] == kinds[i]; end++ {
			next := t.top(end, pure)
			if next.parent != top.parent {
				break
			}
			switch {
			case next.element < 0:
				value += float64(len(t.blocks[end].Text))
			case next.element != last:
				value += iv[next.element]
			}
			last = next.element
			if next.element != top.element {
				top.element = -1
			}
		}
		a.add(top, kinds[i], Range{i, end}, saturate(value), s)
		i = end
	}
	if len(t.blocks) == 0 && len(t.links) > 0 {
		a.addPictures()
	}
}

// addPictures makes a hub area of the links of a page that shows no text.
func (a *Analysis) addPictures() {
	t, all := a.tree, Range{0, len(a.tree.links)}
	holder := int32(0)
	for i, e := range t.elements {
		if e.Links == all {
			holder = int32(i)
		}
	}
	a.Areas = []Area{{Path: t.ElementPath(int(holder)), Kind: Hub, Links: all, Values: Values{HV: float64(all.Len()), NumLinks: all.Len()}}}
}

func first(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return values[0]
}

// add appends an area.
func (a *Analysis) add(at place, kind AreaKind, blocks Range, iv float64, s sums) {
	t := a.tree
	end := len(t.spots)
	if blocks.End < len(t.blocks) {
		end = sort.Search(len(t.spots), func(i int) bool { return int(t.spots[i].block) >= blocks.End })
	}
	links := Range{0, end}
	if len(a.Areas) > 0 {
		links.Start = a.Areas[len(a.Areas)-1].Links.End
	}
	path := t.ElementPath(int(at.parent))
	if at.element >= 0 {
		path = t.ElementPath(int(at.element))
	}
	last := t.blocks[blocks.End-1]
	n := int32(len(a.Areas))
	for i := blocks.Start; i < blocks.End; i++ {
		a.ofBlock[i] = n
	}
	for i := links.Start; i < links.End; i++ {
		a.ofLink[i] = n
	}
	a.Areas = append(a.Areas, Area{
		Path: path, Kind: kind, Values: s.values(blocks, links, iv), Blocks: blocks, Links: links,
		Text: t.text[t.blocks[blocks.Start].Start : last.Start+len(last.Text)],
	})
}

// A place is the highest element around a block that serves one purpose, -1 if
// even its holder serves several, and the element around that.
type place struct{ element, parent int32 }

func (t *Tree) top(block int, pure []bool) place {
	e := t.holders[block]
	if !pure[e] {
		return place{-1, e}
	}
	for p := t.elements[e].Parent; p > 0 && pure[p]; p = t.elements[e].Parent { // 0 is the document, which has no path
		e = p
	}
	return place{e, t.elements[e].Parent}
}

// pure tells for every element whether all blocks in it are of one kind.
func (t *Tree) pure(kinds []AreaKind) []bool {
	masks := make([]uint8, len(t.elements))
	for i, k := range kinds {
		masks[t.holders[i]] |= 1 << k
	}
	pure := make([]bool, len(masks))
	for i := len(masks) - 1; i >= 0; i-- {
		pure[i] = bits.OnesCount8(masks[i]) == 1
		if p := t.elements[i].Parent; p >= 0 {
			masks[p] |= masks[i]
		}
	}
	return pure
}

// joined returns the texts of blocks, which are in order, a line each.
func (t *Tree) joined(blocks []int) string {
	size := 0
	for _, block := range blocks {
		size += len(t.blocks[block].Text) + 1
	}
	var b strings.Builder
	b.Grow(size)
	for i, block := range blocks {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(t.blocks[block].Text)
	}
	return b.String()
}
