// Package diff compares two versions of a page: block by block, word by word and link
// by link, without what differs at each visit.
package diff

import (
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"znkr.io/diff"
)

// A Comparison says in what two versions of a page differ, for a reader: what changes
// with every visit (counters, dates of printing, session ids) and how quotes and spaces
// are set is no difference. It is read-only.
type Comparison struct {
	Old, New *tagtree.Tree
	// Hunks are the runs of blocks that differ, in order. A run has blocks of the
	// old version, of the new one, or of both.
	Hunks []Hunk
	// Restyled are the blocks whose words are the same and whose marks are not: struck
	// out now, or a heading.
	Restyled []BlockPair
	// Kept are the blocks whose words are the same, hunk by hunk those between.
	Kept []BlockPair
	// Noise says that texts differ which are no difference.
	Noise bool
	// Added and Removed are the links that only one version has, in its order.
	Added, Removed []webgraph.Link
	// Retargeted are the links of Added that stand where one of Removed stood, with
	// the same words.
	Retargeted []Retarget
}

// A Hunk is a run of blocks that differ, as indexes into Tree.Blocks of both
// versions. Each block of it stands in one pair, in an order to show them in.
type Hunk struct {
	Old, New tagtree.Range
	Pairs    []BlockPair
}

// A BlockPair is a block in both versions, as indexes into Tree.Blocks: Old is -1 of a
// new block, New of one that is gone. Edits are the words that differ.
type BlockPair struct {
	Old, New int
	Edits    []WordEdit
}

// A WordEdit is a run of words that differs, as bytes of Block.Text of both versions;
// one of the two may be empty.
type WordEdit struct{ Old, New tagtree.Span }

// A Retarget is a link that leads elsewhere now.
type Retarget struct{ Old, New webgraph.Link }

// Compare compares two versions of a page, block by block and link by link. It is pure;
// the work is near-linear in the blocks.
func Compare(old, new *tagtree.Tree) *Comparison {
	c := &Comparison{Old: old, New: new}
	c.compareBlocks()
	c.compareLinks()
	return c
}

func (c *Comparison) compareBlocks() {
	x, y := comparedTexts(c.Old.Blocks(), c.New.Blocks())
	i, j := 0, 0
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		c.keep(i, j, h.PosX)
		k := Hunk{Old: tagtree.Range{Start: h.PosX, End: h.EndX}, New: tagtree.Range{Start: h.PosY, End: h.EndY}}
		k.Pairs = c.pairBlocks(k)
		c.Hunks = append(c.Hunks, k)
		i, j = h.EndX, h.EndY
	}
	c.keep(i, j, len(x))
}

// keep notes the blocks from i and j on, up to the old block end, as the same.
func (c *Comparison) keep(i, j, end int) {
	for ; i < end; i, j = i+1, j+1 {
		a, b := c.Old.Blocks()[i], c.New.Blocks()[j]
		pair := BlockPair{Old: i, New: j}
		c.Kept = append(c.Kept, pair)
		c.Noise = c.Noise || a.Text != b.Text
		if a.Kind != b.Kind || a.Level != b.Level || struckBytes(a) != struckBytes(b) {
			c.Restyled = append(c.Restyled, pair)
		}
	}
}

func struckBytes(b tagtree.Block) int {
	n := 0
	for _, s := range b.Struck {
		n += s.End - s.Start
	}
	return n
}
