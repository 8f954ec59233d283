package tagtree

import (
	"math"
	"strings"
)

// minTextShare is the minimum share of the page's clean text, in bytes, for its main text. It
// applies if another candidate reaches it; see doc/decisions/036.
const minTextShare = 0.05

// textBlocks returns the blocks of the main text, in order. Candidates are the informational areas,
// with the lists of links between them, and the text of high density; the second is taken only if
// the first has less than minTextShare of the page's clean text and the second has more.
func (a *Analysis) textBlocks() []int {
	t := a.tree
	read, clean := make([]bool, len(t.blocks)), 0
	for i, n := range a.ofBlock {
		read[i] = n >= 0 && a.Areas[n].Kind == Info
		clean += len(t.blocks[i].Text) - t.blocks[i].Linked
	}
	if !a.own { // the paper defines the text by its areas
		return indicesOf(read)
	}
	if t.root != nil && !a.article && t.Page.Entries == nil {
		a.readLists(read)
	}
	if had := cleanText(t, read); float64(had) < minTextShare*float64(clean) {
		if dense := denseBlocks(t); cleanText(t, dense) > had {
			read = dense
		}
	}
	return indicesOf(read)
}

// indicesOf returns the indices of true values.
func indicesOf(read []bool) (at []int) {
	for i, ok := range read {
		if ok {
			at = append(at, i)
		}
	}
	return at
}

// cleanText returns the bytes outside links of the blocks that are read.
func cleanText(t *Tree, read []bool) int {
	n := 0
	for i, ok := range read {
		if ok {
			n += len(t.blocks[i].Text) - t.blocks[i].Linked
		}
	}
	return n
}

// readLists marks the lists of links that belong to the content of a page that is not an article.
// They are not named as a menu, text precedes them, and either text follows or a heading or a label
// with a colon is directly above. The kind of the area does not change: to the crawler the links
// are still those of a menu.
func (a *Analysis) readLists(read []bool) {
	t := a.tree
	signs := signsIn(t, t.sumsOf(t.prose(), nil, 0))
	last := len(read) - 1 // the last block of text
	for last >= 0 && !(read[last] && isMatter(t, last)) {
		last--
	}
	began := false
	for i := 0; i < len(read); i++ {
		if read[i] {
			began = began || isMatter(t, i)
			continue
		}
		end := i
		for end < len(read) && !read[end] {
			end++
		}
		if began && (end <= last || introduces(t, i-1)) {
			for b := i; b < end; b++ {
				read[b] = isListed(t, b, signs)
			}
		}
		i = end - 1
	}
}

// isMatter reports whether a block is text: not a heading and mostly not linked.
func isMatter(t *Tree, block int) bool {
	b := &t.blocks[block]
	return b.Level == 0 && 2*b.Linked < len(b.Text) && !isImprint(b.Text)
}

// introduces reports whether a block is a heading, or a label that ends with a colon.
func introduces(t *Tree, block int) bool {
	if block < 0 {
		return false
	}
	b := &t.blocks[block]
	return b.Level > 1 || len(b.Text) <= maxImprint && strings.HasSuffix(b.Text, ":")
}

// isListed reports whether a block that is not text may be an entry of a list in the content.
func isListed(t *Tree, block int, signs []sign) bool {
	return signs[t.holders[block]]&inherited == 0 && !isImprint(t.blocks[block].Text)
}

// denseBlocks returns for each block whether it belongs to the text of high density. The method is
// that of Sun, Song and Liao, "DOM based content extraction via text density" (CETD, SIGIR 2011),
// sections 3.2 to 3.4. An element's composite density weighs its characters per tag by its links.
// The content is the element with the greatest sum of its children's densities; the least density
// on the path from the document down to it is the threshold for its parts. Characters are counted
// in bytes, tags are elements that hold blocks.
func denseBlocks(t *Tree) []bool {
	read := make([]bool, len(t.blocks))
	if len(t.elements) == 0 || len(t.blocks) == 0 {
		return read
	}
	density, sum := densities(t)
	best := int32(0)
	for i := range sum {
		if sum[i] > sum[best] {
			best = int32(i)
		}
	}
	threshold := density[best]
	for p := t.elements[best].Parent; p >= 0; p = t.elements[p].Parent {
		threshold = min(threshold, density[p])
	}
	in := t.elements[best].Blocks
	for i := in.Start; i < in.End; i++ {
		read[i] = density[t.holders[i]] >= threshold
	}
	return read
}

// densities returns for each element its composite text density and the sum of those of its
// children. An element without children counts as its own child.
func densities(t *Tree) (density, sum []float64) {
	s := t.sums()
	density, sum = make([]float64, len(t.elements)), make([]float64, len(t.elements))
	all := float64(max(1, s.text[len(t.blocks)]))
	linkedShare := float64(s.linked[len(t.blocks)]) / all
	for i := len(t.elements) - 1; i >= 0; i-- {
		e := &t.elements[i]
		text := float64(s.text[e.Blocks.End] - s.text[e.Blocks.Start])
		linked := float64(s.linked[e.Blocks.End] - s.linked[e.Blocks.Start])
		tags, links := math.Max(1, float64(int(e.End)-i)), math.Max(1, float64(e.Links.Len()))
		if text > 0 {
			base := math.Log(text/math.Max(1, text-linked)*linked + linkedShare*text + math.E)
			density[i] = text / tags * math.Log(text/math.Max(1, linked)*tags/links) / math.Log(base+1)
			density[i] = math.Max(0, density[i])
		}
		if sum[i] == 0 {
			sum[i] = density[i]
		}
		if e.Parent >= 0 {
			sum[e.Parent] += density[i]
		}
	}
	return density, sum
}
