package message

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// letterWidth is the width of the text part, in columns.
const letterWidth = 72

// wrapMail breaks a text into lines of letterWidth columns. The first line is indented by first, the others
// by rest. Longer words are cut, except links.
func wrapMail(first, rest, text string) string {
	var b strings.Builder
	b.WriteString(first)
	at, begun := textColumns(first), false
	room := letterWidth - max(at, textColumns(rest))
	for _, word := range strings.Fields(text) {
		for _, piece := range cutToWidth(word, room) {
			wide := textColumns(piece)
			switch {
			case begun && at+1+wide > letterWidth:
				b.WriteString("\n" + rest)
				at = textColumns(rest)
			case begun:
				b.WriteByte(' ')
				at++
			}
			b.WriteString(piece)
			at, begun = at+wide, true
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// cutToWidth cuts a word that is wider than room columns. Links are not cut.
func cutToWidth(word string, room int) []string {
	if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") || textColumns(word) <= room {
		return []string{word}
	}
	var out []string
	from, wide := 0, 0
	for i, r := range word {
		if c := runeColumns(r); wide+c > room {
			out = append(out, word[from:i])
			from, wide = i, c
		} else {
			wide += c
		}
	}
	return append(out, word[from:])
}

// textColumns returns the width of a text in a fixed-width font, in columns.
func textColumns(s string) int {
	n := 0
	for _, r := range s {
		n += runeColumns(r)
	}
	return n
}

func runeColumns(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	case r >= 0x1f300 && r <= 0x1faff:
		return 2
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// underlinedHeading returns a heading of the text part, underlined.
func underlinedHeading(text string) string {
	text = wrapMail("", "", text)
	widest := 0
	for line := range strings.SplitSeq(text, "\n") {
		widest = max(widest, textColumns(line))
	}
	return text + "\n" + strings.Repeat("-", widest)
}

// signature is the line before the signature of a mail.
const signature = "-- "

// tidyText removes spaces at the ends of lines, and reduces several empty lines to one.
func tidyText(text string) string {
	var b strings.Builder
	empty := true
	for line := range strings.SplitSeq(text, "\n") {
		if line != signature {
			line = strings.TrimRight(line, " \t\r")
		}
		if line == "" && empty {
			continue
		}
		empty = line == ""
		b.WriteString(line + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
