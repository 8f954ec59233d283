package htmltree

import (
	"strings"
)

// A tokenKind is a kind of token (HTML §13.2.5).
type tokenKind uint8

const (
	endOfFile tokenKind = iota
	textToken
	startTag
	endTag
	commentToken
	doctypeToken
)

// A token is the last token read by the tokenizer. Its spans refer to the tokenizer's source.
type token struct {
	kind        tokenKind
	name        name     // of a tag
	text        textFlag // of text
	selfClosing bool
	from, to    int32 // span of a tag's name, or of the content of a text, comment or doctype
	attrs       int32 // index of the first attribute of a start tag in tokenizer.attrs
}

// A textFlag describes how characters of a text or value are decoded.
type textFlag uint8

const (
	hasReference textFlag = 1 << iota // it has an ampersand that may begin a character reference
	hasNUL
	keepsNUL // NUL becomes U+FFFD; otherwise it is removed
	isValue  // an attribute value, with different rules for references
)

// An attribute is an attribute of an element. Its spans refer to the source; name is nameOther if the
// name is not a known one.
type attribute struct {
	name             name
	flags            textFlag
	foreign          namespace // namespace of the element whose rules adjust the name
	hash             uint32
	nameFrom, nameTo int32
	from, to         int32
}

// A rawKind is how the content of an element without child elements is read.
type rawKind uint8

const (
	notRaw     rawKind = iota
	rcdata             // character references are decoded (HTML §13.2.5.2)
	rawtext            // §13.2.5.3
	scriptData         // §13.2.5.4
	plaintext          // §13.2.5.5
)

// A tokenizer reads the tokens of source (HTML §13.2.5). Line ends in source are "\n"
// alone, and it is less than 2 GB long.
type tokenizer struct {
	source     string
	at         int
	anyNUL     bool // source has a NUL
	allowCDATA bool
	raw        rawKind
	rawName    string // name of the element whose end tag ends raw text, in lower case
	tok        token
	attrs      []attribute
	maxAttrs   int // attributes of one tag
	cut        LeftOut
}

// Classes of bytes in tags.
const (
	endsTagName  = 1 << iota // white space, slash, ">"
	endsAttrName             // those and "="
	endsValue                // white space and ">"
	isSpaceByte              // white space
	isLetterByte             // ASCII letter
	isUpperByte              // ASCII capital
	isNameByte               // letter or digit in a character reference
)

var byteClass, lowerByte = classifyBytes()

func classifyBytes() (class, lower [256]byte) {
	for i := range 256 {
		c := byte(i)
		lower[i] = c
		switch {
		case c >= 'A' && c <= 'Z':
			lower[i] = c + 'a' - 'A'
			class[i] = isLetterByte | isUpperByte | isNameByte
		case c >= 'a' && c <= 'z':
			class[i] = isLetterByte | isNameByte
		case c >= '0' && c <= '9':
			class[i] = isNameByte
		case c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r':
			class[i] = endsTagName | endsAttrName | endsValue | isSpaceByte
		case c == '>':
			class[i] = endsTagName | endsAttrName | endsValue
		case c == '/':
			class[i] = endsTagName | endsAttrName
		case c == '=':
			class[i] = endsAttrName
		}
	}
	return class, lower
}

// nextToken reads the next token into z.tok.
func (z *tokenizer) nextToken() {
	if z.raw != notRaw {
		if z.readRaw() {
			return
		}
	}
	s, start := z.source, z.at
	for i := start; ; i++ {
		k := strings.IndexByte(s[i:], '<')
		if k < 0 || i+k+1 >= len(s) {
			z.emitText(start, len(s), 0)
			return
		}
		i += k
		c := s[i+1]
		var read func(int)
		switch {
		case byteClass[c]&isLetterByte != 0:
			if i > start {
				z.emitText(start, i, 0)
				return
			}
			z.readTag(i+1, startTag)
			return
		case c == '/':
			if i+2 >= len(s) {
				z.emitText(start, len(s), 0)
				return
			}
			read = z.readEndTag
		case c == '!':
			read = z.readDeclaration
		case c == '?':
			read = z.readBogus
		default:
			continue
		}
		if i > start {
			z.emitText(start, i, 0)
			return
		}
		read(i + 1)
		if z.tok.kind == textToken && z.tok.from == z.tok.to { // "</>" is not a token
			start = z.at
			i = start - 1
			continue
		}
		return
	}
}

// emitText makes source[from:to] the current token. If it is empty and at the end of the source, the
// token is the end of the file.
func (z *tokenizer) emitText(from, to int, flags textFlag) {
	z.at = to
	z.tok = token{kind: textToken, from: int32(from), to: int32(to), text: flags | z.flagsOf(from, to)}
	if from == to && to == len(z.source) {
		z.tok.kind = endOfFile
	}
}

// flagsOf returns the decoding flags of source[from:to].
func (z *tokenizer) flagsOf(from, to int) (f textFlag) {
	s := z.source[from:to]
	if strings.IndexByte(s, '&') >= 0 {
		f = hasReference
	}
	if z.anyNUL && strings.IndexByte(s, 0) >= 0 {
		f |= hasNUL
	}
	return f
}

// readTag reads a tag whose name begins at i.
func (z *tokenizer) readTag(i int, kind tokenKind) {
	s, from, h := z.source, i, uint32(0)
	for ; i < len(s) && byteClass[s[i]]&endsTagName == 0; i++ {
		h = hashName(h, lowerByte[s[i]])
	}
	z.tok = token{
		kind: kind, from: int32(from), to: int32(i), name: lookupName(s[from:i], h), attrs: int32(len(z.attrs)),
	}
	for {
		for i < len(s) && byteClass[s[i]]&isSpaceByte != 0 {
			i++
		}
		switch {
		case i >= len(s): // an unclosed tag is ignored
			z.attrs = z.attrs[:z.tok.attrs]
			z.emitText(len(s), len(s), 0)
			return
		case s[i] == '>':
			z.at = i + 1
			return
		case s[i] == '/':
			i++
			if i < len(s) && s[i] == '>' {
				z.tok.selfClosing = true
			}
		default:
			i = z.readAttribute(i)
		}
	}
}

// readAttribute reads the attribute that begins at i and returns the index after it.
func (z *tokenizer) readAttribute(i int) int {
	s := z.source
	a := attribute{nameFrom: int32(i)}
	h := hashName(0, lowerByte[s[i]])
	for i++; i < len(s) && byteClass[s[i]]&endsAttrName == 0; i++ {
		h = hashName(h, lowerByte[s[i]])
	}
	a.nameTo, a.hash = int32(i), h
	for i < len(s) && byteClass[s[i]]&isSpaceByte != 0 {
		i++
	}
	a.from, a.to = int32(i), int32(i)
	if i < len(s) && s[i] == '=' {
		for i++; i < len(s) && byteClass[s[i]]&isSpaceByte != 0; i++ {
		}
		from, to := i, i
		switch {
		case i >= len(s) || s[i] == '>':
		case s[i] == '"' || s[i] == '\'':
			from = i + 1
			k := strings.IndexByte(s[from:], s[i])
			if k < 0 {
				return len(s)
			}
			to = from + k
			i = to + 1
		default:
			for i < len(s) && byteClass[s[i]]&endsValue == 0 {
				i++
			}
			to = i
		}
		a.from, a.to = int32(from), int32(to)
		a.flags = z.flagsOf(from, to) | isValue | keepsNUL
	}
	if z.tok.kind == startTag {
		z.addAttribute(a)
	}
	return i
}

// addAttribute adds an attribute to the tag unless it has one with the same name.
func (z *tokenizer) addAttribute(a attribute) {
	own := z.attrs[z.tok.attrs:]
	for i := range own {
		if own[i].hash == a.hash && z.sameName(&own[i], &a) {
			return
		}
	}
	if len(own) >= z.maxAttrs {
		z.cut |= CutAttributes
		return
	}
	a.name = lookupName(z.source[a.nameFrom:a.nameTo], a.hash)
	z.attrs = append(z.attrs, a)
}

// sameName reports whether two attributes have the same name.
func (z *tokenizer) sameName(a, b *attribute) bool {
	return sameLetters(z.source[a.nameFrom:a.nameTo], z.source[b.nameFrom:b.nameTo])
}

// sameLetters reports whether a and b are equal, ignoring the case of ASCII letters.
func sameLetters(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) {
		if lowerByte[a[i]] != lowerByte[b[i]] {
			return false
		}
	}
	return true
}

// readEndTag reads a token that begins with "</"; i is the index of the slash. At least one byte follows.
func (z *tokenizer) readEndTag(i int) {
	switch c := z.source[i+1]; {
	case byteClass[c]&isLetterByte != 0:
		z.readTag(i+1, endTag)
	case c == '>':
		z.at = i + 2
		z.tok = token{kind: textToken} // nothing
	default:
		z.readBogus(i + 1)
	}
}

// readBogus reads a bogus comment whose content begins at i.
func (z *tokenizer) readBogus(i int) {
	end, next := len(z.source), len(z.source)
	if k := strings.IndexByte(z.source[i:], '>'); k >= 0 {
		end, next = i+k, i+k+1
	}
	z.emitComment(i, end, next)
}

func (z *tokenizer) emitComment(from, to, next int) {
	z.at = next
	z.tok = token{kind: commentToken, from: int32(from), to: int32(max(from, to))}
	if z.anyNUL {
		z.tok.text = keepsNUL | z.flagsOf(from, max(from, to))&hasNUL
	}
}

// readDeclaration reads a token that begins with "<!"; i is the index of the exclamation mark.
func (z *tokenizer) readDeclaration(i int) {
	i++
	rest := z.source[i:]
	switch {
	case strings.HasPrefix(rest, "--"):
		z.readComment(i + 2)
	case len(rest) >= len("doctype") && equalName(rest[:len("doctype")], "doctype"):
		for i += len("doctype"); i < len(z.source) && byteClass[z.source[i]]&isSpaceByte != 0; i++ {
		}
		z.readBogus(i)
		z.tok.kind = doctypeToken
	case z.allowCDATA && strings.HasPrefix(rest, "[CDATA["):
		i += len("[CDATA[")
		end, next := len(z.source), len(z.source)
		if k := strings.Index(z.source[i:], "]]>"); k >= 0 {
			end, next = i+k, i+k+len("]]>")
		}
		z.at = next
		z.tok = token{kind: textToken, from: int32(i), to: int32(end), text: keepsNUL | z.flagsOf(i, end)&hasNUL}
	default:
		z.readBogus(i)
	}
}

// readComment reads a comment whose content begins at start (HTML §13.2.5.43 to 52).
func (z *tokenizer) readComment(start int) {
	s := z.source
	dashes, first := 0, true
	for i := start; i < len(s); i++ {
		if dashes == 0 && !first {
			k := strings.IndexByte(s[i:], '-')
			if k < 0 {
				break
			}
			i += k
		}
		switch c := s[i]; {
		case c == '-':
			dashes++
			continue
		case c == '>' && (dashes >= 2 || first):
			z.emitComment(start, i-2, i+1)
			return
		case c == '!' && dashes >= 2 && i+1 < len(s):
			switch s[i+1] {
			case '>':
				z.emitComment(start, i-2, i+2)
				return
			case '-':
				i++
				dashes, first = 1, false
				continue
			}
		}
		dashes, first = 0, false
	}
	end := strings.TrimSuffix(s[start:], "--!")
	if len(end) == len(s)-start {
		if end = strings.TrimSuffix(end, "-"); len(end) < len(s)-start {
			end = strings.TrimSuffix(end, "-")
		}
	}
	z.emitComment(start, start+len(end), len(s))
}

// readRaw reads the text of an element that cannot contain elements and reports whether there is any.
func (z *tokenizer) readRaw() bool {
	end := len(z.source)
	switch z.raw {
	case scriptData:
		end = z.scriptEnd()
	case rcdata, rawtext:
		for i := z.at; i < len(z.source); {
			k := strings.Index(z.source[i:], "</")
			if k < 0 {
				break
			}
			if i += k; z.endsRaw(i) {
				end = i
				break
			}
			i += 2
		}
	}
	from, references := z.at, z.raw == rcdata
	z.raw = notRaw
	if from == end {
		return false
	}
	z.emitText(from, end, keepsNUL)
	if !references {
		z.tok.text &^= hasReference
	}
	return true
}

// endsRaw reports whether the end tag of the raw text begins at i.
func (z *tokenizer) endsRaw(i int) bool {
	return strings.HasPrefix(z.source[i:], "</") && z.isNamed(i+2)
}

// isNamed reports whether the name of the raw text's element is at i, followed by a byte that ends a
// name.
func (z *tokenizer) isNamed(i int) bool {
	to := i + len(z.rawName)
	return to < len(z.source) && byteClass[z.source[to]]&endsTagName != 0 && equalName(z.source[i:to], z.rawName)
}

// scriptEnd returns the index of the end tag of a script (HTML §13.2.5.15 to 31).
func (z *tokenizer) scriptEnd() int {
	s := z.source
	const (
		plain = iota
		escaped
		doubleEscaped
	)
	state, dashes := plain, 0
	for i := z.at; i < len(s); i++ {
		if state == plain {
			k := strings.IndexByte(s[i:], '<')
			if k < 0 {
				return len(s)
			}
			i += k
		}
		switch c := s[i]; {
		case c == '<' && state != doubleEscaped && z.endsRaw(i):
			return i
		case c == '<' && state == plain && strings.HasPrefix(s[i:], "<!--"):
			state, dashes = escaped, 2
			i += len("!--")
			continue
		case c == '<' && state == escaped && z.isNamed(i+1):
			state = doubleEscaped
			i += 1 + len(z.rawName)
		case c == '<' && state == doubleEscaped && z.endsRaw(i):
			state = escaped
			i += 2 + len(z.rawName)
		case c == '-' && state != plain:
			dashes++
			continue
		case c == '>' && dashes >= 2:
			state = plain
		}
		dashes = 0
	}
	return len(s)
}
