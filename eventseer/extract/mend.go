package extract

import (
	"regexp"
	"strings"

	"eventseer/features/tagtree"
)

// misread matches a run of what is left of one mark, as a dash or a bullet,
// whose UTF-8 was taken for Latin-1 or Windows-1252, often several times over.
var misread = regexp.MustCompile(`[ÂÃâ][\x{80}-\x{ff}€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]{2,}`)

// mended returns the blocks with misread marks replaced by a dash, or by white
// space where they begin a block. The texts keep their lengths, so offsets
// stay true.
func mended(blocks []tagtree.Block) []tagtree.Block {
	var out []tagtree.Block
	for i, b := range blocks {
		if !strings.ContainsAny(b.Text, "ÂÃâ") || !misread.MatchString(b.Text) {
			continue
		}
		if out == nil {
			out = append([]tagtree.Block(nil), blocks...)
		}
		out[i].Text = mend(b.Text)
	}
	if out == nil {
		return blocks
	}
	return out
}

// mend replaces the misread marks of one text.
func mend(s string) string {
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
