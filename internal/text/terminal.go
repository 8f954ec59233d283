package text

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"
)

// A Terminal is a writer of text of several lines without control characters, such as escapes that
// a page holds. Line ends and tabs stay; vertical tabs and form feeds become spaces. Characters
// that turn the direction of text are left out, bytes that are no UTF-8 become U+FFFD.
type Terminal struct {
	out  io.Writer
	rest []byte // the beginning of a character whose end was not written yet
}

// NewTerminal returns a Terminal that writes to w.
func NewTerminal(w io.Writer) *Terminal { return &Terminal{out: w} }

// Write writes p without control characters. It returns len(p) if all that is left of p was written.
// The bytes of a character may come in several calls.
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
	if _, err := t.out.Write(bytes.Map(Shown, s[:end])); err != nil {
		return 0, err
	}
	return len(p), nil
}

// Shown returns the mapping of Terminal: what stands for a character, -1 if nothing does.
func Shown(r rune) rune {
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
