package sitemap

import (
	"bufio"
	"bytes"
	"html"
	"io"
	"strings"
)

// Limits on one token of a tagScanner; the rest of it is skipped.
const (
	maxTagName = 128
	maxTagText = 8 << 10
)

// A tagScanner reads the tags and texts of XML, even malformed, as a stream. It stores only the
// current token, so memory and recursion are bounded. Attributes, comments, declarations and
// processing instructions are skipped. Its handling of HTML is sufficient to extract text.
type tagScanner struct {
	r      *bufio.Reader
	offset int64 // of what comes next
}

type tagKind uint8

const (
	openTag tagKind = iota + 1
	closeTag
	textRun
)

// A tag is a token: an opening or closing tag, or a run of text.
type tag struct {
	kind         tagKind
	prefix, name string // lower-case, of <prefix:name>
	raw          string // the name as written
	empty        bool   // <name/>
	text         string // with entities decoded
	start        int64  // where the token begins, in bytes
}

func newTagScanner(r io.Reader) *tagScanner { return &tagScanner{r: bufio.NewReader(r)} }

// next returns the next token; ok is false at the end.
func (s *tagScanner) next() (t tag, ok bool) {
	for {
		t = tag{start: s.offset}
		c, err := s.readByte()
		if err != nil {
			return t, false
		}
		if c != '<' {
			s.unreadByte()
			t.kind, t.text = textRun, unescape(s.readText('<', maxTagText))
			return t, true
		}
		switch head, _ := s.r.Peek(8); {
		case bytes.HasPrefix(head, []byte("!--")):
			s.skipBytes(3)
			s.skipAfter("-->", 0)
		case bytes.EqualFold(head, []byte("![CDATA[")):
			s.skipBytes(8)
			t.kind, t.text = textRun, s.skipAfter("]]>", maxTagText)
			return t, true
		case bytes.HasPrefix(head, []byte("?")):
			s.skipAfter("?>", 0)
		case bytes.HasPrefix(head, []byte("!")):
			s.skipDeclaration()
		case bytes.HasPrefix(head, []byte("/")):
			s.skipBytes(1)
			t.kind = closeTag
			s.readTag(&t)
			return t, true
		case len(head) > 0 && isNameStart(head[0]):
			t.kind = openTag
			s.readTag(&t)
			return t, true
		default: // a "<" that begins no tag
			t.kind, t.text = textRun, "<"+unescape(s.readText('<', maxTagText))
			return t, true
		}
	}
}

func isNameStart(c byte) bool {
	return c == '_' || c == ':' || c >= 0x80 || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// readTag reads a tag from its name to its ">".
func (s *tagScanner) readTag(t *tag) {
	var name []byte
	inName, quote, last := true, byte(0), byte(0)
	for {
		c, err := s.readByte()
		if err != nil {
			break
		}
		if quote != 0 {
			if c == quote {
				quote = 0
			}
			continue
		}
		if c == '>' {
			break
		}
		if c == '<' { // the tag never ended
			s.unreadByte()
			break
		}
		inName = inName && c > ' ' && c != '/'
		switch {
		case inName && len(name) < maxTagName:
			name = append(name, c)
		case !inName && (c == '"' || c == '\'') && last == '=':
			quote = c
		}
		if c > ' ' {
			last = c
		}
	}
	t.empty = t.kind == openTag && last == '/'
	t.raw = string(name)
	prefix, local, found := strings.Cut(strings.ToLower(t.raw), ":")
	if !found {
		prefix, local = "", prefix
	}
	t.prefix, t.name = prefix, local
}

// skipDeclaration skips to the ">" of a <!…>, which may contain nested ones and quotes.
func (s *tagScanner) skipDeclaration() {
	depth, quote := 1, byte(0)
	for depth > 0 {
		c, err := s.readByte()
		switch {
		case err != nil:
			return
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			depth++
		case c == '>':
			depth--
		}
	}
}

// readText returns the bytes before the next end, at most keep.
func (s *tagScanner) readText(end byte, keep int) string {
	var kept []byte
	for {
		part, err := s.r.ReadSlice(end)
		s.offset += int64(len(part))
		found := err == nil
		if found {
			part = part[:len(part)-1]
			s.unreadByte()
		}
		kept = append(kept, part[:min(len(part), keep-len(kept))]...)
		if err != bufio.ErrBufferFull {
			return string(kept)
		}
	}
}

// skipAfter skips after the next end and returns at most keep bytes before it.
func (s *tagScanner) skipAfter(end string, keep int) string {
	var kept, tail []byte
	for string(tail) != end {
		part, err := s.r.ReadSlice(end[len(end)-1])
		s.offset += int64(len(part))
		kept = append(kept, part[:min(len(part), keep+len(end)-len(kept))]...)
		tail = append(tail, part[max(0, len(part)-len(end)):]...)
		tail = tail[max(0, len(tail)-len(end)):]
		if err != nil && err != bufio.ErrBufferFull {
			break
		}
	}
	return string(kept[:min(keep, len(bytes.TrimSuffix(kept, []byte(end))))])
}

func (s *tagScanner) readByte() (byte, error) {
	c, err := s.r.ReadByte()
	if err == nil {
		s.offset++
	}
	return c, err
}

func (s *tagScanner) unreadByte() {
	if s.r.UnreadByte() == nil {
		s.offset--
	}
}

func (s *tagScanner) skipBytes(n int) {
	n, _ = s.r.Discard(n)
	s.offset += int64(n)
}

// unescape decodes the entities of s that end with a semicolon. Other "&" are unchanged, as in
// unescaped addresses.
func unescape(s string) string {
	const longest = 32
	var b strings.Builder
	for {
		i := strings.IndexByte(s, '&')
		if i < 0 {
			break
		}
		b.WriteString(s[:i])
		s = s[i:]
		if end := strings.IndexByte(s[:min(len(s), longest)], ';'); end > 0 {
			b.WriteString(html.UnescapeString(s[:end+1]))
			s = s[end+1:]
			continue
		}
		b.WriteByte('&')
		s = s[1:]
	}
	if b.Len() == 0 {
		return s
	}
	return b.String() + s
}

// plainText returns the text of a piece of HTML with white space folded.
func plainText(markup string) string {
	var b strings.Builder
	hidden := ""
	for s := newTagScanner(strings.NewReader(markup)); ; {
		t, ok := s.next()
		if !ok {
			return strings.Join(strings.Fields(strings.ToValidUTF8(b.String(), "\ufffd")), " ")
		}
		switch {
		case hidden != "":
			if t.kind == closeTag && t.name == hidden {
				hidden = ""
			}
		case t.kind == textRun:
			b.WriteString(t.text)
		case t.kind == openTag && !t.empty && (t.name == "script" || t.name == "style"):
			hidden = t.name
		case !isInline(t.name):
			b.WriteByte(' ')
		}
	}
}

// isInline reports whether words may continue across a tag of HTML.
func isInline(name string) bool {
	switch name {
	case "a", "abbr", "b", "big", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "u", "wbr":
		return true
	}
	return false
}
