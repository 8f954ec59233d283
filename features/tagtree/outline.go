package tagtree

import (
	"strings"
)

// Outline returns the main text, as Text does, with mark before each heading, at most so
// many bytes of it and whole blocks where the first fits.
func (a *Analysis) Outline(mark string, limit int) string {
	var b strings.Builder
	for _, i := range a.textBlocks() {
		block := &a.tree.blocks[i]
		text := block.Text
		if strings.ContainsAny(text, "\n\r") {
			text = strings.Join(strings.Fields(text), " ")
		}
		if b.Len()+len(text)+len(mark)+1 > limit {
			if b.Len() == 0 {
				b.WriteString(strings.ToValidUTF8(text[:min(len(text), limit)], ""))
			}
			break
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		if block.Kind == Heading {
			b.WriteString(mark)
		}
		b.WriteString(text)
	}
	return b.String()
}
