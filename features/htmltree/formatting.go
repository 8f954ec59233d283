package htmltree

// insertFormatting inserts a formatting element of the current tag and adds it to the list of
// active formatting elements. At most three of these are alike (HTML §13.2.4.3).
func (b *builder) insertFormatting() {
	if !b.insertElement() {
		return
	}
	n := b.currentNode()
	alike := 0
	for i := len(b.active) - 1; i >= 0 && b.active[i] != scopeMarker; i-- {
		if !b.sameElement(&b.nodes[b.active[i]], &b.nodes[n]) {
			continue
		}
		if alike++; alike == 3 {
			b.active = append(b.active[:i], b.active[i+1:]...)
			break
		}
	}
	b.active = append(b.active, n)
}

// sameElement reports whether two elements have the same name and attributes.
func (b *builder) sameElement(x, y *node) bool {
	if x.tag != y.tag || x.attrTo-x.attrFrom != y.attrTo-y.attrFrom {
		return false
	}
	if x.attrFrom == y.attrFrom {
		return true
	}
	own, other := b.z.attrs[x.attrFrom:x.attrTo], b.z.attrs[y.attrFrom:y.attrTo]
	for i := range own {
		found := b.sameAttribute(&own[i], &other[i])
		for k := 0; k < len(other) && !found; k++ {
			found = b.sameAttribute(&own[i], &other[k])
		}
		if !found {
			return false
		}
	}
	return true
}

// sameAttribute reports whether two attributes have the same name and value.
func (b *builder) sameAttribute(x, y *attribute) bool {
	if x.hash != y.hash || !b.z.sameName(x, y) {
		return false
	}
	v, w := b.source[x.from:x.to], b.source[y.from:y.to]
	return v == w || (x.flags|y.flags)&(hasReference|hasNUL) != 0 && decodeText(v, x.flags) == decodeText(w, y.flags)
}

// removeActive takes an element from the list of active formatting elements.
func (b *builder) removeActive(n int32) {
	if i := lastIndex(b.active, n); i >= 0 {
		b.active = append(b.active[:i], b.active[i+1:]...)
	}
}

// clearActive clears the list of active formatting elements up to the last marker.
func (b *builder) clearActive() {
	for len(b.active) > 0 {
		n := b.active[len(b.active)-1]
		b.active = b.active[:len(b.active)-1]
		if n == scopeMarker {
			return
		}
	}
}

// isStopped reports whether reconstruction stops at index i of the list.
func (b *builder) isStopped(i int) bool {
	n := b.active[i]
	return n == scopeMarker || b.nodes[n].flags&isOpen != 0
}

// reconstructFormatting reopens the formatting elements that are active but not open.
func (b *builder) reconstructFormatting() {
	last := len(b.active) - 1
	if last < 0 || b.isStopped(last) {
		return
	}
	i := last
	for i > 0 && !b.isStopped(i-1) {
		i--
	}
	for ; i <= last; i++ {
		if len(b.open) >= maxOpen {
			b.cut |= CutDepth
			return
		}
		if b.clones >= maxClones {
			b.cut |= CutClones
			return
		}
		b.clones++
		n := b.cloneElement(b.active[i])
		b.placeNode(n)
		b.push(n)
		b.active[i] = n
	}
}

// cloneElement creates an element with the same name and attributes.
func (b *builder) cloneElement(n int32) int32 {
	c := b.newNode(b.nodes[n].kind)
	from, to := &b.nodes[n], &b.nodes[c]
	to.tag, to.name, to.space, to.flags = from.tag, from.name, from.space, from.flags&^isOpen
	to.from, to.to, to.attrFrom, to.attrTo = from.from, from.to, from.attrFrom, from.attrTo
	return c
}

// activeElement returns the last active formatting element with a name after the last marker, 0 if there
// is none.
func (b *builder) activeElement(n name) int32 {
	for i := len(b.active) - 1; i >= 0 && b.active[i] != scopeMarker; i-- {
		if b.nodes[b.active[i]].tag == n {
			return b.active[i]
		}
	}
	return 0
}

// endFormatting runs the adoption agency algorithm for an end tag (HTML §13.2.6.4.7).
func (b *builder) endFormatting(n name) {
	if top := b.currentNode(); b.nodes[top].tag == n && lastIndex(b.active, top) < 0 {
		b.pop()
		return
	}
	for range 8 {
		element := b.activeElement(n)
		if element == 0 {
			b.endOther(n)
			return
		}
		if b.nodes[element].flags&isOpen == 0 {
			b.removeActive(element)
			return
		}
		at := lastIndex(b.open, element)
		for i := len(b.open) - 1; i > at; i-- {
			if stopsScope(&b.nodes[b.open[i]], inScope) {
				return
			}
		}
		block := -1 // index of the furthest block
		for i := at + 1; i < len(b.open) && block < 0; i++ {
			if b.nodes[b.open[i]].flags&specialElement != 0 {
				block = i
			}
		}
		if block < 0 {
			b.popTo(at)
			b.removeActive(element)
			return
		}
		if at == 0 {
			return
		}
		b.moveOutOfFormatting(element, at, block)
	}
}

// moveOutOfFormatting moves the furthest block out of a formatting element. The indexes block and at are their
// positions among the open elements.
func (b *builder) moveOutOfFormatting(element int32, at, block int) {
	ancestor, furthest := b.open[at-1], b.open[block]
	bookmark := lastIndex(b.active, element)
	last := furthest
	i := block
	for inner := 1; ; inner++ {
		i--
		n := b.open[i]
		if n == element {
			break
		}
		place := lastIndex(b.active, n)
		if inner > 3 && place >= 0 {
			b.active = append(b.active[:place], b.active[place+1:]...)
			if place <= bookmark {
				bookmark--
			}
			place = -1
		}
		if place < 0 {
			b.markClosed(n)
			b.open = append(b.open[:i], b.open[i+1:]...)
			continue
		}
		c := b.cloneElement(n)
		b.active[place] = c
		b.markClosed(n)
		b.open[i] = c
		b.markOpen(c)
		if last == furthest {
			bookmark = place + 1
		}
		b.detach(last)
		b.appendChild(c, last)
		last = c
	}
	b.detach(last)
	if traits[b.nodes[ancestor].tag]&fosters != 0 {
		if parent, next := b.fosterPlace(); next != 0 {
			b.insertBefore(parent, last, next)
		} else {
			b.appendChild(parent, last)
		}
	} else {
		b.appendChild(ancestor, last)
	}
	c := b.cloneElement(element)
	b.moveChildren(c, furthest)
	b.appendChild(furthest, c)
	if old := lastIndex(b.active, element); old >= 0 {
		if old < bookmark {
			bookmark--
		}
		b.active = append(b.active[:old], b.active[old+1:]...)
	}
	b.active = append(b.active, 0)
	copy(b.active[bookmark+1:], b.active[bookmark:])
	b.active[bookmark] = c
	b.removeOpen(element)
	b.insertOpenAt(lastIndex(b.open, furthest)+1, c)
}

// moveChildren moves the children of from to the node to, which has none.
func (b *builder) moveChildren(to, from int32) {
	f := &b.nodes[from]
	for c := f.first; c != 0; c = b.nodes[c].next {
		b.nodes[c].parent = to
	}
	b.nodes[to].first, b.nodes[to].last = f.first, f.last
	f.first, f.last = 0, 0
}
