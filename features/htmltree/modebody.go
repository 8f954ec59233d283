package htmltree

// inBody processes a token by the rules for the body (HTML §13.2.6.4.7).
func (b *builder) inBody() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		b.textInBody()
	case commentToken:
		return b.insertComment(-1)
	case startTag:
		return b.startInBody()
	case endTag:
		return b.endInBody()
	case endOfFile:
		if len(b.templateModes) > 0 {
			b.mode = templateMode
			return false
		}
	}
	return true
}

// textInBody inserts the current text without its NUL bytes.
func (b *builder) textInBody() {
	t := &b.z.tok
	if t.text&hasNUL != 0 && t.text&keepsNUL == 0 {
		for t.from < t.to && b.source[t.from] == 0 {
			t.from++
		}
		if t.from == t.to {
			return
		}
	}
	b.reconstructFormatting()
	b.insertText(t.from, t.to, t.text)
	if b.framesetOK && !b.isBlankText() {
		b.framesetOK = false
	}
}

// startInBody processes a start tag in the body.
func (b *builder) startInBody() bool {
	switch t := &b.z.tok; t.name {
	case tagAddress, tagArticle, tagAside, tagBlockquote, tagCenter, tagDetails, tagDialog, tagDir, tagDiv, tagDl, tagFieldset,
		tagFigcaption, tagFigure, tagFooter, tagHeader, tagHgroup, tagMain, tagMenu, tagNav, tagOl, tagP, tagSearch, tagSection,
		tagSummary, tagUl:
		b.closeParagraph()
		b.insertElement()
	case tagA:
		if n := b.activeElement(tagA); n != 0 {
			b.endFormatting(tagA)
			b.removeActive(n)
			b.removeOpen(n)
		}
		b.reconstructFormatting()
		b.insertFormatting()
	case tagB, tagBig, tagCode, tagEm, tagFont, tagI, tagS, tagSmall, tagStrike, tagStrong, tagTt, tagU:
		b.reconstructFormatting()
		b.insertFormatting()
	case tagLi:
		b.closeItem(tagLi, tagLi)
		b.insertElement()
	case tagDd, tagDt:
		b.closeItem(tagDd, tagDt)
		b.insertElement()
	case tagH1, tagH2, tagH3, tagH4, tagH5, tagH6:
		b.closeParagraph()
		if isHeading(b.nodes[b.currentNode()].tag) {
			b.pop()
		}
		b.insertElement()
	case tagArea, tagBr, tagEmbed, tagImg, tagKeygen, tagWbr:
		b.reconstructFormatting()
		b.insertVoid()
		b.framesetOK = false
	case tagBase, tagBasefont, tagBgsound, tagLink, tagMeta, tagNoframes, tagScript, tagStyle, tagTemplate, tagTitle:
		return b.inHead()
	case tagTable:
		if !b.quirks {
			b.closeParagraph()
		}
		if b.insertElement() {
			b.mode = tableMode
		}
		b.framesetOK = false
	case tagCaption, tagCol, tagColgroup, tagFrame, tagHead, tagTbody, tagTd, tagTfoot, tagTh, tagThead, tagTr:
	case tagHtml, tagBody, tagFrameset:
		b.startRoot()
	case tagPre, tagListing, tagPlaintext, tagXmp, tagIframe, tagNoembed, tagNoscript, tagTextarea:
		b.startText()
	case tagForm, tagButton, tagInput, tagSelect, tagOption, tagOptgroup:
		b.startControl()
	default:
		return b.startRare()
	}
	return true
}

// startRare processes the remaining start tags.
func (b *builder) startRare() bool {
	switch t := &b.z.tok; t.name {
	case tagNobr:
		b.reconstructFormatting()
		if b.hasOpen(inScope, tagNobr) {
			b.endFormatting(tagNobr)
			b.reconstructFormatting()
		}
		b.insertFormatting()
	case tagApplet, tagMarquee, tagObject:
		b.reconstructFormatting()
		if b.insertElement() {
			b.active = append(b.active, scopeMarker)
		}
		b.framesetOK = false
	case tagParam, tagSource, tagTrack:
		b.insertVoid()
	case tagHr:
		b.closeParagraph()
		if b.hasOpen(inScope, tagSelect) {
			b.closeImplied(nameOther)
		}
		b.insertVoid()
		b.framesetOK = false
	case tagImage:
		t.name = tagImg
		return false
	case tagRb, tagRtc:
		if b.hasOpen(inScope, tagRuby) {
			b.closeImplied(nameOther)
		}
		b.insertElement()
	case tagRp, tagRt:
		if b.hasOpen(inScope, tagRuby) {
			b.closeImplied(tagRtc)
		}
		b.insertElement()
	case tagMath, tagSvg:
		b.reconstructFormatting()
		in := mathSpace
		if t.name == tagSvg {
			in = svgSpace
		}
		b.insertForeign(in)
	default:
		b.reconstructFormatting()
		b.insertElement()
	}
	return true
}

// closeItem closes an open li, or dd or dt, before the next one, and an open p.
func (b *builder) closeItem(one, other name) {
	b.framesetOK = false
	if b.opened[one]+b.opened[other] > 0 {
		for i := len(b.open) - 1; i > 0; i-- {
			e := &b.nodes[b.open[i]]
			if e.tag == one || e.tag == other {
				b.popTo(i)
				break
			}
			if e.flags&specialElement != 0 && e.tag != tagAddress && e.tag != tagDiv && e.tag != tagP {
				break
			}
		}
	}
	b.closeParagraph()
}

func isHeading(n name) bool { return n >= tagH1 && n <= tagH6 }

// startRoot processes another tag of html or body, or a late frameset.
func (b *builder) startRoot() {
	inBody := len(b.open) >= 2 && b.nodes[b.open[1]].tag == tagBody
	switch b.z.tok.name {
	case tagHtml:
		if b.opened[tagTemplate] == 0 {
			b.mergeAttributes(b.open[0])
		}
	case tagBody:
		if b.opened[tagTemplate] == 0 && inBody {
			b.framesetOK = false
			b.mergeAttributes(b.open[1])
		}
	case tagFrameset:
		if !b.framesetOK || !inBody {
			return
		}
		b.detach(b.open[1])
		b.popTo(1)
		b.insertOpen()
		b.mode = framesetMode
	}
}

// startText processes the start tag of an element whose text is special.
func (b *builder) startText() {
	switch b.z.tok.name {
	case tagPre, tagListing:
		b.closeParagraph()
		b.insertElement()
		b.skipsLineFeed = true
		b.framesetOK = false
	case tagPlaintext:
		b.closeParagraph()
		b.insertOpen()
		b.z.raw = plaintext
	case tagXmp:
		b.closeParagraph()
		b.reconstructFormatting()
		b.framesetOK = false
		b.insertRaw(rawtext)
	case tagIframe:
		b.framesetOK = false
		b.insertRaw(rawtext)
	case tagNoembed:
		b.insertRaw(rawtext)
	case tagNoscript:
		if b.scripting {
			b.insertRaw(rawtext)
			return
		}
		b.reconstructFormatting()
		b.insertElement()
	case tagTextarea:
		b.insertRaw(rcdata)
		b.skipsLineFeed = true
		b.framesetOK = false
	}
}

// startControl processes the start tag of a form or of an element in a form.
func (b *builder) startControl() {
	switch b.z.tok.name {
	case tagForm:
		inTemplate := b.opened[tagTemplate] > 0
		if b.form != 0 && !inTemplate {
			return
		}
		b.closeParagraph()
		n := b.newElement(htmlSpace)
		b.placeNode(n)
		if len(b.open) >= maxOpen {
			b.cut |= CutDepth
			return
		}
		b.push(n)
		if !inTemplate {
			b.form = n
		}
	case tagButton:
		if b.hasOpen(inScope, tagButton) {
			b.closeImplied(nameOther)
			b.popUntil(inScope, tagButton)
		}
		b.reconstructFormatting()
		b.insertElement()
		b.framesetOK = false
	case tagInput:
		if b.fragment && b.context.tag == tagSelect {
			return
		}
		b.popUntil(inScope, tagSelect)
		b.reconstructFormatting()
		hidden := b.isHiddenInput()
		b.insertVoid()
		b.framesetOK = b.framesetOK && hidden
	case tagSelect:
		if b.fragment && b.context.tag == tagSelect || b.popUntil(inScope, tagSelect) {
			return
		}
		b.reconstructFormatting()
		b.insertElement()
		b.framesetOK = false
	case tagOption, tagOptgroup:
		if b.hasOpen(inScope, tagSelect) {
			if b.z.tok.name == tagOption {
				b.closeImplied(tagOptgroup)
			} else {
				b.closeImplied(nameOther)
			}
		} else if b.currentIs(tagOption) {
			b.pop()
		}
		b.reconstructFormatting()
		b.insertElement()
	}
}

// endInBody processes an end tag in the body.
func (b *builder) endInBody() bool {
	switch t := &b.z.tok; t.name {
	case tagA, tagB, tagBig, tagCode, tagEm, tagFont, tagI, tagNobr, tagS, tagSmall, tagStrike, tagStrong, tagTt, tagU:
		b.endFormatting(t.name)
	case tagP:
		if !b.hasOpen(inButtonScope, tagP) {
			b.processImplied(startTag, tagP)
		}
		b.popUntil(inButtonScope, tagP)
	case tagAddress, tagArticle, tagAside, tagBlockquote, tagButton, tagCenter, tagDetails, tagDialog, tagDir, tagDiv, tagDl,
		tagFieldset, tagFigcaption, tagFigure, tagFooter, tagHeader, tagHgroup, tagListing, tagMain, tagMenu, tagNav, tagOl,
		tagPre, tagSearch, tagSection, tagSelect, tagSummary, tagUl, tagDd, tagDt:
		b.popUntil(inScope, t.name)
	case tagLi:
		b.popUntil(inListScope, tagLi)
	case tagH1, tagH2, tagH3, tagH4, tagH5, tagH6:
		b.popUntilAny(inScope, tagH1, tagH2, tagH3, tagH4, tagH5, tagH6)
	case tagApplet, tagMarquee, tagObject:
		if b.popUntil(inScope, t.name) {
			b.clearActive()
		}
	case tagBr:
		t.kind, t.attrs = startTag, int32(len(b.z.attrs))
		return false
	case tagTemplate:
		return b.inHead()
	case tagBody:
		if b.hasOpen(inScope, tagBody) {
			b.mode = afterBodyMode
		}
	case tagHtml:
		if !b.hasOpen(inScope, tagBody) {
			return true
		}
		b.mode = afterBodyMode
		return false
	case tagForm:
		b.endForm()
	default:
		b.endOther(t.name)
	}
	return true
}

// endForm closes the open form.
func (b *builder) endForm() {
	if b.opened[tagTemplate] > 0 {
		b.popUntil(inScope, tagForm)
		return
	}
	n := b.form
	b.form = 0
	i := b.scopeIndex(inScope, tagForm)
	if n == 0 || i < 0 || b.open[i] != n {
		return
	}
	b.closeImplied(nameOther)
	b.removeOpen(n)
}

// endOther closes the innermost element with the current tag's name, unless a special element is open
// inside it.
func (b *builder) endOther(n name) {
	if n != nameOther && b.opened[n] == 0 {
		return
	}
	for i := len(b.open) - 1; i > 0; i-- {
		e := &b.nodes[b.open[i]]
		if e.space == htmlSpace && e.tag == n && (n != nameOther || b.sameTag(e)) {
			b.popTo(i)
			return
		}
		if e.flags&specialElement != 0 {
			return
		}
	}
}
