// Package htmltree parses the bytes of a page into an HTML tree. It detects the charset, distinguishes
// HTML, plain text and non-text, and parses in bounded time and space. It also provides functions on
// single elements.
package htmltree

import (
	"regexp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on the cost of one page. Content beyond a limit is left out; the other content is read as usual.
const (
	MaxBody  = 16 << 20 // number of bytes of a body that are read
	MaxTags  = 400_000  // tags of a page
	MaxDepth = 400      // number of elements open at the same time in ParseLoosely
)

// Parse parses s by the HTML standard, within the limits of ParseCompact.
func Parse(s string) *html.Node {
	d := ParseCompact(s)
	root := d.Nodes()
	d.Release()
	return root
}

// frameTags matches the tags around the content for browsers without frames.
var frameTags = regexp.MustCompile(`(?i)</?(?:frameset|noframes)\b[^<>]*>`)

// oldComment matches a comment in the syntax of browsers of the 1990s.
var oldComment = regexp.MustCompile(`<!--[^>]*>`)

// removeHiding prepares a page that shows no text for a second parse. It removes tags of frames, and ends
// unterminated comments at the first ">".
func removeHiding(s string) string {
	s = frameTags.ReplaceAllString(s, "")
	tail := strings.LastIndex(s, "-->") + 1
	return s[:tail] + oldComment.ReplaceAllString(s[tail:], "")
}

// ParseForgiving parses a page without visible text a second time, with the forgiving parser.
func ParseForgiving(s string) *html.Node { return ParseLoosely(cutTags(removeHiding(s))) }

// cutTags cuts s before tag number MaxTags.
func cutTags(s string) string {
	at := 0
	for range MaxTags {
		next := strings.IndexByte(s[at:], '<')
		if next < 0 {
			return s
		}
		at += next + 1
	}
	return s[:at-1]
}

// ParseLoosely builds a tree token by token. An end tag closes the nearest element of its name, an
// element that cannot nest closes an open one of its name, and elements deeper than maxDepth become
// siblings.
func ParseLoosely(s string) *html.Node {
	root := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{root}
	z := html.NewTokenizer(strings.NewReader(s))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return root
		case html.TextToken:
			open[len(open)-1].AppendChild(&html.Node{Type: html.TextNode, Data: z.Token().Data})
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			n := &html.Node{Type: html.ElementNode, DataAtom: tok.DataAtom, Data: tok.Data, Attr: tok.Attr}
			open = closeLike(open, n.DataAtom)
			open[len(open)-1].AppendChild(n)
			if len(open) < MaxDepth && !IsVoid(n.DataAtom) {
				open = append(open, n)
			}
			if n.DataAtom == atom.Noscript {
				z.NextIsNotRawText()
			}
		case html.EndTagToken:
			name := z.Token().Data
			for i := len(open) - 1; i > 0; i-- {
				if open[i].Data == name {
					open = open[:i]
					break
				}
			}
		}
	}
}

// closeLike closes the innermost element if the next element must not be a direct child of it.
func closeLike(open []*html.Node, a atom.Atom) []*html.Node {
	last := open[len(open)-1].DataAtom
	switch a {
	case atom.Title, atom.Meta, atom.Base, atom.Link, atom.Script, atom.Style, atom.Noscript, atom.Template:
	default:
		if last == atom.Head {
			return open[:len(open)-1]
		}
	}
	switch a {
	case atom.P, atom.Li, atom.Tr, atom.Option, atom.A:
		if last == a {
			return open[:len(open)-1]
		}
	case atom.Td, atom.Th:
		if last == atom.Td || last == atom.Th {
			return open[:len(open)-1]
		}
	case atom.Dt, atom.Dd:
		if last == atom.Dt || last == atom.Dd {
			return open[:len(open)-1]
		}
	}
	return open
}

// IsVoid reports whether an element has no content and no end tag.
func IsVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr, atom.Frame:
		return true
	}
	return false
}
