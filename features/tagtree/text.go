package tagtree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the main text, one block per line. For an article it is the body, without headline, bylines
// and captions. For any other page it is all text except clear navigation, with the lists of links among the
// text.
func (a *Analysis) Text() string { return a.tree.joinBlocks(a.textBlocks()) }

// blockKinds returns the kind of each block, and whether the page shows an article. All of plain text is
// informational, all of a list of entries is a hub.
func (t *Tree) blockKinds() (kinds []AreaKind, article bool) {
	if t.Page.Entries != nil {
		return slices.Repeat([]AreaKind{Hub}, len(t.blocks)), false
	}
	if t.root == nil || len(t.blocks) == 0 {
		return make([]AreaKind, len(t.blocks)), false
	}
	prose := t.proseOfBlocks()
	signs := signsIn(t, t.sumsOf(prose, nil, 0))
	if kinds, ok := t.articleKinds(prose, signs); ok {
		return kinds, true
	}
	return t.pageKinds(prose, signs), false
}

// pageKinds returns the kind of each block of a page that is not an article. It must not lose any part of a
// call, so a block is navigation only if its element's name or its looks show it.
func (t *Tree) pageKinds(prose []int32, signs []nameSign) []AreaKind {
	p := t.newPageText(prose, signs)
	for i := 0; i < len(t.blocks); i++ {
		b, m := &t.blocks[i], signs[t.holders[i]]
		dense := p.isDense(i)
		switch {
		case m&signDrop != 0 || isSiteNotice(b.Text):
			p.kinds[i] = Navigation
		case b.Level == 1 || dense && b.Kind != Item && p.isTitle(b.Text):
		case dense && m&inherited != 0 || p.isLabel(i, m):
			p.kinds[i] = Navigation
		case dense && p.isRowName(i):
		case dense:
			i = p.setRunKind(i) - 1
		}
	}
	p.findCalendars()
	p.dropHeadings()
	return p.kinds
}

// A pageText is the state of pageKinds.
type pageText struct {
	*Tree
	signs   []nameSign
	anchors []linkTotals
	kinds   []AreaKind
	lower   string // title in lower case
	body    Range  // blocks of the page's body
	late    int    // first block of prose in the body
	whole   bool   // true if no element smaller than the page was found to be the body
}

func (t *Tree) newPageText(prose []int32, signs []nameSign) *pageText {
	own := t.sumsOf(t.ownProse(prose), signs, signDrop)
	body := t.bodyElement(own, signs)
	p := &pageText{
		Tree: t, signs: signs, anchors: t.linkTotals(), kinds: make([]AreaKind, len(t.blocks)),
		lower: strings.ToLower(t.title), body: t.elements[body].Blocks, whole: body == 0,
	}
	for p.late = p.body.Start; p.late < p.body.End && prose[p.late] == 0; {
		p.late++
	}
	return p
}

// isDense reports whether a block mostly consists of links, with little text between them.
func (p *pageText) isDense(block int) bool {
	b := &p.blocks[block]
	return 2*b.Linked > len(b.Text) && len(b.Text)-b.Linked <= maxBetween*int(max(1, p.anchors[block].links))
}

// isLabel reports whether a block is a short label of a menu or of a footer. s has the signs of the block's
// element.
func (p *pageText) isLabel(block int, s nameSign) bool {
	text := p.blocks[block].Text
	switch {
	case len(text) >= menuFragment || len(text) >= minDate && hasDigit(text):
		return false
	case s&signFoot != 0:
		return true
	}
	return s&signMenu != 0 && (block > 0 && p.isDense(block-1) || block+1 < len(p.blocks) && p.isDense(block+1))
}

// imprints are beginnings of lines in which a site describes itself.
var imprints = []string{
	"©", "copyright ©", "copyright (c)", "copyright 20", "copyright 19", "(c) 20", "(c) 19", "all rights reserved",
	"powered by", "last modified", "last updated", "last update:", "site designed by", "website designed by", "designed by",
}

// maxImprint is the maximum length of a line that may be an imprint, in bytes.
const maxImprint = 160

// isSiteNotice reports whether a block states the copyright of the site, when it was changed or with what it was
// made.
func isSiteNotice(text string) bool {
	if len(text) > maxImprint {
		return false
	}
	return slices.ContainsFunc(imprints, func(s string) bool { return len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) })
}

// isRowName reports whether a block of links is the name of its row in a table or definition list. An example
// is the name of an event before its dates. A menu beside the page is not one.
func (p *pageText) isRowName(block int) bool {
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

// minTitle is the minimum length of a text, in bytes, that is part of the title not just by chance.
const minTitle = 12

func (p *pageText) isTitle(text string) bool {
	return len(text) >= minTitle && len(text) <= len(p.lower) && strings.Contains(p.lower, strings.ToLower(text))
}

// setRunKind sets the kind of the dense blocks that follow each other from start on. It returns the index after the
// last one.
func (p *pageText) setRunKind(start int) int {
	a, end := p.anchors[start], start+1
	for end < len(p.blocks) && p.isDense(end) && p.signs[p.holders[end]]&inherited == 0 {
		a.addTotals(p.anchors[end])
		end++
	}
	kind := a.areaKind(!p.whole && start >= p.body.Start && end <= p.body.End, start > p.late)
	for i := start; i < end; i++ {
		p.kinds[i] = kind
	}
	return end
}

// findCalendars makes hubs of lists of links to other sites with a date or place beside each link.
func (p *pageText) findCalendars() {
	for i := 0; i < len(p.kinds); i++ {
		var a linkTotals
		end := i
		for end < len(p.kinds) && p.kinds[end] != Navigation && 2*p.blocks[end].Linked > len(p.blocks[end].Text) {
			a.addTotals(p.anchors[end])
			end++
		}
		if end-i >= minCalendar && 2*a.external > a.links && a.areaKind(true, true) == Hub {
			for j := i; j < end; j++ {
				p.kinds[j] = Hub
			}
		}
		i = max(i, end-1)
	}
}

// minCalendar is the minimum number of blocks in a list that may be a calendar.
const minCalendar = 5

// dropHeadings makes navigation of headings directly before menus, and of short texts between menus. Blocks
// in the page's body keep their kind.
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

// minProse is the minimum length of a block with sentences, in bytes.
const minProse = 60

// proseOfBlocks returns the amount of prose in each block, in bytes. Prose is text outside links in blocks that are
// long enough for a sentence and have punctuation.ctuation.
func (t *Tree) proseOfBlocks() []int32 {
	prose := make([]int32, len(t.blocks))
	for i := range t.blocks {
		if b := &t.blocks[i]; len(b.Text) >= minProse && 2*b.Linked < len(b.Text) && isPunctuated(b.Text) {
			prose[i] = int32(len(b.Text) - b.Linked)
		}
	}
	return prose
}

// isPunctuated reports whether a text has a mark that separates or ends sentences, of Latin, Arabic,
// Devanagari or Chinese script.
func isPunctuated(s string) bool {
	ascii := true
	for i := range len(s) {
		switch c := s[i]; {
		case c == '.' || c == ',' || c == ';' || c == '!' || c == '?':
			return true
		case c >= utf8.RuneSelf:
			ascii = false
		}
	}
	return !ascii && strings.ContainsAny(s, "،؛؟।。、，！？；")
}

// teaserShare is the divisor for the prose of teasers: a quarter counts as the page's own.
const teaserShare = 4

// ownProse returns the prose of each block, reduced for teasers. A teaser is the only block of prose in its
// container and is next to a link.
func (t *Tree) ownProse(prose []int32) []int32 {
	company := make([]int32, len(t.elements)) // number of blocks of prose in each container
	for i, p := range prose {
		if p > 0 {
			company[t.containerOf(i)]++
		}
	}
	own := make([]int32, len(prose))
	for i, p := range prose {
		own[i] = p
		if p > 0 && company[t.containerOf(i)] == 1 && (i > 0 && t.isLinked(i-1) || i+1 < len(prose) && t.isLinked(i+1)) {
			own[i] = p / teaserShare
		}
	}
	return own
}

// containerOf returns the element whose children are the block and its neighbours. It is the parent of the
// block's element if that element has no other block.
func (t *Tree) containerOf(block int) int32 {
	h := t.holders[block]
	if e := &t.elements[h]; e.Parent >= 0 && e.Blocks.Len() == 1 {
		return e.Parent
	}
	return h
}

// isLinked reports whether more than 80 % of a block is link text.
func (t *Tree) isLinked(block int) bool {
	b := &t.blocks[block]
	return 5*b.Linked > 4*len(b.Text)
}

// sumsOf returns for every element the sum of the values of its blocks. own has the value of each block.
// Blocks whose element has a sign in skip are left out; signs may be nil if skip is 0.
func (t *Tree) sumsOf(own []int32, signs []nameSign, skip nameSign) []int32 {
	sum := make([]int32, len(t.elements))
	for i, v := range own {
		if h := t.holders[i]; skip == 0 || signs[h]&skip == 0 {
			sum[h] += v
		}
	}
	for i := len(sum) - 1; i > 0; i-- {
		sum[t.elements[i].Parent] += sum[i]
	}
	return sum
}

// bodyShare is the minimum share of an element's prose in the child where the search for the body continues.
// F1 on the 54 articles is flat from 0.6 to 0.9.
const bodyShare = 0.8

// bodyElement returns the element with the page's own content. From the document, or the article element with the
// headline, it descends into the child with nearly all of the prose, but not into lists and paragraphs. If an
// element on that path has a name of an article's body, the innermost such element is returned.
func (t *Tree) bodyElement(prose []int32, signs []nameSign) int32 {
	at, named := t.headlinedArticle(prose), int32(-1)
	for {
		if signs[at]&signBody != 0 {
			named = at
		}
		best, most := int32(-1), int32(0)
		for c := at + 1; c < t.elements[at].End; c = t.elements[c].End {
			if prose[c] > most {
				best, most = c, prose[c]
			}
		}
		if best < 0 || float64(most) < bodyShare*float64(prose[at]) || isText(t.elements[best].Node.DataAtom) {
			break
		}
		at = best
	}
	if named >= 0 {
		return named
	}
	return at
}

// isText reports whether elements with this tag are pieces of text rather than parts of the page.
func isText(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Figure:
		return true
	}
	return false
}

// headlinedArticle returns the first article element with prose and a headline, or the document. prose has the prose
// in each element.
func (t *Tree) headlinedArticle(prose []int32) int32 {
	for i := int32(1); i < int32(len(t.elements)); i++ {
		e := &t.elements[i]
		if e.Node.DataAtom != atom.Article {
			continue
		}
		for b := e.Blocks.Start; b < e.Blocks.End && prose[i] > 0; b++ {
			if t.blocks[b].Level == 1 {
				return i
			}
		}
		i = e.End - 1
	}
	return 0
}

// declaresArticle reports whether the page declares itself an article by Open Graph's type or JSON-LD, up to element
// n. before is the result for the elements before n. WordPress declares every page an article, but the class
// of body identifies plain pages.
func declaresArticle(n *html.Node, before bool) bool {
	switch n.DataAtom {
	case atom.Meta:
		return before || htmltree.Attr(n, "property") == "og:type" && strings.HasPrefix(htmltree.Attr(n, "content"), "article")
	case atom.Script:
		return before || n.FirstChild != nil && htmltree.Attr(n, "type") == "application/ld+json" && isArticleData(n.FirstChild.Data)
	case atom.Body:
		return before && !strings.Contains(htmltree.Attr(n, "class"), "page-id-")
	}
	return before
}

// isArticleData reports whether JSON-LD has an object of one of schema.org's article types.
func isArticleData(s string) bool {
	const key = `"@type"`
	for {
		i := strings.Index(s, key)
		if i < 0 {
			return false
		}
		s = strings.TrimLeft(s[i+len(key):], " \t\r\n:[")
		if s == "" || s[0] != '"' {
			continue
		}
		value, rest, _ := strings.Cut(s[1:], `"`)
		if strings.HasSuffix(value, "Article") || strings.HasSuffix(value, "BlogPosting") {
			return true
		}
		s = rest
	}
}

// Thresholds that separate an article without a declaration from a page of lists, tables and dates. Of pages
// with a call for papers, one in a hundred passes.
const (
	essayProse = 0.95 // minimum share of prose in the body's text
	dataProse  = 0.8  // the same if microdata declare an article
	essayShort = 5    // minimum number of blocks of prose per other block
	essayMin   = 3    // minimum number of blocks of prose
	essayDates = 4    // number of short texts with digits outside the body that rules out an article
)

// articleKinds returns the kind of each block of an article. Text in its body is informational except where
// element names say otherwise, and the rest is navigation. ok is false if the page does not show an article.
func (t *Tree) articleKinds(prose []int32, signs []nameSign) (kinds []AreaKind, ok bool) {
	own := t.sumsOf(t.ownProse(prose), signs, noArticle)
	if own[0] == 0 {
		return nil, false
	}
	body := t.bodyElement(own, signs)
	in := t.elements[body].Blocks
	kinds = make([]AreaKind, len(t.blocks))
	linked := 0 // bytes of link lists in the body
	for i := range t.blocks {
		switch {
		case i < in.Start || i >= in.End || signs[t.holders[i]]&noArticle != 0:
			kinds[i] = Navigation
		case t.isLinked(i):
			kinds[i] = Navigation
			linked += t.blocks[i].Linked
		}
	}
	if t.article && linked > int(own[body]) || !t.article && !t.isEssay(kinds, prose, signs, in, signs[body]&signData != 0) {
		return nil, false
	}
	t.trimArticle(kinds, prose, in)
	for i := 0; i < len(kinds) && !t.article; i++ {
		if t.blocks[i].Level == 1 {
			kinds[i] = Info // possibly the name of an event
		}
	}
	return kinds, true
}

// isEssay reports whether the text in the body is prose without anything beside it that may be a deadline. in
// is the range of the body's blocks. said means that microdata declare an article; then a smaller share of
// prose is enough.
func (t *Tree) isEssay(kinds []AreaKind, prose []int32, signs []nameSign, in Range, said bool) bool {
	var all, inProse, long, short, dates int
	for i := range t.blocks {
		b := &t.blocks[i]
		clean := len(b.Text) - b.Linked
		switch {
		case kinds[i] == Info && prose[i] > 0:
			all, inProse, long = all+clean, inProse+clean, long+1
		case kinds[i] == Info:
			all += clean
			if b.Level == 0 {
				short++
			}
		case i >= in.Start && i < in.End && signs[t.holders[i]]&noArticle == 0:
			short++ // a block that is a link in the body, such as a name or a menu
		case prose[i] == 0 && len(b.Text) >= minDate && signs[t.holders[i]]&(signMenu|signFoot|signDrop) == 0 && !t.isLinked(i) && hasDigit(b.Text):
			dates++
		}
	}
	share := float64(inProse) / float64(max(1, all))
	plain := long >= essayMin && essayShort*short <= long && share > essayProse
	return dates < essayDates && (plain || said && share > dataProse)
}

// minDate is the minimum length of a date with its label, in bytes.
const minDate = 16

// trimArticle makes navigation of what is before the first and after the last sentence of an article's body. This is
// the headline, headings of omitted parts, and separate fragments such as a date or a place.
func (t *Tree) trimArticle(kinds []AreaKind, prose []int32, in Range) {
	first, last := in.Start, in.End-1
	for first < in.End && (kinds[first] != Info || prose[first] == 0) {
		first++
	}
	if first == in.End {
		return
	}
	for kinds[last] != Info || prose[last] == 0 {
		last--
	}
	for i := in.Start; i < first; i++ {
		if t.blocks[i].Level == 1 || t.containerOf(i) != t.containerOf(first) && t.isFragment(i) {
			kinds[i] = Navigation
		}
	}
	for i := last + 1; i < in.End; i++ {
		if t.blocks[i].Level > 0 || t.containerOf(i) != t.containerOf(last) && t.isFragment(i) {
			kinds[i] = Navigation
		}
	}
}

// isFragment reports whether a block is a heading, or a short paragraph that does not end like a sentence.
func (t *Tree) isFragment(block int) bool {
	b := &t.blocks[block]
	end, _ := utf8.DecodeLastRuneInString(b.Text)
	return b.Level > 0 || b.Kind == Paragraph && len(b.Text) < minProse && !strings.ContainsRune(`.!?:"”…؟।。！？」`, end)
}
