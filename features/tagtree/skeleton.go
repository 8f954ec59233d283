package tagtree

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Skeleton returns the page with each word replaced by a placeholder of equal length. Placeholders are x and
// X for letters, 9 for digits, and 文 for letters of scripts without capitals. Elements are kept with the
// attributes that the page analyzer reads. Scripts, styles, comments, addresses and names are removed. The
// result has the same blocks as the page, unless the page's markup is too broken to be serialized.
func Skeleton(t *Tree) string {
	if t.root == nil {
		s, _, _ := htmltree.ContentText(t.Page) // no error, because the page was parsed before
		return maskText(s)
	}
	var b strings.Builder
	for n := t.root.FirstChild; n != nil; {
		if open := writeStart(&b, n); open && n.FirstChild != nil {
			n = n.FirstChild
			continue
		} else if open {
			writeEnd(&b, n)
		}
		for n.NextSibling == nil && n.Parent != t.root {
			n = n.Parent
			writeEnd(&b, n)
		}
		n = n.NextSibling
	}
	return b.String()
}

// writeStart writes the part of a node before its content. It returns false if the node has no content and no
// end tag to write.
func writeStart(b *strings.Builder, n *html.Node) bool {
	switch n.Type {
	case html.TextNode:
		b.WriteString(html.EscapeString(maskText(n.Data)))
		return false
	case html.ElementNode:
	default:
		return false
	}
	if n.DataAtom == 0 || htmltree.IsUnread(n) && n.DataAtom != atom.Title || n.DataAtom == atom.Noscript {
		return false
	}
	b.WriteByte('<')
	b.WriteString(n.DataAtom.String())
	for _, a := range n.Attr {
		if value, ok := skeletonValue(n, a); ok {
			b.WriteByte(' ')
			b.WriteString(a.Key)
			if value != "" {
				b.WriteString(`="` + html.EscapeString(value) + `"`)
			}
		}
	}
	b.WriteByte('>')
	return !htmltree.IsVoid(n.DataAtom)
}

func writeEnd(b *strings.Builder, n *html.Node) {
	b.WriteString("</" + n.DataAtom.String() + ">")
}

// skeletonValue returns the value that an attribute has in a skeleton, and whether the skeleton has the
// attribute.
func skeletonValue(n *html.Node, a html.Attribute) (string, bool) {
	switch a.Key {
	case "colspan", "rowspan", "dir", "lang", "role", "itemscope", "itemtype", "itemprop", "typeof", "property", "hidden", "open":
		return text.CutBytes(a.Val, maxStyle), n.DataAtom != atom.Meta
	case "datetime":
		return maskText(text.CutBytes(a.Val, maxStyle)), true
	case "href":
		return "https://conf.example/", n.DataAtom == atom.A && !strings.HasPrefix(a.Val, "#")
	case "class", "id":
		var words []string
		for word := range strings.FieldsSeq(text.CutBytes(a.Val, maxNames)) {
			if signsOfValue(word) != 0 {
				words = append(words, word)
			}
		}
		return strings.Join(words, " "), len(words) > 0
	case "style":
		hidden, struck := htmltree.StyleOf(n)
		switch {
		case hidden:
			return "display:none", true
		case struck && strings.Contains(strings.ToLower(a.Val), "line-through"):
			return "text-decoration:line-through", true
		}
	}
	return "", false
}

// maskText returns s with a placeholder for each letter and digit.
func maskText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '9'
		case unicode.IsUpper(r), unicode.IsTitle(r):
			return 'X'
		case unicode.IsLower(r), r == 'ª', r == 'º':
			return 'x'
		case unicode.IsLetter(r):
			return '文'
		case unicode.IsMark(r), unicode.IsNumber(r):
			return -1
		}
		return r
	}, s)
}
