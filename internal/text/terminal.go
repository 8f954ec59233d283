package text

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

// A Terminal is a writer that removes control characters from text with several lines, such as escapes
// from a page. Line ends and tabs stay; vertical tabs and form feeds become spaces. Characters that
// change the writing direction are removed, bytes that are not UTF-8 become U+FFFD.
type Terminal struct {
	out  io.Writer
	rest []byte // beginning of a character whose end has not been written yet
}

// NewTerminal returns a Terminal that writes to w.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{out: w} }

// Write writes p without control characters. It returns len(p) if the remaining text was written. The
// bytes of a character may be split between calls.
func (t *Terminal) Write(p []byte) (int, error) {
	s := append(t.rest, p...)
	end := len(s)
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if b := s[len(s)-i]; utf8.RuneStart(b) {
			if b >= utf8.RuneSelf && !utf8.FullRune(s[len(s)-i:]) {
				end = len(s) - i
			}
			break
		}
	}
	t.rest = bytes.Clone(s[end:])
	if _, err := t.out.Write(bytes.Map(ShownRune, s[:end])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ShownRune returns the character that a Terminal writes for r, -1 for none.
func ShownRune(r rune) rune {
	switch {
	case r == '\n', r == '\t':
		return r
	case r == '\v', r == '\f':
		return ' '
	case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r):
		return -1
	}
	return r
}
