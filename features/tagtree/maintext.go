package tagtree

import (
	"math"
	"strings"
)

// minTextShare is the minimum share of the main text in the page's text outside links, in bytes. Below it the
// text of high density is used if it is longer; see doc/decisions/036.
const minTextShare = 0.05

// textBlocks returns the indices of the blocks of the main text, in order. They are the blocks of the
// informational areas and the lists of links between them. If these have less than minTextShare of the page's
// text outside links, the text of high density is used if it is longer.
func (a *Analysis) textBlocks() []int {
	t := a.tree
	read, clean := make([]bool, len(t.blocks)), 0
	for i, n := range a.ofBlock {
		read[i] = n >= 0 && a.Areas[n].Kind == Info
		clean += len(t.blocks[i].Text) - t.blocks[i].Linked
	}
	if !a.own { // the paper's main text is the informational areas
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

// indicesOf returns the indices of the true values.
func indicesOf(read []bool) (at []int) {
	for i, ok := range read {
		if ok {
			at = append(at, i)
		}
	}
	return at
}

// cleanText returns the bytes outside links of the blocks marked in read.
func cleanText(t *Tree, read []bool) int {
	n := 0
	for i, ok := range read {
		if ok {
			n += len(t.blocks[i].Text) - t.blocks[i].Linked
		}
	}
	return n
}

// readLists marks the lists of links that belong to the content of a page that is not an article. Such a list
// is not named as a menu and follows text. Either text comes after it, or a heading or a label with a colon
// is directly above. The area's kind does not change: for the crawler, the links remain links of a menu.
func (a *Analysis) readLists(read []bool) {
	t := a.tree
	signs := signsIn(t, t.sumsOf(t.proseOfBlocks(), nil, 0))
	last := len(read) - 1 // index of the last block of text
	for last >= 0 && !(read[last] && isBodyText(t, last)) {
		last--
	}
	began := false
	for i := 0; i < len(read); i++ {
		if read[i] {
			began = began || isBodyText(t, i)
			continue
		}
		end := i
		for end < len(read) && !read[end] {
			end++
		}
		if began && (end <= last || isIntroduction(t, i-1)) {
			for b := i; b < end; b++ {
				read[b] = isListEntry(t, b, signs)
			}
		}
		i = end - 1
	}
}

// isBodyText reports whether a block is text of the page: not a heading, mostly not linked, and not an imprint.
func isBodyText(t *Tree, block int) bool {
	b := &t.blocks[block]
	return b.Level == 0 && 2*b.Linked < len(b.Text) && !isSiteNotice(b.Text)
}

// isIntroduction reports whether a block is a subheading or a short label that ends with a colon.
func isIntroduction(t *Tree, block int) bool {
	if block < 0 {
		return false
	}
	b := &t.blocks[block]
	return b.Level > 1 || len(b.Text) <= maxImprint && strings.HasSuffix(b.Text, ":")
}

// isListEntry reports whether a block of links may be an entry of a list in the content.
func isListEntry(t *Tree, block int, signs []nameSign) bool {
	return signs[t.holders[block]]&inherited == 0 && !isSiteNotice(t.blocks[block].Text)
}

// denseBlocks reports for each block whether it belongs to the text of high density. The method is that of
// Sun, Song and Liao, "DOM based content extraction via text density" (CETD, SIGIR 2011), sections 3.2 to
// 3.4.
//
// An element's composite density is its number of characters per tag, weighted by its links. The content is
// the element whose children have the greatest sum of densities. The threshold for its parts is the smallest
// density on the path from the document to it. Characters are counted in bytes; tags are the elements of the
// tree.
func denseBlocks(t *Tree) []bool {
	read := make([]bool, len(t.blocks))
	if len(t.elements) == 0 || len(t.blocks) == 0 {
		return read
	}
	density, sum := textDensities(t)
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

// textDensities returns for each element its composite text density and the sum of its children's densities. For
// an element without children the sum is its own density.
func textDensities(t *Tree) (density, sum []float64) {
	s := t.blockTotals()
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
