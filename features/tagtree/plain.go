package tagtree

import (
	"io"
	"mime"
	"regexp"
	"strconv"
	"strings"

	"eventseer/features/htmltree"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readPlain reads plain text: each line is a block, and the lines of one
// paragraph share a path. The subject of a mail is a heading, as archives show it.
func (t *Tree) readPlain(s string) {
	s = strings.ToValidUTF8(s, "\ufffd")
	t.title = subject(s)
	t.lang = htmltree.Language(t.Page.Header.Get("Content-Language"))
	var w TextWriter
	t.elements = []Element{{Node: &html.Node{Type: html.ElementNode, Data: "text"}, Parent: -1}}
	paragraph, blank := 0, true
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n\n").Replace(s)
	header := htmltree.MailHeaderEnd(text.Cut(s, htmltree.MarkupWindow)) // bytes of it left to read
	for line := range strings.SplitSeq(s, "\n") {
		kind, level := Line, 0
		if header > 0 && len(line) > 8 && strings.EqualFold(line[:8], "subject:") {
			kind, level = Heading, 1
		}
		header -= len(line) + 1
		w.Add(line, false, nil)
		if !w.inRun {
			blank = true
			continue
		}
		if blank {
			paragraph++
			blank = false
			t.openParagraph(paragraph, len(w.blocks))
		}
		t.holders = append(t.holders, int32(paragraph))
		w.Flush(Block{Kind: kind, Level: level, Path: "text/p[" + strconv.Itoa(paragraph) + "]"})
		if w.full {
			break
		}
	}
	t.text, t.blocks = w.Result()
	t.readPlainLinks()
	t.closeParagraphs()
}

// openParagraph begins the element of a paragraph, which is the one at index n.
func (t *Tree) openParagraph(n, block int) {
	p := &html.Node{Type: html.ElementNode, DataAtom: atom.P, Data: "p"}
	t.elements = append(t.elements, Element{Node: p, Place: int32(n), End: int32(n + 1), Blocks: Range{Start: block}})
}

// closeParagraphs says where the paragraphs and the text end.
func (t *Tree) closeParagraphs() {
	next, link := len(t.blocks), len(t.links)
	for i := len(t.elements) - 1; i >= 0; i-- {
		e := &t.elements[i]
		e.Blocks.End, e.Links.End = next, link
		for link > 0 && int(t.spots[link-1].block) >= e.Blocks.Start {
			link--
		}
		next, e.Links.Start = e.Blocks.Start, link
	}
	root := &t.elements[0]
	root.End, root.Blocks, root.Links = int32(len(t.elements)), Range{0, len(t.blocks)}, Range{0, len(t.links)}
}

var plainURL = regexp.MustCompile(`(?i)\b(?:https?://|www\.)[^\s<>"{}|\\^` + "`" + `]+`)

// readPlainLinks finds the web addresses that stand in the text.
func (t *Tree) readPlainLinks() {
	source := t.Page.URL
	resolver := webgraph.NewResolver(source)
	self, err := webgraph.Canonical(source)
	if err != nil {
		self = source
	}
	for i, b := range t.blocks {
		if !strings.Contains(b.Text, "://") && !strings.Contains(b.Text, "www.") && !strings.Contains(b.Text, "WWW.") {
			continue
		}
		for _, m := range plainURL.FindAllStringIndex(b.Text, maxLinks-len(t.links)) {
			written := trimURL(b.Text[m[0]:m[1]])
			address := written
			if !strings.Contains(address, "://") {
				address = "http://" + address
			}
			target, err := resolver.Resolve(address)
			if err != nil || target == self {
				continue
			}
			t.spots = append(t.spots, spot{element: t.holders[i], block: int32(i), start: int32(b.Start + m[0]), end: int32(b.Start + m[0] + len(written))})
			t.links = append(t.links, webgraph.Link{
				Source: source, Target: target, Path: b.Path,
				Anchor:  text.CutRunes(written, webgraph.MaxAnchor),
				Context: around(b.Text, m[0], m[0]+len(written), webgraph.MaxContext),
			})
		}
		if len(t.links) >= maxLinks {
			break
		}
	}
}

// trimURL cuts the punctuation that a sentence puts after an address; a closing
// bracket stays if its partner is part of the address.
func trimURL(s string) string {
	round := strings.Count(s, ")") - strings.Count(s, "(") // closing ones without a partner
	square := strings.Count(s, "]") - strings.Count(s, "[")
	for s != "" {
		last := s[len(s)-1]
		switch {
		case strings.IndexByte(".,;:!?'*_", last) >= 0:
		case last == ')' && round > 0:
			round--
		case last == ']' && square > 0:
			square--
		default:
			return s
		}
		s = s[:len(s)-1]
	}
	return s
}

// subject returns the decoded Subject of the mail header s begins with, or "".
func subject(s string) string {
	var value string
	var inside bool
	for line := range strings.SplitSeq(s[:htmltree.MailHeaderEnd(text.Cut(s, htmltree.MarkupWindow))], "\n") {
		if inside = inside && line != "" && (line[0] == ' ' || line[0] == '\t'); inside {
			value += " " + line
		} else if value == "" && len(line) > 8 && strings.EqualFold(line[:8], "subject:") {
			value, inside = line[8:], true
		}
	}
	words := mime.WordDecoder{CharsetReader: func(name string, in io.Reader) (io.Reader, error) {
		return charset.NewReaderLabel(name, in)
	}}
	if decoded, err := words.DecodeHeader(strings.TrimSpace(value)); err == nil {
		value = decoded
	}
	return text.CutRunes(Fold(strings.ToValidUTF8(value, "\ufffd")), maxTitle)
}
