package tagtree

import "slices"

const linkRel = `" rel="nofollow noopener noreferrer"`

// anchor opens a link. Of one within another, or too deep, only the content is
// written; what it leads to is told all the same.
func (e *emitter) anchor(n *sliceNode, name string) {
	if n.link < 0 {
		return
	}
	depth := len(e.open)
	if e.anchors == 0 {
		e.start(n, name)
	}
	if len(e.open) == depth {
		e.after = append(e.after, int(n.link))
	}
}

// bareLink writes a link that has no content of its own to show.
func (e *emitter) bareLink(n *sliceNode) {
	if e.anchors > 0 {
		e.after = append(e.after, int(n.link))
		return
	}
	e.wrap("a", n.end)
	e.raw(`<a href="`, escape(e.tree.links[n.link].Target), linkRel, ">")
	if l := e.tree.links[n.link]; l.Anchor != "" {
		e.text(l.Anchor)
	} else {
		e.text(l.Target)
	}
	e.raw("</a> ")
	e.after = append(e.after, int(n.link))
}

// breakFlow calls After for the links before a place where a line ends.
func (e *emitter) breakFlow(name string) {
	if kind := contentOf[name]; kind != inline && name != "img" && name != "wbr" && contentOf[e.parent()] == flow {
		e.flush()
	}
}

// flush calls After, but not within a link: what it writes may hold others,
// which parsers would end that link for.
func (e *emitter) flush() {
	if e.anchors > 0 {
		return
	}
	slices.Sort(e.after) // a link within another ends first
	for _, link := range e.after {
		if e.After != nil && e.err == nil {
			e.err = e.After(e.out, link)
		}
	}
	e.after = e.after[:0]
}
