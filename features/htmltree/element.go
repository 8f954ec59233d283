package htmltree

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// IsBlock reports whether an element starts a new line where it begins and
// where it ends.
func IsBlock(a atom.Atom) bool {
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

// IsUnread reports whether an element's content is never text for a reader.
func IsUnread(n *html.Node) bool {
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

// StyleOf reads an element's own style: whether it hides the element or strikes out its text.
func StyleOf(n *html.Node) (hidden, struck bool) {
	switch n.DataAtom {
	case atom.S, atom.Del, atom.Strike:
		struck = true
	case atom.Dialog:
		hidden = !HasAttr(n, "open")
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			hidden = true
		case "style":
			var room [256]byte
			style := appendWithoutSpaces(room[:0], a.Val)
			hidden = hidden || bytes.Contains(style, displayNone) || bytes.Contains(style, visibilityHidden)
			struck = struck || bytes.Contains(style, lineThrough)
		}
	}
	return hidden, struck
}

var (
	displayNone      = []byte("display:none")
	visibilityHidden = []byte("visibility:hidden")
	lineThrough      = []byte("line-through")
)

// appendWithoutSpaces appends s in lower case without white space to b, which is empty.
func appendWithoutSpaces(b []byte, s string) []byte {
	for _, c := range []byte(s) {
		switch {
		case c >= utf8.RuneSelf:
			return []byte(strings.Join(strings.Fields(strings.ToLower(s)), ""))
		case c > ' ' || c < '\t' || c > '\r' && c != ' ':
			b = append(b, lowerByte[c])
		}
	}
	return b
}

// Attr returns the value of an attribute, or "".
func Attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// HasAttr reports whether an element has an attribute.
func HasAttr(n *html.Node, key string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == key })
}

// maxLang is the length of a language tag in bytes (RFC 5646, section 4.4.1).
const maxLang = 35

// ValidLanguage returns tag if it is a well-formed language tag, else "".
func ValidLanguage(tag string) string {
	tag = strings.TrimSpace(tag)
	if len(tag) < 2 || len(tag) > maxLang {
		return ""
	}
	for _, c := range []byte(tag) {
		if c != '-' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			return ""
		}
	}
	return strings.Clone(tag)
}

// NodeAfterSubtree returns the node after n and all its descendants, in document order within top, or nil.
func NodeAfterSubtree(n, top *html.Node) *html.Node {
	for ; n != top; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// NodeAfter returns the node after c in document order within root, or nil.
func NodeAfter(c, root *html.Node) *html.Node {
	if c.FirstChild != nil {
		return c.FirstChild
	}
	return NodeAfterSubtree(c, root)
}

// IsFrame reports whether an element is a frame or an iframe.
func IsFrame(a atom.Atom) bool { return a == atom.Iframe || a == atom.Frame }
