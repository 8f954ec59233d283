package tagtree

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Text returns the informational text: that of the informational areas, a line
// a block. Of an article that is its body, without the headline, bylines and
// captions; of any other page all but what is surely navigation, with the lists of
// links that stand among its text.
func (a *Analysis) Text() string { return a.tree.joined(a.textBlocks()) }

// blockKinds returns the role of each block. Plain text is all to be read, a list of entries all to
// be followed. article reports whether the page shows an article.
func (t *Tree) blockKinds() (kinds []AreaKind, article bool) {
	if t.Page.Entries != nil {
		return slices.Repeat([]AreaKind{Hub}, len(t.blocks)), false
	}
	if t.root == nil || len(t.blocks) == 0 {
		return make([]AreaKind, len(t.blocks)), false
	}
	prose := t.prose()
	signs := signsIn(t, t.sumsOf(prose, nil, 0))
	if kinds, ok := t.articleKinds(prose, signs); ok {
		return kinds, true
	}
	return t.pageKinds(prose, signs), false
}

// pageKinds returns the role of each block of a page that is not an article. No part of a call may
// be lost, so navigation is only what has its name or its looks.
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

// isLabel reports whether a block names the links of a menu beside it, or is something unimportant
// at the foot of the page.
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
	return slices.ContainsFunc(imprints, func(s string) bool { return len(text) >= len(s) && strings.EqualFold(text[:len(s)], s) })
}

// namesRow reports whether a block is a whole cell beside the text that its link is about, in a
// table row or a definition list. An example is the name of an event beside its dates, not a menu
// beside the page.
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

// minTitle is the number of bytes from which a title is not an accident.
const minTitle = 12

func (p *pageText) isTitle(text string) bool {
	return len(text) >= minTitle && len(text) <= len(p.lower) && strings.Contains(p.lower, strings.ToLower(text))
}

// run sets the role of the run of dense blocks that begins at a block, and returns its end.
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

// minProse is how many bytes a block of sentences has at least.
const minProse = 60

// prose returns how much of each block is prose, in bytes: text outside links in blocks long enough
// for a sentence and with its punctuation.
func (t *Tree) prose() []int32 {
	prose := make([]int32, len(t.blocks))
	for i := range t.blocks {
		if b := &t.blocks[i]; len(b.Text) >= minProse && 2*b.Linked < len(b.Text) && isPunctuated(b.Text) {
			prose[i] = int32(len(b.Text) - b.Linked)
		}
	}
	return prose
}

// isPunctuated reports whether a text has a mark that parts or ends sentences,
// of Latin, Arabic, Devanagari or Chinese script.
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

// teaserShare is the part of a teaser's prose that counts as the page's own.
const teaserShare = 4

// ownProse returns the prose without most of that of teasers: blocks that are alone, next to one
// that is a link.
func (t *Tree) ownProse(prose []int32) []int32 {
	company := make([]int32, len(t.elements)) // blocks of prose side by side
	for i, p := range prose {
		if p > 0 {
			company[t.container(i)]++
		}
	}
	own := make([]int32, len(prose))
	for i, p := range prose {
		own[i] = p
		if p > 0 && company[t.container(i)] == 1 && (i > 0 && t.isLinked(i-1) || i+1 < len(prose) && t.isLinked(i+1)) {
			own[i] = p / teaserShare
		}
	}
	return own
}

// container returns the element in which a block has its place: around the one
// that holds it, if that holds nothing else.
func (t *Tree) container(block int) int32 {
	h := t.holders[block]
	if e := &t.elements[h]; e.Parent >= 0 && e.Blocks.Len() == 1 {
		return e.Parent
	}
	return h
}

// isLinked reports whether a block is as good as all link.
func (t *Tree) isLinked(block int) bool {
	b := &t.blocks[block]
	return 5*b.Linked > 4*len(b.Text)
}

// sumsOf returns for every element the sum of what its blocks have, those left
// out whose element has a sign of skip.
func (t *Tree) sumsOf(own []int32, signs []sign, skip sign) []int32 {
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

// bodyShare is how much of an element's prose lies in the child that the page's
// body is looked for in. F1 on the 54 articles is flat from 0.6 to 0.9.
const bodyShare = 0.8

// body returns the element that holds the page's own content. From the document, or the article
// that has the headline, it descends into the child with nearly all the prose and stops at lists
// and paragraphs. An element on that path with the name of an article's body wins.
func (t *Tree) body(prose []int32, signs []sign) int32 {
	at, named := t.headlined(prose), int32(-1)
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

// isText reports whether an element is a piece of text rather than a part of
// the page.
func isText(a atom.Atom) bool {
	switch a {
	case atom.P, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Pre, atom.Figure:
		return true
	}
	return false
}

// headlined returns the first article element that has prose and a headline, or
// the document.
func (t *Tree) headlined(prose []int32) int32 {
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

// declares reports whether an element says that the page is an article: by Open
// Graph's type or by JSON-LD. before is what those before it said. WordPress
// calls its pages articles as well, but says in the body's class what they are.
func declares(n *html.Node, before bool) bool {
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

// isArticleData reports whether JSON-LD has an object of one of schema.org's
// types of articles.
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

// What tells an article that does not say so from a page of lists, tables and
// dates. Of pages that call for papers one in a hundred passes.
const (
	essayProse = 0.95 // of the text in its body is prose, at least
	dataProse  = 0.8  // the same where microdata say that it is an article
	essayShort = 5    // blocks of prose for each other block, at least
	essayMin   = 3    // blocks of prose
	essayDates = 4    // short texts with digits outside the body, less
)

// articleKinds returns the role of each block of an article. It is text in its body, except what
// has another role by its name, and navigation all around. ok is false where the page shows no
// article.
func (t *Tree) articleKinds(prose []int32, signs []sign) (kinds []AreaKind, ok bool) {
	own := t.sumsOf(t.ownProse(prose), signs, noArticle)
	if own[0] == 0 {
		return nil, false
	}
	body := t.body(own, signs)
	in := t.elements[body].Blocks
	kinds = make([]AreaKind, len(t.blocks))
	linked := 0 // bytes of lists of links in the body
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
	t.trim(kinds, prose, in)
	for i := 0; i < len(kinds) && !t.article; i++ {
		if t.blocks[i].Level == 1 {
			kinds[i] = Info // the name of an event, perhaps
		}
	}
	return kinds, true
}

// isEssay reports whether the text in the body is prose without anything beside it that may be a
// deadline. Most articles declared by microdata are.
func (t *Tree) isEssay(kinds []AreaKind, prose []int32, signs []sign, in Range, said bool) bool {
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
			short++ // a link: a name, a menu
		case prose[i] == 0 && len(b.Text) >= minDate && signs[t.holders[i]]&(signMenu|signFoot|signDrop) == 0 && !t.isLinked(i) && hasDigit(b.Text):
			dates++
		}
	}
	share := float64(inProse) / float64(max(1, all))
	plain := long >= essayMin && essayShort*short <= long && share > essayProse
	return dates < essayDates && (plain || said && share > dataProse)
}

// minDate is how many bytes a date has with what it is the date of.
const minDate = 16

// trim removes from an article's body what is before the first and after the last sentence. This is
// the headline, headings of omitted parts, and separate fragments such as a date or a place.
func (t *Tree) trim(kinds []AreaKind, prose []int32, in Range) {
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
		if t.blocks[i].Level == 1 || t.container(i) != t.container(first) && t.isFragment(i) {
			kinds[i] = Navigation
		}
	}
	for i := last + 1; i < in.End; i++ {
		if t.blocks[i].Level > 0 || t.container(i) != t.container(last) && t.isFragment(i) {
			kinds[i] = Navigation
		}
	}
}

// isFragment reports whether a block is a heading, or short and without the end
// of a sentence; items and cells belong to something longer.
func (t *Tree) isFragment(block int) bool {
	b := &t.blocks[block]
	end, _ := utf8.DecodeLastRuneInString(b.Text)
	return b.Level > 0 || b.Kind == Paragraph && len(b.Text) < minProse && !strings.ContainsRune(`.!?:"”…؟।。！？」`, end)
}
