package tagtree

import (
	"strings"
	"unicode/utf8"

	"eventseer/features/htmltree"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

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

// articleKinds tells what each block of an article is for: text in its body, but
// for what names itself something else, and navigation all around. ok is false
// where the page shows no article.
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

// isEssay reports whether the text in the body is prose, as that of an article
// that microdata tell of mostly is, and nothing that may be a deadline lies
// beside it.
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

// trim takes from an article's body what stands before the first and after the
// last sentence: its headline, headings of what was left out, and fragments with
// a place of their own, such as a date or a place.
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
