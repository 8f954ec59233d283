package htmltree

import (
	"strings"

	"golang.org/x/net/html"
)

// setForeignFlags sets the standard's flags on an element of MathML or SVG.
func (b *builder) setForeignFlags(e *node) {
	switch {
	case e.space == mathSpace:
		switch e.name {
		case tagMi, tagMo, tagMn, tagMs, tagMtext:
			e.flags |= specialElement | scopeElement | leadsToText
		case tagAnnotationXml:
			e.flags |= specialElement | scopeElement
			if b.embedsHTML(e) {
				e.flags |= leadsToHTML
			}
		}
	case e.name == tagForeignobject || e.name == tagDesc || e.name == tagTitle:
		e.flags |= specialElement | scopeElement | leadsToHTML
	}
	own := b.z.attrs[e.attrFrom:e.attrTo]
	for i := range own {
		own[i].foreign = e.space
	}
}

// embedsHTML reports whether an annotation-xml element declares that it contains HTML.
func (b *builder) embedsHTML(e *node) bool {
	for _, a := range b.z.attrs[e.attrFrom:e.attrTo] {
		if a.name == attrEncoding {
			v := decodeText(b.source[a.from:a.to], a.flags)
			return equalName(v, "text/html") || equalName(v, "application/xhtml+xml")
		}
	}
	return false
}

// isForeignContent reports whether the rules for foreign content apply to the current token (HTML
// §13.2.6).
func (b *builder) isForeignContent() bool {
	if len(b.open) == 0 {
		return false
	}
	n, t := b.adjustedCurrent(), &b.z.tok
	switch {
	case n.space == htmlSpace || t.kind == endOfFile:
		return false
	case n.flags&leadsToText != 0 && (t.kind == textToken || t.kind == startTag && t.name != tagMglyph && t.name != tagMalignmark):
		return false
	case n.space == mathSpace && n.name == tagAnnotationXml && t.kind == startTag && t.name == tagSvg:
		return false
	}
	return n.flags&leadsToHTML == 0 || t.kind != startTag && t.kind != textToken
}

// processForeign processes a token by the rules for foreign content (HTML §13.2.6.5).
func (b *builder) processForeign() bool {
	switch t := &b.z.tok; t.kind {
	case textToken:
		b.framesetOK = b.framesetOK && b.isBlankText()
		b.insertText(t.from, t.to, t.text|keepsNUL)
	case commentToken:
		return b.insertComment(-1)
	case startTag:
		if traits[t.name]&breaksOut != 0 || t.name == tagFont && b.changesFont() {
			b.leaveForeign()
			return b.inMode()
		}
		b.insertForeign(b.adjustedCurrent().space)
	case endTag:
		if t.name == tagBr || t.name == tagP {
			b.leaveForeign()
			return b.inMode()
		}
		return b.processForeignEnd()
	}
	return true
}

// changesFont reports whether the current tag has an attribute of old font tags.
func (b *builder) changesFont() bool {
	for _, a := range b.z.attrs[b.z.tok.attrs:] {
		if a.name == attrColor || a.name == attrFace || a.name == attrSize {
			return true
		}
	}
	return false
}

// leaveForeign closes elements until the current node is an HTML element or an integration point.
func (b *builder) leaveForeign() {
	for i := len(b.open) - 1; i >= 0; i-- {
		if n := &b.nodes[b.open[i]]; n.space == htmlSpace || n.flags&(leadsToHTML|leadsToText) != 0 {
			b.popTo(i + 1)
			return
		}
	}
}

// insertForeign inserts an element for the current tag that is not an HTML element.
func (b *builder) insertForeign(in namespace) {
	n := b.newElement(in)
	b.placeNode(n)
	switch {
	case b.z.tok.selfClosing:
	case len(b.open) >= maxOpen:
		b.cut |= CutDepth
	default:
		b.push(n)
	}
}

// processForeignEnd processes an end tag in foreign content.
func (b *builder) processForeignEnd() bool {
	for i := len(b.open) - 1; i > 0; i-- {
		if b.sameTag(&b.nodes[b.open[i]]) {
			b.popTo(i)
			return true
		}
		if b.nodes[b.open[i-1]].space == htmlSpace {
			break
		}
	}
	return b.inMode()
}

// sameTag reports whether an element has the name of the current tag.
func (b *builder) sameTag(n *node) bool {
	t := &b.z.tok
	if n.name != nameOther || t.name != nameOther {
		return n.name == t.name
	}
	return sameLetters(b.source[n.from:n.to], b.source[t.from:t.to])
}

// adjustAttribute sets the correct name of an attribute of an element of MathML or SVG (HTML §13.2.6.1).
func adjustAttribute(a *html.Attribute, in namespace) {
	switch adjusted := svgAttributes[a.Key]; {
	case in == mathSpace && a.Key == "definitionurl":
		a.Key = "definitionURL"
	case in == svgSpace && adjusted != "":
		a.Key = adjusted
	}
	switch a.Key {
	case "xlink:actuate", "xlink:arcrole", "xlink:href", "xlink:role", "xlink:show", "xlink:title", "xlink:type", "xml:lang", "xml:space", "xmlns:xlink":
		a.Namespace, a.Key, _ = strings.Cut(a.Key, ":")
	}
}

// svgNames and svgAttributes map lower-case names to their spelling in SVG.
var (
	svgNames = spellings(`altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath feBlend feColorMatrix
feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feFlood feFuncA feFuncB
feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight
feTile feTurbulence foreignObject glyphRef linearGradient radialGradient textPath`)
	svgAttributes = spellings(`attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant edgeMode
filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength keyPoints keySplines keyTimes
lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth maskContentUnits maskUnits numOctaves pathLength
patternContentUnits patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha preserveAspectRatio
primitiveUnits refX refY repeatCount repeatDur requiredExtensions requiredFeatures specularConstant specularExponent
spreadMethod startOffset stdDeviation stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength
viewBox viewTarget xChannelSelector yChannelSelector zoomAndPan`)
)

func spellings(names string) map[string]string {
	m := map[string]string{}
	for name := range strings.FieldsSeq(names) {
		m[strings.ToLower(name)] = name
	}
	return m
}
