package htmltree

import "golang.org/x/net/html"

// A mode is an insertion mode (HTML §13.2.4.1).
type mode uint8

const (
	initialMode mode = iota
	beforeHTMLMode
	beforeHeadMode
	headMode
	headNoscriptMode
	afterHeadMode
	bodyMode
	textMode
	tableMode
	captionMode
	columnGroupMode
	tableBodyMode
	rowMode
	cellMode
	templateMode
	afterBodyMode
	framesetMode
	afterFramesetMode
	afterAfterBodyMode
	afterAfterFramesetMode
)

// inMode processes the current token in the current mode. Like the methods for single modes it
// reports whether the token is consumed.
func (b *builder) inMode() bool {
	switch b.mode {
	case initialMode:
		return b.inInitial()
	case beforeHTMLMode:
		return b.beforeHTML()
	case beforeHeadMode:
		return b.beforeHead()
	case headMode:
		return b.inHead()
	case headNoscriptMode:
		return b.inHeadNoscript()
	case afterHeadMode:
		return b.afterHead()
	case bodyMode:
		return b.inBody()
	case textMode:
		return b.inText()
	case tableMode:
		return b.inTable()
	case captionMode:
		return b.inCaption()
	case columnGroupMode:
		return b.inColumnGroup()
	case tableBodyMode:
		return b.inTableBody()
	case rowMode:
		return b.inRow()
	case cellMode:
		return b.inCell()
	case templateMode:
		return b.inTemplate()
	case afterBodyMode:
		return b.afterBody()
	case framesetMode, afterFramesetMode:
		return b.inFrameset()
	case afterAfterBodyMode:
		return b.afterAfterBody()
	default:
		return b.afterAfterFrameset()
	}
}

// skipSpace removes leading white space from a text token, and reports whether nothing else was
// left. With keep, the white space is inserted.
func (b *builder) skipSpace(keep bool) bool {
	t := &b.z.tok
	n := int32(leadingSpace(b.source[t.from:t.to], t.text))
	if keep {
		b.insertText(t.from, t.from+n, t.text)
	}
	t.from += n
	return t.from == t.to
}

// isSpaceText reports whether the current text token is white space.
func (b *builder) isSpaceText() bool {
	t := &b.z.tok
	return leadingSpace(b.source[t.from:t.to], t.text) == int(t.to-t.from)
}

// isBlankText reports whether the current text is white space and NUL bytes.
func (b *builder) isBlankText() bool {
	t := &b.z.tok
	s := b.source[t.from:t.to]
	for {
		s = s[leadingSpace(s, t.text):]
		if s == "" || s[0] != 0 {
			return s == ""
		}
		s = s[1:]
	}
}

func (b *builder) inInitial() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if b.skipSpace(false) {
			return true
		}
	case commentToken:
		return b.insertComment(0)
	case doctypeToken:
		n := b.newNode(html.DoctypeNode)
		b.nodes[n].from, b.nodes[n].to = t.from, t.to
		b.appendChild(0, n)
		b.quirks = readDoctype(b.source[t.from:t.to]).quirks
		b.mode = beforeHTMLMode
		return true
	}
	b.quirks = true
	b.mode = beforeHTMLMode
	return false
}

func (b *builder) beforeHTML() bool {
	switch t := &b.z.tok; t.kind {
	case doctypeToken:
		return true
	case commentToken:
		return b.insertComment(0)
	case textToken:
		if b.skipSpace(false) {
			return true
		}
	case startTag:
		if t.name == tagHtml {
			b.insertOpen()
			b.mode = beforeHeadMode
			return true
		}
	case endTag:
		if !endsImplicitly(t.name) {
			return true
		}
	}
	b.processImplied(startTag, tagHtml)
	return false
}

// endsImplicitly reports whether an end tag implies missing start tags.
func endsImplicitly(n name) bool {
	return n == tagHead || n == tagBody || n == tagHtml || n == tagBr
}

func (b *builder) beforeHead() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if b.skipSpace(false) {
			return true
		}
	case commentToken:
		return b.insertComment(-1)
	case doctypeToken:
		return true
	case startTag:
		switch t.name {
		case tagHead:
			b.head = b.insertOpen()
			b.mode = headMode
			return true
		case tagHtml:
			return b.inBody()
		}
	case endTag:
		if !endsImplicitly(t.name) {
			return true
		}
	}
	b.processImplied(startTag, tagHead)
	return false
}

func (b *builder) inHead() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if b.skipSpace(true) {
			return true
		}
	case commentToken:
		return b.insertComment(-1)
	case doctypeToken:
		return true
	case startTag:
		if consumed, known := b.startInHead(); known {
			return consumed
		}
	case endTag:
		switch t.name {
		case tagHead:
			b.pop()
			b.mode = afterHeadMode
			return true
		case tagTemplate:
			if b.opened[tagTemplate] > 0 {
				b.closeTemplate()
			}
			return true
		case tagBody, tagHtml, tagBr:
		default:
			return true
		}
	}
	b.pop()
	b.mode = afterHeadMode
	return false
}

// startInHead processes a start tag by the rules for the head. If the rules do not mention it, known is
// false.
func (b *builder) startInHead() (consumed, known bool) {
	switch b.z.tok.name {
	case tagHtml:
		return b.inBody(), true
	case tagBase, tagBasefont, tagBgsound, tagLink, tagMeta:
		b.insertVoid()
	case tagNoscript:
		if b.scripting {
			b.insertRaw(rawtext)
			break
		}
		b.insertOpen()
		b.mode = headNoscriptMode
	case tagScript:
		b.insertRaw(scriptData)
	case tagTitle:
		b.insertRaw(rcdata)
	case tagNoframes, tagStyle:
		b.insertRaw(rawtext)
	case tagHead:
	case tagTemplate:
		if b.insertElement() {
			b.active = append(b.active, scopeMarker)
			b.framesetOK = false
			b.mode = templateMode
			b.templateModes = append(b.templateModes, templateMode)
		}
	default:
		return false, false
	}
	return true, true
}

// insertRaw inserts an element for the current tag whose content is only text.
func (b *builder) insertRaw(kind rawKind) {
	t := &b.z.tok
	b.insertOpen()
	b.z.raw, b.z.rawName = kind, nameText[t.name]
	b.original = b.mode
	b.mode = textMode
}

// closeTemplate closes the innermost open template.
func (b *builder) closeTemplate() {
	for i := len(b.open) - 1; i > 0; i-- {
		if b.nodes[b.open[i]].tag == tagTemplate {
			b.popTo(i)
			break
		}
	}
	b.clearActive()
	b.templateModes = b.templateModes[:max(len(b.templateModes)-1, 0)]
	b.resetMode()
}

func (b *builder) inHeadNoscript() bool {
	switch t := &b.z.tok; t.kind {
	case doctypeToken:
		return true
	case startTag:
		switch t.name {
		case tagHtml:
			return b.inBody()
		case tagBasefont, tagBgsound, tagLink, tagMeta, tagNoframes, tagStyle:
			return b.inHead()
		case tagHead, tagNoscript:
			return true
		}
	case endTag:
		switch t.name {
		case tagNoscript:
			b.pop()
			b.mode = headMode
			return true
		case tagBr:
		default:
			return true
		}
	case textToken:
		if b.skipSpace(true) {
			return true
		}
	case commentToken:
		return b.inHead()
	}
	b.pop()
	b.mode = headMode
	return false
}

func (b *builder) afterHead() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		if b.skipSpace(true) {
			return true
		}
	case commentToken:
		return b.insertComment(-1)
	case doctypeToken:
		return true
	case startTag:
		switch t.name {
		case tagHtml:
			return b.inBody()
		case tagBody:
			b.insertOpen()
			b.framesetOK = false
			b.mode = bodyMode
			return true
		case tagFrameset:
			b.insertOpen()
			b.mode = framesetMode
			return true
		case tagBase, tagBasefont, tagBgsound, tagLink, tagMeta, tagNoframes, tagScript, tagStyle, tagTemplate, tagTitle:
			b.push(b.head)
			consumed := b.inHead()
			b.removeOpen(b.head)
			return consumed
		case tagHead:
			return true
		}
	case endTag:
		switch t.name {
		case tagTemplate:
			return b.inHead()
		case tagBody, tagHtml, tagBr:
		default:
			return true
		}
	}
	b.processImplied(startTag, tagBody)
	b.framesetOK = true
	return false
}

// inText processes the text of an element that contains only text, and its end.
func (b *builder) inText() bool {
	t := &b.z.tok
	if t.kind == textToken {
		b.insertText(t.from, t.to, t.text)
		return true
	}
	b.pop()
	b.mode = b.original
	return t.kind == endTag
}

func (b *builder) inTemplate() bool {
	switch t := &b.z.tok; t.kind {
	case startTag:
		next := bodyMode
		switch t.name {
		case tagBase, tagBasefont, tagBgsound, tagLink, tagMeta, tagNoframes, tagScript, tagStyle, tagTemplate, tagTitle:
			return b.inHead()
		case tagCaption, tagColgroup, tagTbody, tagTfoot, tagThead:
			next = tableMode
		case tagCol:
			next = columnGroupMode
		case tagTr:
			next = tableBodyMode
		case tagTd, tagTh:
			next = rowMode
		}
		b.templateModes[len(b.templateModes)-1] = next
		b.mode = next
		return false
	case endTag:
		if t.name == tagTemplate {
			return b.inHead()
		}
		return true
	case endOfFile:
		if b.opened[tagTemplate] == 0 {
			return true
		}
		b.closeTemplate()
		return false
	}
	return b.inBody()
}

func (b *builder) afterBody() bool {
	switch t := &b.z.tok; t.kind {
	case endOfFile:
		return true
	case textToken:
		if b.isSpaceText() {
			return b.inBody()
		}
	case commentToken:
		return b.insertComment(b.open[0])
	case doctypeToken:
		return true
	case startTag:
		if t.name == tagHtml {
			return b.inBody()
		}
	case endTag:
		if t.name == tagHtml {
			if !b.fragment {
				b.mode = afterAfterBodyMode
			}
			return true
		}
	}
	b.mode = bodyMode
	return false
}

// inFrameset processes a token inside or after framesets.
func (b *builder) inFrameset() bool {
	switch t := &b.z.tok; t.kind {
	case commentToken:
		b.insertComment(-1)
	case textToken:
		b.insertSpaces()
	case startTag:
		switch {
		case t.name == tagHtml:
			return b.inBody()
		case t.name == tagNoframes:
			return b.inHead()
		case b.mode == afterFramesetMode:
		case t.name == tagFrameset:
			b.insertElement()
		case t.name == tagFrame:
			b.insertVoid()
		}
	case endTag:
		switch {
		case b.mode == afterFramesetMode:
			if t.name == tagHtml {
				b.mode = afterAfterFramesetMode
			}
		case t.name == tagFrameset && !b.currentIs(tagHtml):
			b.pop()
			if !b.fragment && !b.currentIs(tagFrameset) {
				b.mode = afterFramesetMode
			}
		}
	}
	return true
}

// insertSpaces inserts only the white space of the current text.
func (b *builder) insertSpaces() {
	t := &b.z.tok
	for t.from < t.to {
		if b.skipSpace(true) {
			return
		}
		s, flags := b.source[t.from:t.to], t.text
		n := 1
		if s[0] == '&' && flags&hasReference != 0 {
			if _, _, length := readReference(s, false); length > 0 {
				n = length
			}
		}
		t.from += int32(n)
	}
}

func (b *builder) afterAfterBody() bool {
	switch t := &b.z.tok; t.kind {
	case endOfFile, doctypeToken:
		return true
	case commentToken:
		return b.insertComment(0)
	case textToken:
		if b.isSpaceText() {
			return b.inBody()
		}
	case startTag:
		if t.name == tagHtml {
			return b.inBody()
		}
	}
	b.mode = bodyMode
	return false
}

func (b *builder) afterAfterFrameset() bool {
	switch t := &b.z.tok; t.kind {
	case commentToken:
		return b.insertComment(0)
	case textToken:
		b.reconstructFormatting()
		b.insertSpaces()
	case startTag:
		switch t.name {
		case tagHtml:
			return b.inBody()
		case tagNoframes:
			return b.inHead()
		}
	}
	return true
}

// resetMode resets the insertion mode by the open elements (HTML §13.2.4.1).
func (b *builder) resetMode() {
	for i := len(b.open) - 1; i >= 0; i-- {
		tag, last := b.nodes[b.open[i]].tag, i == 0
		if last && b.fragment {
			tag = b.context.tag
		}
		switch tag {
		case tagTd, tagTh:
			if last {
				continue
			}
			b.mode = cellMode
		case tagTr:
			b.mode = rowMode
		case tagTbody, tagThead, tagTfoot:
			b.mode = tableBodyMode
		case tagCaption:
			b.mode = captionMode
		case tagColgroup:
			b.mode = columnGroupMode
		case tagTable:
			b.mode = tableMode
		case tagTemplate:
			b.mode = b.templateModes[len(b.templateModes)-1]
		case tagHead:
			if last {
				continue
			}
			b.mode = headMode
		case tagBody:
			b.mode = bodyMode
		case tagFrameset:
			b.mode = framesetMode
		case tagHtml:
			if b.mode = afterHeadMode; b.head == 0 {
				b.mode = beforeHeadMode
			}
		default:
			continue
		}
		return
	}
	b.mode = bodyMode
}
