package tagtree

import (
	"eventseer/webgraph"

	"znkr.io/diff"
)

// A Comparison says in what two versions of a page differ. It is read-only.
type Comparison struct {
	Old, New *Tree
	// Hunks are the runs of blocks that differ, in order. A run has blocks of the
	// old version, of the new one, or of both.
	Hunks []Hunk
	// Added and Removed are the links that only one version has, in its order.
	Added, Removed []webgraph.Link
}

// A Hunk is a run of blocks that differ, as indexes into Tree.Blocks of both
// versions.
type Hunk struct{ Old, New Range }

// Compare compares two versions of a page, block by block and link by link.
func Compare(old, new *Tree) *Comparison {
	c := &Comparison{Old: old, New: new, Added: linksOnlyIn(new, old), Removed: linksOnlyIn(old, new)}
	for _, h := range diff.Hunks(blockTexts(old), blockTexts(new), diff.Context(0)) {
		c.Hunks = append(c.Hunks, Hunk{Old: Range{h.PosX, h.EndX}, New: Range{h.PosY, h.EndY}})
	}
	return c
}

func blockTexts(t *Tree) []string {
	texts := make([]string, len(t.blocks))
	for i, b := range t.blocks {
		texts[i] = b.Text
	}
	return texts
}

// linksOnlyIn returns the links of t whose targets other does not link to.
func linksOnlyIn(t, other *Tree) []webgraph.Link {
	there := make(map[string]bool, len(other.links))
	for _, l := range other.links {
		there[l.Target] = true
	}
	var only []webgraph.Link
	for _, l := range t.links {
		if !there[l.Target] {
			there[l.Target] = true
			only = append(only, l)
		}
	}
	return only
}
