package wrapper

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Bounds on a label.
const (
	maxLabel   = 48 // bytes
	labelWords = 5
)

func isShort(text string) bool {
	return len(text) <= maxLabel && len(strings.Fields(text)) <= labelWords
}

// giveLabels tells the children what stands before them as their label. That of a
// heading or term holds until the next, that of another node for one sibling.
func (p *pageNode) giveLabels() {
	var standing, next string
	var standingTerm, nextTerm bool
	for _, c := range p.children {
		c.label, c.term, next, nextTerm = next, nextTerm, "", false
		if c.label == "" {
			c.label, c.term = standing, standingTerm
		}
		label, lasting := c.asLabel()
		switch {
		case label == "":
		case lasting:
			c.label, c.term = "", false
			standing, standingTerm = label, c.name == "dt"
		default:
			next, nextTerm = label, c.name == "th" || c.name == "label" || isColoned(label)
		}
	}
}

// asLabel returns what c would say of what follows it, "" if it is no label, and
// whether that holds until the next of its kind.
func (c *pageNode) asLabel() (label string, lasting bool) {
	switch c.name {
	case "i", "span", "svg", "img":
		if c.size == 1 && len(c.classes) > 0 {
			return strings.Join(c.classes, ""), false
		}
	}
	text := c.shortContent()
	if text == "" {
		return "", false
	}
	label = strings.ToLower(Kept(text, maxLabel))
	switch c.name {
	case "dt", "h1", "h2", "h3", "h4", "h5", "h6", "legend", "caption":
		return label, true
	case "th", "b", "strong", "label", "em", "u":
		return label, false
	}
	firstCell := c.name == "td" && c.parent != nil && c == c.parent.children[0]
	if isColoned(text) || firstCell || hasClass(c, "label") || hasClass(c, "heading") || hasClass(c, "term") || hasClass(c, "key") {
		return label, false
	}
	return "", false
}

// hasClass reports whether a class of p begins or ends with the word: "field-label" is
// one of a label, "field-label-hidden" one of a value.
func hasClass(p *pageNode, word string) bool {
	return slices.ContainsFunc(p.classes, func(c string) bool {
		return strings.HasPrefix(c, "."+word) || strings.HasSuffix(c, word)
	})
}

// shortContent returns the text of a small subtree if it is short, else "".
func (p *pageNode) shortContent() string {
	if p.size > 8 {
		return ""
	}
	if text := p.content(); isShort(text) && strings.ContainsFunc(text, unicode.IsLetter) {
		return text
	}
	return ""
}

// giveScopes hands labels down: what a label says of an element it says of all in it.
func (p *pageNode) giveScopes(around string) {
	p.scope = cmp.Or(p.label, around)
	for _, c := range p.children {
		c.giveScopes(p.scope)
	}
}
