package tagtree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isBlock reports whether an element starts a new line where it begins and
// where it ends.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Legend, atom.Li, atom.Listing, atom.Main, atom.Menu, atom.Nav, atom.Ol,
		atom.P, atom.Plaintext, atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot,
		atom.Th, atom.Thead, atom.Tr, atom.Ul, atom.Xmp:
		return true
	}
	return false
}

// isUnread reports whether an element's content is never text for a reader.
func isUnread(n *html.Node) bool {
	if n.Namespace == "svg" {
		return true
	}
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Textarea, atom.Select, atom.Datalist, atom.Iframe, atom.Object,
		atom.Embed, atom.Audio, atom.Video, atom.Canvas, atom.Noframes, atom.Noembed, atom.Svg, atom.Title:
		return true
	}
	return false
}

// kindOf returns the kind an element gives to the blocks it holds.
func kindOf(a atom.Atom) (k Kind, level int, ok bool) {
	switch a {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		return Heading, int(a.String()[1] - '0'), true
	case atom.Li:
		return Item, 0, true
	case atom.Dt:
		return Term, 0, true
	case atom.Dd:
		return Definition, 0, true
	case atom.Td:
		return Cell, 0, true
	case atom.Th:
		return HeadCell, 0, true
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		return Line, 0, true
	}
	return Paragraph, 0, false
}

// styleOf reads what matters of an element's own style: whether it is hidden
// and whether its text is struck out.
func styleOf(n *html.Node) (hidden, struck bool) {
	switch n.DataAtom {
	case atom.S, atom.Del, atom.Strike:
		struck = true
	case atom.Dialog:
		hidden = !hasAttr(n, "open")
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = true
		case "style":
			style := strings.Join(strings.Fields(strings.ToLower(a.Val)), "")
			hidden = hidden || strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden")
			struck = struck || strings.Contains(style, "line-through")
		}
	}
	return hidden, struck
}

// attr returns the value of an attribute, or "".
func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// language returns tag if it is a well-formed language tag, else "".
func language(tag string) string {
	tag = strings.TrimSpace(tag)
	if len(tag) < 2 || len(tag) > maxLang {
		return ""
	}
	for _, c := range []byte(tag) {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return tag
}
