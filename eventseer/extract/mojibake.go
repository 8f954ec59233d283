package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// misread matches what remains of a dash or bullet whose UTF-8 was read as Latin-1 or Windows-1252, often
// several times in a row.
var misread = compilePattern(`[ÂÃâ][\x{80}-\x{ff}€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}`)

// fixMojibake returns the blocks with misread characters replaced by a dash, or by white space at the start
// of a block. Text that is struck out by combining characters is marked as struck. Texts keep their
// lengths, so that offsets remain valid. blocks is not modified.
func fixMojibake(blocks []tagtree.Block) []tagtree.Block {
	var out []tagtree.Block
	for i, b := range blocks {
		if isUndamaged(b.Text) {
			continue
		}
		text := b.Text
		if misread.MatchString(text) {
			text = fixMisread(text)
		}
		if strings.Contains(text, misreadDash) {
			text = strings.ReplaceAll(text, misreadDash, "–") // both have three bytes
		}
		if strings.ContainsAny(text, lostDashes) {
			text = restoreDashes(text)
		}
		var struck []tagtree.Span
		if strings.ContainsAny(text, strikes) {
			text, struck = withoutStrikes(text)
		}
		if text == b.Text {
			continue
		}
		if out == nil {
			out = append([]tagtree.Block(nil), blocks...)
		}
		out[i].Text = text
		if len(struck) > 0 {
			out[i].Struck = slices.Concat(b.Struck, struck)
		}
	}
	if out == nil {
		return blocks
	}
	return out
}

// isUndamaged reports whether fixMojibake changes nothing in a text. It contains only characters of ASCII, and
// no question mark, the only one of lostDashes among these.
func isUndamaged(s string) bool { return text.IsASCII(s) && strings.IndexByte(s, '?') < 0 }

// fixMisread replaces the misread characters of one text.
func fixMisread(s string) string {
	const dash = "–"
	var b strings.Builder
	end := 0
	for _, m := range misread.FindAllStringIndex(s, -1) {
		b.WriteString(s[end:m[0]])
		n := m[1] - m[0]
		if strings.TrimSpace(b.String()) != "" {
			b.WriteString(dash)
			n -= len(dash)
		}
		b.WriteString(strings.Repeat(" ", n))
		end = m[1]
	}
	b.WriteString(s[end:])
	return b.String()
}

// strikes are combining characters that strike out the previous rune.
const strikes = "\u0335\u0336"

// maxStrikes is the maximum number of parts of one block that are struck out by combining characters.
const maxStrikes = 100

// withoutStrikes returns a text without combining characters that strike out runes, and its struck-out
// parts. Each part is moved to the start of its bytes and filled up with spaces.
func withoutStrikes(s string) (string, []tagtree.Span) {
	var runs []tagtree.Span
	before, last := 0, 0 // start of the previous rune, and end of the last run
	for i, r := range s {
		if strings.ContainsRune(strikes, r) {
			end := i + utf8.RuneLen(r)
			if n := len(runs); n > 0 && strings.TrimSpace(s[last:before]) == "" {
				runs[n-1].End = end
			} else if n < maxStrikes {
				runs = append(runs, tagtree.Span{Start: before, End: end})
			}
			last = end
		}
		before = i
	}
	out := []byte(s)
	for _, run := range runs {
		plain := strings.Map(func(r rune) rune {
			if strings.ContainsRune(strikes, r) {
				return -1
			}
			return r
		}, s[run.Start:run.End])
		n := copy(out[run.Start:], plain)
		for i := run.Start + n; i < run.End; i++ {
			out[i] = ' '
		}
	}
	return string(out), runs
}

// misreadDash is a dash in GB 18030 that was read as Latin-1. No language contains this sequence.
const misreadDash = "¨C"

// lostDashes are characters that replace a dash when mail, fonts or charsets lose it.
const lostDashes = "?\ufffd\uf02d\u0096\u0097"

// lostDash matches a lost dash between the days of a range.
var lostDash = compilePattern(`\b\d{1,2}(?:st|nd|rd|th)?(?:[` + lostDashes + `]|\s[` + lostDashes + `]\s)\d{1,2}(?:st|nd|rd|th)?\b`)

// restoreDashes replaces lost dashes between days by hyphens. The text keeps its length.
func restoreDashes(s string) string {
	return lostDash.ReplaceAllStringFunc(s, func(m string) string {
		i := strings.IndexAny(m, lostDashes)
		_, n := utf8.DecodeRuneInString(m[i:])
		return m[:i] + strings.Repeat(" ", n-1) + "-" + m[i+n:]
	})
}
