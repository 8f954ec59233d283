// Package htmltree turns the bytes of a page into a tree of HTML: it finds the
// charset, tells markup from plain text and from what is no text, and parses within
// bounded time and space. It holds what its users ask of single elements.
package htmltree

import (
	"regexp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on what one page may cost. What lies beyond a limit is left out; the
// rest of the page is read as usual.
const (
	MaxBody     = 16 << 20  // bytes of a body that are read
	MaxTags     = 400_000   // "<" in a body; the body is cut at the next
	maxNodes    = 2_000_000 // nodes the standard's parser may make
	maxTagBytes = 16 << 10  // length of a formatting element's, html's or body's tag in that parser
	maxRoots    = 20        // tags of html and body in that parser
	MaxDepth    = 400       // elements open at once in the forgiving parser
)

// Parse parses s by the HTML standard, or, where that would cost too much
// or nest too deep, by a forgiving parser of bounded cost.
func Parse(s string) *html.Node {
	s, fair := measure(s)
	if fair {
		root, err := html.ParseWithOptions(strings.NewReader(s), html.ParseOptionEnableScripting(false))
		if err == nil {
			return root
		}
	}
	return ParseLoosely(s)
}

// frameTags are the tags around what a page of frames shows where there are
// no frames.
var frameTags = regexp.MustCompile(`(?i)</?(?:frameset|noframes)\b[^<>]*>`)

// oldComment is a comment as browsers of the nineties ended it.
var oldComment = regexp.MustCompile(`<!--[^>]*>`)

// reveal prepares a page that shows no text for a second look: it takes down
// frames, and ends comments that never end at the first ">".
func reveal(s string) string {
	s = frameTags.ReplaceAllString(s, "")
	tail := strings.LastIndex(s, "-->") + 1
	return s[:tail] + oldComment.ReplaceAllString(s[tail:], "")
}

// ParseRevealed parses a page that shows no text for a second look, by the forgiving
// parser.
func ParseRevealed(s string) *html.Node {
	shown, _ := measure(reveal(s))
	return ParseLoosely(shown)
}

// measure cuts s at maxTags tags and reports whether the standard's parser is
// safe on it. That parser reopens every unclosed formatting element in each
// block (HTML, section 13.2.4.3), so a page of n tags can make n² nodes; it
// compares such elements attribute by attribute; and it looks at all attributes
// of html and body again for each further tag of theirs.
func measure(s string) (string, bool) {
	tags, opened, most, roots := 0, 0, 0, 0
	var open [len(formatting)]int // by name: </i> leaves <b> open
	short := true
	for i := strings.IndexByte(s, '<'); i >= 0 && i < len(s); {
		if tags++; tags > MaxTags {
			s = s[:i]
			break
		}
		rest := s[i+1:]
		name, closing := strings.CutPrefix(rest, "/")
		name = tagName(name)
		switch f := slices.Index(formatting[:], name); {
		case f >= 0 && closing:
			if open[f] > 0 {
				open[f]--
				opened--
			}
		case f >= 0:
			open[f]++
			opened++
			most = max(most, opened)
			short = short && isShort(rest)
		case !closing && (name == "html" || name == "body"):
			roots++
			short = short && isShort(rest)
		}
		next := strings.IndexByte(rest, '<')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return s, short && roots <= maxRoots && tags*(most+1) <= maxNodes
}

// formatting are the names of the formatting elements.
var formatting = [...]string{"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}

// tagName returns the letters that s begins with in lower case, at most seven.
func tagName(s string) string {
	n, upper := 0, false
	for n < len(s) && n < 7 && (s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z') {
		upper = upper || s[n] < 'a'
		n++
	}
	if upper {
		return strings.ToLower(s[:n])
	}
	return s[:n]
}

// isShort reports whether the tag s begins with ends within maxTagBytes.
func isShort(s string) bool {
	return len(s) <= maxTagBytes || strings.IndexByte(text.Cut(s, maxTagBytes), '>') >= 0
}

// ParseLoosely builds a tree token by token: an end tag closes the nearest
// element of its name, an element that cannot nest closes its like, and what
// lies deeper than maxDepth becomes a sibling.
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

// closeLike closes the innermost element if the coming one must not stand
// directly inside it.
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
