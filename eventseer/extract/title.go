package extract

import (
	"regexp"
	"strconv"
	"strings"

	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

const (
	maxTitle      = 250 // bytes of a title
	maxTitleBlock = 600 // bytes of a block searched for a title
)

var titleCut = regexp.MustCompile(`\s+[|»·•–—]\s+|\s+-\s+|\s*::\s*|\s+[|]|[|]\s+`)

// A titleReader keeps the best of the texts that may name the event.
type titleReader struct {
	element string // the title element
	class   string // the noun of the title element
	key     string // the acronym, "" for none: a longer name that spells or holds it is the event's

	best   string
	score  int
	source eventseer.Provenance
}

// title finds the event's name: the best of the title element, the headings,
// the first lines and the names spelt out in the first paragraphs.
//
// Where no text reads like a name, the acronym with the year is the title.
func (p *page) title() (string, eventseer.Provenance) {
	whole := clip(p.t.Title(), maxTitleBlock)
	r := titleReader{element: snippet(p.t.Title(), 0), class: nounClass(p.t.Title()), key: p.shortName()}
	src := eventseer.Provenance{URL: p.url, Path: "html/head/title", Rule: "title-element", Snippet: r.element}
	r.consider(whole, 1, src)
	for _, part := range titleCut.Split(whole, 8) {
		r.consider(part, 2, src)
	}
	for i, b := range p.blocks {
		if i < 3*maxTop && len(b.Text) <= 4*maxTitleBlock {
			p.titleLine(&r, i)
			p.titleInText(&r, i)
		}
	}
	if r.score < minTitleScore {
		if a, src := p.acronym(""); len(a) > 2 {
			src.Rule = "title-from-acronym"
			if y := p.editionYear(""); y != 0 {
				a += " " + strconv.Itoa(y)
			}
			return a, src
		}
	}
	return r.best, r.source
}

// minTitleScore is what a text must reach to be trusted as a name.
const minTitleScore = 3

// consider takes a text for the title if it reads more like a name than the
// best so far; bonus is for where it stands.
func (r *titleReader) consider(text string, bonus int, src eventseer.Provenance) {
	text = cleanTitle(text)
	if text == "" {
		return
	}
	if len(text) > 3 && strings.Contains(r.element, text) {
		bonus += 2
	}
	switch m := hostAlone.FindStringSubmatch(text); {
	case m != nil && r.key != "" && m[1] != r.key:
		bonus -= 6
	case r.owns(text):
		bonus += 3
	}
	if c := nounClass(text); r.class != "" && c != "" && c != r.class {
		bonus -= 3
	}
	if s := titleScore(text) + bonus; r.best == "" || s > r.score {
		r.best, r.score, r.source = text, s, src
	}
}

// hostAlone matches "ICX 2027 Workshop": the event a workshop is held at, not
// its own name.
var hostAlone = regexp.MustCompile(`(?i)^(\S+) ?['’]?(?:19|20)?\d\d workshops?\b.{0,24}$`)

// owns reports whether a text is a longer name of the event of the acronym.
func (r *titleReader) owns(text string) bool {
	if r.key == "" || !wordy(text, r.key) {
		return false
	}
	if nouns.MatchString(text) {
		return strings.Contains(text, r.key) || spells(r.key, text)
	}
	return len(r.key) > 2 && !strings.Contains(text, r.key) && len(strings.Fields(text)) <= len(r.key)+2 && spells(r.key, text)
}

// titleLine considers block i, alone and with the lines that continue it.
func (p *page) titleLine(r *titleReader, i int) {
	b := p.blocks[i]
	if len(b.Text) > maxTitle+50 {
		return
	}
	bonus, src := topBonus(i), p.source(i, 0, len(b.Text), "title-line")
	if otherEvent(b.Text) {
		bonus -= 4
	}
	text := p.titleLines(i)
	switch {
	case b.Kind == tagtree.Heading:
		r.consider(text, bonus+2, src)
		r.consider(b.Text, bonus+2, src)
	case b.Kind == tagtree.Item || b.Kind == tagtree.Cell || b.Kind == tagtree.Definition:
		r.consider(text, bonus-2, src)
	case i < maxTop:
		r.consider(text, bonus, src)
	}
}

// topBonus is what standing at the top of a page is worth to block i.
func topBonus(i int) int {
	switch {
	case i < 2:
		return 3
	case i < maxTop/3:
		return 2
	case i < maxTop:
		return 1
	}
	return 0
}

// titleInText considers the names spelt out in block i.
func (p *page) titleInText(r *titleReader, i int) {
	b := p.blocks[i]
	src := p.source(i, 0, len(b.Text), "title-in-text")
	text := clip(b.Text, maxTitleBlock)
	for _, name := range namesIn(text) {
		before, _, _ := strings.Cut(text, name)
		if !otherEvent(tail(before, maxHeading)) {
			r.consider(name, topBonus(i), src)
		}
	}
	if name := expansion(text, r.key); name != "" {
		r.consider(name, topBonus(i)+spelt, src)
	}
}

// spelt is what it is worth that a name is printed before its acronym.
const spelt = 2

// shortName returns the acronym that the title element or the first lines
// print, "" for none: a longer name that holds it is the same event's.
func (p *page) shortName() string {
	whole := clip(p.t.Title(), maxTitleBlock)
	for _, part := range titleCut.Split(whole, 8) {
		if a := bareAcronym(part); len(a) > 2 && acronymShape(a) {
			return a
		}
	}
	texts := []string{whole}
	for i, b := range p.blocks {
		if i < 2 {
			texts = append(texts, clip(b.Text, maxTitle))
		}
	}
	for _, s := range texts {
		if a := acronymInTitle(ownName(s)); a != "" {
			return a
		}
	}
	return ""
}

// titleLines returns line i with the lines that continue it: a title is often
// broken in the middle.
func (p *page) titleLines(i int) string {
	b := p.blocks[i]
	s := b.Text
	for j := i + 1; j < len(p.blocks) && j <= i+maxTitleLines && len(s) <= maxTitle; j++ {
		next := p.blocks[j]
		if next.Kind != b.Kind || next.Level != b.Level || len(p.datesIn(j)) > 0 {
			break
		}
		if _, place := placeIn(next.Text); !goesOn.MatchString(s) && !goesBack.MatchString(next.Text) && (place || b.Kind != tagtree.Heading || next.Path != b.Path) {
			break
		}
		s += " " + next.Text
	}
	return s
}

const maxTitleLines = 3

// goesBack matches a line that cannot begin a title.
var goesBack = regexp.MustCompile(`(?i)^(on|of|for|and|in|de|sobre|für|&)\s`)

// goesOn matches a line that cannot end a title.
var goesOn = regexp.MustCompile(`(?i)(\b(on|of|for|and|in|the|to|de|der|des|sobre|für|international|annual|acm|ieee)|[,:&])\s*$`)
