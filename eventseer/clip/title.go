package clip

import (
	"strings"

	"eventseer/features/tagtree"
)

const (
	maxTitleWords = 10  // of a title found by its markup (paper 000, section 4.1)
	maxTitle      = 200 // runes of any title
	nearHeading   = 200 // blocks that a heading rules at most
	teaserBlocks  = 3   // blocks between a teaser and the link above it
	nearStyle     = 10  // blocks between a passage and a title known by its style
	rareStyle     = 5   // a style is rare on at most one fifth of the page's text
)

// title names what a block is about: by the nearest heading before, else by a
// short block near by in a rare style, else by the first sentence of the area.
// Of a longer heading the first words are taken. It returns the block that is
// the title as well, or -1.
func (p *page) title(block, area int, s sentenceList) (string, int) {
	for i := block; i >= max(0, block-nearHeading); i-- {
		switch {
		case p.blocks[i].Kind != tagtree.Heading || p.isNavigation(i) && !p.isTeaser(i, block):
		case p.tree.Root() == nil: // the line "Subject: …" of a mail
			return firstWords(undecorated(p.tree.Title())), i
		default:
			return firstWords(undecorated(p.blocks[i].Text)), i
		}
	}
	first := max(p.areas.Areas[area].Blocks.Start-1, block-nearStyle, 0)
	for i := block; i >= first; i-- {
		if p.isTitle(i, block) {
			return shorten(undecorated(p.blocks[i].Text), maxTitle), i
		}
	}
	return shorten(undecorated(p.sentence(s, 0)), maxTitle), -1
}

func (p *page) isNavigation(block int) bool {
	return p.areas.Areas[p.areas.AreaOfBlock(block)].Kind == tagtree.Navigation
}

// isTeaser reports whether a heading is the link that the text just below it is
// the teaser of.
func (p *page) isTeaser(heading, block int) bool {
	b := p.blocks[heading]
	return block-heading <= teaserBlocks && 2*b.Linked > len(b.Text)
}

// undecorated returns a title without the asterisks and rules that plain text
// puts around it.
func undecorated(s string) string {
	if !hasWords(s) {
		return s
	}
	return strings.TrimRight(strings.TrimLeft(s, "*=_~#-|+•>»? "), "*=_~-| ")
}

func firstWords(s string) string {
	fields := strings.Fields(s)
	if len(fields) > maxTitleWords {
		s = strings.Join(fields[:maxTitleWords], " ") + "…"
	}
	return shorten(s, maxTitle)
}

// isTitle reports whether block i is short and in a style that is marked, rare,
// and another than that of the block it would be the title of.
func (p *page) isTitle(i, of int) bool {
	b := p.blocks[i]
	if n := words(b.Text); n == 0 || n > maxTitleWords || b.Kind == tagtree.Line || p.isNavigation(i) {
		return false
	}
	p.readStyles()
	style := p.styles[i]
	return strings.ContainsAny(style, ".[ ") && p.weight[style]*rareStyle <= len(p.tree.Text()) && (i == of || style != p.styles[of])
}

// readStyles finds the style of each block, and how much text has each.
func (p *page) readStyles() {
	if p.weight != nil {
		return
	}
	p.weight = make(map[string]int)
	p.styles = make([]string, len(p.blocks))
	for i, b := range p.blocks {
		p.styles[i] = p.tree.Style(i)
		p.weight[p.styles[i]] += len(b.Text)
	}
}
