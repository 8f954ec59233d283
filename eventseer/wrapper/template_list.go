package wrapper

import (
	"slices"
	"strconv"
	"strings"
)

// lines observes the first, the last and the other lines of an element that has some.
func (o *observer) lines(t *templateNode, p *pageNode) {
	var lines []*pageNode
	for _, c := range p.children {
		if c.name == lineName && c.hasText() {
			lines = append(lines, c)
		}
	}
	if len(lines) < 2 {
		return
	}
	for i, l := range lines {
		text := l.content()
		if i == 0 {
			o.add(viewKey{Node: t.ID, Part: First}, l, text)
		} else {
			o.add(viewKey{Node: t.ID, Part: ButFirst}, l, text)
		}
		if i == len(lines)-1 {
			o.add(viewKey{Node: t.ID, Part: Last}, l, text)
		} else {
			o.add(viewKey{Node: t.ID, Part: ButLast}, l, text)
		}
	}
}

// families observes children of one kind as one list, wherever the template has
// them, and the items of a run by their place.
func (o *observer) families(t *templateNode, p *pageNode) {
	run := make(map[*templateNode]int)
	var joined []*templateNode
	texts := make(map[*templateNode][]string)
	for _, c := range p.children {
		for name, value := range c.dataOf() {
			o.add(viewKey{Node: t.ID, Part: Family, Attr: name, By: byKind + c.name}, c, value)
		}
		if c.name == textName || c.size > maxComposed || !c.hasText() {
			continue
		}
		text := c.content()
		if !c.isConstant() {
			o.add(viewKey{Node: t.ID, Part: Family, By: byKind + c.kind()}, c, text)
		}
		if m := c.match; m != nil {
			if run[m]++; run[m] <= maxPlaces {
				o.add(viewKey{Node: m.ID, Part: Item, By: byPlace + strconv.Itoa(run[m])}, c, text)
			}
			if texts[m] == nil {
				joined = append(joined, m)
			}
			texts[m] = append(texts[m], text)
		}
	}
	for _, m := range joined {
		if m.Repeats {
			o.add(viewKey{Node: m.ID, Part: Joined}, p, clip(strings.Join(texts[m], " "), maxValue))
		}
	}
}

func (p *pageNode) kind() string {
	if len(p.classes) > 0 {
		return p.name + p.classes[0]
	}
	return p.name
}

// isConstant reports whether all texts of the subtree are the template's.
func (p *pageNode) isConstant() bool {
	if p.name == textName {
		if p.match == nil || p.match.Pages < constFrom-1 {
			return false
		}
		_, constant := p.match.constant()
		return constant
	}
	return !slices.ContainsFunc(p.children, func(c *pageNode) bool { return !c.isConstant() })
}

// sections observes what stands under a heading up to the next as one value, by the
// text of the heading and by its place.
func (o *observer) sections(t *templateNode, p *pageNode) {
	for i := 0; i < len(p.children); {
		label := p.children[i].label
		end := i + 1
		for end < len(p.children) && p.children[end].label == label {
			end++
		}
		if label != "" {
			o.add(viewKey{Node: t.ID, Part: Section, By: byLabel + clip(label, maxLabel)}, p, joinedContent(p.children[i:end]))
		}
		i = end
	}
	o.prose(t, p)
}

// prose observes the sentences and lists that follow a heading or block as one value.
func (o *observer) prose(t *templateNode, p *pageNode) {
	key := viewKey{Node: t.ID, Part: Section, By: byPlace + "begin"}
	for i := 0; i < len(p.children); {
		if c := p.children[i]; !isProse(c) {
			key = viewKey{Part: Section}
			if c.match != nil {
				key.Node = c.match.ID
			}
			i++
			continue
		}
		end := i + 1
		for end < len(p.children) && isProse(p.children[end]) {
			end++
		}
		if key.Node > 0 {
			o.add(key, p.children[i], joinedContent(p.children[i:end]))
		}
		i = end
	}
}

// isProse reports whether p goes on with what stands before it: a paragraph, list or
// part of a sentence, no heading and no block of its own.
func isProse(p *pageNode) bool {
	switch p.name {
	case "p", "ul", "ol", "pre", "blockquote":
		return true
	}
	return !blockNames[p.name]
}

// joinedContent returns the contents of siblings in one line, at most maxValue bytes.
func joinedContent(siblings []*pageNode) string {
	var texts []string
	for _, c := range siblings {
		if c.size <= maxComposed && c.hasText() {
			texts = append(texts, c.content())
		}
	}
	return clip(strings.Join(texts, " "), maxValue)
}
