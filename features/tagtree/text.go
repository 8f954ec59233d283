package tagtree

import (
	"slices"
	"strings"
)

// Text returns the informational text: that of the informational areas, a line
// a block. Of an article that is its body, without the headline, bylines and
// captions; of any other page all but what is surely navigation.
func (a *Analysis) Text() string {
	var blocks []int
	for i, n := range a.ofBlock {
		if n >= 0 && a.Areas[n].Kind == Info {
			blocks = append(blocks, i)
		}
	}
	return a.tree.joined(blocks)
}

// blockKinds tells what each block is for. Plain text is all to be read, a list
// of entries all to be followed.
func (t *Tree) blockKinds() []AreaKind {
	if t.Page.Entries != nil {
		return slices.Repeat([]AreaKind{Hub}, len(t.blocks))
	}
	if t.root == nil || len(t.blocks) == 0 {
		return make([]AreaKind, len(t.blocks))
	}
	prose := t.prose()
	signs := t.signs(t.sumsOf(prose, nil, 0))
	if kinds, ok := t.articleKinds(prose, signs); ok {
		return kinds
	}
	return t.pageKinds(prose, signs)
}

// pageKinds tells what each block of a page is for that is no article: nothing
// of a call may be lost, so navigation is only what has its name or its looks.
func (t *Tree) pageKinds(prose []int32, signs []sign) []AreaKind {
	p := t.page(prose, signs)
	for i := 0; i < len(t.blocks); i++ {
		b, m := &t.blocks[i], signs[t.holders[i]]
		dense := p.isDense(i)
		switch {
		case m&signDrop != 0 || isImprint(b.Text):
			p.kinds[i] = Navigation
		case b.Level == 1 || dense && b.Kind != Item && p.isTitle(b.Text):
		case dense && m&inherited != 0 || p.isLabel(i, m):
			p.kinds[i] = Navigation
		case dense && p.namesRow(i):
		case dense:
			i = p.run(i) - 1
		}
	}
	p.findCalendars()
	p.dropHeadings()
	return p.kinds
}

// A pageText is what pageKinds knows of a page.
type pageText struct {
	*Tree
	signs   []sign
	anchors []anchors
	kinds   []AreaKind
	lower   string // the title
	body    Range  // blocks around the page's matter
	late    int    // the first block of prose in it
	whole   bool   // it is the whole page: there is no telling
}

func (t *Tree) page(prose []int32, signs []sign) *pageText {
	own := t.sumsOf(t.ownProse(prose), signs, signDrop)
	body := t.body(own, signs)
	p := &pageText{
		Tree: t, signs: signs, anchors: t.anchors(), kinds: make([]AreaKind, len(t.blocks)),
		lower: strings.ToLower(t.title), body: t.elements[body].Blocks, whole: body == 0,
	}
	for p.late = p.body.Start; p.late < p.body.End && prose[p.late] == 0; {
		p.late++
	}
	return p
}

// isDense reports whether a block is a link or consists of several, with little
// between them.
func (p *pageText) isDense(block int) bool {
	b := &p.blocks[block]
	return 2*b.Linked > len(b.Text) && len(b.Text)-b.Linked <= maxBetween*int(max(1, p.anchors[block].links))
}

// isLabel reports whether a block says what the links of a menu beside it are,
// or something of no weight at the foot of the page.
func (p *pageText) isLabel(block int, s sign) bool {
	text := p.blocks[block].Text
	switch {
	case len(text) >= menuFragment || len(text) >= minDate && hasDigit(text):
		return false
	case s&signFoot != 0:
		return true
	}
	return s&signMenu != 0 && (block > 0 && p.isDense(block-1) || block+1 < len(p.blocks) && p.isDense(block+1))
}

// imprints begin the lines in which a site speaks of itself.
var imprints = []string{
	"©", "copyright ©", "copyright (c)", "copyright 20", "copyright 19", "(c) 20", "(c) 19", "all rights reserved",
	"powered by", "last modified", "last updated", "last update:", "site designed by", "website designed by", "designed by",
}

// maxImprint is how many bytes such a line has at most.
const maxImprint = 160

// isImprint reports whether a block says who holds the rights in the site, when
// it was last changed or what it is made with.
func isImprint(text string) bool {
	if len(text) > maxImprint {
		return false
	}
	for _, s := range imprints {
		if len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) {
			return true
		}
	}
	return false
}

// namesRow reports whether a block is all there is in a cell, and beside it in
// the row or the list of definitions stands what its link is about: the name of
// an event beside its dates, and not a menu beside the page.
func (p *pageText) namesRow(block int) bool {
	b := &p.blocks[block]
	for _, i := range []int{block - 1, block + 1} {
		if i < 0 || i >= len(p.blocks) {
			continue
		}
		o := &p.blocks[i]
		if b.Table > 0 && o.Table == b.Table && o.Row == b.Row && o.Col == b.Col {
			return false
		}
	}
	if block+1 == len(p.blocks) {
		return false
	}
	next := &p.blocks[block+1]
	row := b.Table > 0 && next.Table == b.Table && next.Row == b.Row || b.Kind == Term && next.Kind == Definition
	return row && !p.isDense(block+1) && len(next.Text) <= maxHubClean
}

// minTitle is how many bytes of the title are no accident.
const minTitle = 12

func (p *pageText) isTitle(text string) bool {
	return len(text) >= minTitle && len(text) <= len(p.lower) && strings.Contains(p.lower, strings.ToLower(text))
}

// run tells what the run of dense blocks that begins at a block is for, and
// returns its end.
func (p *pageText) run(start int) int {
	a, end := p.anchors[start], start+1
	for end < len(p.blocks) && p.isDense(end) && p.signs[p.holders[end]]&inherited == 0 {
		a.add(p.anchors[end])
		end++
	}
	kind := a.kind(!p.whole && start >= p.body.Start && end <= p.body.End, start > p.late)
	for i := start; i < end; i++ {
		p.kinds[i] = kind
	}
	return end
}

// findCalendars makes hubs of lists of links to other sites that say when and
// where beside each.
func (p *pageText) findCalendars() {
	for i := 0; i < len(p.kinds); i++ {
		var a anchors
		end := i
		for end < len(p.kinds) && p.kinds[end] != Navigation && 2*p.blocks[end].Linked > len(p.blocks[end].Text) {
			a.add(p.anchors[end])
			end++
		}
		if end-i >= minCalendar && 2*a.external > a.links && a.kind(true, true) == Hub {
			for j := i; j < end; j++ {
				p.kinds[j] = Hub
			}
		}
		i = max(i, end-1)
	}
}

// minCalendar is how many entries a list of other sites has at least.
const minCalendar = 5

// dropHeadings makes navigation of the headings of menus and of short texts
// between them.
func (p *pageText) dropHeadings() {
	for i := len(p.kinds) - 2; i >= 0; i-- {
		b := &p.blocks[i]
		if p.kinds[i] != Info || p.kinds[i+1] != Navigation || i >= p.body.Start && i < p.body.End {
			continue
		}
		headed := b.Level > 1 || b.Level == 0 && i > 0 && p.kinds[i-1] == Navigation
		if headed && len(b.Text) < hubAnchor && !hasDigit(b.Text) {
			p.kinds[i] = Navigation
		}
	}
}
