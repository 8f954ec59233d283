package htmltree

// inTable processes a token by the rules for tables (HTML §13.2.6.4.9 and 10).
func (b *builder) inTable() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if traits[b.nodes[b.currentNode()].tag]&fosters != 0 && b.isBlankText() {
			b.insertText(t.from, t.to, t.text)
			return true
		}
	case commentToken:
		return b.insertComment(-1)
	case doctypeToken:
		return true
	case endOfFile:
		return b.inBody()
	case startTag:
		if consumed, known := b.startInTable(); known {
			return consumed
		}
	case endTag:
		switch t.name {
		case tagTable:
			if b.popUntil(inTableScope, tagTable) {
				b.resetMode()
			}
			return true
		case tagBody, tagCaption, tagCol, tagColgroup, tagHtml, tagTbody, tagTd, tagTfoot, tagTh, tagThead, tagTr:
			return true
		case tagTemplate:
			return b.inHead()
		}
	}
	b.fostering = true
	consumed := b.inBody()
	b.fostering = false
	return consumed
}

// startInTable processes a start tag by the rules for tables. If the rules do not mention it, known is
// false.
func (b *builder) startInTable() (consumed, known bool) {
	switch t := &b.z.tok; t.name {
	case tagCaption:
		b.closeUntil(tagTable)
		b.active = append(b.active, scopeMarker)
		b.insertOpen()
		b.mode = captionMode
	case tagColgroup:
		b.closeUntil(tagTable)
		b.insertOpen()
		b.mode = columnGroupMode
	case tagCol:
		b.closeUntil(tagTable)
		b.processImplied(startTag, tagColgroup)
		return false, true
	case tagTbody, tagTfoot, tagThead:
		b.closeUntil(tagTable)
		b.insertOpen()
		b.mode = tableBodyMode
	case tagTd, tagTh, tagTr:
		b.closeUntil(tagTable)
		b.processImplied(startTag, tagTbody)
		return false, true
	case tagTable:
		if !b.popUntil(inTableScope, tagTable) {
			return true, true
		}
		b.resetMode()
		return false, true
	case tagStyle, tagScript, tagTemplate:
		return b.inHead(), true
	case tagInput:
		if !b.isHiddenInput() {
			return false, false
		}
		b.insertVoid()
	case tagForm:
		if b.opened[tagTemplate] == 0 && b.form == 0 {
			n := b.newElement(htmlSpace)
			b.placeNode(n)
			b.form = n
		}
	default:
		return false, false
	}
	return true, true
}

// isHiddenInput reports whether the current tag has type=hidden.
func (b *builder) isHiddenInput() bool {
	own := b.z.attrs[b.z.tok.attrs:]
	for i := range own {
		if a := &own[i]; a.name == attrType {
			return equalName(decodeText(b.source[a.from:a.to], a.flags), "hidden")
		}
	}
	return false
}

func (b *builder) inCaption() bool {
	t := &b.z.tok
	switch t.kind {
	case startTag:
		switch t.name {
		case tagCaption, tagCol, tagColgroup, tagTbody, tagTd, tagTfoot, tagTh, tagThead, tagTr:
			return !b.closeCaption()
		}
	case endTag:
		switch t.name {
		case tagCaption:
			b.closeCaption()
			return true
		case tagTable:
			return !b.closeCaption()
		case tagBody, tagCol, tagColgroup, tagHtml, tagTbody, tagTd, tagTfoot, tagTh, tagThead, tagTr:
			return true
		}
	}
	return b.inBody()
}

// closeCaption closes the open caption and reports whether there is one.
func (b *builder) closeCaption() bool {
	if !b.popUntil(inTableScope, tagCaption) {
		return false
	}
	b.clearActive()
	b.mode = tableMode
	return true
}

func (b *builder) inColumnGroup() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if b.skipSpace(true) {
			return true
		}
	case commentToken:
		return b.insertComment(-1)
	case doctypeToken:
		return true
	case endOfFile:
		return b.inBody()
	case startTag:
		switch t.name {
		case tagHtml:
			return b.inBody()
		case tagCol:
			b.insertVoid()
			return true
		case tagTemplate:
			return b.inHead()
		}
	case endTag:
		switch t.name {
		case tagColgroup:
			if b.currentIs(tagColgroup) {
				b.pop()
				b.mode = tableMode
			}
			return true
		case tagCol:
			return true
		case tagTemplate:
			return b.inHead()
		}
	}
	if !b.currentIs(tagColgroup) {
		return true
	}
	b.pop()
	b.mode = tableMode
	return false
}

func (b *builder) inTableBody() bool {
	switch t := &b.z.tok; t.kind {
	case startTag:
		switch t.name {
		case tagTr:
			b.closeUntil(tagTbody, tagTfoot, tagThead)
			b.insertOpen()
			b.mode = rowMode
			return true
		case tagTd, tagTh:
			b.closeUntil(tagTbody, tagTfoot, tagThead)
			b.processImplied(startTag, tagTr)
			return false
		case tagCaption, tagCol, tagColgroup, tagTbody, tagTfoot, tagThead:
			return !b.closeTableBody()
		}
	case endTag:
		switch t.name {
		case tagTbody, tagTfoot, tagThead:
			if b.hasOpen(inTableScope, t.name) {
				b.closeUntil(tagTbody, tagTfoot, tagThead)
				b.pop()
				b.mode = tableMode
			}
			return true
		case tagTable:
			return !b.closeTableBody()
		case tagBody, tagCaption, tagCol, tagColgroup, tagHtml, tagTd, tagTh, tagTr:
			return true
		}
	}
	return b.inTable()
}

// closeTableBody closes the open part of a table and reports whether there is one.
func (b *builder) closeTableBody() bool {
	if !b.popUntilAny(inTableScope, tagTbody, tagThead, tagTfoot) {
		return false
	}
	b.mode = tableMode
	return true
}

func (b *builder) inRow() bool {
	switch t := &b.z.tok; t.kind {
	case startTag:
		switch t.name {
		case tagTd, tagTh:
			b.closeUntil(tagTr)
			b.insertOpen()
			b.active = append(b.active, scopeMarker)
			b.mode = cellMode
			return true
		case tagCaption, tagCol, tagColgroup, tagTbody, tagTfoot, tagThead, tagTr:
			return !b.closeRow()
		}
	case endTag:
		switch t.name {
		case tagTr:
			b.closeRow()
			return true
		case tagTable:
			return !b.closeRow()
		case tagTbody, tagTfoot, tagThead:
			return !b.hasOpen(inTableScope, t.name) || !b.closeRow()
		case tagBody, tagCaption, tagCol, tagColgroup, tagHtml, tagTd, tagTh:
			return true
		}
	}
	return b.inTable()
}

// closeRow closes the open row and reports whether there is one.
func (b *builder) closeRow() bool {
	if !b.hasOpen(inTableScope, tagTr) {
		return false
	}
	b.closeUntil(tagTr)
	b.pop()
	b.mode = tableBodyMode
	return true
}

func (b *builder) inCell() bool {
	switch t := &b.z.tok; t.kind {
	case startTag:
		switch t.name {
		case tagCaption, tagCol, tagColgroup, tagTbody, tagTd, tagTfoot, tagTh, tagThead, tagTr:
			return !b.closeCell()
		}
	case endTag:
		switch t.name {
		case tagTd, tagTh:
			if b.popUntil(inTableScope, t.name) {
				b.clearActive()
				b.mode = rowMode
			}
			return true
		case tagBody, tagCaption, tagCol, tagColgroup, tagHtml:
			return true
		case tagTable, tagTbody, tagTfoot, tagThead, tagTr:
			if !b.hasOpen(inTableScope, t.name) {
				return true
			}
			if !b.closeCell() {
				b.mode = rowMode
			}
			return false
		}
	}
	return b.inBody()
}

// closeCell closes the open cell and reports whether there is one.
func (b *builder) closeCell() bool {
	if !b.popUntilAny(inTableScope, tagTd, tagTh) {
		return false
	}
	b.clearActive()
	b.mode = rowMode
	return true
}
