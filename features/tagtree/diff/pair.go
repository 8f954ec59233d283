package diff

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"

	"znkr.io/diff"
)

const (
	maxPairCells  = 10_000 // pairs of blocks compared in one hunk; further blocks are not paired
	maxBlockWords = 4_000  // words of a block that are compared individually
	minAlike      = 0.4    // minimum similarity of two states of one block
	samePlace     = 0.2    // bonus for the same tag path
)

// pairBlocks pairs the blocks of a hunk that are two states of one block. It maximizes the total
// similarity in the order of both versions (Needleman and Wunsch 1970, without gap costs).
func (c *Comparison) pairBlocks(h Hunk) []BlockPair {
	n, m := h.Old.Len(), h.New.Len()
	if m > 0 {
		n = min(n, maxPairCells/m)
	}
	if n == 0 || m == 0 {
		return c.withUnpaired(h, nil)
	}
	olds := wordSets(c.Old.Blocks()[h.Old.Start : h.Old.Start+n])
	news := wordSets(c.New.Blocks()[h.New.Start:h.New.End])
	best := make([]float64, (n+1)*(m+1)) // best[i*(m+1)+j]: maximum total similarity of the blocks from i and j on
	alike := make([]float64, n*m)
	at := func(i, j int) int { return i*(m+1) + j }
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			a := similarity(olds[i], news[j])
			if a < minAlike {
				a = 0
			}
			alike[i*m+j] = a
			best[at(i, j)] = max(best[at(i+1, j)], best[at(i, j+1)], best[at(i+1, j+1)]+a)
		}
	}
	var pairs []BlockPair
	for i, j := 0, 0; i < n && j < m; {
		switch {
		case alike[i*m+j] > 0 && best[at(i, j)] == best[at(i+1, j+1)]+alike[i*m+j]:
			o, k := h.Old.Start+i, h.New.Start+j
			pairs = append(pairs, BlockPair{Old: o, New: k, Edits: wordEdits(c.Old.Blocks()[o].Text, c.New.Blocks()[k].Text)})
			i, j = i+1, j+1
		case best[at(i, j)] == best[at(i+1, j)]:
			i++
		default:
			j++
		}
	}
	return c.withUnpaired(h, pairs)
}

// withUnpaired inserts the unpaired blocks of a hunk between its pairs: removed ones, then new ones.
func (c *Comparison) withUnpaired(h Hunk, pairs []BlockPair) []BlockPair {
	out := make([]BlockPair, 0, h.Old.Len()+h.New.Len())
	i, j := h.Old.Start, h.New.Start
	upTo := func(oldEnd, newEnd int) {
		for ; i < oldEnd; i++ {
			out = append(out, BlockPair{Old: i, New: -1})
		}
		for ; j < newEnd; j++ {
			out = append(out, BlockPair{Old: -1, New: j})
		}
	}
	for _, p := range pairs {
		upTo(p.Old, p.New)
		out = append(out, p)
		i, j = p.Old+1, p.New+1
	}
	upTo(h.Old.End, h.New.End)
	return out
}

// A wordSet is the input of likeness for a block. It has its words in lower case, sorted, with each
// number added once more as "#", so that two dates are similar.
type wordSet struct {
	words []string
	path  string
}

func wordSets(blocks []tagtree.Block) []wordSet {
	sets := make([]wordSet, len(blocks))
	for i, b := range blocks {
		words := strings.FieldsFunc(strings.ToLower(text.CutBytes(b.Text, maxLikeText)), func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r)
		})
		for _, w := range words {
			if w[0] >= '0' && w[0] <= '9' {
				words = append(words, "#")
			}
		}
		slices.Sort(words)
		sets[i] = wordSet{words, b.Path}
	}
	return sets
}

// maxLikeText is the maximum number of bytes of a block that likeness compares.
const maxLikeText = 2 << 10

// similarity returns the share of words that two blocks have in common (Dice), with a bonus for the
// same place; 0 to 1.2.
func similarity(a, b wordSet) float64 {
	common := 0
	for i, j := 0, 0; i < len(a.words) && j < len(b.words); {
		switch {
		case a.words[i] == b.words[j]:
			common, i, j = common+1, i+1, j+1
		case a.words[i] < b.words[j]:
			i++
		default:
			j++
		}
	}
	if len(a.words)+len(b.words) == 0 {
		return 0
	}
	s := float64(2*common) / float64(len(a.words)+len(b.words))
	if a.path == b.path {
		s += samePlace
	}
	return s
}

// wordEdits returns the runs of differing words of two texts; for long texts one run from the first
// to the last difference.
func wordEdits(old, new string) []WordEdit {
	x, xs := splitWords(old)
	y, ys := splitWords(new)
	if len(x) > maxBlockWords || len(y) > maxBlockWords {
		return []WordEdit{{tagtree.Span{Start: 0, End: len(old)}, tagtree.Span{Start: 0, End: len(new)}}}
	}
	var edits []WordEdit
	for _, h := range diff.Hunks(x, y, diff.Context(0)) {
		edits = append(edits, WordEdit{wordSpan(xs, h.PosX, h.EndX), wordSpan(ys, h.PosY, h.EndY)})
	}
	return edits
}

// splitWords splits a text into words, numbers and punctuation, without spaces. starts are their byte ranges.
func splitWords(s string) (out []string, starts []tagtree.Span) {
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		end := i + size
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			for end < len(s) {
				next, n := utf8.DecodeRuneInString(s[end:])
				if unicode.IsLetter(next) != unicode.IsLetter(r) || unicode.IsDigit(next) != unicode.IsDigit(r) {
					break
				}
				end += n
			}
		}
		if !unicode.IsSpace(r) {
			out, starts = append(out, s[i:end]), append(starts, tagtree.Span{Start: i, End: end})
		}
		i = end
	}
	return out, starts
}

// wordSpan returns the bytes of words [from, to), an empty span if there are none.
func wordSpan(spans []tagtree.Span, from, to int) tagtree.Span {
	switch {
	case from < to:
		return tagtree.Span{Start: spans[from].Start, End: spans[to-1].End}
	case from < len(spans):
		return tagtree.Span{Start: spans[from].Start, End: spans[from].Start}
	case from > 0:
		return tagtree.Span{Start: spans[from-1].End, End: spans[from-1].End}
	}
	return tagtree.Span{}
}
