package message

import (
	"strings"
	"unicode"
)

// Limits on what an email shows.
const (
	maxSubject     = 150 // runes
	maxLetterName  = 80
	maxLetterTitle = 200
	maxLetterClip  = 500
	maxLetterDate  = 120
	maxLetterWhy   = 5
	maxLink        = 600 // bytes
)

// A span is a piece of a text, in a mark or not.
type span struct {
	Text string
	Mark bool
}

// CleanLine makes one line of a text from outside. It is valid UTF-8 of at most limit runes,
// without control characters and marks that reverse the direction of text.
func CleanLine(s string, limit int) string { return spansText(cleanSpans(s, nil, limit)) }

// spansText returns the text of spans without their marks.
func spansText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

// cleanSpans is cleanLine of a text with marks: half-open ranges of its bytes, in
// order. Of ranges that are none of the text, what lies in it is marked.
func cleanSpans(s string, marks [][2]int, limit int) []span {
	var out spanWriter
	space, spaceMarked := false, false
	for i, r := range s {
		for len(marks) > 0 && marks[0][1] <= i {
			marks = marks[1:]
		}
		marked := len(marks) > 0 && marks[0][0] <= i
		r, ok := harmless(r)
		switch {
		case !ok:
			continue
		case r == ' ':
			space, spaceMarked = true, marked
			continue
		}
		space = space && out.runes > 0
		if out.runes >= limit-1 || space && out.runes == limit-2 {
			out.write('…', false)
			break
		}
		if space {
			out.write(' ', spaceMarked && marked)
		}
		space = false
		out.write(r, marked)
	}
	return out.end()
}

// A spanWriter gathers runes into spans.
type spanWriter struct {
	spans []span
	text  strings.Builder
	mark  bool
	runes int
}

func (w *spanWriter) write(r rune, mark bool) {
	if mark != w.mark {
		w.end()
		w.mark = mark
	}
	w.text.WriteRune(r)
	w.runes++
}

func (w *spanWriter) end() []span {
	if w.text.Len() > 0 {
		w.spans = append(w.spans, span{w.text.String(), w.mark})
		w.text.Reset()
	}
	return w.spans
}

// harmless reports what stays of a rune: itself, a space of what separates, or nothing.
func harmless(r rune) (rune, bool) {
	switch {
	case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' ', true
	case r == '\u200d', r == '\u200c': // these join emoji and the emails of several scripts
		return r, true
	case unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs):
		return 0, false
	}
	return r, true
}

// isolated keeps a text of right-to-left emails from turning what stands around it in plain text.
func isolated(s string) string {
	rightToLeft := func(r rune) bool {
		return r >= 0x590 && r <= 0x8ff || r >= 0xfb1d && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x10800 && r <= 0x10fff || r >= 0x1e800 && r <= 0x1efff
	}
	if strings.ContainsFunc(s, rightToLeft) {
		return "\u2068" + s + "\u2069"
	}
	return s
}
