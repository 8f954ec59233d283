package tagtree

import (
	"cmp"
	"math/bits"
	"sort"
	"strings"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html/atom"
)

// An AreaKind is the function of an area of a page.
type AreaKind uint8

// Kinds of areas (papers 000/001, section 4.2). The papers leave the removal of navigation to later work
// (section 6).
const (
	Info       AreaKind = iota // text for readers
	Hub                        // links to other pages that are worth following
	Navigation                 // menus, footers, teasers: not part of the page's own content
)

func (k AreaKind) String() string { return [...]string{"informational", "hub", "navigation"}[k] }

// A PageKind is the function of a page.
type PageKind uint8

// The kinds of pages (papers 000/001, section 4.1).
const (
	InfoPage PageKind = iota // a page that readers come to for its text
	HubPage                  // a page that readers come to for its links
	MixedPage
)

func (k PageKind) String() string { return [...]string{"informational", "hub", "mixed"}[k] }

// An Area is a part of a page with one function: a complex object of papers 000/001.
type Area struct {
	// Path is the tag path of the area's element. If the area consists of several siblings, it is the path of
	// their parent.
	Path string
	Kind AreaKind
	Values
	// Blocks and Links are the ranges of Tree.Blocks and Tree.Links in the area. The paper's areas may be
	// nested; the contents of an inner area do not belong to the outer one.
	Blocks, Links Range
	// Text is the text of the area's blocks, one per line.
	Text string
}

// An Analysis is a page partitioned into areas. It is read-only and may be
// shared between goroutines.
type Analysis struct {
	// Kind is the function of the page.
	Kind PageKind
	// Values are the values of the whole page.
	Values
	// Areas are in document order. Those of Tree.Analysis are disjoint and contain every block.
	Areas []Area

	tree    *Tree
	own     bool // true if computed by this program's analyzer, false if by the paper's algorithm
	article bool // true if the page shows an article
	ofBlock []int32
	ofLink  []int32
}

// AreaOfBlock returns the index in Areas of the area that contains Tree.Blocks()[i], or -1 if no area does.
func (a *Analysis) AreaOfBlock(i int) int { return int(a.ofBlock[i]) }

// AreaOfLink returns the index in Areas of the area that contains Tree.Links()[i], or -1 if no area does.
func (a *Analysis) AreaOfLink(i int) int { return int(a.ofLink[i]) }

// Analysis returns the page partitioned into areas by this program's analyzer. The first call computes it,
// later calls return the same value.
func (t *Tree) Analysis() *Analysis {
	t.once.Do(func() { t.analysis = t.analyzeAreas(nil) })
	return t.analysis
}

// AnalysisAt is like Analysis but also uses statistics of the page's site. The page itself may or may not be
// among the pages of s. A block becomes navigation if most pages of the site repeat it and if it only links
// to other pages of the host. Other repeated text keeps its role, because on the pages of a conference it is
// the name, place and deadlines. Headings, links to a start page, links whose text contains a digit or is
// part of the page's title, and pages that mostly consist of repeated text also keep their roles. The page's
// kind is decided by the averages of the site.
func (t *Tree) AnalysisAt(s *Site) *Analysis { return t.analyzeAreas(s) }

// analyzeAreas determines the role of each block and partitions the page by role. If of is not nil, blocks that
// the site repeats may become navigation, and the averages of the site decide the page's kind.
func (t *Tree) analyzeAreas(of *Site) *Analysis {
	a := &Analysis{own: true, tree: t, ofBlock: make([]int32, len(t.blocks)), ofLink: make([]int32, len(t.links))}
	iv, s := t.informationalValues(), t.blockTotals()
	a.Values = s.valuesOf(Range{0, len(t.blocks)}, Range{0, len(t.links)}, iv[0])
	kinds, article := t.blockKinds()
	a.article = article
	typical := mainAverages
	if of != nil {
		of.markRepeatedMenus(t, kinds)
		typical = of.mixedAverages()
	}
	a.partitionBlocks(kinds, iv, s)
	a.Kind = pageKind(a.mainValues(), typical)
	switch {
	case t.Page.Entries != nil:
		a.Kind = HubPage
	case a.Kind != InfoPage && t.promoteHubLists(kinds, s):
		a.partitionBlocks(kinds, iv, s)
	}
	return a
}

// partitionBlocks sets a.Areas: adjacent blocks of one kind below the same element form one area.
func (a *Analysis) partitionBlocks(kinds []AreaKind, iv []float64, s blockTotals) {
	t := a.tree
	pure := t.uniformElements(kinds)
	a.Areas = a.Areas[:0]
	for i := 0; i < len(t.blocks); {
		top := t.highestUniform(i, pure)
		end, value := i, 0.0
		for last := int32(-1); end < len(t.blocks) && kinds[end] == kinds[i]; end++ {
			next := t.highestUniform(end, pure)
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
		a.addArea(top, kinds[i], Range{i, end}, saturated(value), s)
		i = end
	}
	if len(t.blocks) == 0 && len(t.links) > 0 {
		a.addPictures()
	}
}

// addPictures makes one hub area of all links of a page without text.
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

// addArea appends an area of the given blocks, with the links between the end of the previous area and the end of
// these blocks. iv is the area's informational value.
func (a *Analysis) addArea(at uniformElement, kind AreaKind, blocks Range, iv float64, s blockTotals) {
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
		Path: path, Kind: kind, Values: s.valuesOf(blocks, links, iv), Blocks: blocks, Links: links,
		Text: t.text[t.blocks[blocks.Start].Start : last.Start+len(last.Text)],
	})
}

// An uniformElement is the highest element around a block in which all blocks have one kind, and that element's parent.
// If the block's own element has blocks of several kinds, element is -1 and parent is that element.
type uniformElement struct{ element, parent int32 }

func (t *Tree) highestUniform(block int, pure []bool) uniformElement {
	e := t.holders[block]
	if !pure[e] {
		return uniformElement{-1, e}
	}
	for p := t.elements[e].Parent; p > 0 && pure[p]; p = t.elements[e].Parent { // element 0 is the document, which has no path
		e = p
	}
	return uniformElement{e, t.elements[e].Parent}
}

// uniformElements reports for each element whether its blocks are all of one kind. It is false for elements without
// blocks.
func (t *Tree) uniformElements(kinds []AreaKind) []bool {
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

// joinBlocks returns the texts of blocks, separated by newlines.
func (t *Tree) joinBlocks(blocks []int) string {
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

// informationalValues returns the informational value of every element by the formula
//
//	I_p = WeightIV_p · Σ I_q over the children q, I_p = T(p) of a leaf.
//
// The pseudo-code of algorithm 1 has no weights. It adds T(p), "text below p", to the sum of the children,
// which would count each text once per level.
func (t *Tree) informationalValues() []float64 {
	iv := t.ownTextSizes()
	for i := len(iv) - 1; i >= 0; i-- {
		e := &t.elements[i]
		iv[i] = saturated(iv[i] * weightIV(e.Node.DataAtom))
		if e.Parent >= 0 {
			iv[e.Parent] = saturated(iv[e.Parent] + iv[i])
		}
	}
	return iv
}

// ownTextSizes returns, for every element, the size of its text outside nested block-level elements.
func (t *Tree) ownTextSizes() []float64 {
	own := make([]float64, len(t.elements))
	for i, b := range t.blocks {
		own[t.holders[i]] += float64(len(b.Text))
	}
	return own
}

// blockTotals are running totals over blocks: index i has the total of the blocks before i, in bytes. They give the
// values of any range of blocks in constant time.
type blockTotals struct{ text, linked []int }

func (t *Tree) blockTotals() blockTotals {
	s := blockTotals{make([]int, len(t.blocks)+1), make([]int, len(t.blocks)+1)}
	for i, b := range t.blocks {
		s.text[i+1] = s.text[i] + len(b.Text)
		s.linked[i+1] = s.linked[i] + b.Linked
	}
	return s
}

// menuEntries reports for each block whether it may be an entry of a menu. Such a block mostly consists of links to
// other pages of the host. It is not a heading, has no digit and is not part of the page's title.
func (t *Tree) menuEntries() []bool {
	menu, other := make([]bool, len(t.blocks)), make([]bool, len(t.blocks))
	host := webgraph.HostOf(t.Page.URL)
	for i, l := range t.links {
		spot, inner := t.spots[i], webgraph.HostOf(l.Target) == host && !t.isHomeLink(l.Target)
		for b := int(spot.block); b < len(menu) && t.blocks[b].Start < int(spot.end); b++ {
			menu[b], other[b] = menu[b] || inner, other[b] || !inner
		}
	}
	for i, b := range t.blocks {
		menu[i] = menu[i] && !other[i] && 2*b.Linked > len(b.Text) && b.Kind != Heading &&
			!strings.ContainsAny(b.Text, "0123456789") && !strings.Contains(t.title, b.Text)
	}
	return menu
}

// isHomeLink reports whether target is the start page of a folder that contains this page. The text of such a
// link is usually the site's name.
func (t *Tree) isHomeLink(target string) bool {
	slash := strings.LastIndexByte(target, '/') + 1
	return strings.HasPrefix(t.Page.URL, target[:slash]) && isStart(target[slash:])
}

// linkTotals are totals over the links of a run of blocks.
type linkTotals struct {
	links    int32
	external int32 // number of links to other sites
	bytes    int32 // bytes of link text
	words    int32 // words in the blocks
	numbered int32 // links in blocks with a digit
}

func (a *linkTotals) addTotals(b linkTotals) {
	a.links += b.links
	a.external += b.external
	a.bytes += b.bytes
	a.words += b.words
	a.numbered += b.numbered
}

// linkTotals returns the totals of each block's own links. The last entry, one past the last block, counts the
// links after all text.
func (t *Tree) linkTotals() []linkTotals {
	of := make([]linkTotals, len(t.blocks)+1)
	site, file := t.siteHost(), !isAddress(t.docs[0].url)
	for i := range t.spots {
		a := &of[t.spots[i].block]
		a.links++
		if hostOf(t.links[i].Target) != site {
			a.external++
		}
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.Linked == 0 {
			continue
		}
		if of[i].links == 0 && file && !strings.Contains(b.Text, "@") {
			of[i].links = 1 // a relative link of a page read from a file, whose target is unknown
		}
		of[i].bytes, of[i].words = int32(b.Linked), int32(strings.Count(b.Text, " ")+1)
		if hasDigit(b.Text) {
			of[i].numbered = of[i].links
		}
	}
	return of
}

// siteHost returns the page's host. For a page read from a file without an address, it returns the most frequent
// host of the page's links.
func (t *Tree) siteHost() string {
	if url := t.docs[0].url; isAddress(url) {
		return hostOf(url)
	}
	count := make(map[string]int)
	best := ""
	for i := range t.links {
		host := hostOf(t.links[i].Target)
		count[host]++
		if count[host] > count[best] {
			best = host
		}
	}
	return best
}

// isAddress reports whether url is a complete URL rather than the name of a file.
func isAddress(url string) bool { return strings.Contains(url, "://") }

// hostOf returns the host of a URL, without "www.".
func hostOf(url string) string { return strings.TrimPrefix(string(webgraph.HostOf(url)), "www.") }

// Properties by which lists of links are told from menus, whose words are shorter.
const (
	minRun       = 3   // minimum number of links in a list
	maxBetween   = 8   // maximum bytes of text between two links of a list
	hubAnchor    = 30  // minimum bytes of an anchor that describes its target
	nameWords    = 1.7 // mean number of words in a person's name
	hubNumbered  = 3   // in a hub, at least one anchor in this many has a digit, such as a year
	menuFragment = 40  // minimum bytes of a text in a menu that may be more than a label
)

// areaKind returns the kind of area that a run of link blocks is. inBody means that the run is in the page's
// body, late that prose precedes it.
func (a linkTotals) areaKind(inBody, late bool) AreaKind {
	away := 2*a.external > a.links
	switch {
	case a.links == 0:
		return Info
	case a.links < minRun && (inBody && late || away || a.bytes >= hubAnchor*a.links):
		return Info // a linked title, or a link such as "submit here"
	case a.links < minRun:
		return Navigation
	case a.bytes > hubAnchor*a.links || away && hubNumbered*a.numbered > a.links:
		return Hub
	case away || inBody && late && float64(a.words) > nameWords*float64(a.links):
		return Info // names of people, each linked to a home page
	}
	return Navigation
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }

// Properties of a list of links worth following, on a page that is a hub or mixed.
const (
	minHubLinks = 5   // minimum number of links
	maxHubClean = 200 // maximum bytes outside links in one block, which then is a link's description
	rowsPerLink = 2   // maximum number of rows of a list or table for each link
)

// promoteHubLists turns lists of links into hub areas and reports whether it found any. It is meant for pages that
// are hubs or mixed; on other pages such a list may be a committee with links to home pages. One list is the
// highest element that contains only links and their descriptions.
func (t *Tree) promoteHubLists(kinds []AreaKind, s blockTotals) bool {
	any := false
	pure, rows, prose := t.uniformElements(kinds), t.itemsBefore(), t.proseBlocks()
	for i := int32(1); int(i) < len(t.elements); {
		e := &t.elements[i]
		v := s.valuesOf(e.Blocks, e.Links, 0)
		list := pure[i] && v.NumLinks >= minHubLinks && kinds[e.Blocks.Start] == Info &&
			prose[e.Blocks.End] == prose[e.Blocks.Start] &&
			(v.LinkText >= v.CleanText || cmp.Or(rows[e.End]-rows[i], e.Blocks.Len()) <= rowsPerLink*v.NumLinks)
		if !list {
			i++
			continue
		}
		any = true
		for b := e.Blocks.Start; b < e.Blocks.End; b++ {
			kinds[b] = Hub
		}
		i = max(e.End, i+1)
	}
	return any
}

// itemsBefore returns, for each element, the number of list items and table rows before it. The last entry is the
// total.
func (t *Tree) itemsBefore() []int {
	rows := make([]int, len(t.elements)+1)
	for i := range t.elements {
		rows[i+1] = rows[i]
		switch t.elements[i].Node.DataAtom {
		case atom.Li, atom.Tr, atom.Dt:
			rows[i+1]++
		}
	}
	return rows
}

// proseBlocks returns, for each block, the number of blocks before it that cannot belong to a list of links:
// the page's title and long texts. The last entry is the total.
func (t *Tree) proseBlocks() []int {
	n := make([]int, len(t.blocks)+1)
	for i, b := range t.blocks {
		n[i+1] = n[i]
		if b.Level == 1 || len(b.Text)-b.Linked > maxHubClean {
			n[i+1]++
		}
	}
	return n
}
