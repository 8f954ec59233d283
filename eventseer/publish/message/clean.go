package message

import (
	"strings"
	"unicode"
)

// Limits on what a mail shows, in runes unless stated otherwise.
const (
	maxSubject     = 150 // of a subject
	maxLetterName  = 80
	maxLetterTitle = 200
	maxLetterClip  = 500
	maxLetterDate  = 120
	maxLetterWhy   = 5
	maxLink        = 600 // bytes of a URL
)

// A span is a piece of text. Mark means that it is highlighted.
type span struct {
	Text string
	Mark bool
}

// CleanLine returns a text from outside in one line. The result is valid UTF-8 of at most limit runes,
// without control characters and characters that reverse the direction of text.
func CleanLine(s string, limit int) string { return spansText(cleanSpans(s, nil, limit)) }

// spansText returns the text of spans without their marks.
func spansText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// cleanSpans is CleanLine for a text with marks, which are half-open byte ranges in order. Ranges outside the
// text are ignored.
func cleanSpans(s string, marks [][2]int, limit int) []span {
	var out spanWriter
	space, spaceMarked := false, false
	for i, r := range s {
		for len(marks) > 0 && marks[0][1] <= i {
			marks = marks[1:]
		}
		marked := len(marks) > 0 && marks[0][0] <= i
		r, ok := cleanRune(r)
		switch {
		case !ok:
			continue
		case r == ' ':
			space, spaceMarked = true, marked
			continue
		}
		space = space && out.runes > 0
		if out.runes >= limit-1 || space && out.runes == limit-2 {
			out.writeRune('…', false)
			break
		}
		if space {
			out.writeRune(' ', spaceMarked && marked)
		}
		space = false
		out.writeRune(r, marked)
	}
	return out.finishSpans()
}

// A spanWriter collects runes into spans.
type spanWriter struct {
	spans []span
	text  strings.Builder
	mark  bool
	runes int
}

func (w *spanWriter) writeRune(r rune, mark bool) {
	if mark != w.mark {
		w.finishSpans()
		w.mark = mark
	}
	w.text.WriteRune(r)
	w.runes++
}

func (w *spanWriter) finishSpans() []span {
	if w.text.Len() > 0 {
		w.spans = append(w.spans, span{w.text.String(), w.mark})
		w.text.Reset()
	}
	return w.spans
}

// cleanRune returns a rune unchanged, or a space for separators and control characters. ok is false if the
// rune must be removed.
func cleanRune(r rune) (rune, bool) {
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' ', true
	case r == '\u200d', r == '\u200c': // these join emoji, and letters of several scripts
		return r, true
	case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return 0, false
	}
	return r, true
}

// isolateRightToLeft returns a text with letters of a right-to-left script isolated, so that it does not reorder the
// plain text around it.
func isolateRightToLeft(s string) string {
	rightToLeft := func(r rune) bool {
		return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
	}
	if strings.ContainsFunc(s, rightToLeft) {
		return "\u2068" + s + "\u2069"
	}
	return s
}
