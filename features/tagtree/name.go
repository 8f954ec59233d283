package tagtree

import (
	"strings"

	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A nameSign is a set of bits for what an element's name, role, class and id indicate about its text.
type nameSign uint8

const (
	signMenu nameSign = 1 << iota // a menu or buttons; text outside links may still be content
	signFoot                      // a footer
	signSide                      // beside an article; on other pages it may contain the dates
	signDrop                      // never content: cookie banners, links that skip to the text
	signBody                      // the body of an article
	signData                      // the body of an article, marked by microdata

	inherited = signMenu | signFoot | signSide | signDrop
	noArticle = inherited
)

// Words in classes and ids with their signs: wholeWords match whole words, wordStarts match beginnings. A
// word is a run of letters, or a part of one that begins with a capital: "post-related", "postRelated".
var (
	wholeWords = wordSigns(
		nameGroup{signMenu, "nav menu navigation navbar search sharing breadcrumb breadcrumbs sitemap"},
		nameGroup{signDrop, "skip"},
		nameGroup{signSide, "ad ads adv bio tag tags meta print rail log login toc rss like likes poll date video player"},
	)
	wordStarts = wordSigns(
		nameGroup{signMenu, "navig navbar menu breadcrumb pagina pager share sharing social sidemenu submenu toolbar sharedaddy addthis"},
		nameGroup{signFoot, "footer contentinfo"},
		nameGroup{signDrop, "cookie gdpr consent skiplink privacy comment disqus respond kommentar commentaire"},
		nameGroup{signSide, "related newsletter subscri signup promo sponsor advert adsense dfp popular trending recommend outbrain " +
			"taboola author byline caption credit gallery slideshow teaser reply modal popup overlay widget copyright timestamp " +
			"disclaimer similar recirc carousel banner tooltip hashtag read next prev upcoming latest recent sidebar masthead " +
			"forum coment comentari partage teilen"},
	)
)

type nameGroup struct {
	sign  nameSign
	words string
}

type wordSign struct {
	word string
	sign nameSign
}

// wordSigns groups words by their first letter, a to z.
func wordSigns(of ...nameGroup) (by [26][]wordSign) {
	for _, n := range of {
		for word := range strings.FieldsSeq(n.words) {
			by[word[0]-'a'] = append(by[word[0]-'a'], wordSign{word, n.sign})
		}
	}
	return by
}

// signsIn returns for every element its own signs and those inherited from the elements around it. An element
// with most of the page's prose is content, whatever its name. prose has the prose in each element, in bytes.
func signsIn(t *Tree, prose []int32) []nameSign {
	signs := make([]nameSign, len(t.elements))
	known := make(map[string]nameSign)
	for i := range t.elements {
		e := &t.elements[i]
		if e.Parent >= 0 {
			signs[i] = signs[e.Parent] & inherited
		}
		if e.Blocks.Len() == 0 || !isNamed(e.Node.DataAtom) {
			continue
		}
		m := signsOfNames(e.Node, known)
		if 2*prose[i] > prose[0] {
			m &^= signMenu | signFoot | signSide
		}
		if 20*prose[i] > 19*prose[0] {
			m &^= signDrop
		}
		signs[i] |= m
	}
	return signs
}

// isNamed reports whether the class and id of an element with this tag are used. Those of html, body and main
// describe the whole page, and those of inline elements and rows say nothing about its parts.
func isNamed(a atom.Atom) bool {
	switch a {
	case atom.Html, atom.Body, atom.Main, atom.A, atom.B, atom.I, atom.Em, atom.Strong, atom.Span, atom.Font, atom.Tr, atom.Tbody:
		return false
	}
	return true
}

// signsOfNames returns the signs of an element's own tag, role, class and id. known caches the signs of
// classes and roles.
func signsOfNames(n *html.Node, known map[string]nameSign) nameSign {
	var m nameSign
	switch n.DataAtom {
	case atom.Nav, atom.Button:
		m = signMenu
	case atom.Footer:
		m = signFoot
	case atom.Aside, atom.Form, atom.Figure, atom.Figcaption:
		m = signSide
	}
	for i := range n.Attr {
		switch a := &n.Attr[i]; a.Key {
		case "itemprop":
			if a.Val == "articleBody" {
				m |= signBody | signData
			}
		case "id": // not cached, because ids are unique
			m |= signsOfValue(text.CutBytes(a.Val, maxNames))
		case "class", "role":
			v, ok := known[a.Val]
			if !ok {
				v = signsOfValue(text.CutBytes(a.Val, maxNames))
				known[a.Val] = v
			}
			m |= v
		}
	}
	return m
}

const (
	maxNames = 1 << 10 // maximum bytes read of a class or an id
	maxWord  = 24      // maximum bytes of a word in a class or an id
)

// signsOfValue returns the signs of all words in a class, an id or a role. It skips the names that WordPress
// makes of a post's tags and categories.
func signsOfValue(value string) nameSign {
	var m nameSign
	for name := range strings.FieldsSeq(value) {
		if strings.HasPrefix(name, "tag-") || strings.HasPrefix(name, "category-") {
			continue
		}
		if isBodyName(name) {
			m |= signBody
		}
		for i := 0; i < len(name); {
			start := i
			for i < len(name) && isLetter(name[i]) && (i == start || !isUpper(name[i]) || isUpper(name[i-1])) {
				i++
			}
			m |= signOf(name[start:i])
			for i < len(name) && !isLetter(name[i]) {
				i++
			}
		}
	}
	return m
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isUpper(c byte) bool  { return c >= 'A' && c <= 'Z' }

// signOf returns what a word in a class or id is a sign of, such as navigation, or 0 if it is none.
func signOf(word string) nameSign {
	if len(word) < 2 {
		return 0
	}
	var buf [maxWord]byte
	lower := lowerLetters(buf[:0], word)
	for _, w := range wholeWords[lower[0]-'a'] {
		if w.word == string(lower) {
			return w.sign
		}
	}
	for _, w := range wordStarts[lower[0]-'a'] {
		if len(lower) >= len(w.word) && string(lower[:len(w.word)]) == w.word {
			return w.sign
		}
	}
	return 0
}

// lowerLetters appends the letters of s to buf in lower case, up to the capacity of buf.
func lowerLetters(buf []byte, s string) []byte {
	for i := 0; i < len(s) && len(buf) < cap(buf); i++ {
		if isLetter(s[i]) {
			buf = append(buf, s[i]|0x20)
		}
	}
	return buf
}

// isBodyName reports whether a class or an id is a usual name for an article's body. Letter case and
// characters between the words are ignored.
func isBodyName(name string) bool {
	var buf [maxWord]byte
	switch string(lowerLetters(buf[:0], name)) {
	case "articlebody", "articlecontent", "articlecopy", "articletext", "blogcontent", "bodycontent", "bodycopy", "entrybody", "entrycontent",
		"entrytext", "newsbody", "newscontent", "newstext", "postbody", "postcontent", "posttext", "storybody", "storycontent", "storytext":
		return true
	}
	return false
}
