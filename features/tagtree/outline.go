package tagtree

import "strings"

// Outline returns the main text as Text does, then restMark, then the blocks outside the main text.
// headingMark precedes each heading. Blocks are whole, one per line. The result has at most limit bytes.
func (a *Analysis) Outline(headingMark, restMark string, limit int) string {
	main := a.textBlocks()
	o := outline{headingMark: headingMark, limit: limit}
	for _, i := range main {
		o.addBlock(&a.tree.blocks[i])
	}
	o.writeMark(restMark)
	next := 0
	for i := range a.tree.blocks {
		if next < len(main) && main[next] == i {
			next++
			continue
		}
		o.addBlock(&a.tree.blocks[i])
	}
	return strings.TrimSuffix(o.String(), restMark)
}

// An outline builds the result of Analysis.Outline.
type outline struct {
	strings.Builder
	headingMark string
	limit       int
	full        bool
}

// addBlock appends a block if it fits. Only the first block may be cut.
func (o *outline) addBlock(b *Block) {
	text := b.Text
	if strings.ContainsAny(text, "\n\r\f") {
		text = strings.Join(strings.Fields(text), " ")
	}
	if b.Kind == Heading {
		text = o.headingMark + text
	}
	if o.Len() == 0 && len(text) > o.limit {
		text = strings.ToValidUTF8(text[:o.limit], "")
		o.full = true
	} else if o.full || o.Len()+len(text)+1 > o.limit {
		o.full = true
		return
	}
	if o.Len() > 0 {
		o.WriteByte('\n')
	}
	o.WriteString(text)
}

// writeMark appends a mark if it fits and no block was left out.
func (o *outline) writeMark(mark string) {
	if !o.full && o.Len()+len(mark) < o.limit {
		o.WriteString(mark)
	}
}
